"""Measures of lists of the best labels, for so many labels that no array (n, m) should be in
memory.

A list is a row of label indices, the best first, as `MultilabelClassifier.predict_topk` returns
them or `top_lists` makes them of scores, dense or sparse. The true labels are sparse. Each function
gives the value at the length of the lists, or at a shorter one.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from toplabel._core.arrays import as_integer, as_number, as_rows, check_finite, plain
from toplabel.metrics.counts import ratio

NONE = -1  # in a list that is shorter than the others, at its end


def top_lists(scores, k: int) -> np.ndarray:
    """Return the k best labels of each row.

    Parameters
    ----------
    scores : array-like or sparse matrix, (n, m)
        Of a sparse one only what is stored counts, zeros included: all other labels are worse than
        that.
    k : int, 1..m

    Returns
    -------
    ndarray of int64, (n, k)
        The best label first; of labels that tie, that of the smaller index. -1 where fewer are
        stored.
    """
    if sparse.issparse(scores):
        csr = sparse.csr_array(scores, copy=True)
        csr.sum_duplicates()
        check_finite(csr.data, "scores")
        k = as_integer(k, "k", 1, csr.shape[1])
        rows = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
        order = np.lexsort((csr.indices, -csr.data, rows))
        place = np.arange(csr.nnz) - csr.indptr[rows]
        kept = place < k
        best = np.full((csr.shape[0], k), NONE, dtype=np.int64)
        best[rows[kept], place[kept]] = csr.indices[order[kept]]
        return best
    rows, single = as_rows(scores, "scores")
    if single:
        raise ValueError("scores must have two dimensions, got 1")
    return best_scores(rows, k)[0].astype(np.int64)


def best_scores(scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the k best classes of each row, the best first, and their scores.

    Of classes that score the same, the one that comes first in the columns comes first.

    Parameters
    ----------
    scores : ndarray, (n, m)
    k : int, 1..m

    Returns
    -------
    best : ndarray of int, (n, k)
    scores : ndarray, (n, k)
    """
    n, m = scores.shape
    k = as_integer(k, "k", 1, m)
    last = np.partition(scores, m - k, axis=1)[:, m - k, None]  # the k-th largest
    chosen = scores > last
    missing = k - np.count_nonzero(chosen, axis=1)[:, None]
    tied = scores == last
    chosen |= tied & (np.cumsum(tied, axis=1) <= missing)
    best = np.nonzero(chosen)[1].reshape(n, k)
    own = np.take_along_axis(scores, best, axis=1)
    order = np.argsort(-own, axis=1, kind="stable")  # keeps the order of ties
    return np.take_along_axis(best, order, axis=1), np.take_along_axis(own, order, axis=1)


def precision_of_lists(Y, best, k: int | None = None) -> float:
    """Return the share of relevant labels among the first k of each list, averaged over the rows:
    P@k.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
        Indicator of zeros and ones.
    best : array-like of int, (n, K)
        Lists of labels, the best first; -1 where there is none.
    k : int, 1..K, optional

    Returns
    -------
    float
    """
    found, _ = _found(Y, best, k)
    return float(found.mean())


def recall_of_lists(Y, best, k: int | None = None) -> float:
    """Return the share of the relevant labels that are among the first k of the list, averaged over
    the rows: R@k.

    Parameters
    ----------
    Y, best, k
        As in `precision_of_lists`.

    Returns
    -------
    float
        A row without labels contributes 0.
    """
    found, truth = _found(Y, best, k)
    return float(ratio(found.sum(axis=1), truth.sum(axis=1), empty=0.0).mean())


def ndcg_of_lists(Y, best, k: int | None = None) -> float:
    """Return the normalised discounted cumulative gain of the first k of each list, averaged over
    the rows: nDCG@k.

    Parameters
    ----------
    Y, best, k
        As in `precision_of_lists`.

    Returns
    -------
    float
        The gain of a relevant label is 1, the discount of place r is 1/log2(1 + r). A row without
        labels contributes 0.
    """
    found, truth = _found(Y, best, k)
    discount = 1.0 / np.log2(np.arange(found.shape[1]) + 2.0)
    ideal = np.append(0.0, np.cumsum(discount))
    reachable = np.minimum(truth.sum(axis=1).astype(np.int64), found.shape[1])
    return float(ratio(found @ discount, ideal[reachable], empty=0.0).mean())


