"""The measures against loops over the definitions, and against scikit-learn where it has the
same.
"""

import warnings
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
import sklearn.metrics as reference
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from toplabel import metrics

shapes = st.tuples(st.integers(1, 7), st.integers(2, 7))


@st.composite
def rankings(draw):
    """Label sets (some empty or full) and scores with many ties."""
    shape = draw(shapes)
    labels = draw(arrays.arrays(bool, shape))
    scores = draw(arrays.arrays(float, shape, elements=st.integers(-2, 2).map(float)))
    return labels, scores


@st.composite
def label_sets(draw):
    """True and predicted label sets."""
    shape = draw(shapes)
    return draw(arrays.arrays(bool, shape)), draw(arrays.arrays(bool, shape))


def places(row, j):
    """Number of classes that score strictly higher than class j."""
    return sum(1 for score in row if score > row[j])


@given(rankings(), st.data())
def test_top_k_accuracy_is_its_definition(case, data):
    _, scores = case
    n, m = scores.shape
    y = data.draw(st.lists(st.integers(0, m - 1), min_size=n, max_size=n))
    for k in range(1, m + 1):
        found = [places(scores[i], y[i]) < k for i in range(n)]
        assert metrics.top_k_accuracy(y, scores, k) == pytest.approx(np.mean(found))


def with_ties_taken_in_turn(levels, wanted):
    """Yield, for each order of the entries that tie for the last place, those of the first places."""
    entries = sorted(((level, i, j) for i, row in enumerate(levels) for j, level in enumerate(row)))
    entries.reverse()
    last = entries[wanted - 1][0]
    above = {(i, j) for level, i, j in entries if level > last}
    tied = [(i, j) for level, i, j in entries if level == last]
    for shift in range(len(tied)):  # each of them is equally often among the first
        yield above | set((tied[shift:] + tied[:shift])[: wanted - len(above)])


@given(rankings(), st.data())
def test_average_k_accuracy_is_the_mean_over_the_orders_of_ties(case, data):
    _, scores = case
    n, m = scores.shape
    y = data.draw(st.lists(st.integers(0, m - 1), min_size=n, max_size=n))
    levels = [[score - max(row) for score in row] for row in scores]
    for wanted in range(n, n * m + 1):
        hits = [
            sum((i, y[i]) in taken for i in range(n)) / n
            for taken in with_ties_taken_in_turn(levels, wanted)
        ]
        found = metrics.average_k_accuracy(y, scores, wanted / n)
        assert found == pytest.approx(np.mean(hits))


@given(label_sets(), st.data())
def test_measures_of_class_sets_are_their_definitions(case, data):
    _, sets = case
    n, m = sets.shape
    y = data.draw(st.lists(st.integers(0, m - 1), min_size=n, max_size=n))
    sizes = [sum(row) for row in sets.tolist()]
    hits = [bool(sets[i][y[i]]) for i in range(n)]
    assert metrics.set_coverage(y, sets) == pytest.approx(sum(hits) / n)
    assert metrics.mean_set_size(sparse.csr_matrix(sets)) == pytest.approx(sum(sizes) / n)
    for edges, stratum in (
        (None, lambda size: size),
        ([1, 3], lambda size: 0 if size <= 1 else 1 if size <= 3 else 2),
    ):
        by_stratum = {}
        for size, hit in zip(sizes, hits, strict=True):
            by_stratum.setdefault(stratum(size), []).append(hit)
        worst = min(sum(each) / len(each) for each in by_stratum.values())
        assert metrics.size_stratified_coverage(y, sets, edges) == pytest.approx(worst)


@given(rankings(), st.data())
def test_balanced_accuracy_is_that_of_scikit_learn(case, data):
    _, scores = case
    n, m = scores.shape
    y = np.array(data.draw(st.lists(st.integers(0, m - 1), min_size=n, max_size=n)))
    scores = scores + np.linspace(0.0, 0.5, m)  # without ties
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a predicted class that does not occur
        expected = reference.balanced_accuracy_score(y, scores.argmax(axis=1))
    assert metrics.balanced_accuracy(y, scores) == pytest.approx(expected)
    assert metrics.balanced_accuracy(y, np.zeros((n, m)), ties="shared") == pytest.approx(1 / m)


