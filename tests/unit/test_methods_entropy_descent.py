"""The truncated top-k entropy by gradient descent: where it starts, that it descends, where it
ends.
"""

import numpy as np
import pytest
from scipy.optimize import minimize
from small_sets import blobs, competitor

from toplabel import losses, solve

FIXED = {"n_classes": 4, "seed": 0, "tol": 1e-3, "max_iter": 1000}


def _objective(W, X, y, k, C):
    loss = losses.value("topk_ent_tr", X @ W, y, k=k).mean()
    return loss + np.vdot(W, W) / (2 * C * len(y))


def _train(steps, X, y, k=2, C=1.0, **changes):
    return competitor("topk_ent_tr_descent", k, steps=steps).train(X, y, C=C, **FIXED | changes)


def test_without_a_step_it_is_the_softmax():
    X, y = blobs(m=4)
    softmax = solve(X, y, "lr_multi", C=1.0, tol=1e-4, n_classes=4, seed=0)
    np.testing.assert_array_equal(_train(0, X, y).model, softmax.W)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_every_step_descends_and_the_objective_is_that_of_the_model(C):
    X, y = blobs(m=4)
    values = []
    for steps in (0, 1, 2, 5, 20):
        trained = _train(steps, X, y, C=C)
        assert trained.epochs == steps
        assert trained.primal == pytest.approx(_objective(trained.model, X, y, 2, C), rel=1e-12)
        values.append(trained.primal)
    assert (np.diff(values) < 0).all()


def test_with_many_steps_it_is_at_a_local_minimum():
    X, y = blobs(m=4)
    trained = _train(20_000, X, y, tol=1e-6)
    assert trained.epochs < 20_000
    # A step must let P/lambda fall by 1e-5 of the norm of its gradient, not of its square: below,
    # none does.
    assert trained.gradient_norm * len(y) < 2e-5
    found = minimize(
        lambda w: _objective(w.reshape(trained.model.shape), X, y, 2, 1.0),
        trained.model.ravel(),
        method="L-BFGS-B",
    )
    assert found.fun == pytest.approx(trained.primal, rel=1e-6)


def test_the_first_step_has_the_length_of_the_authors_program():
    """One over the norm of the gradient of P/lambda, halved until the objective falls by 1e-5 of
    norm times length.
    """
    X, y = blobs(m=4)
    start, one = _train(0, X, y), _train(1, X, y)
    norm = start.gradient_norm * len(y)
    moved = np.linalg.norm(one.model - start.model)
    length = min(1.0, 1.0 / norm)
    halvings = np.log2(length * norm / moved)
    assert halvings == pytest.approx(round(halvings), abs=1e-9)
    fall = (start.primal - one.primal) * len(y)
    assert fall >= 1e-5 * norm * moved / norm
    doubled = start.model + 2.0 * (one.model - start.model)
    if round(halvings) > 0:
        assert start.primal - _objective(doubled, X, y, 2, 1.0) < 1e-5 * 2 * moved / len(y)
