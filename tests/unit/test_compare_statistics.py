"""Statistics over folds and over data sets, beside published examples and slow definitions."""

from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold

from toplabel.reproduction.compare import comparison
from toplabel.reproduction.compare.statistics import (
    cliques,
    critical_difference,
    friedman,
    holm,
    nemenyi,
    over_folds,
    rank_methods,
    signed_rank_probabilities,
    wilcoxon,
    wilcoxon_holm,
)

#: Scores of four methods on 14 data sets, with ties.
SCORES = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_ranks_share_ties_and_friedmans_test_follows_them():
    ranks = rank_methods(SCORES)
    by_hand = [
        [1 + sum(other > own for other in row) + (list(row).count(own) - 1) / 2 for own in row]
        for row in SCORES
    ]
    np.testing.assert_array_equal(ranks, by_hand)
    result = friedman(SCORES)
    assert result.chi2 == pytest.approx(stats.friedmanchisquare(*SCORES.T).statistic)
    assert pytest.approx(13 * result.chi2 / (14 * 3 - result.chi2)) == result.F
    assert result.p == pytest.approx(stats.f.sf(result.F, 3, 39))


def test_friedmans_test_knows_its_ends():
    same = friedman(np.ones((6, 3)))
    assert (same.F, same.p) == (0.0, 1.0)


@pytest.mark.parametrize("scores", [[1.0, 2.0, 3.0], [1.0, 2.0, 2.0], [1.0, 2.0]])
def test_the_p_value_of_sets_that_rank_alike_is_that_of_all_permutations(scores):
    sets = 4
    result = friedman(np.tile(scores, (sets, 1)))
    tables = product(permutations(scores), repeat=sets)
    reached = [friedman(np.array(table)).chi2 >= result.chi2 - 1e-9 for table in tables]
    assert (result.F, result.p) == (np.inf, pytest.approx(np.mean(reached)))


@pytest.mark.parametrize(("methods", "quantile"), [(2, 1.960), (4, 2.569), (5, 2.728), (10, 3.164)])
def test_the_critical_difference_is_that_of_demsars_table(methods, quantile):
    expected = quantile * np.sqrt(methods * (methods + 1) / (6 * 14))
    assert critical_difference(14, methods) == pytest.approx(expected, rel=5e-4)


def test_nemenyis_p_is_at_the_level_at_the_critical_difference():
    """Four methods, of which the first and the last are as far apart as the critical difference."""
    p = nemenyi(SCORES)
    ranks = rank_methods(SCORES).mean(axis=0)
    distance = critical_difference(14, 4)
    for i, j in combinations(range(4), 2):
        assert (p[i, j] < 0.05) == (abs(ranks[i] - ranks[j]) > distance)
    np.testing.assert_allclose(p, p.T)
    np.testing.assert_allclose(np.diag(p), 1.0)


def test_holm_steps_down():
    assert holm(np.array([0.01, 0.04, 0.03])).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm(np.array([0.5, 0.9])).tolist() == [1.0, 1.0]
    rng = np.random.default_rng(0)
    p = rng.random(7)
    for level in (0.05, 0.3, 0.7):  # the definition: reject the smallest while p <= level / left
        rejected = set()
        for step, i in enumerate(np.argsort(p)):
            if p[i] > level / (7 - step):
                break
            rejected.add(int(i))
        assert {int(i) for i in np.flatnonzero(holm(p) <= level)} == rejected


def test_wilcoxons_test_counts_all_signs():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(7, 2))
    differences = scores[:, 0] - scores[:, 1]
    ranks = stats.rankdata(np.abs(differences))
    measured = ranks[differences > 0].sum()
    sums = [np.dot(signs, ranks) for signs in product((0, 1), repeat=7)]
    center = ranks.sum() / 2
    p = np.mean([abs(total - center) >= abs(measured - center) - 1e-9 for total in sums])
    assert wilcoxon_holm(scores)[0, 1] == pytest.approx(p)
    assert wilcoxon_holm(np.ones((6, 3))).tolist() == np.ones((3, 3)).tolist()
    tied = np.vstack([scores, np.ones((9, 2))])  # 16 sets, for which SciPy alone would not count
    assert wilcoxon_holm(tied)[0, 1] == pytest.approx(p)


def test_differences_that_rounding_errors_tell_apart_are_ties():
    first = np.array([76.3, 50.4, 61.7, 80.2, 33.1, 70.0])
    second = np.array([76.1, 50.2, 61.9, 79.0, 31.1, 69.0])
    ranks = np.array([2.0, 2.0, 2.0, 5.0, 6.0, 4.0])  # of .2, .2, -.2, 1.2, 2 and 1
    sums = [abs(np.dot(signs, ranks)) for signs in product((-1, 1), repeat=6)]
    p = np.mean(np.array(sums) >= ranks.sum() - 2 * 2.0)
    assert (p, wilcoxon(first - second)) == (0.125, pytest.approx(0.125))


def test_cliques_are_the_longest_runs_without_a_difference():
    ranks = np.array([2.0, 1.0, 4.0, 3.0, 5.0])  # in order of rank: 1, 0, 3, 2, 4
    differs = np.zeros((5, 5), dtype=bool)
    for i, j in ((1, 2), (1, 4), (0, 4), (0, 2)):
        differs[i, j] = differs[j, i] = True
    assert cliques(ranks, differs) == [[1, 0, 3], [3, 2, 4]]
    assert cliques(ranks, np.zeros((5, 5), dtype=bool)) == [[1, 0, 3, 2, 4]]
    assert cliques(ranks, ~np.eye(5, dtype=bool)) == []