@given(rankings(), st.data())
def test_shared_ties_are_the_mean_over_all_orders_of_the_classes(case, data):
    labels, scores = case[0][:, :4], case[1][:, :4]
    n, m = scores.shape
    y = data.draw(st.lists(st.integers(0, m - 1), min_size=n, max_size=n))
    k = data.draw(st.integers(1, m))
    found, hits = np.zeros(n), np.zeros(n)
    orders = list(permutations(range(m)))
    for order in orders:
        for i in range(n):
            best = sorted(order, key=lambda j, row=scores[i]: -row[j])[:k]
            found[i] += (y[i] in best) / len(orders)
            hits[i] += labels[i][best].sum() / len(orders)
    sizes = np.maximum(labels.sum(axis=1), 1)
    assert metrics.top_k_accuracy(y, scores, k, ties="shared") == pytest.approx(found.mean())
    assert metrics.precision_at_k(labels, scores, k, ties="shared") == pytest.approx(
        hits.mean() / k
    )
    shared = metrics.recall_at_k(labels, scores, k, ties="shared")
    assert shared == pytest.approx((hits / sizes).mean())


@given(rankings())
def test_rank_loss_is_its_definition(case):
    labels, scores = case
    losses = []
    for truth, row in zip(labels, scores, strict=True):
        pairs = list(product(np.flatnonzero(truth), np.flatnonzero(~truth)))
        errors = sum(1 for j, other in pairs if row[j] <= row[other])
        losses.append(errors / len(pairs) if pairs else 0.0)
    assert metrics.rank_loss(labels, scores) == pytest.approx(np.mean(losses))


@given(rankings())
def test_at_k_is_the_best_over_all_ways_to_break_ties(case):
    labels, scores = case
    for k in range(1, scores.shape[1] + 1):
        found = []
        for truth, row in zip(labels, scores, strict=True):
            order = sorted(range(len(row)), key=lambda j, r=row, t=truth: (-r[j], not t[j]))
            found.append(sum(truth[j] for j in order[:k]))
        sizes = labels.sum(axis=1)
        recalls = [f / s if s else 0.0 for f, s in zip(found, sizes, strict=True)]
        assert metrics.precision_at_k(labels, scores, k) == pytest.approx(np.mean(found) / k)
        assert metrics.recall_at_k(labels, scores, k) == pytest.approx(np.mean(recalls))


@given(rankings())
def test_average_precision_without_interpolation_agrees_with_scikit_learn(case):
    labels, scores = case
    present = labels.any(axis=0)
    assume(present.any())
    expected = [
        reference.average_precision_score(labels[:, j], scores[:, j])
        for j in np.flatnonzero(present)
    ]
    value = metrics.mean_average_precision(labels, scores, interpolation="none")
    assert value == pytest.approx(np.mean(expected))


@given(rankings())
def test_interpolated_average_precision_is_its_definition(case):
    labels, scores = case
    truth, row = labels[:, 0], scores[:, 0]
    assume(truth.any())
    curve = []
    for cut in sorted(set(row), reverse=True):
        hits, retrieved = int((truth & (row >= cut)).sum()), int((row >= cut).sum())
        curve.append((Fraction(hits, int(truth.sum())), Fraction(hits, retrieved)))

    def best(recall):
        return max(p for r, p in curve if r >= recall)

    eleven = sum(best(Fraction(t, 10)) for t in range(11)) / 11
    area, last = Fraction(0), Fraction(0)
    for recall, _ in curve:
        area += (recall - last) * best(recall)
        last = recall
    assert metrics.average_precision(truth, row, "voc2007") == pytest.approx(float(eleven))
    assert metrics.average_precision(truth, row, "area") == pytest.approx(float(area))


@settings(max_examples=50)
@given(label_sets())
def test_label_set_measures_agree_with_scikit_learn(case):
    true, predicted = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of 0/0, which is what is tested here
        expected = {
            "hamming": reference.hamming_loss(true, predicted),
            "subset": reference.accuracy_score(true, predicted),
            "accuracy": reference.jaccard_score(
                true, predicted, average="samples", zero_division=1
            ),
            "micro": reference.f1_score(true, predicted, average="micro", zero_division=0),
            "macro": reference.f1_score(true, predicted, average="macro", zero_division=0),
            "instance": reference.f1_score(true, predicted, average="samples", zero_division=1),
        }
    assert metrics.hamming_loss(true, predicted) == pytest.approx(expected["hamming"])
    assert metrics.subset_accuracy(true, predicted) == pytest.approx(expected["subset"])
    assert metrics.multilabel_accuracy(true, predicted) == pytest.approx(expected["accuracy"])
    for average in ("micro", "macro", "instance"):
        assert metrics.f1(true, predicted, average) == pytest.approx(expected[average])
