"""One-vs-all by LIBLINEAR against the formula, our own solver and an interior-point method."""

import numpy as np
import pytest
from small_sets import blobs, competitor

import toplabel

BINARY = {
    "svm_ova": lambda margins: np.maximum(0.0, 1.0 - margins),
    "lr_ova": lambda margins: np.logaddexp(0.0, -margins),
}


def _train(loss, X, labels, m, C=1.0, tol=1e-6, max_iter=100000, seed=0):
    trainer = competitor(f"{loss}_liblinear")
    return trainer.train(X, labels, n_classes=m, C=C, seed=seed, tol=tol, max_iter=max_iter)


def _objective(loss, X, Y, W, C):
    """The papers' normalisation: the mean loss and lambda/2 ||W||^2 with lambda = 1/(C n)."""
    margins = np.where(Y, 1, -1) * (X @ W)
    return BINARY[loss](margins).sum(axis=1).mean() + np.vdot(W, W) / (2 * C * len(X))


@pytest.mark.parametrize("loss", ["svm_ova", "lr_ova"])
@pytest.mark.parametrize("C", [1e-3, 1.0, 30.0])
def test_liblinear_and_our_solver_find_the_same_minimiser(loss, C):
    X, y = blobs(n_per_class=15, m=4)
    ours = toplabel.solve(X, y, loss=loss, C=C, tol=1e-8, max_iter=50000)
    theirs = _train(loss, X, y, 4, C)
    assert theirs.primal == pytest.approx(_objective(loss, X, np.eye(4)[y] > 0, theirs.model, C))
    assert ours.dual - 1e-12 <= theirs.primal <= ours.primal * (1 + 1e-5)
    assert theirs.model == pytest.approx(ours.W, abs=2e-3 * np.abs(ours.W).max())


def test_the_logistic_loss_has_a_gap_and_the_hinge_has_none():
    X, y = blobs(n_per_class=15, m=3)
    certified, bare = (_train(loss, X, y, 3, tol=1e-5) for loss in ("lr_ova", "svm_ova"))
    assert certified.status == "converged"
    assert 0 <= certified.relative_gap <= 1e-5
    best = toplabel.solve(X, y, loss="lr_ova", C=1.0, tol=1e-10, max_iter=50000)
    assert certified.dual - 1e-12 <= best.primal
    assert certified.primal >= best.dual - 1e-12
    assert bare.status == "uncertified"
    assert np.isnan([bare.dual, bare.relative_gap]).all()


def test_a_fit_that_is_cut_short_says_so():
    X, y = blobs(n_per_class=30, m=3, spread=1.5)
    for loss in ("svm_ova", "lr_ova"):
        assert _train(loss, X, y, 3, C=1e3, tol=1e-9, max_iter=2).status == "max_iter"


@pytest.mark.parametrize("loss", ["svm_ova", "lr_ova"])
def test_a_class_without_an_example(loss):
    X, y = blobs(n_per_class=15, m=3)
    without = _train(loss, X, y, 4, C=0.5)
    ours = toplabel.solve(X, y, loss=loss, C=0.5, tol=1e-8, max_iter=50000, n_classes=4)
    assert without.model == pytest.approx(ours.W, abs=1e-3)
    assert np.abs(without.model[:, 3]).max() > 0.01  # all rows are on its other side
