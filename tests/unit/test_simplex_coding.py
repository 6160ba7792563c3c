"""The simplex coding: code vectors, encoding, decoding, the three losses, the Gaussian's width."""

import numpy as np
import pytest
from scipy import sparse

import toplabel
from toplabel import simplex
from toplabel._core.arrays import pointer
from toplabel._core.lib import check, lib


def by_recursion(T):
    """C[T] as the paper's section 5 writes it."""
    C = np.array([[1.0, -1.0]])
    for i in range(2, T):
        first = np.concatenate([[1.0], np.full(i, -1.0 / i)])
        below = np.hstack([np.zeros((i - 1, 1)), C * np.sqrt(1 - 1 / i**2)])
        C = np.vstack([first, below])
    return C


@pytest.mark.parametrize("T", [2, 3, 4, 10, 101, 1000])
def test_definition_1_holds_to_machine_precision(T):
    C = toplabel.simplex_coding(T)
    assert C.shape == (T - 1, T)
    gram = C.T @ C
    wanted = np.full((T, T), -1 / (T - 1))
    np.fill_diagonal(wanted, 1.0)
    assert np.abs(gram - wanted).max() < 1e-15
    assert np.abs(C.sum(axis=1)).max() < 1e-14


@pytest.mark.parametrize("T", [2, 3, 4, 10, 101])
def test_it_is_the_recursion_of_the_paper_in_python_and_in_c(T):
    C = toplabel.simplex_coding(T)
    assert np.abs(C - by_recursion(T)).max() < 1e-14
    native = np.empty_like(C)
    check(lib.tl_simplex_codes(T, pointer(native)))
    assert np.array_equal(native, C)


@pytest.mark.parametrize("T", [2, 3, 12])
def test_labels_survive_the_coding(T):
    y = np.random.default_rng(0).integers(0, T, 50)
    codes = simplex.encode(y, T)
    assert np.array_equal(codes, toplabel.simplex_coding(T).T[y])
    assert np.array_equal(simplex.decode(codes), y)


def test_scores_are_the_inner_products_and_decoding_the_nearest_code_vector():
    rng = np.random.default_rng(1)
    F = rng.normal(size=(40, 6))
    C = toplabel.simplex_coding(7)
    assert np.abs(simplex.scores(F) - F @ C).max() < 1e-14
    distances = ((F[:, None, :] - C.T) ** 2).sum(axis=2)
    assert np.array_equal(simplex.decode(F), distances.argmin(axis=1))


def test_the_losses_are_the_formulas_of_section_3():
    rng = np.random.default_rng(2)
    F, y = rng.normal(size=(30, 4)), rng.integers(0, 5, 30)
    C = toplabel.simplex_coding(5)
    for f, label, *values in zip(
        F, y, *(simplex.value(s, F, y) for s in simplex.LOSSES), strict=True
    ):
        s = C.T @ f
        others = np.delete(s, label)
        formulas = (
            ((C[:, label] - f) ** 2).sum(),
            np.maximum(0, 1 / 4 + others).sum(),
            max(0.0, 1 - s[label]),
        )
        assert values == pytest.approx(formulas, abs=1e-14)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: toplabel.simplex_coding(1), ValueError, "T must be >= 2, got 1"),
        (lambda: toplabel.simplex_coding(2.0), TypeError, "T must be an integer"),
        (lambda: simplex.encode([0, 3], 3), ValueError, r"y\[1\] is 3: class indices are 0..2"),
        (lambda: simplex.encode([0.5], 3), TypeError, "y must hold class indices"),
        (lambda: simplex.encode([[0]], 3), ValueError, "y must have one dimension"),
        (lambda: simplex.decode([1.0]), ValueError, "F must have two dimensions"),
        (lambda: simplex.value("hinge", [[1.0]], [0]), ValueError, "loss must be one of s_ls"),
    ],
)
def test_what_does_not_fit_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_width_is_a_percentile_over_pairs_of_rows():
    X = np.random.default_rng(3).normal(size=(31, 4))
    i, j = np.triu_indices(31, 1)
    distances = np.sort(np.linalg.norm(X[i] - X[j], axis=1))
    place = int(np.floor(0.25 * (len(distances) - 1)))
    assert simplex.gaussian_width(X) == pytest.approx(distances[place])
    assert simplex.gaussian_width(sparse.csr_matrix(X)) == pytest.approx(distances[place])


def test_no_width_is_no_kernel():
    with pytest.raises(ValueError, match="25th percentile of the distances is 0"):
        simplex.gaussian_width(np.ones((5, 2)))
    with pytest.raises(ValueError, match=r"X\[0, 0\] is nan"):
        simplex.gaussian_width([[np.nan], [1.0]])
    with pytest.raises(ValueError, match="X must have at least two rows"):
        simplex.gaussian_width(np.ones((1, 2)))
