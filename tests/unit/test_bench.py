"""The benchmark's own pieces: what is timed is the right thing."""

import numpy as np
import pytest

import toplabel
from toplabel.bench import shapes, special, training


def test_shapes_are_seeded_and_hold_every_class():
    for make in (
        lambda: shapes.dense("t", 50, 4, 7),
        lambda: shapes.text("t", 60, 300, 5, 8),
    ):
        first, again = make(), make()
        assert (first.X != again.X).sum() == 0
        assert set(first.y) == set(range(first.n_classes))


def test_sorting_agrees_with_variable_fixing():
    rng = np.random.default_rng(0)
    for radius in (0.1, 3.0, 1e3):
        for _ in range(20):
            b, b_bar = rng.normal(size=9), rng.normal(size=5)
            x, y = special.by_sorting(b, b_bar, radius)
            u, v = toplabel.prox.bipartite_simplex(b, b_bar, radius)
            np.testing.assert_allclose(x, u, atol=1e-12)
            np.testing.assert_allclose(y, v, atol=1e-12)


@pytest.mark.parametrize("loss", ["svm_multi", "lr_multi"])
def test_every_solver_reaches_the_same_optimum(loss):
    shape = shapes.dense("t", 120, 5, 4)
    bound = training.lower_bound(shape, loss)
    peers = {"ours": training.ours(shape, loss)}
    if loss == "svm_multi":
        peers["liblinear"] = training.liblinear(shape, loss)
    else:
        peers["lbfgs"] = training.sklearn_logistic(shape, "lbfgs")
    for name, settings in peers.items():
        timing = training.time_to_accuracy(shape, loss, name, settings, bound, repeats=1)
        assert -1e-9 <= timing.excess <= 1e-3, name
        assert timing.seconds > 0