def test_the_corrected_test_is_a_t_test_with_another_variance():
    differences = np.array([1.0, 2.0, 0.5, 1.5, 1.0])
    result = over_folds(differences, 0.2, rope=0.5)
    deviation = np.sqrt((1 / 5 + 0.25) * differences.var(ddof=1))
    t = differences.mean() / deviation
    assert result.p == pytest.approx(2 * stats.t.sf(t, 4))
    assert (result.low > 0) == (result.p < 0.05)
    assert result.worse + result.same + result.better == pytest.approx(1.0)
    assert result.better == pytest.approx(1 - stats.t.cdf((0.5 - 1.2) / deviation, 4))
    naive = stats.ttest_1samp(differences, 0).pvalue
    assert result.p > naive  # folds share training rows


def test_draws_with_training_rows_of_their_own_have_no_correction(catalogue):
    """The splits are like those of circle: 200 rows to train on and 200,000 to test on."""
    names = ["circle", "mnist_network", "digits_network", "letter"]
    sizes = pd.DataFrame({"dataset": names, "n_train": "200", "n_test": "200000"})
    shares = comparison._test_shares(sizes, catalogue)
    share = 200000 / 200200
    assert shares == {"circle": 0, "mnist_network": 0, "digits_network": share, "letter": share}
    differences = np.random.default_rng(0).normal(size=10)
    differences = 3.3 + 4.0 * (differences - differences.mean()) / differences.std(ddof=1)
    plain = over_folds(differences, shares["circle"])
    assert plain.p == pytest.approx(stats.ttest_1samp(differences, 0).pvalue)
    assert (plain.p, plain.low, plain.high) == pytest.approx((0.028, 0.44, 6.16), abs=0.01)
    assert over_folds(differences, share).p > 0.9


@pytest.mark.parametrize("folds", [2, 5, 6, 10])
def test_equal_differences_have_the_p_value_of_all_signs(folds):
    """They tell nothing of the variance, so there is no probability, and an interval by signs alone."""
    differences = np.full(folds, 95.3 - 93.1)
    differences[0] = 12.3 - 10.1  # the same up to rounding errors
    result = over_folds(differences, 0.2, rope=1.0)
    sums = [abs(np.dot(signs, differences)) for signs in product((-1, 1), repeat=folds)]
    assert result.p == np.mean(np.array(sums) >= abs(differences.sum()) - 1e-6)
    assert np.isnan([result.worse, result.same, result.better]).all()
    assert np.isnan([result.low, result.high]).tolist() == [result.p > 0.05] * 2


def test_a_test_needs_two_folds():
    assert over_folds(np.zeros(5), 0.2).p == 1.0
    with pytest.raises(ValueError, match="two folds"):
        over_folds(np.ones(1), 0.2)


def test_equally_good_classifiers_are_seldom_called_different():
    """Two classifiers on exchangeable features: a deviation over the folds would tell them apart in a
    quarter of the trials."""
    trials, called = 60, 0
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 200)
        X = rng.normal(size=(200, 10)) + 0.25 * y[:, None]
        folds = StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)
        differences = []
        for train, test in folds:
            left, right = (
                LinearDiscriminantAnalysis().fit(X[train][:, half], y[train])
                for half in (slice(0, 5), slice(5, 10))
            )
            scores = left.score(X[test][:, :5], y[test]), right.score(X[test][:, 5:], y[test])
            differences.append(scores[0] - scores[1])
        called += over_folds(np.array(differences), 0.2).p < 0.05
    assert called <= 3  # binomial: at a rate of .007 more than 3 of 60 come once in 20,000 times


def test_the_signed_rank_test_follows_the_evidence():
    worse, same, better = signed_rank_probabilities(np.full(8, 3.0), rope=1.0)
    assert better > 0.99
    worse, same, better = signed_rank_probabilities(np.full(8, -3.0), rope=1.0)
    assert worse > 0.99
    worse, same, better = signed_rank_probabilities(np.full(8, 0.2), rope=1.0)
    assert same > 0.99
    balanced = signed_rank_probabilities(np.array([1.0, -1.0, 2.0, -2.0, 3.0, -3.0]))
    assert balanced[0] == pytest.approx(balanced[2], abs=0.02)
    assert signed_rank_probabilities(np.arange(4.0), seed=3) == signed_rank_probabilities(
        np.arange(4.0), seed=3
    )


PAIRS = np.triu_indices(4, 1)


def test_nemenyis_test_has_the_p_values_of_scikit_posthocs():
    """Recorded of version 0.17.1, whose dependencies do not install beside Snakemake."""
    recorded = [0.088673, 0.971686, 0.061683, 0.226697, 0.998882, 0.170052]
    np.testing.assert_allclose(nemenyi(SCORES)[PAIRS], recorded, atol=1e-6)


def test_probabilities_are_those_of_baycomp():
    """Recorded of version 1.0.3: the correlated t-test of 2 x 5 folds exactly, the signed rank test within
    the error of its draws."""
    differences = np.array([1.0, 2.0, 0.5, 1.5, 1.0, -0.5, 0.8, 1.9, 0.1, 1.2])
    result = over_folds(differences, 0.2, rope=0.5)
    sides = (result.worse, result.same, result.better)
    recorded = (0.005804349889564057, 0.1706089051709676, 0.8235867449394684)
    assert sides == pytest.approx(recorded, rel=1e-12)
    sides = signed_rank_probabilities(SCORES[:, 3] - SCORES[:, 0], 0.01)
    assert sides == pytest.approx((0.00038, 0.03256, 0.96706), abs=0.004)
