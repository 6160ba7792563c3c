"""Which coordinates the top-k hinge takes: without that of the label, the conjugate of the papers holds."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from toplabel import losses


def _supremum(y, k, label, fixed):
    """sup <y, x> - phi(x) for the top-k hinge of NIPS 2015 Eq. (3), which takes all coordinates.

    With `fixed` the supremum is over x with a 0 at the label. Unbounded problems give infinity.
    """
    m, c = len(y), np.ones(len(y))
    c[label] = 0.0
    subsets = [np.isin(np.arange(m), S) / k for S in itertools.combinations(range(m), k)]
    bounds = [(0, 0) if fixed and j == label else (None, None) for j in range(m)] + [(0, None)]
    result = linprog(
        np.append(-np.asarray(y), 1.0),
        A_ub=np.column_stack([subsets, -np.ones(len(subsets))]),
        b_ub=[-float(S @ c) for S in subsets],
        bounds=bounds,
    )
    return np.inf if result.status == 3 else -result.fun


def test_proposition_3_of_nips2015_does_not_hold_from_k_2_on():
    y = [0.5, 0.0, 0.0]
    assert _supremum(y, 2, 2, fixed=True) == pytest.approx(-0.5)
    assert _supremum(y, 2, 2, fixed=False) == np.inf
    assert _supremum(y, 1, 2, fixed=True) == pytest.approx(_supremum(y, 1, 2, fixed=False))


def test_the_label_is_not_among_the_largest():
    """With the 0 of the label among them the value would be (1 + 0) / 2."""
    scores = np.array([[0.0, 0.0, -1.5, -9.0]])
    value = losses.value("topk_svm_alpha", scores, np.array([0]), k=2)
    assert value == pytest.approx([(1.0 - 0.5) / 2])
