"""Certificates where rounding is as large as the scores: what is claimed to have converged has."""

import numpy as np
import pytest
from scipy import sparse

import toplabel
from toplabel import losses

CONVEX = [key for key, loss in losses.LOSSES.items() if loss.convex]
EPS = 1e-3
FORMS = ("dense", "csr", "gram")


def _problem(rng: np.random.Generator, key: str, form: str):
    """Few rows, whose norms are up to 10^60 apart."""
    n, d, m = rng.integers(2, 25), rng.integers(1, 10), rng.integers(3, 8)
    spread = 10.0 ** rng.choice([0, 20, 60]) if form != "gram" else 10.0 ** rng.choice([0, 10, 30])
    X = rng.normal(size=(n, d)) * spread ** rng.uniform(-1, 1, size=(n, 1))
    y = rng.permutation(np.arange(n) % m)
    labels = np.eye(m, dtype=int)[y] if losses.get(key).labels != "one" else y
    data = {"dense": X, "csr": sparse.csr_array(X), "gram": X @ X.T}[form]
    return data, labels


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", CONVEX)
def test_what_is_claimed_is_so_at_any_scale(key, form):
    rng = np.random.default_rng(len(key) + 100 * FORMS.index(form))
    loss, statuses = losses.get(key), []
    for i in range(40):
        data, y = _problem(rng, key, form)
        options = {"C": 10.0 ** rng.uniform(-8, 8), "acceleration": ("auto", False, 3.0)[i % 3]}
        options["gamma"] = float(rng.choice([0.0, 1.0])) if loss.smoothing else 0.0
        options["kernel"] = "precomputed" if form == "gram" else "linear"
        solution = toplabel.solve(data, y, key, eps=EPS, max_epochs=100, **options)
        statuses.append(solution.status)
        if solution.status == "converged":
            found = toplabel.certify(data, y, solution)
            assert solution.relative_gap >= 0.0, (i, options)
            assert -found.rounding <= found.primal - found.dual, (i, options)
            assert found.relative_gap <= 1.01 * EPS, (i, options)
    assert "converged" in statuses


@pytest.mark.parametrize("key", CONVEX)
def test_powers_of_two_change_nothing_but_the_scale(key):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 4))
    y = np.arange(20) % 4
    y = np.eye(4, dtype=int)[y] if losses.get(key).labels != "one" else y
    here = toplabel.solve(X, y, key, C=0.7, max_epochs=30)
    there = toplabel.solve(X * 2.0**40, y, key, C=0.7 / 2.0**80, max_epochs=30)
    assert (here.primal, here.dual, here.epochs) == (there.primal, there.dual, there.epochs)
    assert here.relative_gap == pytest.approx(there.relative_gap, rel=1e-12)
    np.testing.assert_array_equal(here.W, there.W * 2.0**40)


@pytest.mark.parametrize("acceleration", ["auto", False])
def test_an_indefinite_gram_matrix_is_refused(acceleration):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), rng.integers(0, 3, 40)
    K = X @ X.T
    K[:20, :20] -= np.triu(np.full((20, 20), 9.0), 1) + np.tril(np.full((20, 20), 9.0), -1)
    with pytest.raises(toplabel.ToplabelError, match="not positive semidefinite"):
        toplabel.solve(
            K,
            y,
            "svm_multi",
            kernel="precomputed",
            C=10.0,
            acceleration=acceleration,
            max_epochs=50,
        )
