"""Trainers of the study of simplex coding: the paper's methods, LIBSVM one against the rest,
boosting.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC
from small_sets import blobs, competitor, multiclass_set, problems_of, regions_set, task_of

from toplabel import simplex
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget
from toplabel.reproduction.methods.simplex_coding import _best_step, _gradient, coding_values
from toplabel.reproduction.selection.choice import choose
from toplabel.reproduction.selection.models import train_models
from toplabel.reproduction.selection.tuning import tune_split

BUDGET = Budget(Axis(10, -2, 0, 1), None)
OPTIONS = {"n_classes": 3, "seed": 1, "tol": 1e-6, "max_iter": 20000}


def _through_the_stages(name, prepared=None, **params):
    """Tune, choose and train a method."""
    prepared = prepared or multiclass_set()
    options = {"params": params} if params else {}
    task = task_of(Method("m", "M", competitor=name, **options), BUDGET, validation="fifth")
    problems = problems_of(prepared, task)
    (tuned,) = tune_split(problems, task)
    (model,) = train_models(prepared, task, choose([tuned]))
    return prepared, problems, tuned, model


@pytest.mark.parametrize(
    "name",
    ["s_ls_batch", "s_ls_rbf_batch", "sh_svm_rbf_batch", "sc_svm_program", "simplex_boosting"],
)
def test_every_method_goes_through_all_stages(name):
    prepared, problems, _, model = _through_the_stages(name)
    train, test = prepared.parts["train"], prepared.parts["test"]
    assert (model.scores(test.X).argmax(axis=1) == test.y).mean() > 0.5
    held_out = len(train.y) if name.startswith("s_ls") else len(train.y) // 5
    assert abs(len(problems[0].truth) - held_out) <= 1
    if name.endswith("batch"):
        assert abs(model.relative_gap) <= 1e-3


@pytest.mark.parametrize("name", ["s_ls_batch", "s_ls_rbf_batch"])
def test_least_squares_lays_its_grid_and_is_validated_by_leave_one_out(name):
    prepared, _, tuned, _ = _through_the_stages(name)
    train = prepared.parts["train"]
    kernel = "rbf" if "rbf" in name else "linear"
    path = simplex.LeastSquaresPath(train.X, train.y, kernel=kernel)
    assert pytest.approx(path.Cs(100), rel=1e-8) == tuned.C
    accuracy = [100 * (1 - path.left_out_error(C)) for C in tuned.C]
    assert tuned.value[0, :, 0, 0] == pytest.approx(accuracy)


@pytest.mark.parametrize("name", ["s_ls_batch", "s_ls_online", "sh_svm_online"])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_a_bias_is_a_column_of_ones(name, convert):
    X, y = blobs()
    trained = competitor(name, bias=True).train(convert(X), y, C=0.5, **OPTIONS)
    augmented = np.hstack([X, np.ones((len(X), 1))])
    plain = competitor(name).train(augmented, y, C=0.5, **OPTIONS)
    assert trained.decision_function(X) == pytest.approx(plain.decision_function(augmented))
    assert np.abs(trained.model.bias).max() > 1e-3
    assert trained.primal == pytest.approx(plain.primal)


def test_the_online_program_of_gurls_minimises_the_sum_of_both_hinges():
    """With two classes they are the same hinge: twice it, as if C were twice as large."""
    X, y = blobs()
    X, y = X[y < 2], y[y < 2]
    options = OPTIONS | {"n_classes": 2}
    trained = competitor("sc_svm_program", epochs=200).train(X, y, C=0.05, **options)
    expected = simplex.solve(X, y, "sh_svm", 0.1, n_classes=2, tol=1e-8)
    W = expected.W @ simplex.simplex_coding(2)
    assert np.linalg.norm(trained.model - W) <= 0.05 * np.linalg.norm(W)


def test_the_width_of_the_gaussian_may_be_that_of_gurls():
    X, y = blobs()
    width = simplex.gaussian_width(X)
    for params, theta in (({}, 1 / (2 * width**2)), ({"denominator": 1}, 1 / width**2)):
        trainer = competitor("s_ls_rbf_batch", **params)
        trained = trainer.train(X, y, C=0.5, **OPTIONS)
        assert float(trained.model.theta) == pytest.approx(theta)
        expected = simplex.solve(X, y, "s_ls", 0.5, kernel="rbf", theta=theta)
        assert trained.primal == pytest.approx(expected.primal)
        trainer.axis(X, y, 3)  # whose eigenvectors the next training takes
        again = trainer.train(X, y, C=0.5, **OPTIONS)
        assert again.primal == pytest.approx(expected.primal)
        assert again.left_out is not None


def test_svms_in_batch_are_those_of_the_library():
    X, y = blobs()
    for loss in ("sc_svm", "sh_svm"):
        first = competitor(f"{loss}_batch").train(X, y, C=0.1, **OPTIONS)
        trained = competitor(f"{loss}_batch").train(X, y, C=0.5, start=first, **OPTIONS)
        expected = simplex.solve(X, y, loss, 0.5, tol=1e-8, max_iter=10**5)
        assert trained.status == "converged"
        assert trained.primal == pytest.approx(expected.primal, rel=2 * OPTIONS["tol"])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_libsvm_is_that_of_scikit_learn(kernel):
    X, y = blobs()
    name = "svm_ova_batch" if kernel == "linear" else "svm_rbf_ova_batch"
    trained = competitor(name).train(X, y, C=0.5, **OPTIONS)
    theta = 1 / (2 * simplex.gaussian_width(X) ** 2)
    machine = SVC(C=0.5, kernel=kernel, gamma=theta)
    scores = OneVsRestClassifier(machine).fit(X, y).decision_function(X)
    assert trained.decision_function(X) == pytest.approx(scores, abs=1e-8)
    assert trained.decision_function(sparse.csr_matrix(X)) == pytest.approx(scores, abs=1e-8)
    assert trained.status == "uncertified"
    assert competitor(name).train(X, y, C=0.5, **(OPTIONS | {"max_iter": 0})).status == "max_iter"


def risk(F, y):
    """As the paper's Remark 1 writes it, from the values of f."""
    S = simplex.scores(F)
    own = S[np.arange(len(y)), y][:, None]
    return np.exp(-(own - S)).sum() - len(y)


