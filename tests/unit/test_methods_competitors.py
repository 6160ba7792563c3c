"""Competitors and estimators as methods like any other: made by name, trained, stored."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy import sparse
from small_sets import blobs, competitor, regions_set, task_of

from toplabel.reproduction import methods
from toplabel.reproduction.config.keys import COMPETITORS
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget
from toplabel.reproduction.methods import Recipe, create
from toplabel.reproduction.methods.estimator import Estimator, made
from toplabel.reproduction.methods.trained import TrainedMethod
from toplabel.reproduction.selection import models
from toplabel.reproduction.selection.problems import validation_problems
from toplabel.reproduction.selection.tuning import tune_split
from toplabel.reproduction.tasks import recipe_of

BUDGET = Budget(Axis(2, -4, 2, 2), None, folds=2)
QUICK = {f"wsabie_pp_{queue}": {"dimension": 4, "epochs": 3} for queue in range(3)}
QUICK |= {"topk_ent_tr_descent": {"steps": 5}}
FIXED = {"n_classes": 3, "seed": 0, "tol": 1e-6, "max_iter": 5000}


def problem():
    """Rows with more features than rows of a class, most of them 0, and their classes."""
    X, y = blobs(spread=0.9)
    return np.column_stack([X, np.zeros((len(X), 60))]), y


def trainer_of(name):
    return competitor(name, 2 if COMPETITORS[name].top_k else 1, **QUICK.get(name, {}))


@pytest.mark.parametrize("name", COMPETITORS)
def test_every_competitor_takes_sparse_rows_and_is_repeated(name):
    trainer, (X, labels) = trainer_of(name), problem()
    one, again, csr = (
        trainer.train(rows, labels, C=3.0, **FIXED) for rows in (X, X, sparse.csr_matrix(X))
    )
    scores = one.decision_function(X)
    assert scores.shape == (len(X), 3)
    assert np.abs(scores).max() > 0
    np.testing.assert_array_equal(scores, again.decision_function(X))
    near = 2e-3 * np.abs(scores).max()
    assert csr.decision_function(sparse.csr_matrix(X)) == pytest.approx(scores, abs=near)
    assert one.decision_function(sparse.csr_matrix(X)) == pytest.approx(scores, abs=1e-9)


@pytest.mark.parametrize(
    "name", ["toppush", "recall_at_k", "recall_at_k_ova", "sc_svm_batch", "sh_svm_batch"]
)
def test_a_warm_start_ends_at_the_same_optimum(name):
    trainer, (X, y) = trainer_of(name), problem()
    cold = trainer.train(X, y, C=1.0, **FIXED)
    warm = trainer.train(X, y, C=1.0, start=trainer.train(X, y, C=0.1, **FIXED), **FIXED)
    assert {cold.status, warm.status} <= {"converged", "stalled"}  # the latter by rounding
    gaps = cold.relative_gap, warm.relative_gap
    assert 0 <= min(gaps) <= max(gaps) <= 1e-4
    assert warm.primal == pytest.approx(cold.primal, rel=sum(gaps))
    scores = cold.decision_function(X)
    assert warm.decision_function(X) == pytest.approx(scores, abs=2e-3 * np.abs(scores).max())


@pytest.mark.parametrize(
    ("name", "none"), [("toppush_ova", 0), ("recall_at_k_ova", 0), ("svm_ova_batch", -1)]
)
def test_a_class_without_an_example_gets_a_constant_score(name, none):
    X, y = problem()
    three, four = (trainer_of(name).train(X, y, C=1.0, **FIXED | {"n_classes": m}) for m in (3, 4))
    scores = four.decision_function(X)
    assert scores[:, :3] == pytest.approx(three.decision_function(X))
    assert (scores[:, 3] == none).all()


def test_a_short_run_says_so():
    X, labels = problem()
    short = FIXED | {"max_iter": 2, "tol": 1e-9}
    trained = trainer_of("recall_at_k").train(X, labels, C=100.0, **short)
    assert trained.status == "max_iter"
    assert trained.dual < trained.primal


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("toppush_program", {"tolerance": -1.0}, "tolerance must be >= 0"),
        ("recall_at_k", {"tolerance": -0.1}, "tolerance must be >= 0"),
        ("wsabie_pp_0", {"epochs": 1.5}, "params: epochs must be an integer, got 1.5"),
        ("topk_ent_tr_descent", {"steps": -1}, "steps must be >= 0, got -1"),
        ("simplex_boosting", {"depth": 0}, "depth must be >= 1, got 0"),
    ],
)
def test_options_that_do_not_fit_are_named(name, params, message):
    with pytest.raises(ValueError, match=message):
        competitor(name, **params)


@dataclass
class Recorder:
    """A trainer that remembers how it was called."""

    calls: list = field(default_factory=list)

    def train(self, X, labels, *, n_classes, C, **arguments):
        self.calls.append({"C": C, **arguments})
        return TrainedMethod(np.full((X.shape[1], n_classes), C), "uncertified", epochs=3)


def test_a_competitor_starts_from_the_model_of_the_largest_C_below(monkeypatch):
    trainer = Recorder()
    monkeypatch.setattr(models, "create", lambda recipe: trainer)
    X, y = blobs()
    method = Method("m", "M", competitor="lr_ova_liblinear")
    fitter = models.Fitter(task_of(method, BUDGET), X, y, 3, None, 0)
    found = {C: fitter.fit(C=C).solution for C in (1.0, 4.0, 2.0, 8.0)}
    assert [call["start"] for call in trainer.calls] == [None, found[1.0], None, found[4.0]]
    seeds = [call["seed"] for call in trainer.calls]
    assert len(set(seeds)) == 4
    fitter.fit(C=2.0)
    assert trainer.calls[-1]["seed"] == seeds[2]  # of names and value, not of the order


# ---- estimators ------------------------------------------------------------------------------------

FOREST = ("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 10})
LOGISTIC = {"estimator": "sklearn.linear_model.LogisticRegression", "params": {"C": 10.0}}
SVM = {"estimator": "sklearn.svm.LinearSVC"}


@pytest.mark.parametrize(
    ("path", "params"),
    [
        FOREST,
        ("sklearn.neighbors.KNeighborsClassifier", {}),
        ("sklearn.multioutput.ClassifierChain", {"estimator": LOGISTIC, "order": "random"}),
        ("sklearn.multiclass.OneVsRestClassifier", {"estimator": SVM}),
    ],
)
def test_an_estimator_learns_label_sets_and_zero_is_the_threshold(path, params):
    X, y = blobs(spread=0.3)
    Y = np.eye(3, dtype=np.uint8)[y]
    trainer = Estimator(made(path, params), [{}])
    scores, again = (
        trainer.train(X, Y, n_classes=3, candidate=0, seed=2**40).decision_function(X)
        for _ in range(2)
    )
    np.testing.assert_array_equal(scores, again)
    assert ((scores > 0) == Y).mean() > 0.9


@pytest.mark.parametrize("name", ["sklearn.linear_model.LogisticRegression", FOREST[0]])
def test_an_estimator_of_classes_scores_those_that_never_occur(name):
    X, y = blobs()
    trained = Estimator(made(name, {}), [{}]).train(X, y, n_classes=5, candidate=0, seed=0)
    scores = trained.decision_function(X)
    assert (scores.argmax(axis=1) == y).mean() > 0.8
    assert (scores[:, 3:] < scores[:, :3].min()).all()
    two = Estimator(made(name, {}), [{}]).train(
        X, np.minimum(y, 1), n_classes=2, candidate=0, seed=0
    )
    assert (two.decision_function(X).argmax(axis=1) == np.minimum(y, 1)).mean() > 0.7


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("sklearn.ensemble.RandomForestRegressor", "RandomForestClassifier"),
        ("sklearn.linear_model.LinearRegression", "LogisticRegression"),
        ("sklearn.svm.LinearSVR", "LinearSVC"),
        ("sklearn.cluster.KMeans", "clusterer"),
        ("sklearn.ensemble.IsolationForest", "outlier detector"),
    ],
)
def test_what_is_no_classifier_is_refused_with_the_nearest_one(path, near):
    with pytest.raises(ValueError, match=near):
        create(Recipe(estimator=path, candidates=({},)))


def test_a_loss_of_the_user_says_which_method_it_lacks(tmp_path, monkeypatch):
    (tmp_path / "lossy.py").write_text("class Half:\n    def value(self, scores, y): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=r"loss: lossy.Half: .*'gradient'"):
        create(Recipe(loss="lossy.Half"))


def test_what_an_estimator_raises_names_the_label_without_two_kinds_of_rows():
    X, y = blobs()
    Y = np.eye(3, dtype=np.uint8)[y]
    Y[:, 1] = 0
    path = "sklearn.multioutput.MultiOutputClassifier"
    trainer = Estimator(made(path, {"estimator": LOGISTIC}), [{}])
    with pytest.raises(ValueError, match="label 1,"):
        trainer.train(X, Y, n_classes=3, candidate=0, seed=0)


def test_the_candidates_of_an_estimator_are_tried_one_after_the_other():
    grid = {"estimator__C": (0.01, 10.0), "order": ("random",)}
    params = {"estimator": {"estimator": LOGISTIC["estimator"]}}
    path = "sklearn.multioutput.ClassifierChain"
    method = Method("chain", "A", estimator=path, labels="set", params=params, grid=grid)
    task = task_of(method, BUDGET, ["rank_loss"], "half")
    (tuned,) = tune_split(list(validation_problems(regions_set(), task)), task)
    assert tuned.C is None
    assert tuned.candidate.tolist() == [0, 1]
    X, y = blobs()
    trainer, indicator = methods.create(task.recipe), np.eye(3, dtype=int)[y]
    trained = trainer.train(X, indicator, n_classes=3, candidate=1, seed=1)
    chain = trained.model.estimator
    assert chain.estimator.C == 10.0
    assert chain.random_state is not None


@pytest.mark.parametrize(
    ("path", "params", "message"),
    [
        ("sklearn.ensemble.Forest", {}, "AttributeError: .*Forest"),
        ("nothing.Such", {}, "ModuleNotFoundError: No module named 'nothing'"),
        (*FOREST[:1], {"trees": 3}, "TypeError: .*unexpected keyword argument 'trees'"),
    ],
)
@pytest.mark.parametrize("kind", ["estimator", "loss"])
def test_a_class_that_cannot_be_made_is_named(path, params, message, kind):
    method = Method("mine", "Mine", params=params, **{kind: path})
    with pytest.raises(ValueError, match=rf"^{kind}: {path}: {message}"):
        methods.create(recipe_of(method))
