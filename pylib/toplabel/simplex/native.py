"""The simplex solvers of the C library, and the memory that they borrow."""

from __future__ import annotations

import numpy as np

from toplabel._core.arrays import pointer
from toplabel._core.lib import check, ffi, lib
from toplabel._core.run import describe
from toplabel.simplex.problem import SimplexProblem

__all__ = ["SvmRun", "online_weights"]

_CODES = {
    "s_ls": lib.TL_SIMPLEX_LS,
    "sc_svm": lib.TL_SIMPLEX_SC_SVM,
    "sh_svm": lib.TL_SIMPLEX_SH_SVM,
}


class SvmRun:
    """Dual coordinate ascent at some point between its start and the optimum, as
    `toplabel._core.training` drives it.

    `start` are feasible dual variables, (n, T) or (n,), updated in place.
    """

    def __init__(
        self,
        problem: SimplexProblem,
        loss: str,
        *,
        C: float,
        seed: int,
        weight: np.ndarray | None = None,
        start: np.ndarray | None = None,
    ) -> None:
        n, T = problem.labels.n, problem.labels.m
        self._shape = (problem.features.shape[1], T - 1)
        self._gram = problem.is_gram
        shape = (n, T) if loss == "sc_svm" else (n,)
        self.alpha = np.zeros(shape) if start is None else start
        self._borrowed: list = []
        data = describe(problem, weight, self._borrowed)
        out = ffi.new("tl_simplex **")
        alpha = pointer(self.alpha)
        check(lib.tl_simplex_create(data, _CODES[loss], C, seed, alpha, out))
        self._handle = ffi.gc(out[0], lib.tl_simplex_free)
        self._objective = ffi.new("tl_objective *")
        self._outcome = ffi.new("tl_outcome *")
        self.epochs = 0  # made so far

    def solve(self, stopping) -> int:
        """Go on until a ``tl_stopping`` says stop; return a ``tl_outcome``."""
        check(lib.tl_simplex_solve(self._handle, stopping, self._objective, self._outcome))
        self.epochs = int(self._objective.epochs)
        return self._outcome[0]

    @property
    def objective(self):
        """The ``tl_objective`` of the last evaluation, valid until the next."""
        return self._objective

    def evaluate(self):
        """Return both objectives, exactly: a ``tl_objective``, valid until the next call."""
        check(lib.tl_simplex_evaluate(self._handle, self._objective))
        return self._objective

    def set_C(self, C: float) -> None:
        """Continue with another C, from the present point rescaled."""
        check(lib.tl_simplex_set_C(self._handle, C))

    def coefficients(self) -> np.ndarray:
        """Return a copy of the a_i, (n, T - 1)."""
        A = np.empty((self.alpha.shape[0], self._shape[1]))
        check(lib.tl_simplex_coefficients(self._handle, pointer(A)))
        return A

    def weights(self) -> np.ndarray | None:
        """Return a copy of W, (d, T - 1); None with a Gram matrix."""
        if self._gram:
            return None
        W = np.empty(self._shape)
        check(lib.tl_simplex_weights(self._handle, pointer(W)))
        return W


def online_weights(problem: SimplexProblem, loss: str, given: dict[str, object]) -> np.ndarray:
    """Return W, (d, T - 1), after stochastic subgradient steps, with these ``tl_online_settings``."""
    settings = ffi.new("tl_online_settings *")
    lib.tl_online_settings_init(settings, ffi.sizeof("tl_online_settings"))
    settings.loss = _CODES[loss]
    for name, value in given.items():
        setattr(settings, name, value)
    borrowed: list = []
    data = describe(problem, None, borrowed)
    W = np.empty((problem.features.shape[1], problem.labels.m - 1))
    check(lib.tl_simplex_online(data, settings, pointer(W)))
    return W
