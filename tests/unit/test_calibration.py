"""The program of the calibration study: certified minima, the argument behind the excess, the table."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks/evidence"))

import calibration
from calibration import STUDIED, Pointwise, excesses, least_risk

import oracles

CONVEX = [loss for loss in STUDIED if loss.key != "topk_ent_tr"]
P3, P4 = np.array([0.45, 0.35, 0.2]), np.array([0.4, 0.3, 0.2, 0.1])


def _name(loss):
    return f"{loss.key}-{loss.k}-{loss.gamma:g}"


@pytest.mark.parametrize("loss", CONVEX, ids=_name)
def test_the_least_risk_is_certified_and_no_scores_are_better(loss):
    rng = np.random.default_rng(0)
    for p in (P3, P4) if loss.k < 3 else (P4,):
        for s in (None, 1, 2):
            least = least_risk(loss, p, s)
            assert -1e-12 <= least.gap <= 1e-8
            assert least.risk == pytest.approx(loss.risks(least.scores[None], p)[0], abs=1e-14)
            if s is not None:
                assert least.scores[s - 1] == pytest.approx(least.scores[s], abs=1e-12)
        others = rng.normal(scale=2.0, size=(300, len(p)))
        least = least_risk(loss, p)
        assert loss.risks(others, p).min() >= least.risk - least.gap - 1e-12


@pytest.mark.parametrize("loss", CONVEX, ids=_name)
def test_the_least_risk_is_that_of_another_solver(loss):
    for p in (P4, np.array([0.55, 0.25, 0.12, 0.08]), np.array([0.3, 0.25, 0.2, 0.15, 0.1])):
        for s in (None, 1, 2):
            expected = oracles.least_risk(loss.key, p, s, loss.k, loss.gamma)
            assert least_risk(loss, p, s).risk == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("p", [P3, P4, np.array([0.8, 0.15, 0.05])], ids=str)
def test_minima_are_those_of_the_papers_proofs(p):
    top = p.max()
    ova = least_risk(Pointwise("svm_ova"), p).risk
    assert ova == pytest.approx(2 * np.minimum(p, 1 - p).sum())
    assert least_risk(Pointwise("svm_multi"), p).risk == pytest.approx(min(1, 2 - 2 * top))
    logistic = least_risk(Pointwise("lr_ova"), p).scores
    np.testing.assert_allclose(logistic, np.log(p / (1 - p)), atol=1e-9)
    softmax = least_risk(Pointwise("lr_multi"), p).scores
    np.testing.assert_allclose(softmax - softmax[0], np.log(p / top), atol=1e-9)
    for gamma in (0.3, 1.0, 1.4, 3.0):  # Proposition 10
        scores = least_risk(Pointwise("svm_ova", gamma=gamma), p).scores
        high, low = 1 - gamma * (1 - p) / p, -1 + gamma * p / (1 - p)
        middle = np.where(p < gamma / 2, 2 * p - 1, high) if gamma > 1 else high
        is_low = p < 1 - gamma / 2 if gamma > 1 else p < 0.5
        np.testing.assert_allclose(scores, np.where(is_low, low, middle), atol=1e-9)


@pytest.mark.parametrize("loss", CONVEX, ids=_name)
def test_no_wrong_top_set_costs_less_than_the_neighbours_tie(loss):
    """Compare with ties of all other pairs, which stand first in another order, and random scores."""
    least = least_risk(loss, P4)
    spread = max(0.5, np.ptp(least.scores))
    G = least.scores + np.random.default_rng(1).normal(scale=0.5 * spread, size=(2000, 4))
    risks = loss.risks(G, P4) - least.risk
    for case in excesses(loss, P4).itertuples():
        s = case.s
        wrong = G[:, s:].max(axis=1) >= G[:, :s].min(axis=1)
        assert wrong.any()
        assert risks[wrong].min() >= case.excess - 1e-9
        orders = [[i, j, *({*range(4)} - {i, j})] for i in range(s) for j in range(s, 4)]
        cheapest = min(least_risk(loss, P4[order], 1).risk for order in orders) - least.risk
        assert case.excess == pytest.approx(cheapest, abs=1e-8)


@pytest.mark.parametrize(("k", "s"), [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)])
def test_the_truncated_entropy_by_descent(k, s):
    """Descents never go below the closed forms, and come near them."""
    loss, p = Pointwise("topk_ent_tr", k), np.array([0.37, 0.27, 0.2, 0.16])
    rng = np.random.default_rng(0)

    def lowest(M, bounds):
        ends = [
            minimize(
                lambda z: float(loss.risks((M @ z)[None], p)[0]),
                np.clip(start, *np.transpose(bounds)),
                jac=lambda z: M.T @ loss.risk_gradients((M @ z)[None], p)[0],
                method="L-BFGS-B",
                bounds=bounds,
            )
            for start in rng.normal(scale=4.0, size=(12, 4))
        ]
        return min(end.fun for end in ends)

    least, wrong = least_risk(loss, p).risk, least_risk(loss, p, s).risk
    assert least - 1e-9 <= lowest(np.eye(4), [(-25, 25)] * 4) <= least + 1e-4
    risks = []
    for i, j in product(range(s), range(s, 4)):
        M = np.eye(4)
        M[j, i] = 1.0  # g_j = z_i + z_j with z_j >= 0
        risks.append(lowest(M, [(0, 25) if c == j else (-25, 25) for c in range(4)]))
    assert wrong - 1e-9 <= min(risks) <= wrong + 1e-4
    assert (wrong > least + 1e-9) == (s >= k - 1)  # Prop. 13 says so for s >= k


@pytest.mark.parametrize(
    ("excess", "uncertainty", "verdict"),
    [(1e-3, 1e-9, "optimal"), (1e-3, 2e-3, "undecided"), (0.0, 1e-12, "not optimal"),
     (0.0, 1e-6, "undecided"), (2e-9, 1e-8, "undecided")],
)  # fmt: skip
def test_verdicts_need_certificates(excess, uncertainty, verdict):
    assert calibration.verdict(excess, uncertainty) == verdict


def test_the_table_confirms_the_propositions_and_answers_for_the_others():
    """Of the fixed distributions, without drawn ones."""
    cases = calibration.study(seed=0, each=0)
    assert {*cases["verdict"]} == {"optimal", "not optimal"}
    frame = calibration.table(cases).set_index("statement")
    propositions = frame.index.str.startswith("Prop")
    assert propositions.sum() == 7
    assert (frame.loc[propositions, "here"] == "confirmed").all()
    assert (frame["first counterexample"] != "").equals(frame["not"] != "0")
    failing = frame.index[frame["here"] == "fails"]
    assert [*failing] == [
        "truncated top-k entropy, s < k - 1",
        "top-k SVM alpha, s >= k",
        "top-k SVM beta, s >= k",
        "smooth top-k SVM alpha, s < k",
    ]
    assert (frame.loc[~propositions, "here"] == "no counterexample").sum() == 5
    wrong = cases.assign(verdict=cases["verdict"].mask(cases["loss"] == "lr_multi", "not optimal"))
    assert calibration.table(wrong)["here"][5] == "NOT CONFIRMED"
