"""Sets of variable size: their thresholds by brute force, coverage, and what scikit-learn asks for."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, GroupKFold, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from toplabel import CalibratedSets, SimplexClassifier, TopKClassifier
from toplabel.estimators import SetScorer, average_k_scorer, set_scorer, top_k_scorer
from toplabel.metrics import average_k_accuracy, mean_set_size
from toplabel.thresholds import match_coverage

NAMES = np.array(["ash", "elm", "fir", "oak", "yew"])


def overlapping(n, seed, m=5):
    """Rows of classes that overlap, and the name of each."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(m, size=n)
    return rng.standard_normal((n, 3)) + np.random.default_rng(0).normal(size=(m, 3))[codes], NAMES[
        codes
    ]


X, y = overlapping(300, 1)
X_CAL, Y_CAL = overlapping(400, 2)
X_NEW, Y_NEW = overlapping(500, 3)


class Given(GaussianNB):
    """A classifier whose scores are the features."""

    def predict_proba(self, X):
        return np.asarray(X, dtype=float)


def given(scores, labels, sample_weight=None):
    """Calibrated sets of these scores."""
    m = scores.shape[1]
    fitted = Given().fit(np.eye(m), np.arange(m))
    sets = CalibratedSets(FrozenEstimator(fitted), calibration=None).fit(scores, labels)
    return sets.calibrate(scores, labels, sample_weight)


def covered(sets, labels, names=NAMES):
    return sets[np.arange(len(sets)), np.searchsorted(names, labels)]


@pytest.mark.parametrize("n", [9, 10, 19, 57])
@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_the_coverage_is_a_quantile_found_by_counting(n, coverage):
    rng = np.random.default_rng(n)
    own = -rng.integers(0, 6, size=n).astype(float)
    needed = math.ceil(round((n + 1) * coverage, 9))
    expected = max(value for value in own if np.count_nonzero(own >= value) >= needed)
    assert match_coverage(own, coverage) == expected


def test_weights_are_copies_in_both_thresholds():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 5, size=(40, 4)).astype(float)
    labels = rng.integers(4, size=40)
    weights = rng.integers(0, 4, size=40)
    copies = np.repeat(np.arange(40), weights)
    weighted, repeated = given(scores, labels, weights), given(scores[copies], labels[copies])
    for level in ({"size": 2}, {"coverage": 0.8}, {"coverage": 0.6, "by_class": True}):
        np.testing.assert_array_equal(
            weighted.predict_set(scores, **level), repeated.predict_set(scores, **level)
        )


def test_rows_without_a_known_class_count_as_not_covered():
    own = np.array([0.0, -1.0, -np.inf, -2.0])
    assert match_coverage(own, 0.6) == -2.0
    assert match_coverage(own, 0.8) == -np.inf


@pytest.mark.parametrize("size", [1, 1.7, 2, 3.5, 5])
def test_the_mean_size_on_calibration_rows_is_as_near_as_ties_allow(size):
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 4, size=(30, 5)).astype(float)
    sets = given(scores, rng.integers(5, size=30)).predict_set(scores, size=size)
    levels = scores - scores.max(axis=1, keepdims=True)
    possible = [np.count_nonzero(levels >= cut) / 30 for cut in np.unique(levels)]
    assert abs(sets.sum() / 30 - size) == min(abs(each - size) for each in possible)


def test_a_set_has_the_best_class_where_all_tie():
    constant = given(np.zeros((20, 6)), np.zeros(20, dtype=int))
    assert constant.predict_set(np.zeros((2, 6)), size=2).all()


MODELS = [
    TopKClassifier("lr_multi"),
    TopKClassifier("svm_multi", gamma=1.0),
    TopKClassifier("topk_ent", k=2),
    TopKClassifier("topk_svm_alpha", k=2, gamma=1.0, kernel="rbf", theta=0.3),
    SimplexClassifier("s_ls", kernel="rbf"),
    SimplexClassifier("sh_svm"),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.loss)
def test_coverage_lies_in_the_interval_of_the_guarantee(model):
    """The coverage of many new rows is beta distributed; of 500 rows their count is beta-binomial."""
    model.fit(X, y).calibrate(X_CAL, Y_CAL)
    place = math.ceil(401 * 0.9)
    count = covered(model.predict_set(X_NEW, coverage=0.9), Y_NEW).sum()
    low, high = stats.betabinom(500, place, 401 - place).ppf([0.0005, 0.9995])
    assert low <= count <= high


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.loss)
def test_the_method_and_the_wrapper_give_the_same_sets(model):
    model.fit(X, y).calibrate(X_CAL, Y_CAL)
    wrapper = CalibratedSets(FrozenEstimator(model), calibration=None).fit(X, y)
    wrapper.calibrate(X_CAL, Y_CAL)
    for level in ({"size": 2}, {"coverage": 0.9}):
        expected = wrapper.predict_set(X_NEW, **level)
        np.testing.assert_array_equal(model.predict_set(X_NEW, **level), expected)


