"""The calibration study: known minimisers, certificates, the argument behind the excess, the
table.
"""

from __future__ import annotations

from itertools import combinations

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize

from toplabel.reproduction.calibration import excess, pointwise
from toplabel.reproduction.calibration.excess import (
    WRONG,
    Excess,
    excesses,
    least_risk,
)
from toplabel.reproduction.calibration.pointwise import Pointwise
from toplabel.reproduction.calibration.study import (
    FAMILIES,
    FIXED,
    STATEMENTS,
    STUDIED,
    distributions,
    study,
    table,
)

CONVEX = [loss for loss in STUDIED if loss.convex]
P4 = np.array([0.4, 0.3, 0.2, 0.1])
SHOWN = [np.array(p) for p in ([0.45, 0.35, 0.2], [0.6, 0.3, 0.1], [0.4, 0.3, 0.2, 0.1])]


def _name(loss):
    return f"{loss.key}-{loss.k}-{loss.gamma:g}"


@pytest.fixture(scope="module")
def small_study():
    return study(seed=0, each=1)


# ---- least risks --------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", CONVEX, ids=_name)
def test_the_least_risk_is_certified_and_no_scores_are_better(loss):
    rng = np.random.default_rng(0)
    for p in SHOWN:
        if len(p) <= loss.k:
            continue
        for tie in (None, 0, 1):
            found = least_risk(loss, p, tie)
            assert -1e-12 <= found.gap <= 1e-8
            assert found.risk == pytest.approx(loss.risks(found.scores[None], p)[0], abs=1e-14)
            if tie is not None:
                assert found.scores[tie] == pytest.approx(found.scores[tie + 1], abs=1e-12)
        others = rng.normal(scale=2.0, size=(300, len(p)))
        assert loss.risks(others, p).min() >= least_risk(loss, p).lower - 1e-12


def _by_cvxpy(loss, p):
    """The least risk of a multiclass hinge by another solver: Moreau envelopes as infimal
    convolutions.
    """
    m = len(p)
    g = cp.Variable(m)
    total = cp.Constant(0.0)
    for y in range(m):
        others = [j for j in range(m) if j != y]
        margins = 1 + g[others] - g[y]
        at = cp.Variable(m - 1) if loss.gamma else margins
        if loss.key == "topk_svm_beta":
            value = cp.sum_largest(cp.pos(at), loss.k) / loss.k
        else:
            value = cp.pos(cp.sum_largest(at, loss.k) / loss.k)
        if loss.gamma:
            value += cp.sum_squares(margins - at) / (2 * loss.gamma)
        total += p[y] * value
    return cp.Problem(cp.Minimize(total)).solve(solver=cp.CLARABEL)


@pytest.mark.parametrize("loss", [one for one in CONVEX if "ova" not in one.key and
                                  one.key not in ("lr_multi", "topk_ent")], ids=_name)  # fmt: skip
def test_the_least_risk_of_hinges_is_that_of_another_solver(loss):
    assert least_risk(loss, P4).risk == pytest.approx(_by_cvxpy(loss, P4), abs=1e-6)


@pytest.mark.parametrize("gamma", [0.3, 0.5, 1.0, 1.4, 2.0, 3.0])
def test_the_smooth_one_vs_all_minimiser_is_that_of_the_proof(gamma):
    loss = Pointwise("svm_ova", gamma=gamma)
    for p in ([0.8, 0.15, 0.05], [0.45, 0.35, 0.2], [0.3, 0.28, 0.22, 0.2]):
        p = np.array(p)
        scores = pointwise.svm_ova_smooth(p, gamma)
        assert np.abs(loss.risk_gradients(scores[None], p)).max() <= 1e-12
        np.testing.assert_allclose(excess.minimise_smooth(loss, p).scores, scores, atol=1e-9)
    grid = np.linspace(0.001, 0.999, 999)
    assert (np.diff(pointwise.svm_ova_smooth(grid, gamma)) > 0).all()  # what Prop. 10 needs


