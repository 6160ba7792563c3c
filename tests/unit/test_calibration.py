"""The calibration study: known minimisers, certificates, the argument behind the excess, the
table.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import cvxpy as cp
import numpy as np
import pandas as pd
import pytest
from drawn import drawn_twice
from scipy.optimize import minimize

from toplabel import losses
from toplabel.reproduction.calibration import closed_forms, linear, newton, truncated
from toplabel.reproduction.calibration.distributions import FAMILIES, FIXED, distributions
from toplabel.reproduction.calibration.excess import (
    OPTIMAL,
    WRONG,
    Excess,
    cuts,
    excesses,
    least_risk,
)
from toplabel.reproduction.calibration.pointwise import Pointwise
from toplabel.reproduction.calibration.propositions import STATEMENTS, table
from toplabel.reproduction.calibration.study import MAPPED, STUDIED, map_of_three, study
from toplabel.reproduction.report.calibration import draw_calibration

CONVEX = [loss for loss in STUDIED if loss.convex]
SMOOTH = [loss for loss in CONVEX if not loss.piecewise_linear]
LINEAR = [loss for loss in CONVEX if loss.piecewise_linear]
P4 = np.array([0.4, 0.3, 0.2, 0.1])
SHOWN = [np.array(p) for p in ([0.45, 0.35, 0.2], [0.6, 0.3, 0.1], [0.4, 0.3, 0.2, 0.1])]


def _name(loss):
    return f"{loss.key}-{loss.k}-{loss.gamma:g}"


def _verdicts(loss, p):
    return {one.s: one.verdict for one in excesses(loss, np.array(p))[1]}


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


@pytest.mark.parametrize("p", [(0.4, 0.3, 0.3), (0.5, 0.3, 0.2), (0.7, 0.2, 0.1), (0.25,) * 4])
def test_least_risks_of_the_propositions(p):
    p = np.array(p)
    assert least_risk(Pointwise("svm_ova"), p).risk == pytest.approx(
        2 * np.minimum(p, 1 - p).sum(), abs=1e-9
    )
    assert least_risk(Pointwise("svm_multi"), p).risk == pytest.approx(
        min(1, 2 * (1 - p.max())), abs=1e-9
    )
    entropy = -(p * np.log(p)).sum()
    assert least_risk(Pointwise("lr_multi"), p).risk == pytest.approx(entropy, abs=1e-12)
    binary = -(p * np.log(p) + (1 - p) * np.log(1 - p)).sum()
    assert least_risk(Pointwise("lr_ova"), p).risk == pytest.approx(binary, abs=1e-12)


@pytest.mark.parametrize("gamma", [0.3, 0.5, 1.0, 1.4, 2.0, 3.0])
def test_the_smooth_one_vs_all_minimiser_is_that_of_the_proof(gamma):
    loss = Pointwise("svm_ova", gamma=gamma)
    for p in ([0.8, 0.15, 0.05], [0.45, 0.35, 0.2], [0.3, 0.28, 0.22, 0.2]):
        p = np.array(p)
        scores = closed_forms.svm_ova_smooth(p, gamma)
        assert np.abs(loss.risk_gradients(scores[None], p)).max() <= 1e-12
        np.testing.assert_allclose(newton.minimise(loss, p).scores, scores, atol=1e-9)
    grid = np.linspace(0.001, 0.999, 999)
    assert (np.diff(closed_forms.svm_ova_smooth(grid, gamma)) > 0).all()  # what Prop. 10 needs


def test_deviations_from_closed_forms_see_a_wrong_minimiser():
    p = P4
    for loss in (Pointwise("lr_multi"), Pointwise("lr_ova"), Pointwise("svm_ova", gamma=1.0)):
        found = least_risk(loss, p)
        assert closed_forms.deviation(loss, p, found.scores, found.risk) < 1e-9
        off = found.scores + np.array([0.1, 0, 0, 0])
        assert closed_forms.deviation(loss, p, off, found.risk) > 0.05
    assert closed_forms.deviation(Pointwise("svm_multi"), p, p, 1.1) == pytest.approx(0.1)
    assert np.isnan(closed_forms.deviation(Pointwise("topk_ent", 2), p, p, 1.0))


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


def test_regret_counts_ties_for_the_worst():
    p = np.array([0.5, 0.3, 0.2])
    assert worst_regret(np.array([3.0, 2.0, 1.0]), p, 1) == 0
    assert worst_regret(np.array([1.0, 1.0, 0.0]), p, 1) == pytest.approx(0.2)
    assert worst_regret(np.zeros(3), p, 2) == pytest.approx(0.3)
    # TPAMI Lemma 1 asks for less than Bayes optimality where probabilities tie at the cut.
    p, scores = np.array([0.4, 0.2, 0.2, 0.2]), np.array([0.0, 1.0, 1.0, 0.0])
    chosen = {y for y in range(4) if scores[y] >= np.sort(scores)[::-1][1]}
    assert chosen <= {y for y in range(4) if p[y] >= np.sort(p)[::-1][1]}
    assert worst_regret(scores, p, 2) == pytest.approx(0.2)
    assert cuts(p) == [1]


@pytest.mark.parametrize(
    ("value", "uncertainty", "verdict"),
    [(1e-3, 1e-9, "optimal"), (1e-3, 2e-3, "undecided"), (0.0, 1e-12, "not optimal"),
     (0.0, 1e-6, "undecided"), (2e-9, 1e-8, "undecided")],
)  # fmt: skip
def test_verdicts_need_certificates(value, uncertainty, verdict):
    assert Excess(1, value, uncertainty, np.empty(0)).verdict == verdict


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.3, 0.7, 0.0], "p must be falling"),
        ([0.7, 0.2, 0.2], "p must be a distribution"),
        ([0.7, 0.3, 0.0], "p must be positive for 'lr_multi'"),
        ([1.0], "p must have more than k = 1 entries"),
    ],
)
def test_what_is_no_falling_distribution_is_refused(p, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        excesses(Pointwise("lr_multi"), np.array(p))


# ---- what the paper says, and what it leaves open -----------------------------------------------


def test_a_loss_without_a_program_of_its_own_is_refused(monkeypatch):
    p = np.array([0.5, 0.3, 0.2])
    with pytest.raises(ValueError, match="no linear program for the loss 'svm_ww'"):
        excesses(Pointwise("svm_ww"), p)
    other = replace(losses.get("topk_ent"), start="lr_multi")
    monkeypatch.setitem(losses.LOSSES, "topk_ent", other)
    with pytest.raises(ValueError, match="no closed form for the loss 'topk_ent'"):
        excesses(Pointwise("topk_ent", 2), p)


def test_the_papers_counterexample_for_one_vs_all():
    p = (0.4, 0.3, 0.3)  # appendix B.2
    least, found = excesses(Pointwise("svm_ova"), np.array(p))
    assert [one.verdict for one in found] == [WRONG]
    np.testing.assert_allclose(found[0].scores, -1, atol=1e-9)
    assert least.risk == pytest.approx(2.0)


def _exact_risk(key, k, p, f):
    """Risk of a hinge in exact arithmetic."""
    total = Fraction(0)
    for y, weight in enumerate(p):
        b = sorted((1 + f[j] - f[y] for j in range(len(f)) if j != y), reverse=True)[:k]
        b = [max(Fraction(0), one) for one in b] if key == "topk_svm_beta" else b
        total += weight * max(Fraction(0), sum(b, Fraction(0)) / k)
    return total


@pytest.mark.parametrize("key", ["topk_svm_alpha", "topk_svm_beta"])
def test_the_counterexample_for_the_top_2_svm_holds_in_exact_arithmetic(key):
    p = [Fraction(i, 10) for i in (4, 3, 2, 1)]
    f = [Fraction(i) for i in (1, 0, 0, 0)]  # ties the classes 2 and 3, whose probabilities differ
    risk = _exact_risk(key, 2, p, f)
    found = linear.minimise(Pointwise(key, 2), P4)
    assert float(risk) == pytest.approx(found.lower, abs=1e-9)
    # f minimises on a fine grid of rational scores, too.
    steps = [Fraction(i, 2) for i in range(-2, 5)]
    grid = ([a, b, c, Fraction(0)] for a in steps for b in steps for c in steps)
    assert risk == min(_exact_risk(key, 2, p, g) for g in grid)
    assert _verdicts(Pointwise(key, 2), P4)[2] == WRONG


@pytest.mark.parametrize("p1", [0.35, 0.45, 0.55, 0.9])
def test_the_multiclass_svm_needs_a_majority_and_never_orders_the_rest(p1):
    rest = 1 - p1
    verdicts = _verdicts(Pointwise("svm_multi"), (p1, 0.5 * rest, 0.3 * rest, 0.2 * rest))
    assert verdicts == {1: OPTIMAL if p1 > 0.5 else WRONG, 2: WRONG, 3: WRONG}


@pytest.mark.parametrize("loss", SMOOTH, ids=_name)
def test_smooth_losses_are_right_where_every_class_can_occur(loss):
    for one in distributions(3, 1, sizes=(4,)):
        if one.all_positive and len(one.thousandths) > loss.k:
            assert set(_verdicts(loss, one.p).values()) <= {OPTIMAL}, one


@pytest.mark.parametrize("gamma", [0.1, 1.0])
@pytest.mark.parametrize("k", [2, 3])
def test_the_smooth_alpha_fails_just_where_no_more_than_k_classes_can_occur(k, gamma):
    for one in distributions(4, 2, sizes=(4, 5)):
        if len(one.thousandths) <= k:
            continue
        possible = np.count_nonzero(one.p)
        for s, verdict in _verdicts(Pointwise("topk_svm_alpha", k, gamma), one.p).items():
            assert verdict == (WRONG if possible <= k and s < k else OPTIMAL), (one, s)


@pytest.mark.parametrize("k", [2, 3])
def test_the_truncated_entropy_by_brute_force(k):
    loss, p = Pointwise("topk_ent_tr", k), np.array([0.37, 0.27, 0.2, 0.16])
    least = truncated.infimum(p, k)
    scores, risk = truncated.descend(loss, p, seed=0)
    assert 0 <= risk - least <= 1e-6
    assert all(worst_regret(scores, p, s) == 0 for s in range(max(k - 1, 1), 4))
    by_choice = min(
        truncated.scaled_entropy(p[[r for r in range(4) if r not in dropped]])
        for dropped in combinations(range(4), k - 1)
    )
    assert least == pytest.approx(by_choice, abs=1e-15)


@pytest.mark.parametrize(("k", "s"), [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)])
def test_wrong_top_sets_of_the_truncated_entropy_by_descent(k, s):
    """Descents over scores with g_j >= g_i never go below the closed form, and come near it."""
    loss, p = Pointwise("topk_ent_tr", k), np.array([0.37, 0.27, 0.2, 0.16])
    bound, best = truncated.infimum_of_wrong(p, k, s), np.inf
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
    least = truncated.infimum(p, k)
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


def test_the_study_is_deterministic_and_complete(small_study):
    minima, cases = small_study
    for one, again in zip(small_study, study(seed=0, each=1), strict=True):
        pd.testing.assert_frame_equal(one, again)
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


def test_the_map_of_three_covers_the_triangle_and_is_drawn(tmp_path: Path):
    frame = map_of_three(4)
    assert len(frame) == (16 + 4) * len(MAPPED)
    one = frame[frame["label"] == MAPPED[0].label]
    areas = []
    for text in one["corners"]:
        corners = np.array(text.split(), dtype=float).reshape(3, 3)
        np.testing.assert_allclose(corners.sum(axis=1), 1, atol=1e-8)
        areas.append(abs(np.linalg.det(corners)))
    whole = abs(np.linalg.det(np.array([[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]])))
    assert sum(areas) == pytest.approx(whole)
    assert (one["p1"] > one["p2"]).all()
    assert (one["p2"] > one["p3"]).all()
    majority = one["p1"] > 0.5
    assert (one["top1"] == majority).all()  # one-vs-all SVM
    smooth = frame[frame["gamma"] > 0]
    assert smooth["top1"].all()
    assert smooth["top2"].all()
    words = drawn_twice(draw_calibration, frame, tmp_path, "calibration")
    assert "SVM OVA: top-1 right on" in words["alt"]
