"""Evidence for the simplex coding: ``python benchmarks/evidence/simplex_coding.py [--seeds N]`` prints
what was compared.

The code vectors, scikit-learn's checks, leave-one-out in closed form against training again, optima
of the SVMs against a bounded quasi-Newton method on the dual, Theorem 1 at points, and the time of
the least-squares path against the number of classes.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from sklearn.utils.estimator_checks import check_estimator
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from simplex_oracles import dual_optimum, problem
from toplabel import SimplexClassifier, simplex
from toplabel.kernels import rbf_gram


def coding(Ts: tuple[int, ...]) -> pd.DataFrame:
    """Largest errors of the code vectors' norms, products and sum, and of encoding and decoding."""
    rows = []
    for T in Ts:
        C = simplex.simplex_coding(T)
        products = C.T @ C
        y = np.arange(T)
        norm = np.abs(products[y, y] - 1).max()
        products[y, y] = -1 / (T - 1)
        product = np.abs(products + 1 / (T - 1)).max()
        wrong = int((simplex.decode(simplex.encode(y, T)) != y).sum())
        rows.append((T, norm, product, np.abs(C.sum(axis=1)).max(), wrong))
    return pd.DataFrame(rows, columns=["T", "norm", "product", "sum", "decoded_wrong"])


def estimator_checks() -> pd.DataFrame:
    """The results of scikit-learn's checks of the estimator."""
    rows = []
    kinds = [{"loss": loss} for loss in ("s_ls", "sc_svm", "sh_svm")]
    kinds += [{"kernel": "rbf"}, {"C": "loo"}, {"loss": "sc_svm", "online": True}]
    for options in kinds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(SimplexClassifier(**options), on_skip=None, on_fail=None)
        found = Counter(result["status"] for result in results)
        rows.append((str(options), *(found[key] for key in ("passed", "failed", "skipped"))))
    return pd.DataFrame(rows, columns=["estimator", "passed", "failed", "skipped"])


def leave_one_out(seeds: int) -> pd.DataFrame:
    """Largest difference of a score, and of the share of errors, from n models each trained without
    a row.
    """
    rows = []
    kinds = {"primal": (40, 6, {}), "dual": (15, 25, {}), "rbf": (40, 6, {"kernel": "rbf"})}
    for name, (n, d, options) in kinds.items():
        worst, errors, count = 0.0, 0.0, 0
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            X, y = rng.normal(size=(n, d)), np.arange(n) % 5
            path = simplex.LeastSquaresPath(X, y, **options)
            fixed = {"kernel": "rbf", "theta": path.theta} if options else {}
            for C in path.Cs(5):
                closed = path.left_out(C)
                brute = np.empty_like(closed)
                for i in range(n):
                    rest = np.arange(n) != i
                    model = simplex.solve(X[rest], y[rest], "s_ls", C, n_classes=5, **fixed)
                    brute[i] = model.decision_function(X[i : i + 1])[0]
                worst = max(worst, np.abs(closed - brute).max())
                other = np.mean(brute.argmax(axis=1) != y)
                errors, count = max(errors, abs(path.left_out_error(C) - other)), count + n
        rows.append((name, count, worst, errors))
    return pd.DataFrame(rows, columns=["form", "models", "largest_difference", "errors_differ"])


def optima(seeds: int) -> pd.DataFrame:
    """Largest relative difference of the optimum, linear and Gaussian, at tol 1e-9."""
    rows = []
    for loss in ("sc_svm", "sh_svm"):
        found = []
        for seed, C in itertools.product(range(seeds), (0.05, 1.0, 20.0)):
            X, y = problem(seed)
            for K in (X @ X.T, rbf_gram(X, 0.5)):
                options = {
                    "kernel": "precomputed",
                    "tol": 1e-9,
                    "max_iter": 10**6,
                    "n_classes": 4,
                }
                solution = simplex.solve(K, y, loss, C, **options)
                expected = dual_optimum(loss, K, y, C)
                found.append((abs(solution.primal / expected - 1), solution.relative_gap))
        differences, gaps = np.array(found).T
        rows.append((loss, len(found), differences.max(), gaps.max()))
    return pd.DataFrame(rows, columns=["loss", "problems", "largest_difference", "largest_gap"])


def minimiser(loss: str, p: np.ndarray, hull: bool) -> np.ndarray:
    """Return an f in R^(T-1) that minimises ``sum_y p_y V(y, f)``, over all f or over the convex
    hull of the code vectors.
    """
    codes = simplex.simplex_coding(len(p))
    # The mean is the minimiser of least squares, and lies in the hull.
    return codes @ p if loss == "s_ls" else _linear_program(loss, codes, p, hull)