def test_probabilities_that_are_lost_beside_a_one_do_not_tie():
    """In float64 1e-20 - 1 and 1e-30 - 1 are both -1."""
    P = np.array([[1.0, 1e-20, 1e-30], [1e-30, 1.0, 1e-20]])
    labels = np.array([1, 2])
    model = CalibratedSets(Given(), calibration=None).fit(np.eye(3), np.arange(3))
    sets = model.calibrate(P, labels).predict_set(P, size=2)
    assert sets.tolist() == [[True, True, False], [False, True, True]]
    assert average_k_scorer(2)(model, P, labels) == 1.0


def test_levels_of_what_does_not_sum_to_one_are_differences_from_the_best():
    rng = np.random.default_rng(4)
    P, labels = rng.random((50, 4)), rng.integers(4, size=50)
    model = CalibratedSets(Given(), calibration=None).fit(np.eye(4), np.arange(4))
    sets = model.calibrate(P, labels).predict_set(P, coverage=0.8)
    levels = P - P.max(axis=1, keepdims=True)
    least = match_coverage(levels[np.arange(50), labels], 0.8)
    np.testing.assert_array_equal(sets, levels >= least - 1e-12)


def test_fractional_weights_count_as_rows():
    P = np.full((180, 2), 0.5)
    labels = np.arange(180) % 2
    model = CalibratedSets(Given(), calibration=None).fit(np.eye(2), np.arange(2))
    model.calibrate(P, labels, np.full(180, 0.1))  # 90 weights of 0.1 sum to less than 9
    assert model.predict_set(P, coverage=0.9, by_class=True).all()


def test_by_class_covers_a_class_that_the_marginal_threshold_neglects():
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1], [900, 100])
    scores = np.column_stack([np.zeros(1000), rng.normal(np.where(labels == 1, -1.0, -9.0), 1.0)])
    model = given(scores, labels)
    marginal = model.predict_set(scores, coverage=0.9)
    by_class = model.predict_set(scores, coverage=0.9, by_class=True)
    assert marginal[labels == 1, 1].mean() < 0.5
    assert by_class[labels == 1, 1].mean() >= 0.9
    assert by_class[labels == 0, 0].mean() >= 0.9


def test_too_few_rows_are_refused_with_the_number_needed():
    model = CalibratedSets(GaussianNB(), calibration=None).fit(X, y).calibrate(X_CAL[:8], Y_CAL[:8])
    with pytest.raises(ValueError, match=r"coverage=0.9 needs at least 9 calibration rows, got 8"):
        model.predict_set(X, coverage=0.9)
    few = np.r_[np.flatnonzero(Y_CAL != "oak"), np.flatnonzero(Y_CAL == "oak")[:3]]
    model.calibrate(X_CAL[few], Y_CAL[few])
    with pytest.raises(ValueError, match="at least 9 calibration rows of each class; class 'oak'"):
        model.predict_set(X, coverage=0.9, by_class=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either size or coverage"),
        ({"size": 2, "coverage": 0.9}, "either size or coverage"),
        ({"size": 2, "by_class": True}, "by_class is for coverage"),
        ({"size": 6}, "size must be >= 1 and <= 5, got 6"),
        ({"coverage": 1.0}, "coverage must be > 0 and < 1, got 1.0"),
    ],
)
def test_wrong_levels_are_refused(arguments, message):
    model = CalibratedSets(GaussianNB(), random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.predict_set(X, **arguments)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.2])
def test_a_share_outside_0_and_1_is_refused(share):
    with pytest.raises(ValueError, match="calibration must be"):
        TopKClassifier(calibration=share).fit(X, y)


def test_a_fit_without_calibration_has_none_and_forgets_the_last_one():
    model = TopKClassifier(calibration=0.25, random_state=0).fit(X, y)
    assert model.n_calibration_ == 75
    model.set_params(calibration=None).fit(X, y)
    with pytest.raises(NotFittedError, match=r"call calibrate\(X, y\)"):
        model.predict_set(X, size=2)


