"""Every conversion between NumPy/SciPy arrays and C pointers.

cffi does not look at the type of the items behind a buffer, so nothing else in the package may hand
memory to the library.
"""

from __future__ import annotations

import mmap
import numbers
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from toplabel._core import tuning
from toplabel._core.lib import ffi

Features: TypeAlias = Any
"""Dense rows, an ndarray, or CSR, of which SciPy has no types."""

MatrixLike: TypeAlias = Any
"""The types that are taken for rows or labels: array-like, a sparse matrix, a data frame."""

_ITEMS = {
    "double *": np.float64,
    "float *": np.float32,
    "int64_t *": np.int64,
    "int32_t *": np.int32,
}


def pointer(array: np.ndarray, ctype: str = "double *"):
    """Return a C pointer to a C-contiguous array of this type, which the caller keeps alive."""
    expected = _ITEMS[ctype]
    if array.dtype != expected or not array.flags.c_contiguous:
        raise AssertionError(f"{ctype} from {array.dtype}, C-contiguous {array.flags.c_contiguous}")
    return ffi.cast(ctype, array.ctypes.data)


def plain(value: Any) -> np.ndarray:
    """Return `value` as an array; pandas' nullable columns, which NumPy makes objects of, as
    numbers, with NaN where one is missing.
    """
    array = np.asarray(value)
    if array.dtype.kind != "O" or not hasattr(value, "to_numpy"):
        return array
    types = list(value.dtypes) if hasattr(value, "columns") else [value.dtype]
    if not all(getattr(type_, "kind", "O") in "biuf" for type_ in types):
        return array
    is_single = all((type_.kind, type_.itemsize) == ("f", 4) for type_ in types)
    return value.to_numpy(dtype=np.float32 if is_single else np.float64, na_value=np.nan)


def check_container(value: Any, name: str) -> None:
    """Raise ``ValueError`` for a masked array, whose mask a conversion would drop, and for a sparse
    matrix that leads out of its arrays, where SciPy would read and write without looking.
    """
    if np.ma.isMaskedArray(value) and np.ma.is_masked(value):
        raise ValueError(
            f"{name} is a masked array, and its mask would be lost: fill it, or leave out masked rows"
        )
    if sparse.issparse(value) and value.format in ("csr", "csc"):
        _check_compressed(value, name)


def _check_compressed(matrix: Any, name: str) -> None:
    starts, indices = matrix.indptr, matrix.indices
    rows, columns = matrix.shape if matrix.format == "csr" else matrix.shape[::-1]
    items = min(len(indices), len(matrix.data))
    rises = len(starts) == rows + 1 and starts[0] == 0 and (starts[1:] >= starts[:-1]).all()
    if not rises or starts[-1] > items:
        raise ValueError(f"{name}.indptr must have {rows + 1} numbers that rise from 0 to {items}")
    used = indices[: starts[-1]]
    if len(used) and not (used.min() >= 0 and used.max() < columns):
        raise ValueError(
            f"{name}.indices must be in 0..{columns - 1}, are {used.min()} to {used.max()}"
        )


def as_matrix(value: Any, name: str) -> np.ndarray:
    """Return a two-dimensional, C-contiguous float64 array of finite numbers; a suitable one
    without a copy. ``TypeError`` unless it is numeric and real, ``ValueError`` for other shapes,
    NaN and infinity.
    """
    check_container(value, name)
    if sparse.issparse(value):
        value = value.toarray()
    array = as_float(value, name)
    _check_two_dimensions(array, name)
    check_finite(array, name)
    return array


def _check_real(array: Any, name: str) -> None:
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers, got items of type {array.dtype}")


def _check_two_dimensions(array: Any, name: str) -> None:
    if array.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, got {array.ndim}")
    if 0 in array.shape:
        raise ValueError(f"{name} is empty: its shape is {array.shape}")


