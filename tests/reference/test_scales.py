"""Certificates where rounding is as large as the scores: what is claimed to have converged has."""

import numpy as np
import pytest

import scale_problems
import toplabel
from scale_problems import EPS, FORMS, KEYS
from toplabel import losses

CONVEX = [key for key, loss in losses.LOSSES.items() if loss.convex]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", KEYS)
def test_what_is_claimed_is_so_at_any_scale(key, form):
    rng = np.random.default_rng(len(key) + 100 * FORMS.index(form))
    statuses = []
    for i in range(30):
        claim = scale_problems.claim(rng, key, form)
        statuses.append(claim.status)
        if claim.status == "converged":
            assert 0.0 <= claim.claimed <= EPS, i
            assert claim.is_confirmed, (i, claim)
    assert "converged" in statuses


@pytest.mark.parametrize("key", CONVEX)
def test_powers_of_two_change_nothing_but_the_scale(key):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 4))
    y = np.arange(20) % 4
    y = np.eye(4, dtype=int)[y] if losses.get(key).labels != "one" else y
    here = toplabel.solve(X, y, key, C=0.7, max_iter=30)
    there = toplabel.solve(X * 2.0**40, y, key, C=0.7 / 2.0**80, max_iter=30)
    assert (here.primal, here.dual, here.epochs) == (there.primal, there.dual, there.epochs)
    assert here.relative_gap == pytest.approx(there.relative_gap, rel=1e-12)
    np.testing.assert_array_equal(here.W, there.W * 2.0**40)