def test_the_weights_of_boosting_are_the_negative_gradient():
    rng = np.random.default_rng(0)
    F, y = rng.normal(size=(6, 3)), rng.integers(0, 4, 6)
    gradient = np.empty_like(F)
    for i, j in np.ndindex(*F.shape):
        up, down = F.copy(), F.copy()
        up[i, j] += 1e-6
        down[i, j] -= 1e-6
        gradient[i, j] = (risk(up, y) - risk(down, y)) / 2e-6
    trained = coding_values(_gradient(simplex.scores(F), y))
    cosine = -np.vdot(trained, gradient) / np.linalg.norm(trained) / np.linalg.norm(gradient)
    assert cosine == pytest.approx(1.0, abs=1e-8)


def test_the_step_of_boosting_minimises_the_risk():
    rng = np.random.default_rng(1)
    F, y = rng.normal(size=(50, 3)), rng.integers(0, 4, 50)
    G = simplex.encode(np.where(rng.random(50) < 0.7, y, rng.integers(0, 4, 50)), 4)
    step = _best_step(simplex.scores(F), simplex.scores(G), y)
    assert 0.1 < step < 5
    assert risk(F + step * G, y) <= min(risk(F + (step + e) * G, y) for e in (-1e-4, 1e-4))
    assert _best_step(simplex.scores(F), simplex.scores(-G), y) == 0.0


def test_boosting_lowers_the_risk_and_goes_on_where_it_ended():
    X, y = blobs()
    trainer = competitor("simplex_boosting")
    few = trainer.train(X, y, C=5, **OPTIONS)
    more = trainer.train(X, y, C=12, start=few, **OPTIONS)
    once = trainer.train(X, y, C=12, **OPTIONS)
    assert more.decision_function(X) == pytest.approx(once.decision_function(X))
    assert more.decision_function(X) == pytest.approx(more.state)
    own = np.arange(len(y))

    def loss(scores):
        return np.exp(scores - scores[own, y][:, None]).sum()

    assert loss(once.state) < loss(few.state) < loss(0 * few.state)


def test_leave_one_out_needs_a_row_an_image_and_a_label_a_row():
    method = Method("s_ls_batch", "A", competitor="s_ls_batch")
    scenes = regions_set()
    task = task_of(method, BUDGET, validation="fifth", dataset="scenes")
    with pytest.raises(
        ValueError, match="'scenes': several rows per image, of which leave-one-out"
    ):
        problems_of(scenes, task)