def as_features(value: Any, name: str, dtype: Any = None) -> Features:
    """Return rows as the solver reads them: C-contiguous, or CSR in canonical form.

    A suitable array or matrix is passed through without a copy, memory-mapped ones too, which are
    not searched for NaN here. Without a `dtype` float32 stays and all else becomes float64. Errors
    are those of `as_matrix`.
    """
    _check_dtype(dtype)
    check_container(value, name)
    array = value if sparse.issparse(value) else plain(value)
    _check_real(array, name)
    if dtype is None:
        dtype = np.float32 if array.dtype == np.float32 else np.float64
    _check_two_dimensions(array, name)
    if sparse.issparse(array):
        return _as_csr(array, name, dtype)
    with np.errstate(over="ignore"):  # told below
        rows = np.ascontiguousarray(array, dtype=dtype)
    if not is_mapped(rows):  # no scan of a file: the library checks its rows when it reads them
        check_finite(rows, name, array)
    return rows


def _check_dtype(dtype: Any) -> None:
    try:
        if dtype is None or np.dtype(dtype) in (np.float32, np.float64):
            return
    except TypeError:
        pass
    raise ValueError(f"dtype must be None, float32 or float64, got {dtype!r}")


def zeros_by_columns(rows: int, columns: int) -> np.ndarray:
    """Return a matrix of zeros that is filled in by a few columns at a time.

    Large matrices are in small pages. In huge ones, which NumPy asks for, the first columns would touch
    all of the memory, which takes seconds where it is gigabytes.
    """
    size = rows * columns * np.dtype(np.float64).itemsize
    if size < tuning.SMALL_PAGES or not hasattr(mmap, "MADV_NOHUGEPAGE"):
        return np.zeros((rows, columns))
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError):  # a kernel without huge pages
        memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, np.float64).reshape(rows, columns)


