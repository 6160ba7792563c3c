"""Scores of other people's classifiers: one adapter for the scorer and the reproduction."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier, IsolationForest, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, NuSVC

from toplabel.estimators import top_k_scorer
from toplabel.estimators.scores import class_scores, label_scores


def blobs(m, rows=30):
    rng = np.random.default_rng(m)
    y = np.arange(m * rows) % m
    return rng.standard_normal((len(y), m)) + 2.0 * np.eye(m)[y], y


class Scored(ClassifierMixin, BaseEstimator):
    """A classifier whose decision function returns what it was given."""

    def __init__(self, scores, classes=(0, 1, 2)):
        self.scores = scores
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def decision_function(self, X):
        return self.scores


@pytest.mark.parametrize("m", [3, 4])
@pytest.mark.parametrize("kind", [SVC, lambda **given: NuSVC(nu=0.2, **given)])
def test_scores_of_pairs_are_those_of_one_against_the_rest(kind, m):
    X, y = blobs(m)
    pairs, rest = (
        kind(kernel="linear", decision_function_shape=shape).fit(X, y) for shape in ("ovo", "ovr")
    )
    scores, classes = class_scores(pairs, X)
    np.testing.assert_allclose(scores, rest.decision_function(X), atol=1e-12)
    np.testing.assert_array_equal(classes, np.arange(m))


@pytest.mark.parametrize(
    "wrap",
    [
        lambda inner: make_pipeline(StandardScaler(), inner),
        lambda inner: GridSearchCV(inner, {"C": [1.0]}),
        lambda inner: BaggingClassifier(inner, n_estimators=3, random_state=0),
        lambda inner: make_pipeline(StandardScaler(), GridSearchCV(inner, {"C": [1.0]})),
    ],
)
def test_scores_of_pairs_are_known_through_what_wraps_their_classifier(wrap):
    X, y = blobs(3)
    model = wrap(SVC(kernel="linear", decision_function_shape="ovo")).fit(X, y)
    scores, _ = class_scores(FrozenEstimator(model), X)
    assert (scores.argmax(axis=1) == model.predict(X)).mean() > 0.97


def test_the_scorer_takes_probabilities_as_accuracy_does():
    X, y = blobs(4)
    names = np.array(["oak", "ash", "fir", "elm"])[y]
    for model in (GaussianNB(), KNeighborsClassifier(), RandomForestClassifier(5, random_state=0)):
        model.fit(X[:60], names[:60])
        wins = model.predict_proba(X) >= model.predict_proba(X).max(axis=1, keepdims=True)
        share = np.mean(wins[np.arange(len(X)), np.searchsorted(model.classes_, names)])
        assert top_k_scorer(1)(model, X, names) == share > 0.7


def test_columns_follow_the_order_of_the_classes_of_the_estimator():
    scores = np.array([[0.0, 1.0, 5.0], [9.0, 2.0, 3.0]])
    model = Scored(scores, (2, 0, 1)).fit(None, None)
    found, classes = class_scores(model, np.zeros((2, 1)))
    np.testing.assert_array_equal(classes, [0, 1, 2])
    np.testing.assert_array_equal(found, [[1.0, 5.0, 0.0], [2.0, 3.0, 9.0]])
    assert top_k_scorer(1)(model, np.zeros((2, 1)), [1, 2]) == 1.0


@pytest.mark.parametrize("shape", [(2,), (2, 1)])
def test_one_score_of_two_classes_is_that_of_the_second(shape):
    model = Scored(np.array([-1.0, 3.0]).reshape(shape), ("no", "yes")).fit(None, None)
    found, _ = class_scores(model, np.zeros((2, 1)))
    np.testing.assert_array_equal(found, [[1.0, -1.0], [-3.0, 3.0]])


@pytest.mark.parametrize(
    "scores",
    [
        np.full((2, 3), np.nan),
        np.array([[0.0, -np.inf, 0.0], [0.0, 0.0, 0.0]]),
        np.zeros((2, 4)),
        np.zeros((3, 3)),
        np.zeros(2),
        np.array([["a", "b", "c"]] * 2),
        [np.zeros((2, 2))] * 3,
    ],
)
def test_scores_that_rank_no_classes_are_refused(scores):
    model = Scored(scores).fit(None, None)
    with pytest.raises(ValueError, match=r"Scored\.decision_function returned"):
        top_k_scorer(1)(model, np.zeros((2, 1)), [0, 1])


def test_what_is_no_classifier_is_refused():
    X, y = blobs(3)
    with pytest.raises(TypeError, match="classes_"):
        class_scores(IsolationForest(n_estimators=2, random_state=0).fit(X), X)
    with pytest.raises(TypeError, match="decision_function nor predict_proba"):
        class_scores(StandardScaler().fit(X), X)
    with pytest.raises(ValueError, match="one label per row"):
        class_scores(KNeighborsClassifier().fit(X, np.eye(3, dtype=int)[y]), X)


@pytest.mark.filterwarnings("ignore:Label not 0 is present")
@pytest.mark.parametrize(
    "inner",
    [
        RandomForestClassifier(5, random_state=0),
        KNeighborsClassifier(),
        GaussianNB(),
        make_pipeline(StandardScaler(), GaussianNB()),
    ],
)
def test_zero_is_the_threshold_of_labels_where_the_first_never_occurs(inner):
    X, y = blobs(3)
    Y = np.eye(3, dtype=int)[y]
    Y[:, 0] = 0
    model = make_pipeline(StandardScaler(), OneVsRestClassifier(inner)).fit(X, Y)
    np.testing.assert_array_equal(label_scores(model, X, 3) > 0, model.predict(X) > 0)


def test_a_list_of_probabilities_has_a_column_for_each_label():
    X, y = blobs(3)
    Y = np.eye(3, dtype=int)[y]
    Y[:, 0], Y[:, 1] = 0, 1
    model = KNeighborsClassifier(1).fit(X, Y)
    np.testing.assert_array_equal(label_scores(model, X, 3), Y - 0.5)
    with pytest.raises(ValueError, match=r"\(90, 3\)"):
        label_scores(model, X, 4)
