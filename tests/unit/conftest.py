"""The problems that several files of tests share."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def catalogue(repository):
    from toplabel.reproduction.config.catalogue import load_catalogue

    return load_catalogue(repository)


@pytest.fixture(scope="module")
def registry(repository):
    from toplabel.reproduction.config.datasets import load_registry

    return load_registry(repository / "config/datasets.yaml")


@pytest.fixture(scope="module")
def protocols(repository):
    from toplabel.reproduction.config.protocols import load_protocols

    return load_protocols(repository / "config/protocols.yaml")


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


@pytest.fixture(scope="session")
def wide_problem():
    """Rows (60, 70) that are exact in float32, one of them zero; five classes; label sets with an
    empty and a full one.
    """
    rng = np.random.default_rng(0)
    n, d, m = 60, 70, 5
    X = rng.normal(size=(n, 6)) @ rng.normal(size=(6, d)) + 0.3 * rng.normal(size=(n, d))
    X[rng.random((n, d)) < 0.4] = 0.0
    X[3] = 0.0
    X = (X / 8).astype(np.float32).astype(np.float64)
    y = np.argmax(X @ rng.normal(size=(d, m)) + rng.gumbel(size=(n, m)), axis=1)
    y[:m] = np.arange(m)
    Y = np.maximum(np.eye(m, dtype=int)[y], rng.random((n, m)) < 0.2).astype(int)
    Y[1], Y[2] = 0, 1
    return X, y, Y


@pytest.fixture(scope="session")
def seventy_labels():
    """Rows (200, 80) and sets of 70 labels, of which one-vs-all losses make two groups."""
    rng = np.random.default_rng(2)
    n, m = 200, 70
    Y = (rng.random((n, m)) < 0.03).astype(np.uint8)
    Y[np.arange(n), rng.integers(0, m, n)] = 1
    X = Y @ rng.standard_normal((m, 80)) + rng.standard_normal((n, 80))
    return X / np.linalg.norm(X, axis=1, keepdims=True), Y


@pytest.fixture(scope="session")
def many_classes():
    """Narrow and wide rows of 3000 classes: an evaluation asks the clock several times."""
    rng = np.random.default_rng(0)
    y = rng.integers(3000, size=700)
    y[-1] = 2999
    return rng.normal(size=(700, 6)), rng.normal(size=(700, 80)), y


@pytest.fixture
def no_grace(monkeypatch):
    """Have no evaluation waited for when a run is to end."""
    monkeypatch.setattr("toplabel._core.tuning.GRACE", 0.0)
    monkeypatch.setattr("toplabel._core.tuning.GRACE_PART", 0.0)


@pytest.fixture
def fits(monkeypatch):
    """The calls of `toplabel.solve` by methods of the reproduction: rows and keywords."""
    from toplabel.reproduction.methods import trained

    calls, solve = [], trained.solve

    def recorded(X, labels, loss, **keywords):
        calls.append({"shape": X.shape, "loss": loss, **keywords})
        return solve(X, labels, loss, **keywords)

    monkeypatch.setattr(trained, "solve", recorded)
    return calls
