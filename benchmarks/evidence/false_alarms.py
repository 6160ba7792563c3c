"""Count how often the report on own data tells equally good methods apart (docs/evidence/comparison.md).

python benchmarks/evidence/false_alarms.py [--trials 300]

The methods are linear discriminants on blocks of ten features each. Where all blocks have the same
shift between the two classes, the methods are equally good, and each that a test tells apart is a
false alarm. With a smaller shift in the last block the last method is worse.
"""

import argparse

import numpy as np
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold

from toplabel.reproduction.compare import statistics

ROWS, BLOCK, SHIFT, FOLDS, LEVEL = 300, 10, 0.25, 5, 0.05


def fold_accuracies(methods, less, repeats, seed):
    """Return the accuracies in percent, (methods, repeats * folds), of one drawn data set."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, ROWS)
    shifts = np.full(methods, SHIFT)
    shifts[-1] -= less
    X = rng.standard_normal((ROWS, BLOCK * methods)) + np.repeat(shifts, BLOCK) * y[:, None]
    values = []
    for repeat in range(repeats):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=1000 * repeat + seed)
        for train, test in folds.split(X, y):
            values.append([_accuracy(X[:, block], y, train, test) for block in _blocks(methods)])
    return np.transpose(values)


def _blocks(methods):
    return [slice(BLOCK * i, BLOCK * (i + 1)) for i in range(methods)]


def _accuracy(X, y, train, test):
    model = LinearDiscriminantAnalysis().fit(X[train], y[train])
    return 100.0 * model.score(X[test], y[test])


def p_from(values, base):
    """Return the p-values of the other methods against one, by Holm's method as in the report."""
    others = [i for i in range(len(values)) if i != base]
    tests = [statistics.over_folds(values[i] - values[base], 1.0 / FOLDS) for i in others]
    return statistics.holm(np.array([test.p for test in tests]))


def within_a_set(methods, less, repeats, trials):
    """Print the shares of trials in which some method is told from another."""
    told = {"one deviation": 0, "paired t": 0, "reference": 0, "best": 0}
    for seed in range(trials):
        values = fold_accuracies(methods, less, repeats, seed)
        means = values.mean(axis=1)
        best = int(means.argmax())
        rest = [i for i in range(methods) if i != best]
        bound = means[best] - values[best].std(ddof=1)
        told["one deviation"] += bool((means[rest] < bound).any())
        paired = [stats.ttest_rel(values[i], values[0]).pvalue for i in range(1, methods)]
        told["paired t"] += min(paired) <= LEVEL
        told["reference"] += bool((p_from(values, 0) <= LEVEL).any())
        told["best"] += bool((p_from(values, best) <= LEVEL).any())
    shares = " | ".join(f"{100.0 * number / trials:.1f} %" for number in told.values())
    print(f"| {methods} | {less:g} | {repeats} x {FOLDS} | {shares} |", flush=True)


def over_sets(sets, methods, better, trials):
    """Print the shares of trials in which tests over sets call some methods different.

    The scores are normal with variance 1; the mean of the first method is larger by `better`.
    """
    rng = np.random.default_rng(0)
    told = {"Friedman": 0, "Nemenyi": 0, "Wilcoxon, all pairs": 0, "Wilcoxon, reference": 0}
    for _ in range(trials):
        scores = rng.standard_normal((sets, methods))
        scores[:, 0] += better
        told["Friedman"] += statistics.friedman(scores).p <= LEVEL
        told["Nemenyi"] += bool((statistics.nemenyi(scores) <= LEVEL).any())
        told["Wilcoxon, all pairs"] += bool((statistics.wilcoxon_holm(scores) <= LEVEL).any())
        raw = [statistics.wilcoxon(scores[:, i] - scores[:, 0]) for i in range(1, methods)]
        told["Wilcoxon, reference"] += bool((statistics.holm(np.array(raw)) <= LEVEL).any())
    shares = " | ".join(f"{100.0 * number / trials:.1f} %" for number in told.values())
    print(f"| {sets} | {methods} | {better:g} | {shares} |", flush=True)


def main():
    """Print the tables of docs/evidence/comparison.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=300)
    trials = parser.parse_args().trials
    print("| methods | shift less | folds | one deviation | paired t | reference | best |")
    for methods in (2, 5):
        for less, repeats in ((0.0, 1), (0.0, 10), (0.1, 1), (0.1, 10)):
            within_a_set(methods, less, repeats, trials if repeats == 1 else trials // 2)
    print("| sets | methods | better by | Friedman | Nemenyi | Wilcoxon pairs | reference |")
    for sets in (5, 8, 12):
        for better in (0.0, 1.0):
            over_sets(sets, 5, better, 3 * trials)


if __name__ == "__main__":
    main()