def row_blocks(n: int, width: int, numbers: int) -> Iterator[slice]:
    """Yield the rows 0..n-1 in blocks of at most so many numbers, where a row has `width`; each block has
    a row at least.
    """
    step = max(1, numbers // max(1, width))
    for first in range(0, n, step):
        yield slice(first, min(n, first + step))


def is_mapped(array: Any) -> bool:
    """Is this the memory of a file, which may be dropped and read again?"""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return array.mode in ("r", "r+")
        array = array.base
    return False


def check_mapped_finite(array: np.ndarray, name: str) -> None:
    """`check_finite` for a mapped file, in pieces."""
    rows = max(1, (1 << 26) // max(1, array.shape[1]))
    for first in range(0, len(array), rows):
        bad = np.argwhere(~np.isfinite(array[first : first + rows]))
        if len(bad):
            i, j = int(bad[0][0]) + first, int(bad[0][1])
            raise ValueError(f"{name}[{i}, {j}] is {array[i, j]}: NaN and infinity are not allowed")


def _as_csr(matrix, name: str, dtype) -> sparse.csr_array:
    csr = sparse.csr_array(matrix)
    if not csr.has_canonical_format:
        csr = csr.copy()  # do not change the caller's
        csr.sum_duplicates()
    given = csr.data
    with np.errstate(over="ignore"):
        csr = csr.astype(dtype, copy=False)
    check_finite(csr.data, f"{name}.data", given)
    parts = (csr.data, csr.indices, csr.indptr)
    if not all(part.flags.c_contiguous for part in parts):  # SciPy takes any views
        contiguous = tuple(np.ascontiguousarray(part) for part in parts)
        csr = sparse.csr_array(contiguous, shape=csr.shape)
    return csr


def as_rows(value: Any, name: str) -> tuple[np.ndarray, bool]:
    """Return `value` as float64 rows, and whether it was a single vector."""
    array = as_float(value, name)
    if array.ndim not in (1, 2) or array.size == 0:
        raise ValueError(
            f"{name} must be a vector or one problem per row, got the shape {array.shape}"
        )
    check_finite(array, name)
    return np.atleast_2d(array), array.ndim == 1


def as_float(value: Any, name: str) -> np.ndarray:
    """Return an array of real numbers, of any shape, in float64, which may be NaN or infinite."""
    check_container(value, name)
    array = plain(value)
    _check_real(array, name)
    return np.asarray(array, dtype=np.float64, order="C")  # ascontiguousarray would make (1,) of ()


def check_finite(array: np.ndarray, name: str, given: np.ndarray | None = None) -> None:
    """Raise ``ValueError`` naming the first NaN or infinity of an array, and the number of which it was
    made in an array that was `given`.
    """
    # The sum is finite unless an item is not (or the sum overflows): one cheap pass in the usual
    # case.
    with np.errstate(all="ignore"):
        if np.isfinite(array.sum()):
            return
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        place = ", ".join(str(int(i)) for i in bad[0])
        number = (array if given is None else given)[tuple(bad[0])]
        if np.isfinite(number):
            raise ValueError(f"{name}[{place}] is {number}, beyond the range of {array.dtype}")
        raise ValueError(f"{name}[{place}] is {number}: NaN and infinity are not allowed")


def squared_norms(X: Features) -> np.ndarray:
    """Return ``||x_i||^2`` of each row, in float64."""
    if sparse.issparse(X):
        X = X.astype(np.float64, copy=False)
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def as_dual(value: Any, n: int, m: int) -> np.ndarray:
    """Return a copy of dual variables to start from, float64 of shape (n, m)."""
    array = np.array(as_float(value, "warm_start"), order="C")
    if array.shape != (n, m):
        raise ValueError(
            f"warm_start must have dual variables of shape ({n}, {m}), got {array.shape}"
        )
    check_finite(array, "warm_start")
    return array


_SMALLEST_WEIGHT = 1e-100  # of all rows together


def as_weights(value: Any, n: int) -> np.ndarray | None:
    """Return sample weights as float64 of shape (n,), or None. Those that are more than 200 orders of
    magnitude below the largest are returned as 0: the solver divides by them.
    """
    if value is None:
        return None
    array = as_float(value, "sample_weight")
    if array.ndim == 0:
        array = np.full(n, float(array))
    if array.shape != (n,):
        raise ValueError(f"sample_weight must have the shape ({n},), got {array.shape}")
    check_finite(array, "sample_weight")
    if array.min() < 0:
        raise ValueError(f"sample_weight must not be negative, got {array.min()}")
    with np.errstate(over="ignore"):
        total = array.sum()
    if total <= 0:
        raise ValueError("sample_weight is zero for every row")
    if not _SMALLEST_WEIGHT <= total < np.inf:
        raise ValueError(
            f"sample_weight must have a finite sum of at least {_SMALLEST_WEIGHT:g}, got {total:g}"
        )
    return np.where(array < 1e-200 * array.max(), 0.0, array)


def row_C(C: float, weight: np.ndarray) -> np.ndarray:
    """Return C times the weights; 0 where its inverse could overflow, since such a row is not there."""
    product = C * weight
    return np.where(product >= np.finfo(np.float64).tiny, product, 0.0)


def as_number(
    value: object, name: str, low: float, *, strict: bool = False, high: float = np.inf
) -> float:
    """Return a real number in [low, high], or (low, high] if `strict`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:  # an integer of hundreds of digits
        number = np.inf
    if not np.isfinite(number) or number < low or number > high or (strict and number == low):
        bounds = [] if np.isfinite(number) else ["finite"]
        if np.isfinite(low):
            bounds.append(f"> {low:g}" if strict else f">= {low:g}")
        if np.isfinite(high):
            bounds.append(f"<= {high:g}")
        bound = " and ".join(bounds)
        shown = repr(value) if np.isfinite(number) or isinstance(value, float) else "a huge number"
        raise ValueError(f"{name} must be {bound}, got {shown}")
    return number


_LARGEST_INTEGER = 2**63 - 1


def as_integer(value: object, name: str, low: int, high: int | None = None) -> int:
    """Return an integer in [low, high]; without `high` one that the C library can hold."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    number = int(value)
    largest = _LARGEST_INTEGER if high is None else high
    if not low <= number <= largest:
        bound = f">= {low}" if high is None and number < low else f"in {low}..{largest}"
        raise ValueError(f"{name} must be {bound}, got {number}")
    return number


@dataclass(frozen=True)
class Labels:
    """The labels of n rows of m classes as a CSR pattern: `start` int64 (n + 1,), `label` int32.

    At least one label is allocated, so that there is always an address.
    """

    n: int
    m: int
    start: np.ndarray
    label: np.ndarray

    @cached_property
    def indicator(self) -> np.ndarray:
        """The labels as 0 and 1, (n, m) int64, read-only."""
        label = self.label[: self.start[-1]]
        ones = np.ones(len(label), dtype=np.int64)
        dense = sparse.csr_array((ones, label, self.start), (self.n, self.m)).toarray()
        dense.flags.writeable = False
        return dense


def as_labels(y: Any, n: int, *, multilabel: bool, n_classes: int | None = None) -> Labels:
    """Read class indices (n,) or, for a multilabel loss, a 0/1 indicator (n, m), dense or sparse.

    For a multilabel loss class indices mean one label per row. Errors are of a wrong shape, an
    index below 0 or not below `n_classes` (by default the largest index plus one), fewer than two
    classes, other values than 0 and 1, or an indicator for a multiclass loss.
    """
    check_container(y, "y")
    if not sparse.issparse(y):
        y = plain(y)
    if y.ndim == 2 and y.shape[1] == 0:
        raise ValueError(
            "y has no columns: an indicator needs one for each of at least two classes"
        )
    if y.ndim == 2 and y.shape[1] != 1:
        if not multilabel:
            raise ValueError(
                f"y must be class indices of shape ({n},) for a multiclass loss, got the shape {y.shape}"
            )
        return _indicator_labels(y, n, n_classes)
    if sparse.issparse(y) or (y.ndim == 2 and multilabel):
        raise ValueError(
            "y has one column: an indicator needs one for each of at least two classes"
        )
    return _index_labels(y, n, n_classes)


_LARGEST_CLASS = 2**31 - 2  # the library counts classes in 32 bits, as BLAS does


def _index_labels(y: np.ndarray, n: int, n_classes: int | None) -> Labels:
    if y.shape != (n,):
        raise ValueError(f"y must have the shape ({n},) like the rows of X, got {y.shape}")
    if y.dtype.kind == "f":
        check_finite(y, "y")
    if y.dtype.kind not in "biu" and not (y.dtype.kind == "f" and np.all(y == np.floor(y))):
        raise ValueError("y must hold class indices 0..m-1; encode names as indices first")
    if y.max() > _LARGEST_CLASS:
        row = int(np.argmax(y))
        raise ValueError(f"y[{row}] is {y[row]}: class indices end at {_LARGEST_CLASS}")
    largest = int(y.max())
    if y.min() < 0:
        row = int(np.argmin(y))
        raise ValueError(f"y[{row}] is {y[row]}: class indices start at 0")
    m = (
        largest + 1
        if n_classes is None
        else as_integer(n_classes, "n_classes", 2, _LARGEST_CLASS + 1)
    )
    if m < 2:
        raise ValueError("y holds one class only; at least two are needed (or set n_classes)")
    if largest >= m:
        row = int(np.argmax(y))
        raise ValueError(f"y[{row}] is {y[row]}, but n_classes is {m}")
    return Labels(n, m, np.arange(n + 1, dtype=np.int64), y.astype(np.int32))


def _indicator_labels(y, n: int, n_classes: int | None) -> Labels:
    if y.shape[0] != n:
        raise ValueError(f"y must have {n} rows like X, got {y.shape[0]}")
    m = y.shape[1]
    if n_classes is not None and n_classes != m:
        raise ValueError(f"y has {m} columns, but n_classes is {n_classes}")
    values = y.tocsr().data if sparse.issparse(y) else y
    if y.dtype.kind not in "iubf" or not np.isin(values, (0, 1)).all():
        raise ValueError("y must be an indicator of zeros and ones for a multilabel loss")
    pattern = sparse.csr_matrix(y, copy=True)  # the next two lines write into it
    pattern.eliminate_zeros()
    pattern.sum_duplicates()
    label = np.zeros(max(1, pattern.nnz), dtype=np.int32)
    label[: pattern.nnz] = pattern.indices
    return Labels(n, m, pattern.indptr.astype(np.int64), label)