@pytest.mark.parametrize("kind", [TopKClassifier, SimplexClassifier])
def test_rows_held_out_do_not_train(kind):
    """The model is the one of the other rows, and the sets those of a calibration on these."""
    rest, held, y_rest, y_held = train_test_split(X, y, test_size=0.2, random_state=3)
    expected = kind(random_state=3).fit(rest, y_rest).calibrate(held, y_held)
    model = kind(calibration=0.2, random_state=3).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))
    np.testing.assert_array_equal(
        model.predict_set(X, coverage=0.8), expected.predict_set(X, coverage=0.8)
    )


@pytest.mark.parametrize("kind", [TopKClassifier, SimplexClassifier])
def test_a_gram_matrix_gives_the_sets_of_its_rows(kind):
    by_rows = kind(kernel="rbf", theta=0.3, random_state=0).fit(X, y).calibrate(X_CAL, Y_CAL)
    gram = [rbf_kernel(rows, X, gamma=0.3) for rows in (X, X_CAL, X_NEW)]
    by_gram = kind(kernel="precomputed", random_state=0).fit(gram[0], y).calibrate(gram[1], Y_CAL)
    for level in ({"size": 2}, {"coverage": 0.8}):
        sets = by_rows.predict_set(X_NEW, **level)
        assert (sets != by_gram.predict_set(gram[2], **level)).mean() < 1e-3
    with pytest.raises(ValueError, match="cannot hold rows out of a Gram matrix"):
        kind(kernel="precomputed", calibration=0.2).fit(gram[0], y)


def test_two_classes():
    rows = np.isin(y, ["ash", "elm"])
    model = TopKClassifier(calibration=0.5, random_state=0).fit(X[rows], y[rows])
    sets = model.predict_set(X[rows], size=1.3)
    best = np.searchsorted(model.classes_, model.predict(X[rows]))
    assert sets.shape == (rows.sum(), 2)
    assert sets[np.arange(rows.sum()), best].all()
    assert 1.1 < mean_set_size(sets) < 1.5


def test_sparse_rows_and_sparse_sets():
    model = TopKClassifier(calibration=0.3, random_state=0).fit(sparse.csr_matrix(X), y)
    dense = model.predict_set(X_NEW, coverage=0.8)
    stored = model.predict_set(sparse.csr_matrix(X_NEW), coverage=0.8, sparse_output=True)
    assert stored.format == "csr"
    assert stored.dtype == bool
    np.testing.assert_array_equal(stored.toarray(), dense)


def test_a_pickle_and_a_clone():
    model = CalibratedSets(GaussianNB(), random_state=0).set_output(transform="pandas").fit(X, y)
    for other in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
        pd.testing.assert_frame_equal(other.predict_set(X, size=2), model.predict_set(X, size=2))


def test_frames_go_in_and_come_out():
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(300) + 7)
    inner = make_pipeline(StandardScaler().set_output(transform="pandas"), TopKClassifier())
    model = CalibratedSets(inner, random_state=0).set_output(transform="pandas").fit(frame, y)
    sets = model.predict_set(frame, coverage=0.8)
    assert list(sets.columns) == NAMES.tolist()
    assert list(sets.index) == list(frame.index)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert isinstance(model.set_output(transform="default").predict_set(frame, size=2), np.ndarray)


def test_a_search_inside_chooses_without_the_rows_held_out():
    search = GridSearchCV(SVC(), {"C": [0.1, 10.0]}, cv=3, scoring=top_k_scorer(2))
    model = CalibratedSets(search, calibration=0.4, random_state=0).fit(X, y)
    assert model.n_calibration_ == 120
    assert model.estimator_.best_estimator_.shape_fit_ == (180, 3)


class Recorder(GaussianNB):
    """A classifier that keeps the groups and weights of its fit."""

    def fit(self, X, y, sample_weight=None, groups=None):
        self.given_ = groups, sample_weight
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("routed", [False, True])
def test_arguments_of_rows_reach_the_estimator(routed):
    groups, weight = np.arange(300) // 3, 1.0 + np.arange(300)
    with config_context(enable_metadata_routing=routed):
        inner = (
            Recorder().set_fit_request(groups=True, sample_weight=True) if routed else Recorder()
        )
        model = CalibratedSets(inner, calibration=0.4, random_state=0)
        model.fit(X, y, sample_weight=weight, groups=groups)
    inside, outside = train_test_split(np.arange(300), test_size=0.4, random_state=0)
    np.testing.assert_array_equal(model.estimator_.given_, [groups[inside], weight[inside]])
    np.testing.assert_array_equal(model.calibration_.weights, weight[outside])


