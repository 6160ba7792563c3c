"""Baselines as methods like any other: made by name, tuned, trained, stored, evaluated."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from standin import blobs, multiclass_set, problems_of, task_of

from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget
from toplabel.reproduction.methods import BASELINES, create
from toplabel.reproduction.methods.models import Trained
from toplabel.reproduction.selection.choice import select
from toplabel.reproduction.selection.evaluation import evaluate
from toplabel.reproduction.selection.final import Models, train_models
from toplabel.reproduction.selection.fitting import Limits, by_baseline
from toplabel.reproduction.selection.tuning import tune_split

BUDGET = Budget(Axis(2, -4, 2, 2), None, folds=2)
METHOD = Method("lr", "A", competitor="lr_ova_liblinear")
TASK = task_of(METHOD, BUDGET, ("top1", "top2"))


def _refuse(*arguments, **keywords):
    raise AssertionError("a baseline needs no call of our own solver")


class Recorder:
    """A trainer that remembers how it was called."""

    def __init__(self):
        self.calls = []

    def train(self, X, labels, *, n_classes, C, seed, eps, max_epochs, start=None):
        self.calls.append({"C": C, "seed": seed, "start": start, "eps": eps})
        return Trained(np.full((X.shape[1], n_classes), C), "uncertified", epochs=3)


QUICK = {f"wsabie_pp_{queue}": {"dimension": 4, "epochs": 3} for queue in range(3)}
QUICK |= {"multioutput_forest": {"trees": 5}, "topk_ent_tr_descent": {"steps": 5}}
FIXED = {"n_classes": 3, "seed": 0, "eps": 1e-6, "max_epochs": 5000}


def problem(name):
    """Rows with features that are 0, and labels as the baseline takes them."""
    X, y = blobs(spread=0.9)
    X = np.column_stack([X, np.zeros((len(X), 60))])  # more features than rows of a class
    sets = np.column_stack([y == 0, y != 1, X[:, 0] > 0]).astype(np.uint8)
    return X, sets if BASELINES[name].task == "multilabel" else y


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_takes_sparse_rows_is_repeated_and_stored(name, tmp_path):
    trainer, (X, labels) = create(name, k=2, params=QUICK.get(name)), problem(name)
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
    key = ("main", 3.0, None, 2.0)
    Models({key: one.model}).save(tmp_path / "models.npz")
    stored = Models.load(tmp_path / "models.npz")
    np.testing.assert_array_equal(stored.scores(key, X, None), scores)
    with np.load(tmp_path / "models.npz", allow_pickle=False) as raw:  # nothing is pickled
        assert all(array.dtype != object for array in raw.values())


def test_another_seed_gives_another_model_where_something_is_drawn():
    for name in ("wsabie_pp_1", "multioutput_forest", "sc_svm_online"):
        trainer, (X, labels) = create(name, params=QUICK.get(name)), problem(name)
        one, other = (
            trainer.train(X, labels, C=1.0, **FIXED | {"seed": seed}).decision_function(X)
            for seed in (0, 1)
        )
        assert not np.allclose(one, other), name


@pytest.mark.parametrize(
    "name",
    ["toppush", "toppush_ova", "recall_at_k", "recall_at_k_ova", "sc_svm_batch", "sh_svm_batch"],
)
def test_a_warm_start_ends_at_the_same_optimum(name):
    trainer, (X, y) = create(name, k=2), problem(name)
    cold = trainer.train(X, y, C=1.0, **FIXED)
    warm = trainer.train(X, y, C=1.0, start=trainer.train(X, y, C=0.1, **FIXED), **FIXED)
    assert {cold.status, warm.status} <= {"converged", "stalled"}  # the latter by rounding
    assert 0 <= cold.relative_gap <= 1e-4
    assert warm.primal == pytest.approx(cold.primal, rel=1e-5)
    near = 2e-3 * np.abs(cold.model).max()
    assert warm.model == pytest.approx(cold.model, abs=near)


@pytest.mark.parametrize(("name", "none"), [("toppush_ova", 0), ("recall_at_k_ova", 0),
                                            ("svm_ova_batch", -1)])  # fmt: skip
def test_a_class_without_an_example_gets_a_constant_score(name, none):
    X, y = problem(name)
    three, four = (create(name).train(X, y, C=1.0, **FIXED | {"n_classes": m}) for m in (3, 4))
    scores = four.decision_function(X)
    assert scores[:, :3] == pytest.approx(three.decision_function(X))
    assert (scores[:, 3] == none).all()


@pytest.mark.parametrize("name", ["toppush", "recall_at_k", "label_hierarchy"])
def test_a_short_run_says_so(name):
    X, labels = problem(name)
    trained = create(name).train(X, labels, C=100.0, **FIXED | {"max_epochs": 2, "eps": 1e-9})
    assert trained.status == "max_epochs"
    if name != "label_hierarchy":
        assert trained.dual < trained.primal
        assert trained.relative_gap > 1e-9


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("x", {}, "unknown baseline 'x'; known: svm_ova_liblinear"),
        (
            "svm_ova_liblinear",
            {"bias": True},
            "'svm_ova_liblinear': unknown option 'bias'; known: ",
        ),
        ("toppush_nesterov", {"tolerance": -1.0}, "tolerance must be >= 0"),
        ("toppush_nesterov", {"iterations": 0}, "iterations must be >= 1"),
        ("recall_at_k", {"tolerance": -0.1}, "tolerance must be >= 0"),
        ("wsabie_pp_0", {"dimension": 0}, "dimension must be >= 1, got 0"),
        ("wsabie_pp_0", {"step": 0}, "step must be > 0, got 0"),
        ("wsabie_pp_0", {"epochs": 1.5}, "'wsabie_pp_0': epochs must be an integer, got 1.5"),
        ("topk_ent_tr_descent", {"steps": -1}, "steps must be >= 0, got -1"),
        ("topk_ent_tr_descent", {"steps": True}, "steps must be an integer, got True"),
        ("simplex_boosting", {"depth": 0}, "depth must be >= 1, got 0"),
        ("sc_svm_online", {"epochs": 0}, "epochs must be >= 1"),
        ("s_ls_batch", {"count": 1}, "count must be >= 2"),
        ("multioutput_forest", {"trees": 0}, "trees must be >= 1, got 0"),
        ("multioutput_forest", {"projection": True}, "projection must be an integer, got True"),
        ("multioutput_forest", {"features": "all"}, "features must be 'sqrt' or 'log2', got 'all'"),
        ("label_hierarchy", {"children": 1}, "children must be >= 2, got 1"),
    ],
)
def test_options_that_do_not_fit_are_named(name, params, message):
    X, y = blobs()
    with pytest.raises(ValueError, match=message):  # noqa: PT012
        trainer = create(name, params=params)
        if BASELINES[name].own_grid:
            trainer.axis(X, y, 3)
        trainer.train(X, y, C=1.0, **FIXED)


@pytest.mark.parametrize("k", [0, 1.5, True])
def test_a_k_that_is_none_is_refused(k):
    with pytest.raises(ValueError, match=rf"k must be (>= 1|an integer), got {k}"):
        create("recall_at_k", k=k)


def test_a_series_starts_at_the_largest_value_below():
    trainer = Recorder()
    X, y = blobs()
    train = by_baseline(trainer, X, y, Limits(3, 1e-3, 100, ("toy", 0)))
    fits = {C: train(C) for C in (1.0, 4.0, 2.0, 8.0)}
    starts = [call["start"] for call in trainer.calls]
    assert starts == [None, fits[1.0], None, fits[4.0]]
    seeds = [call["seed"] for call in trainer.calls]
    assert len(set(seeds)) == 4
    assert train(2.0).epochs == 3
    assert trainer.calls[-1]["seed"] == seeds[2]  # of names and value, not of the order


def test_a_baseline_goes_through_all_stages(tmp_path):
    prepared = multiclass_set()
    tuned = tune_split(problems_of(prepared, TASK), TASK, _refuse)
    assert tuned.C.tolist() == BUDGET.C.values()
    selection = select({"main": tuned})
    models, certificates = train_models(prepared, TASK, selection, _refuse)
    assert all(row.status == "converged" for row in certificates)
    models.save(tmp_path / "models.npz")
    table, _ = evaluate(
        *(prepared, METHOD.name, TASK.protocol, "standard", selection, certificates),
        *(Models.load(tmp_path / "models.npz"), {"main": 0.0}),
    )
    test = prepared.parts["test"]
    for row in table:
        scores = test.X @ models.arrays["main", row.C, None, None]
        k = int(row.metric[3:])
        hits = np.argsort(-scores, axis=1)[:, :k] == test.y[:, None]
        assert row.value == pytest.approx(100 * hits.any(axis=1).mean())
        assert row.relative_gap <= 1e-3


def test_the_final_model_is_the_one_that_was_validated():
    prepared = multiclass_set()
    trained = create("lr_ova_liblinear").train(
        *(prepared.parts["train"].X, prepared.parts["train"].y),
        n_classes=3,
        C=4.0,
        seed=1,
        eps=1e-3,
        max_epochs=100,
    )
    selection = [SimpleNamespace(split="main", theta=np.nan, k=np.nan, C=4.0)]
    models, _ = train_models(prepared, TASK, selection, _refuse)
    assert models.arrays["main", 4.0, None, None] == pytest.approx(trained.model, abs=1e-9)
