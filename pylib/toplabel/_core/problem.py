"""The problem that is minimised: the arguments of the trainers, checked and converted once for all values of
C.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from toplabel._core import kernels, losses, tuning
from toplabel._core.arrays import (
    Features,
    Labels,
    as_features,
    as_labels,
    as_matrix,
    as_number,
    as_weights,
    check_mapped_finite,
    is_mapped,
    squared_norms,
)
from toplabel._core.catalogue import Loss
from toplabel._core.gram import check_gram
from toplabel._core.solution import join_intercept
from toplabel._core.threads import EndOfRun

LARGEST = 1e100  # beyond, squares of what C and gamma are multiplied with would overflow


def as_C(value: object, name: str = "C") -> float:
    """Return a C in [1e-100, 1e100]."""
    C = as_number(value, name, 0.0, strict=True)
    if not 1 / LARGEST <= C <= LARGEST:
        raise ValueError(f"{name} must be in [{1 / LARGEST:g}, {LARGEST:g}], got {value!r}")
    return C


def mean_squared_norm(features, weight: np.ndarray | None = None, *, gram: bool = False) -> float:
    """Return the mean of ||x_i||^2, with a Gram matrix that of its diagonal."""
    squares = features.diagonal() if gram else squared_norms(features)
    return float(np.average(squares, weights=weight))


def as_constant(fit_intercept: object, scaling: object) -> float | None:
    """Return the constant feature of the rows that stands for an intercept; 0: none, None: that of
    `constant_of`.
    """
    if not isinstance(fit_intercept, bool | np.bool_):
        raise TypeError(f"fit_intercept must be True or False, got {fit_intercept!r}")
    if not isinstance(scaling, str):
        scaling = as_number(scaling, "intercept_scaling", 0.0, strict=True, high=LARGEST)
        return scaling if fit_intercept else 0.0
    if scaling != "auto":
        raise ValueError(f"intercept_scaling must be a number or 'auto', got {scaling!r}")
    return None if fit_intercept else 0.0


def constant_of(features, weight: np.ndarray | None, *, gram: bool) -> float:
    """Return the constant feature that suits the size of the features."""
    length = np.sqrt(mean_squared_norm(features, weight, gram=gram))
    # NaN of a mapped file is found later.
    return float(np.clip(length / 3, 1.0, 10.0)) if np.isfinite(length) else 1.0


def as_theta(theta: object, rows, weight: np.ndarray | None = None) -> float:
    """Return the theta of the kernel "rbf" as a number."""
    if theta is None:
        raise ValueError("theta must be given for kernel='rbf', as a number or 'scale'")
    if not isinstance(theta, str):
        return as_number(theta, "theta", 0.0, strict=True)
    if theta != "scale":
        raise ValueError(f"theta must be a number or 'scale', got {theta!r}")
    rows = rows_that_count(rows, weight)
    check_size(rows)
    mean = float(rows.mean(dtype=np.float64))
    variance = _squared_deviations(rows, mean) / (rows.shape[0] * rows.shape[1])
    rounding = (1e-14 * mean) ** 2
    return 1.0 / (rows.shape[1] * (variance if variance > rounding else 1.0))


def check_size(rows) -> None:
    """Refuse features whose products would overflow."""
    numbers = rows.data if sparse.issparse(rows) else rows
    size = max(-float(numbers.min(initial=0.0)), float(numbers.max(initial=0.0)))
    if size > LARGEST:
        raise ValueError(
            f"X must be at most {LARGEST:g} in size, its products overflow; got {size:g}"
        )


def rows_that_count(rows, weight: np.ndarray | None):
    """Return the rows whose weight is not 0."""
    return rows if weight is None or weight.all() else rows[weight > 0]


def _squared_deviations(rows, mean: float) -> float:
    """Return the sum of ``(x_ij - mean)^2``; from its definition, as ``E x^2 - mean^2`` cancels."""
    if sparse.issparse(rows):
        zeros = rows.shape[0] * rows.shape[1] - rows.nnz
        return float(
            np.square(np.subtract(rows.data, mean, dtype=np.float64)).sum() + zeros * mean**2
        )
    parts = (rows[i : i + tuning.PROBED] for i in range(0, len(rows), tuning.PROBED))
    return sum(float(np.square(np.subtract(part, mean, dtype=np.float64)).sum()) for part in parts)


def check_kernel(kernel: object, theta: object) -> None:
    """Refuse a kernel that is not known, and a theta for one that has none."""
    known = isinstance(kernel, str) and kernel in ("linear", "rbf", "precomputed")
    if not callable(kernel) and not known:
        raise ValueError(
            f"kernel must be 'linear', 'rbf', 'precomputed' or a function, got {kernel!r}"
        )
    if theta is not None and kernel != "rbf":
        raise ValueError(f"theta has no meaning for kernel={kernel!r}")


def gram_matrix(
    rows,
    kernel: str | Callable[..., Any],
    theta: float | None,
    dtype=np.float64,
    *,
    check: bool = True,
    threads: int = 1,
) -> np.ndarray:
    """Return the Gram matrix of the rows, or with ``"precomputed"`` the rows, which are one; without
    `check` they are not asked whether they are.
    """
    if is_mapped(rows):
        check_mapped_finite(rows, "X")
    if kernel != "precomputed":
        K = kernels.gram(rows, kernel, theta, dtype, threads)
    elif rows.shape[0] != rows.shape[1]:
        raise ValueError(
            f"X must be a square Gram matrix for kernel='precomputed', got {rows.shape}"
        )
    else:
        K = rows.toarray() if sparse.issparse(rows) else rows
    if check and kernel != "rbf":
        check_gram(K, "X" if kernel == "precomputed" else "what kernel returns")
    return K


def rows_to_keep(rows, kernel: str | Callable[..., Any]):
    """Return a copy of the rows that predicting needs, but for a mapped file; None if it needs none.

    It is made before the training: without memory for it, a run that is done would be lost.
    """
    if kernel != "rbf" and not callable(kernel):
        return None
    return rows if is_mapped(rows) else rows.copy()


@dataclass(frozen=True)
class Data:
    """Checked rows (n, d), as given, and labels; `features` are the rows or their Gram matrix, and
    `kept_rows` what predicting needs of the rows (`rows_to_keep`).
    """

    rows: Features
    features: Features
    labels: Labels
    kernel: str | Callable[..., Any]
    theta: float | None
    kept_rows: Features | None = field(default=None, kw_only=True)

    @property
    def is_gram(self) -> bool:
        """True if `features` is a Gram matrix."""
        return self.kernel != "linear"


@dataclass(frozen=True, kw_only=True)
class ProblemArguments:
    """The arguments of `toplabel.solve` that say what is minimised, but for C, as they were passed."""

    X: Any
    y: Any
    loss: Any
    k: int
    gamma: float
    kernel: str | Callable[..., Any]
    theta: float | str | None
    dtype: Any
    n_classes: int | None
    sample_weight: Any
    W0: Any
    fit_intercept: bool
    intercept_scaling: float | str
    check_input: bool = True


@dataclass(frozen=True)
class Problem(Data):
    """The problem that `toplabel.solve` minimises, without its C.

    `weight` are those of the rows, `center` is W0. `constant` is a further feature of all rows,
    whose weights, times it, are the intercept; 0: there is none. `exact` is what was passed, where
    `features` are rounded to float32. `float32_passes`: no type was asked for, so that the passes
    over float64 rows may be in float32. `is_unfinished`: the time was over before the Gram matrix was
    there, or checked, and `features` are the rows.
    """

    loss: Loss
    k: int = 1
    gamma: float = 0.0
    weight: np.ndarray | None = None
    center: np.ndarray | None = None
    constant: float = 0.0
    exact: Features | None = None
    float32_passes: bool = False
    is_unfinished: bool = False

    @property
    def weights_shape(self) -> tuple[int, int]:
        """The shape of the weights, with that of a constant feature; with a Gram matrix that of the
        coefficients.
        """
        constant = bool(self.constant) and not self.is_gram
        return self.features.shape[1] + constant, self.labels.m

    @property
    def padded_center(self) -> np.ndarray | None:
        """W0, with zeros for a constant feature."""
        center = self.center
        return None if center is None else join_intercept(center, None, self.constant)

    @classmethod
    def of(cls, arguments: ProblemArguments, threads: int = 1) -> Problem:
        """Check and convert arguments; errors name the argument."""
        loss = losses.get(arguments.loss)
        kernel, dtype, n_classes = arguments.kernel, arguments.dtype, arguments.n_classes
        check_kernel(kernel, arguments.theta)
        # A kernel is of the rows as they are; the Gram matrix may be rounded.
        made = kernel == "rbf" or callable(kernel)
        rows = as_features(arguments.X, "X", None if made and dtype is not None else dtype)
        exact = None if made else _exact(arguments.X, rows, dtype)
        if kernel == "precomputed" and exact is not None and sparse.issparse(exact):
            exact = exact.toarray()
        many = loss.labels != "one"
        labels = as_labels(arguments.y, rows.shape[0], multilabel=many, n_classes=n_classes)
        if n_classes is None and np.ndim(arguments.y) == 1:
            check_every_class(labels)
        gamma = losses.check_parameters(loss, arguments.k, arguments.gamma, labels.m)
        if gamma > LARGEST:
            raise ValueError(f"gamma must be <= {LARGEST:g}, got {gamma!r}")
        shape = (rows.shape[1], labels.m)
        center = None if arguments.W0 is None else _center(arguments.W0, kernel, loss, shape)
        weight = as_weights(arguments.sample_weight, labels.n)
        constant = as_constant(arguments.fit_intercept, arguments.intercept_scaling)
        theta = as_theta(arguments.theta, rows, weight) if kernel == "rbf" else None
        is_unfinished = False
        try:
            features = _represent(rows, arguments, theta, threads)
        except EndOfRun:
            features, is_unfinished = rows, True
        if constant is None:
            is_gram = kernel != "linear" and not is_unfinished
            constant = constant_of(features, weight, gram=is_gram)
        return cls(
            rows,
            features,
            labels,
            kernel,
            theta,
            loss=loss,
            k=int(arguments.k),
            gamma=gamma,
            weight=weight,
            center=center,
            constant=constant,
            exact=exact,
            float32_passes=dtype is None,
            is_unfinished=is_unfinished,
            kept_rows=rows_to_keep(rows, kernel),
        )

    def like(self, loss: Loss) -> Problem:
        """Return the same data with another loss, which takes of k and gamma what it has."""
        gamma = self.gamma if loss.smoothing else 0.0
        return replace(self, loss=loss, k=self.k if loss.top_k else 1, gamma=gamma)


def _exact(X, rows, dtype: object) -> Features | None:
    """Return the rows as passed, where those in float32 differ from them; warn of lost numbers."""
    if dtype is None or rows.dtype != np.float32:
        return None
    exact = as_features(X, "X")
    if exact.dtype == np.float32:
        return None
    given = exact.data if sparse.issparse(exact) else exact
    rounded = rows.data if sparse.issparse(rows) else rows
    if np.array_equal(given, rounded):
        return None
    lost = (rounded == 0) & (given != 0)
    if lost.any():
        warnings.warn(
            f"X has {np.count_nonzero(lost)} numbers that are 0 in float32, the first of them "
            f"{given[lost][0]:.3g}; scale the features, or leave dtype away",
            stacklevel=5,
        )
    return exact


def check_every_class(labels: Labels) -> None:
    """Refuse labels, one a row, of which a class is missing below the largest."""
    present = np.unique(labels.label)
    if len(present) < labels.m:
        missing = int(np.argmax(present != np.arange(len(present))))  # the last class is there
        raise ValueError(
            f"class {missing} has no example in y, whose classes are counted from 0; "
            "pass n_classes if that is intended"
        )


def _center(W0, kernel, loss: Loss, shape: tuple[int, int]) -> np.ndarray:
    if kernel != "linear":
        raise ValueError(f"W0 has no meaning for kernel={kernel!r}")
    center = as_matrix(W0, "W0")
    if center.shape != shape:
        raise ValueError(f"W0 must have the shape {shape}, got {center.shape}")
    if not loss.convex:
        raise ValueError(f"W0 is not available for loss {loss.key!r}")
    if (size := np.abs(center).max(initial=0.0)) > LARGEST:
        raise ValueError(
            f"W0 must be in [{-LARGEST:g}, {LARGEST:g}], got an entry of size {size:g}"
        )
    return center


def _sparse_if_faster(rows):
    """Return dense float64 rows as CSR where so few numbers are not zero that an epoch takes less
    time.
    """
    if sparse.issparse(rows) or rows.dtype != np.float64 or is_mapped(rows):
        return rows
    if rows.shape[1] <= tuning.NARROW:
        return rows
    for part in (rows[:: max(1, len(rows) // tuning.PROBED)], rows):
        if np.count_nonzero(part) > tuning.SPARSE * part.size:
            return rows
    return sparse.csr_array(rows)


def _represent(rows, arguments: ProblemArguments, theta: float | None, threads: int):
    """Return the features that the solver works on: rows or a Gram matrix."""
    kernel = arguments.kernel
    if kernel == "linear":
        return _sparse_if_faster(rows)
    # float32 features do not make a float32 Gram matrix, which would be a little indefinite, unless
    # asked for
    single = arguments.dtype is not None and np.dtype(arguments.dtype) == np.float32
    dtype = np.float32 if single else np.float64
    check = arguments.check_input
    return gram_matrix(rows, kernel, theta, dtype, check=check, threads=threads)
