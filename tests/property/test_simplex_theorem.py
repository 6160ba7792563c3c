"""NIPS 2012, Theorems 1 and 2: the simplex losses are minimised by the Bayes rule, and the excess of
the misclassification risk is bounded by that of the surrogate risk, with the constants of Table 1.

Theorem 1 is an integral over x. Its inequality holds at each x by itself: that is stronger where
the exponent is 1, and implies the integral by Jensen's inequality where it is 1/2.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toplabel.simplex import decode, losses, simplex_coding

SLACK = 1e-9


@st.composite
def points(draw):
    """Class probabilities with ties and zeros among them, and functions with values around c_y."""
    T = draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rho = rng.dirichlet(np.full(T, draw(st.sampled_from([0.1, 1.0, 30.0]))))
    if draw(st.booleans()):
        rho[rng.integers(T)] = rho.max() + draw(st.sampled_from([0.0, 1e-9]))
    rho = rho / rho.sum()
    spread = draw(st.sampled_from([0.01, 1.0, 50.0]))
    F = spread * rng.standard_normal((40, T - 1))
    hull = rng.dirichlet(np.full(T, 0.5), 40) @ simplex_coding(T).T
    return rho, F, hull


def risk(loss, F, rho):
    """Return the conditional risk of each row of F."""
    T = len(rho)
    return sum(rho[y] * losses.value(loss, F, np.full(len(F), y)) for y in range(T))


@pytest.mark.parametrize("loss", ["sh_svm", "sc_svm", "s_ls"])
@given(points())
def test_the_bayes_rule_minimises_and_the_excess_is_bounded(loss, point):
    rho, F, hull = point
    T, C = len(rho), simplex_coding(len(rho)).T
    F = hull if loss == "sh_svm" else np.vstack([F, hull, C])
    best = rho @ C if loss == "s_ls" else C[int(rho.argmax())]
    least = risk(loss, best[None], rho)[0]
    excess = risk(loss, F, rho) - least
    scale = max(1.0, float(np.abs(F).max())) ** 2
    assert excess.min() >= -SLACK * scale
    assert rho[decode(best[None])[0]] >= rho.max() - SLACK
    lost = rho.max() - rho[decode(F)]
    factor, power = (np.sqrt(2 * (T - 1) / T), 0.5) if loss == "s_ls" else (T - 1, 1.0)
    bound = factor * (np.maximum(excess, 0.0) + SLACK * scale) ** power
    assert (lost <= bound + SLACK).all()


@pytest.mark.parametrize("q", [0.5, 1.0, 4.0])
@given(st.integers(2, 7), st.integers(0, 2**32 - 1), st.sampled_from([0.01, 0.1, 1.0]))
def test_little_noise_makes_the_bound_of_least_squares_steeper(q, T, seed, spread):
    """The noise condition of Definition 2 is about rho_1 - rho_2, the lead of the likeliest class."""
    rng, C = np.random.default_rng(seed), simplex_coding(T).T
    weight, rho = rng.dirichlet(np.ones(30)), rng.dirichlet(np.full(T, 0.3), 30)
    best = rho @ C
    codes = np.sort(best @ C.T, axis=1)
    lead = (T - 1) / T * (codes[:, -1] - codes[:, -2])
    assert lead == pytest.approx(np.sort(rho)[:, -1] - np.sort(rho)[:, -2], abs=1e-9)
    noise = max(weight[lead <= s].sum() / s**q for s in lead if s > 0)  # the smallest B_q
    F = best + spread * rng.standard_normal((30, T - 1))
    lost = weight @ (rho.max(axis=1) - rho[np.arange(30), decode(F)])
    excess = weight @ ((F - best) ** 2).sum(axis=1)
    factor = (2 * np.sqrt(noise + 1)) ** ((2 * q + 2) / (q + 2))
    assert lost <= factor * (2 * (T - 1) / T * excess) ** ((q + 1) / (q + 2)) + SLACK


@pytest.mark.parametrize("T", [2, 3, 7])
@pytest.mark.parametrize("q", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("lead", [0.2, 0.6, 1.0])
def test_the_bound_under_little_noise_is_within_ten_of_the_loss_where_it_is_nearly_reached(
    T, q, lead
):
    """f is best but at one point, where it stands just across the boundary of the two likeliest classes.

    With the weight lead^q of that point B_q is 1, and loss and bound are powers of the lead alone.
    """
    C, weight = simplex_coding(T).T, lead**q
    rho = np.zeros(T)
    rho[:2] = (1 + lead) / 2, (1 - lead) / 2
    best = rho @ C
    across = best - (1 + 1e-9) * (best @ (C[0] - C[1])) * (C[0] - C[1]) / np.sum((C[0] - C[1]) ** 2)
    assert decode(across[None])[0] == 1
    lost, excess = weight * lead, weight * np.sum((across - best) ** 2)
    factor = (2 * np.sqrt(1 + 1)) ** ((2 * q + 2) / (q + 2))
    bound = factor * (2 * (T - 1) / T * excess) ** ((q + 1) / (q + 2))
    assert bound / 10 < lost <= bound
