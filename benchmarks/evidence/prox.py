"""Evidence for the proximal maps: ``python benchmarks/evidence/prox.py [--cases N]`` prints what was
tried, and the worst.

Projections against rational arithmetic (short vectors) and by the variational inequality (long
ones); the entropic maps against lower bounds of their objectives in extended precision, and against
explicit feasible points; V(t) against its equation. Errors are in units of rounding, 2^-53 of the
scale that each function names. `tests/property` asserts the same on fewer cases.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import entropic_exact
import prox_cases
from prox_cases import MAPS, UNIT, infeasibility, ratio, reference, scale, size, solve
from toplabel import prox


def projections(count: int, seed: int = 0) -> pd.DataFrame:
    """Vectors of 1..9 entries, against fractions; units of the scale of `scale`."""
    worst = {}
    adversarial = 0
    for case in prox_cases.projection_cases(count, 9, seed):
        adversarial += case.adversarial
        for name in MAPS:
            right = np.array([float(v) for v in reference(name, case)])
            x, unit = solve(name, case), scale(name, case)
            found = (
                ratio(infeasibility(name, case, x), unit),
                ratio(float(np.abs(x - right).max()), unit),
            )
            worst[name] = np.maximum(worst.get(name, (0.0, 0.0)), found)
    rows = [(name, count, adversarial, *errors) for name, errors in worst.items()]
    return pd.DataFrame(rows, columns=["map", "cases", "adversarial", "infeasibility", "error"])


def long_cases(count: int, seed: int):
    """Yield cases of up to 3000 entries: ordinary vectors and ties.

    With many magnitudes the variational inequality itself drowns in rounding.
    """
    for case in prox_cases.projection_cases(count, 3000, seed):
        if not case.adversarial or size("bipartite_simplex", case) <= 100:
            radius = float(np.clip(case.radius, 1e-3, 1e3))
            yield replace(case, radius=radius, bias=min(case.bias, 10.0))


def excess(name: str, case: prox_cases.Case, x: np.ndarray) -> float:
    """Return max <g, v - x> over feasible v, g the residual: 0 at the minimiser (the variational
    inequality).
    """
    if name == "bipartite_simplex":
        p = len(case.b)
        g, g_bar = case.b - x[:p], case.b_bar - x[p:]
        best = case.radius * max(0.0, g.max() + g_bar.max())
        return float(best - g @ x[:p] - g_bar @ x[p:])
    g = case.b - x - case.bias * x.sum()
    if name == "topk_simplex_beta":
        best = case.radius / case.k * np.maximum(np.sort(g)[::-1][: case.k], 0.0).sum()
        return float(best - g @ x)
    # a cone has no largest v: its directions of length 1 instead, and the residual orthogonal to x
    radius = 1.0 if name == "topk_cone" else case.radius
    best = max(0.0, radius / case.k * np.sort(g)[::-1][: case.k].sum())
    return float(max(best, abs(g @ x)) if name == "topk_cone" else best - g @ x)


def long_projections(count: int, seed: int = 1) -> pd.DataFrame:
    """Vectors of up to 3000 entries, by the variational inequality; units of scale, and of scale
    times radius.
    """
    worst = {}
    for case in long_cases(count, seed):
        for name in MAPS:
            x = solve(name, case)
            unit = size(name, case) * len(x)
            length = np.abs(x).sum() if name == "topk_cone" else case.radius
            found = (
                ratio(infeasibility(name, case, x), unit),
                ratio(excess(name, case, x), unit * max(1.0, length)),
            )
            before = worst.get(name, (0, 0.0, 0.0))
            worst[name] = (before[0] + 1, *map(max, before[1:], found))
    rows = [(name, *errors) for name, errors in worst.items()]
    return pd.DataFrame(rows, columns=["map", "cases", "infeasibility", "excess"])


def feasible_points(rng, b: np.ndarray, k: int, count: int) -> np.ndarray:
    """Points of the top-k simplex alpha, (count, n): mixtures of its vertices, those of the largest
    b among them.
    """
    n, order = len(b), np.argsort(-b)
    points = np.zeros((count, n))
    for v in points:
        for weight in rng.dirichlet(np.ones(5))[:4]:
            best = order[:k] if rng.random() < 0.5 else rng.permutation(n)[:k]
            v[best] += weight / k
    return points


def beaten(rng, b, k, alpha, x, value) -> int:
    """How many explicit feasible points are better than x by more than rounding: at random, and on
    the way to them.
    """
    points = feasible_points(rng, b, k, 10)
    points = np.concatenate([points, *(x + step * (points - x) for step in (1e-2, 1e-4))])
    many = np.broadcast_to(b, points.shape), np.broadcast_to(alpha, len(points))
    values = entropic_exact.topk_objective(points, *many)
    return int((values < value - 8 * UNIT * max(1.0, alpha, np.abs(b).max())).sum())


def topk_entropic(count: int, seed: int = 2) -> pd.DataFrame:
    """Bounds of f(x) - f(x*) in units of max(1, alpha, |b|); errors of x in units of 1."""
    rows = []
    for n, k in ((1, 1), (3, 2), (5, 2), (8, 3), (8, 5), (10, 1), (10, 9), (10, 10)):
        b, alpha, adversarial = prox_cases.entropic_cases(count // 8, n, seed + 100 * n + k)
        log_x, log_s, log_rest, capped = entropic_exact.topk_point(b, k, alpha)
        bound = entropic_exact.topk_lower_bound(b, k, alpha, log_x, log_s, log_rest)
        x = np.array(
            [prox.topk_entropic(row, k, float(a)) for row, a in zip(b, alpha, strict=True)]
        )
        value = entropic_exact.topk_objective(x, b, alpha)
        units = UNIT * np.maximum(np.maximum(1.0, alpha), np.abs(b).max(axis=1))
        s = x.astype(np.longdouble).sum(axis=1)
        infeasible = np.maximum(np.maximum(s - 1, x.max(axis=1) - s / k), -x.min(axis=1))
        rng = np.random.default_rng(seed)
        better = sum(
            beaten(rng, *problem, *found)
            for problem, found in zip(
                ((row, k, a) for row, a in zip(b, alpha, strict=True)),
                zip(x, value, strict=True),
                strict=True,
            )
        )
        rows.append(
            (
                n,
                k,
                len(b),
                int(adversarial.sum()),
                int(capped.any(axis=1).sum()) if k > 1 else 0,
                float(max(0, infeasible.max()) / UNIT),
                float(((value - bound) / units).max()),
                float(np.abs(x - np.exp(log_x)).max() / UNIT),
                30 * len(b),
                better,
            )
        )
    columns = ["n", "k", "cases", "adversarial", "capped", "infeasibility", "suboptimality"]
    return pd.DataFrame(rows, columns=[*columns, "error", "feasible_points", "better"])


def bipartite_entropic(count: int, seed: int = 3) -> pd.DataFrame:
    """Bounds of f(x) - f(x*) in units of max(1, alpha, alpha |b|); errors of x in units of 1."""
    rows = []
    for p, q in ((1, 1), (3, 5), (10, 2), (40, 40)):
        z, alpha, adversarial = prox_cases.entropic_cases(count // 4, p + q, seed + p)
        pairs = [
            prox.bipartite_entropic(row[:p], row[p:], float(a))
            for row, a in zip(z, alpha, strict=True)
        ]
        x = np.array([np.concatenate(pair) for pair in pairs])
        log_p = entropic_exact.softmax_point(z, alpha)
        bound = entropic_exact.softmax_lower_bound(z, alpha, log_p)
        value = entropic_exact.softmax_objective(x, z, alpha)
        units = UNIT * np.maximum(1.0, alpha * np.maximum(1.0, np.abs(z).max(axis=1)))
        s = x.astype(np.longdouble).sum(axis=1)
        rows.append(
            (
                p,
                q,
                len(z),
                int(adversarial.sum()),
                float(max(np.abs(s - 1).max(), -x.min()) / UNIT),
                float(((value - bound) / units).max()),
                float(np.abs(x - np.exp(log_p)).max() / UNIT),
            )
        )
    columns = ["p", "q", "cases", "adversarial", "infeasibility", "suboptimality", "error"]
    return pd.DataFrame(rows, columns=columns)


def lambert(count: int, seed: int = 4) -> pd.DataFrame:
    """Relative errors of V(t)."""
    rng = np.random.default_rng(seed)
    rows = []
    for low, high in ((-700, -40), (-40, -1), (-1, 3), (3, 40), (40, 1e9), (1e9, 1e300)):
        t = (
            rng.uniform(low, high, count)
            if low < 40
            else np.exp(rng.uniform(*np.log([low, high]), count))
        )
        right = np.exp(entropic_exact.log_v(t.astype(np.longdouble)))
        rows.append((low, high, count, float((np.abs(prox.lambert_w_exp(t) / right - 1)).max())))
    return pd.DataFrame(rows, columns=["from", "to", "values", "relative_error"])


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--cases", type=int, default=4000, help="problems for each map")
    cases = parser.parse_args().cases
    tables = {
        "Projections of 1..9 entries against rational arithmetic": projections(cases),
        "Projections of up to 3000 entries by the variational inequality": long_projections(
            cases // 4
        ),
        "topk_entropic against lower bounds and feasible points": topk_entropic(cases),
        "bipartite_entropic against lower bounds": bipartite_entropic(cases),
        "V(t) against its equation": lambert(10 * cases),
    }
    with pd.option_context("display.width", 160, "display.max_rows", 100):
        for title, table in tables.items():
            print(f"\n{title}\n{table.to_string(index=False, float_format='{:.3g}'.format)}")


if __name__ == "__main__":
    main()
