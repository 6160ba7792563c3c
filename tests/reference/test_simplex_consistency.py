"""Theorem 1 of NIPS 2012 at a point: which pointwise risk minimisers decode to the likeliest
class.
"""

import numpy as np
import pytest

from simplex_oracles import minimiser, probabilities
from toplabel import simplex


@pytest.mark.parametrize("T", [2, 3, 5, 8])
@pytest.mark.parametrize(
    ("loss", "hull"), [("s_ls", False), ("sc_svm", False), ("sc_svm", True), ("sh_svm", True)]
)
def test_the_minimiser_decodes_to_the_likeliest_class(loss, hull, T):
    for p in probabilities(40, T):
        f, _ = minimiser(loss, p, hull)
        assert simplex.decode(f[None])[0] == p.argmax()
        target = (
            simplex.simplex_coding(T) @ p if loss == "s_ls" else simplex.encode([p.argmax()], T)[0]
        )
        assert f == pytest.approx(target, abs=1e-7)  # Table 1 of the paper


@pytest.mark.parametrize("T", [3, 5, 8])
def test_without_the_hull_the_half_space_svm_only_finds_the_least_likely_class(T):
    for p in probabilities(40, T):
        f, value = minimiser("sh_svm", p)
        scores = simplex.scores(f[None])[0]
        # All classes but the least likely one score 1: a tie, which the likeliest wins by chance
        # only.
        others = np.delete(scores, p.argmin())
        assert others == pytest.approx(1.0, abs=1e-7)
        assert scores[p.argmin()] == pytest.approx(1.0 - T, abs=1e-6)
        assert value == pytest.approx(T * p.min(), abs=1e-9)
        at_the_best, best = minimiser("sh_svm", p, hull=True)
        assert value <= best + 1e-9
        assert simplex.decode(at_the_best[None])[0] == p.argmax()


def test_with_two_classes_all_three_are_consistent():
    for p in probabilities(40, 2):
        for loss in simplex.LOSSES:
            assert simplex.decode(minimiser(loss, p)[0][None])[0] == p.argmax()