# ---- the excess ---------------------------------------------------------------------------------


def _least_with(loss, p, i, j):
    """Least risk with g_i = g_j, of any pair, by relabelling the classes so that they are
    neighbours.
    """
    order = [i, j, *(c for c in range(len(p)) if c not in (i, j))]
    return least_risk(loss, p[order], tie=0).risk


@pytest.mark.parametrize("loss", CONVEX, ids=_name)
def test_the_neighbours_tie_is_the_cheapest_of_all_wrong_pairs(loss):
    for p in (P4, np.array([0.55, 0.25, 0.12, 0.08])):
        least, found = excesses(loss, p)
        for one in found:
            pairs = [(i, j) for i in range(one.s) for j in range(one.s, len(p))]
            cheapest = min(_least_with(loss, p, i, j) for i, j in pairs) - least.risk
            assert one.value == pytest.approx(cheapest, abs=1e-8)


def worst_regret(scores: np.ndarray, p: np.ndarray, s: int) -> float:
    """Return the probability that a top-s set misses beyond the Bayes optimal one, at worst.

    It is 0 if every top-s set is Bayes optimal. TPAMI Lemma 1: its condition, {y : f_y >= the s-th
    largest} within {y : p_y >= the s-th largest}, is that of this regret being 0 where p_s >
    p_(s+1). Where they are equal the condition is necessary, but not sufficient: with p = (0.4,
    0.2, 0.2, 0.2), s = 2, scores (0, 1, 1, 0) fulfil it and miss the most likely class.
    """
    order = np.lexsort((p, -scores))  # of equal scores the less likely first
    return float(np.sort(p)[::-1][:s].sum() - p[order[:s]].sum())


@pytest.mark.parametrize("loss", CONVEX, ids=_name)
def test_no_scores_with_a_wrong_top_set_beat_the_tie(loss):
    rng = np.random.default_rng(1)
    p = P4
    least, found = excesses(loss, p)
    spread = max(0.5, np.ptp(least.scores))
    G = least.scores + rng.normal(scale=0.5 * spread, size=(2000, len(p)))
    risks = loss.risks(G, p) - least.risk
    for one in found:
        wrong = np.array([worst_regret(g, p, one.s) > 1e-12 for g in G])
        assert wrong.any()
        assert risks[wrong].min() >= one.value - 1e-9


@pytest.mark.parametrize(
    ("value", "uncertainty", "verdict"),
    [(1e-3, 1e-9, "optimal"), (1e-3, 2e-3, "undecided"), (0.0, 1e-12, "not optimal"),
     (0.0, 1e-6, "undecided"), (2e-9, 1e-8, "undecided")],
)  # fmt: skip
def test_verdicts_need_certificates(value, uncertainty, verdict):
    assert Excess(1, value, uncertainty, np.empty(0)).verdict == verdict


# ---- what the paper says, and what it leaves open -----------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
def test_the_truncated_entropy_by_brute_force(k):
    loss, p = Pointwise("topk_ent_tr", k), np.array([0.37, 0.27, 0.2, 0.16])
    least = excess.infimum(p, k)
    scores, risk = excess.descend(loss, p, seed=0)
    assert 0 <= risk - least <= 1e-6
    assert all(worst_regret(scores, p, s) == 0 for s in range(max(k - 1, 1), 4))
    by_choice = min(
        excess.scaled_entropy(p[[r for r in range(4) if r not in dropped]])
        for dropped in combinations(range(4), k - 1)
    )
    assert least == pytest.approx(by_choice, abs=1e-15)