def _linear_program(loss: str, codes: np.ndarray, p: np.ndarray, hull: bool) -> np.ndarray:
    """Return f of the program in f, one slack a class, and for the hull its weights."""
    k, T = codes.shape
    if loss == "sh_svm":  # slack_y >= 1 - <c_y, f>
        cost, side, offset = p, -codes.T, -np.ones(T)
    else:  # slack_j >= 1/(T-1) + <c_j, f>, paid by all other classes
        cost, side, offset = 1 - p, codes.T, np.full(T, -1 / k)
    weights = T if hull else 0
    A = np.hstack([side, -np.eye(T), np.zeros((T, weights))])
    equalities = {}
    if hull:
        rows = np.hstack([np.eye(k), np.zeros((k, T)), -codes])
        total = np.concatenate([np.zeros(k + T), np.ones(T)])
        equalities = {"A_eq": np.vstack([rows, total]), "b_eq": np.append(np.zeros(k), 1.0)}
    found = linprog(
        np.concatenate([np.zeros(k), cost, np.zeros(weights)]),
        A_ub=A,
        b_ub=offset,
        bounds=[(None, None)] * k + [(0, None)] * (T + weights),
        method="highs",
        **equalities,
    )
    if found.status != 0:
        raise RuntimeError(found.message)
    return found.x[:k]


def probabilities(count: int, T: int, margin: float = 1e-3) -> np.ndarray:
    """Return probability vectors, (count, T), whose largest entry leads by a margin."""
    rng = np.random.default_rng(0)
    found = []
    while len(found) < count:
        p = rng.dirichlet(np.full(T, rng.choice([0.3, 1.0, 10.0])))
        if np.diff(np.sort(p)[-2:])[0] > margin:
            found.append(p)
    return np.array(found)


def consistency(seeds: int) -> pd.DataFrame:
    """Of random class probabilities, how often the risk minimiser decodes to the likeliest class,
    alone on top.
    """
    rows = []
    for loss, hull in (("s_ls", False), ("sc_svm", False), ("sh_svm", True), ("sh_svm", False)):
        for T in (3, 5, 10):
            right, lead = 0, np.inf
            points = probabilities(20 * seeds, T)
            for p in points:
                of_classes = simplex.scores(minimiser(loss, p, hull)[None])[0]
                scores, best = np.sort(of_classes), of_classes.argmax()
                ahead = scores[-1] - scores[-2]
                right += bool(best == p.argmax() and ahead > 1e-9)
                lead = min(lead, ahead)
            rows.append((loss, "hull" if hull else "all f", T, len(points), right, lead))
    columns = ["loss", "over", "T", "points", "likeliest_wins", "smallest_lead"]
    return pd.DataFrame(rows, columns=columns)


def path_times(n: int, d: int, Ts: tuple[int, ...], count: int) -> pd.DataFrame:
    """CPU seconds of one thread: the eigendecomposition, then leave-one-out errors for all C."""
    rows = []
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    for (form, options), T in itertools.product(
        {"linear": {}, "rbf": {"kernel": "rbf", "theta": 0.5 / d}}.items(), Ts
    ):
        y = np.arange(n) % T
        begin = time.process_time()
        path = simplex.LeastSquaresPath(X, y, **options)
        middle = time.process_time()
        for C in path.Cs(count):
            path.left_out_error(C)
        end = time.process_time()
        rows.append((form, n, d, T, count, middle - begin, end - middle))
    columns = ["form", "n", "d", "T", "lambdas", "decomposition", "path"]
    return pd.DataFrame(rows, columns=columns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--n", type=int, default=2000, help="rows of the timed path [2000]")
    given = parser.parse_args()
    print("The code vectors: largest errors")
    print(coding((2, 3, 10, 100, 1000)).to_string(index=False), "\n", flush=True)
    print("scikit-learn's check_estimator")
    print(estimator_checks().to_string(index=False), "\n", flush=True)
    print("Leave-one-out in closed form against training again")
    print(leave_one_out(given.seeds).to_string(index=False), "\n", flush=True)
    print("Optima of the SVMs against L-BFGS-B on their duals")
    print(optima(given.seeds).to_string(index=False), "\n", flush=True)
    print("Theorem 1: minimisers of the pointwise risk")
    print(consistency(given.seeds).to_string(index=False), "\n", flush=True)
    print("The least-squares path against the number of classes, CPU seconds of one thread")
    with threadpool_limits(1):
        print(path_times(given.n, 100, (10, 100, 1000), 100).to_string(index=False), flush=True)


if __name__ == "__main__":
    main()
