"""The small problem that the tests of the estimators share."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def problem():
    """Rows of Gaussian noise X (n, d), the classes y (n,) of a noisy linear model, and their number
    m.
    """
    rng = np.random.default_rng(0)
    n, d, m = 150, 6, 5
    X = rng.normal(size=(n, d))
    y = np.argmax(X @ rng.normal(size=(d, m)) + rng.gumbel(size=(n, m)), axis=1)
    return X, y, m


@pytest.fixture
def fits(monkeypatch):
    """The calls of `toplabel.solve` by methods of the reproduction: rows and keywords."""
    from toplabel.reproduction.methods import library_loss

    calls, solve = [], library_loss.solve

    def recorded(X, labels, loss, **keywords):
        calls.append({"shape": X.shape, "loss": loss, **keywords})
        return solve(X, labels, loss, **keywords)

    monkeypatch.setattr(library_loss, "solve", recorded)
    return calls
