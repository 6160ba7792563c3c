"""Duality gap and validation accuracy against time, and the softmax by three solvers (TPAMI Fig. 3b to d)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.model_selection import train_test_split

from toplabel.bench import fitting, peers, training
from toplabel.bench.fista import SoftmaxFista
from toplabel.bench.shapes import Shape
from toplabel.bench.timing import now
from toplabel.datasets.prepared import Part, Prepared
from toplabel.metrics import top_k_accuracy
from toplabel.solution import Record

#: C of the best validation accuracy of the multiclass SVM among the powers of ten (`toplabel.bench.calibrate`).
CS = {"letter": 10.0, "digits": 0.001}
CURVES_COLUMNS = ["label", "loss", "gamma", "epoch", "relative_gap", "top1", "seconds"]
RACE_COLUMNS = ["solver", "step", "excess", "seconds"]
METHODS = (
    ("SVM^{Multi}", "svm_multi", 0.0),
    ("SVM^{Multi}_{1}", "svm_multi", 1.0),
    ("LR^{Multi}", "lr_multi", 0.0),
)
OURS, REFERENCE = "SDCA (toplabel)", "FISTA (our reference)"
#: Solvers of others by the name of their family in `toplabel.bench.peers`.
OTHERS = {"SPAMS FISTA": "FISTA (SPAMS)", "scikit-learn lbfgs": "L-BFGS (scikit-learn)"}

_EPS = 1e-6  # relative gap at which the curves end
_FINISH = 1e-7  # relative excess at which the race ends
_BOUND_EPS = 1e-9
_THINNING = 1.04  # from one epoch that is kept to the next
_GROWTH = 1.15  # from one look at FISTA's iterate to the next


@dataclass(frozen=True)
class Problem:
    """A set to train on, and rows to validate on."""

    shape: Shape
    X_val: np.ndarray | sparse.csr_matrix
    y_val: np.ndarray


def problem_of(prepared: Prepared) -> Problem:
    """Return the training and validation part of the first split of a set of one label a row.

    A set without validation part gives a fifth of its training rows, of every class alike, for it.

    Raises
    ------
    ValueError
        For a set whose C is not known (`CS`).
    """
    if prepared.name not in CS:
        raise ValueError(f"data set '{prepared.name}': no C is known; known: {', '.join(CS)}")
    split = prepared.splits[0]
    train = prepared.parts[split.train]
    if split.val:
        X, y = _dense(train), train.y
        X_val, y_val = _dense(prepared.parts[split.val]), prepared.parts[split.val].y
    else:
        X, X_val, y, y_val = train_test_split(
            _dense(train), train.y, test_size=0.2, stratify=train.y, random_state=0
        )
    shape = Shape(prepared.name, X, y, prepared.n_classes, CS[prepared.name])
    return Problem(shape, X_val, y_val)


def _dense(part: Part) -> np.ndarray:
    """Features in memory, dense: the sets of `CS` are."""
    X = part.X.toarray() if sparse.issparse(part.X) else np.array(part.X)
    return np.ascontiguousarray(X, dtype=np.float64)


def convergence(problem: Problem, epochs: int) -> pd.DataFrame:
    """Train the methods of TPAMI Fig. 3b and c and look at each epoch.

    Parameters
    ----------
    problem : Problem
    epochs : int
        At most.

    Returns
    -------
    DataFrame
        `CURVES_COLUMNS`, of all first epochs and some of the later ones; `top1` in percent on the validation rows,
        `seconds` of the epochs alone, without what it takes to evaluate.
    """
    watch = {"val": (problem.X_val, problem.y_val)}
    rows = []
    for label, loss, gamma in METHODS:
        solution = fitting.train(
            problem.shape,
            loss,
            gamma=gamma,
            eps=_EPS,
            max_epochs=epochs,
            eval_every=1,
            watch=watch,
            watch_metric=lambda y, scores: 100 * top_k_accuracy(y, scores, k=1),
            n_classes=problem.shape.n_classes,
        )
        for one in _thinned(solution.history[1:]):
            gap = (one.epoch, one.relative_gap, one.watched["val"])
            rows.append((label, loss, gamma, *gap, one.solve_seconds))
    return pd.DataFrame(rows, columns=CURVES_COLUMNS)


def _thinned(records: list[Record]) -> list[Record]:
    """Keep the first epochs and ever fewer of the later ones, and the last."""
    kept, following = [], 0.0
    for record in records:
        if record.epoch >= following or record is records[-1]:
            kept.append(record)
            following = _THINNING * record.epoch
    return kept


# ---- the softmax by several solvers ------------------------------------------------------------------


def race(shape: Shape, cap: float = 30.0) -> pd.DataFrame:
    """Train the softmax with our solver, FISTA and L-BFGS, and score all iterates alike.

    Parameters
    ----------
    shape : Shape
    cap : float
        Seconds after which a solver is given up.

    Returns
    -------
    DataFrame
        `RACE_COLUMNS`; `step` counts epochs or iterations, `excess` is (P - P*)/P* with a lower bound for P* that our
        dual proves. Evaluating P does not count. L-BFGS and SPAMS are run anew for each number of iterations, since
        they do not show their iterates.

    Raises
    ------
    ArithmeticError
        When the bound is not tight enough within four times the cap.
    """
    bound, gap = training.lower_bound(shape, "lr_multi", eps=_BOUND_EPS, time_limit=4 * cap)
    if gap > 0.1 * _FINISH:
        raise ArithmeticError(f"P* is known to {gap:.1e} only, which is too coarse for {_FINISH:g}")
    rows = [(OURS, *row) for row in _ours(shape, bound, cap)]
    rows += [(REFERENCE, *row) for row in _fista(shape, bound, cap)]
    for family in peers.others(shape, "lr_multi"):
        if family.solver in OTHERS:
            name = OTHERS[family.solver]
            rows += [(name, *row) for row in _by_settings(shape, family, bound, cap)]
    frame = pd.DataFrame(rows, columns=RACE_COLUMNS)
    return frame.assign(excess=frame["excess"].clip(lower=0.0))


def _ours(shape: Shape, bound: float, cap: float) -> list[tuple[int, float, float]]:
    solution = fitting.train(
        shape,
        "lr_multi",
        eps=0.0,
        max_epochs=100_000,
        eval_every=1,
        time_limit=cap,
        callback=lambda record: record.primal / bound - 1 <= _FINISH,
    )
    history = solution.history[1:]  # without the start
    return [(one.epoch, one.primal / bound - 1, one.solve_seconds) for one in history]


def _fista(shape: Shape, bound: float, cap: float) -> list[tuple[int, float, float]]:
    """Our FISTA; the clock stands still while an iterate is evaluated."""
    rows: list[tuple[int, float, float]] = []
    started, looked, next_look = now(), 0.0, 1

    def look(step: int, W: np.ndarray) -> bool:
        nonlocal looked, next_look
        arrived = now()
        seconds = arrived - started - looked
        if step < next_look and seconds < cap:
            return False
        excess = fitting.primal(shape, "lr_multi", W) / bound - 1
        rows.append((step, excess, seconds))
        next_look = max(step + 1, int(_GROWTH * step))
        looked += now() - arrived
        return excess <= _FINISH or seconds >= cap

    SoftmaxFista(C=shape.C, max_iter=1_000_000, tol=0.0).fit(shape.X, shape.y, callback=look)
    return rows


def _by_settings(shape, family: peers.Family, bound, cap) -> list[tuple[int, float, float]]:
    rows = []
    for setting in family.settings[::2]:
        seconds, result = training.timed(setting)
        excess = fitting.primal(shape, "lr_multi", setting.weights(result)) / bound - 1
        rows.append((int(setting.name.split()[-1]), excess, seconds))
        if excess <= _FINISH or seconds > cap:
            break
    return rows


def missing_solvers(imports: Callable[[str], str] = peers.missing) -> str:
    """Say which solver of the race is not installed; empty when all are."""
    return imports("spams")
