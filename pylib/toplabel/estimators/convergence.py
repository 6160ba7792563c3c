"""The warning of a training that did not converge, with what helps."""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from toplabel._core.arrays import MatrixLike
from toplabel._core.problem import mean_squared_norm

__all__ = ["warn"]

_BY_ROUNDING = ("stalled", "imprecise")  # where more passes do not help


def warn(
    estimator: Any, solution: Any, X: MatrixLike, *, where: str = "", smooth: bool = False
) -> None:
    """Warn that a solution is farther than the estimator's `tol` from the optimum; `where` names
    the training, `smooth` says whether a positive gamma would help.
    """
    reached = f"relative duality gap {solution.relative_gap:.3g}"
    if (gradient := getattr(solution, "gradient_norm", None)) is not None:
        reached = f"gradient norm {gradient:.3g}"
    raised = {"time_limit": "time_limit"} | dict.fromkeys(_BY_ROUNDING, "tol, as rounding ended it")
    asked = [f"raise {raised.get(solution.status, 'max_iter')}"]
    asked += ["set gamma=1.0, which smooths the loss"] if smooth else []
    if solution.status == "interrupted":
        advice = "it was interrupted"
    elif estimator.kernel == "linear":
        advice = f"{_scaling(X, estimator.C)}, or {' or '.join(asked)}"
    else:
        advice = f"lower C, or {' or '.join(asked)}"
    warnings.warn(
        f"{type(estimator).__name__}{where} did not reach tol={estimator.tol:g}: status "
        f"{solution.status!r} at the {reached} after {solution.epochs} epochs; {advice}",
        ConvergenceWarning,
        stacklevel=_level_of_caller(),
    )


def _level_of_caller() -> int:
    """Return the `stacklevel` of `warn` for the code that called the estimator."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith("toplabel."):
        frame, level = frame.f_back, level + 1
    return level


def _scaling(X, C) -> str:
    """Say how long the rows are, and which scaling or C that suggests."""
    norm = mean_squared_norm(X)
    count = X.nnz / X.shape[0] if sparse.issparse(X) else X.shape[1]
    text = f"the mean squared norm of the rows is {norm:.3g}: "
    if not np.isfinite(norm) or norm <= 1.5 * count:  # as that of features of unit variance
        return f"{text}lower C"
    scaler = "MaxAbsScaler" if sparse.issparse(X) else "StandardScaler"
    lower = count / norm
    to = f" to about {lower:.1g}" if not isinstance(C, str) and lower < C else ""
    return f"{text}scale the features ({scaler}), lower C{to}"