def propensities(Y, A: float = 0.55, B: float = 1.5) -> np.ndarray:
    """Return how likely a relevant label is to be recorded, from how often it is, by the model of
    Jain et al.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
        Indicator of the training rows.
    A, B : float
        Of the data set: 0.5 and 0.4 for Wikipedia, 0.6 and 2.6 for Amazon, else the defaults.

    Returns
    -------
    ndarray, (m,)
        ``1 / (1 + (log n - 1) (B + 1)^A exp(-A log(n_l + B)))`` with the n_l rows of label l, at
        most 1.

    Notes
    -----
    Jain, Prabhu, Varma, "Extreme Multi-label Loss Functions" (KDD 2016).
    """
    truth = _indicator(Y)
    A, B = as_number(A, "A", 0.0), as_number(B, "B", 0.0, strict=True)
    n = truth.shape[0]
    C = (np.log(n) - 1.0) * (B + 1.0) ** A
    return 1.0 / (1.0 + np.maximum(C, 0.0) * (truth.sum(axis=0) + B) ** -A)


def psp_of_lists(Y, best, propensity, k: int | None = None) -> float:
    """Return the precision of the first k of each list, with labels weighted by their inverse
    propensity: PSP@k.

    Parameters
    ----------
    Y, best, k
        As in `precision_of_lists`.
    propensity : array-like, (m,), in (0, 1]
        Of each label, as from `propensities` of the training rows.

    Returns
    -------
    float
        Divided by the largest value that any lists have, so that it is at most 1.
    """
    found, truth = _found(Y, best, k)
    rows, single = as_rows(propensity, "propensity")
    if not single or rows.shape[1] != truth.shape[1]:
        raise ValueError(f"propensity must have {truth.shape[1]} numbers, one for each label")
    if rows.min() <= 0.0 or rows.max() > 1.0:
        raise ValueError("propensity must lie in (0, 1]")
    gain = 1.0 / rows[0]
    lists = as_lists(best)[:, : found.shape[1]]
    reached = float((found * gain[lists]).sum())
    ideal = truth.astype(np.float64)
    ideal.data = gain[ideal.indices]
    first = top_lists(ideal, found.shape[1])
    possible = float(np.where(first == NONE, 0.0, gain[first]).sum())
    return reached / possible if possible else 0.0


def _indicator(Y) -> sparse.csr_array:
    """Check true labels; 1 for each."""
    truth = sparse.csr_array(Y if sparse.issparse(Y) else plain(Y))
    if truth.ndim != 2 or 0 in truth.shape:
        raise ValueError(f"Y must be an indicator (n, m), got the shape {truth.shape}")
    if truth.dtype.kind not in "biuf" or not np.isin(truth.data, (0, 1)).all():
        raise ValueError("Y must be an indicator of zeros and ones")
    truth = truth.astype(np.int64)
    truth.sum_duplicates()
    truth.eliminate_zeros()
    return truth


def as_lists(best) -> np.ndarray:
    """Return lists of labels as an array, of integers where pandas' nullable columns are whole."""
    lists = plain(best)
    is_table = hasattr(best, "to_numpy") and lists.dtype.kind == "f"
    whole = is_table and np.all(lists == np.floor(lists))
    return lists.astype(np.int64) if whole else lists


def _found(Y, best, k: int | None) -> tuple[np.ndarray, sparse.csr_array]:
    """Return whether the labels of the lists are relevant, (n, k), and the checked true labels."""
    truth = _indicator(Y)
    lists = as_lists(best)
    n, m = truth.shape
    if lists.ndim != 2 or lists.shape[0] != n or lists.dtype.kind not in "iu":
        raise ValueError(
            f"best must hold label indices of shape ({n}, K), got {lists.dtype} {lists.shape}"
        )
    k = as_integer(lists.shape[1] if k is None else k, "k", 1, lists.shape[1])
    lists = lists[:, :k].astype(np.int64)
    if lists.min() < NONE or lists.max() >= m:
        raise ValueError(f"best must hold label indices 0..{m - 1} (or -1: none)")
    ordered = np.sort(lists, axis=1)
    if ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NONE)).any():
        raise ValueError("best names a label twice in a row")
    # Rows and labels as one number, in ascending order as CSR with sorted indices has them.
    truth.sort_indices()
    rows = np.repeat(np.arange(n), np.diff(truth.indptr))
    known = rows * m + truth.indices
    asked = np.arange(n)[:, None] * m + lists
    place = np.minimum(np.searchsorted(known, asked), max(0, len(known) - 1))
    relevant = known[place] == asked if len(known) else np.zeros(asked.shape, dtype=bool)
    return relevant & (lists != NONE), truth