@pytest.mark.parametrize(("k", "s"), [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)])
def test_wrong_top_sets_of_the_truncated_entropy_by_descent(k, s):
    """Descents over scores with g_j >= g_i never go below the closed form, and come near it."""
    loss, p = Pointwise("topk_ent_tr", k), np.array([0.37, 0.27, 0.2, 0.16])
    bound, best = excess.infimum_of_wrong(p, k, s), np.inf
    rng = np.random.default_rng(0)
    for i, j in [(i, j) for i in range(s) for j in range(s, 4)]:
        to_scores = np.eye(4)
        to_scores[j, i] = 1.0  # g_j = z_i + z_j with z_j >= 0

        def objective(z, M=to_scores):
            return float(loss.risks((M @ z)[None], p)[0])

        def slope(z, M=to_scores):
            return M.T @ loss.risk_gradients((M @ z)[None], p)[0]

        bounds = [(0, 25) if c == j else (-25, 25) for c in range(4)]
        for start in rng.normal(scale=4.0, size=(12, 4)):
            start[j] = abs(start[j])
            found = minimize(objective, start, jac=slope, method="L-BFGS-B", bounds=bounds)
            best = min(best, found.fun)
    assert best >= bound - 1e-9
    assert best <= bound + 1e-4
    least = excess.infimum(p, k)
    assert (bound > least + 1e-9) == (s >= k - 1)  # Prop. 13 says so for s >= k


# ---- distributions ------------------------------------------------------------------------------


def test_distributions_are_seeded_falling_and_exact():
    found = distributions(0, 2)
    assert found == distributions(0, 2)
    assert found != distributions(1, 2)
    assert found[: len(FIXED)] == list(FIXED)
    assert {one.family for one in found} >= set(FAMILIES)
    assert len({one.thousandths for one in found}) == len(found)
    for one in found:
        assert sum(one.thousandths) == 1000
        assert list(one.thousandths) == sorted(one.thousandths, reverse=True)
        assert one.all_positive == (min(one.thousandths) > 0)
        assert one.all_positive or one.family in ("impossible classes", "by hand")


# ---- the study ----------------------------------------------------------------------------------


def test_every_loss_is_studied_and_decided(small_study):
    minima, cases = small_study
    losses = minima[["loss", "k", "gamma"]].drop_duplicates()
    assert {Pointwise(*row) for row in losses.itertuples(index=False)} == set(STUDIED)
    assert not (cases["verdict"] == "undecided").any()
    assert minima["deviation"].abs().max() < 1e-6


def test_the_table_confirms_the_propositions_and_answers_for_the_others(small_study):
    frame = table(*small_study)
    assert len(frame) == len(STATEMENTS)
    for row in frame.to_dict("records"):
        assert int(row["Cases"]) == int(row["Bayes optimal"]) + int(row["Not"]) > 0
        assert bool(row["First counterexample"]) == (int(row["Not"]) > 0)
        if row["Statement"].startswith("Prop"):
            assert row["Verdict"] == "confirmed"
    found = frame.set_index(["Statement", "Loss"])["Verdict"]
    assert found["Open: s ≥ k", "top-k SVM α"] == "fails"
    assert found["Open: s ≥ k", "top-k SVM β"] == "fails"
    assert found["Open: s ≥ k", "smooth top-k SVM α"] == "no counterexample"
    assert found["Open: s < k", "smooth top-k SVM α"] == "fails"
    assert found["Open: all s", "smooth top-k SVM β"] == "no counterexample"
    assert found["Open: all s", "top-k entropy"] == "no counterexample"


@pytest.mark.parametrize(
    ("verdict", "softmax", "entropy"),
    [(WRONG, "NOT CONFIRMED", "fails"), ("undecided", "NOT CONFIRMED", "cases undecided")],
)
def test_a_claim_that_fails_is_told(small_study, verdict, softmax, entropy):
    minima, cases = small_study
    changed = cases["loss"].isin(["lr_multi", "topk_ent"])
    other = cases.assign(verdict=cases["verdict"].mask(changed, verdict))
    found = table(minima, other).set_index("Loss")["Verdict"]
    assert found["softmax"] == softmax
    assert found["top-k entropy"].endswith(entropy)