def test_a_search_inside_splits_by_groups():
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9]}, cv=GroupKFold(4))
    model = CalibratedSets(search, random_state=0).fit(X, y, groups=np.arange(300) // 3)
    assert model.estimator_.n_splits_ == 4


def test_a_search_outside_scores_the_sets():
    model = make_pipeline(StandardScaler(), CalibratedSets(LogisticRegression(), random_state=0))
    grid = {"calibratedsets__estimator__C": [1e-6, 1.0]}
    for scorer in (
        set_scorer("mean_set_size", coverage=0.8),
        set_scorer("set_coverage", size=2),
        average_k_scorer(2),
    ):
        search = GridSearchCV(model, grid, scoring=scorer, cv=3).fit(X, y)
        assert search.best_params_["calibratedsets__estimator__C"] == 1.0
    scores = search.decision_function(X_NEW)
    expected = average_k_accuracy(np.searchsorted(NAMES, Y_NEW), scores, 2)
    assert search.score(X_NEW, Y_NEW) == expected


def test_the_scorers_measure_the_sets_with_names():
    model = CalibratedSets(GaussianNB(), random_state=0).fit(X, y)
    sets = model.predict_set(X_NEW, coverage=0.8)
    hit, sizes = covered(sets, Y_NEW), sets.sum(axis=1)
    level = {"coverage": 0.8}
    assert set_scorer("set_coverage", **level)(model, X_NEW, Y_NEW) == hit.mean()
    assert set_scorer("mean_set_size", **level)(model, X_NEW, Y_NEW) == -sizes.mean()
    worst = min(hit[sizes == size].mean() for size in set(sizes))
    assert set_scorer("size_stratified_coverage", **level)(model, X_NEW, Y_NEW) == worst
    unknown = np.where(Y_NEW == "yew", "zelkova", Y_NEW)
    found = set_scorer("set_coverage", **level)(model, X_NEW, unknown)
    assert found == (hit & (Y_NEW != "yew")).mean()


SCORERS = [
    average_k_scorer(1.7),
    *(set_scorer(name, coverage=0.8) for name in ("set_coverage", "mean_set_size")),
    set_scorer("size_stratified_coverage", coverage=0.8),
    top_k_scorer(2),
]


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
@pytest.mark.parametrize("ties", [False, True])
def test_weights_of_a_scorer_are_copies(scorer, ties):
    rows = np.round(X_NEW) if ties else X_NEW
    weight = np.random.default_rng(3).integers(0, 4, len(rows))
    copies = np.repeat(np.arange(len(rows)), weight)
    model = CalibratedSets(GaussianNB(), random_state=0).fit(X, y)
    weighted = scorer(model, rows, Y_NEW, sample_weight=weight)
    assert weighted == pytest.approx(scorer(model, rows[copies], Y_NEW[copies]), abs=1e-12)
    assert weighted != scorer(model, rows, Y_NEW)


def test_a_search_takes_several_scorers_with_weights():
    weight = 1.0 + np.arange(len(X)) % 3
    scoring = {"top": top_k_scorer(1), "average": average_k_scorer(2)}
    search = GridSearchCV(
        GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, scoring=scoring, refit="top", cv=3
    )
    search.fit(X, y, sample_weight=weight)
    for name, scorer in scoring.items():
        alone = GridSearchCV(search.estimator, search.param_grid, scoring=scorer, cv=3)
        expected = alone.fit(X, y, sample_weight=weight).cv_results_["mean_test_score"]
        np.testing.assert_array_equal(search.cv_results_[f"mean_test_{name}"], expected)


def test_the_sets_of_a_pipeline_of_one_step_are_scored():
    model = CalibratedSets(GaussianNB(), random_state=0).fit(X, y)
    scorer = set_scorer("mean_set_size", size=2)
    assert scorer(make_pipeline(model), X_NEW, Y_NEW) == scorer(model, X_NEW, Y_NEW)


def test_a_regressor_is_refused():
    with pytest.raises(TypeError, match="LinearRegression has no classes_ after fit"):
        CalibratedSets(LinearRegression()).fit(X, np.searchsorted(NAMES, y))


def test_a_metric_that_is_none_is_refused():
    for make in (set_scorer, SetScorer):
        with pytest.raises(ValueError, match="metric must be one of set_coverage"):
            make("coverage", coverage=0.9)


def test_sets_are_a_frame_of_polars_where_the_configuration_says_so():
    polars = pytest.importorskip("polars")
    X, y = load_iris(return_X_y=True)
    model = CalibratedSets(GaussianNB(), random_state=0).fit(X, y)
    with config_context(transform_output="polars"):
        sets = model.predict_set(X, size=1.5)
    assert isinstance(sets, polars.DataFrame)
    assert sets.columns == ["0", "1", "2"]
    np.testing.assert_array_equal(sets.to_numpy(), model.predict_set(X, size=1.5))
