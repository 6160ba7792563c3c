"""The annotations that a user meets: checked by `make types`, never run."""

from collections.abc import Callable
from typing import Any, assert_type

import numpy as np

import toplabel
from toplabel import losses, metrics, prox, simplex, thresholds
from toplabel.estimators import (
    CalibratedSets,
    MultilabelClassifier,
    SetScorer,
    SimplexClassifier,
    TopKClassifier,
    TopKScorer,
    set_scorer,
    top_k_scorer,
)

X: np.ndarray[Any, np.dtype[np.float64]] = np.zeros((4, 2))
y: np.ndarray[Any, np.dtype[np.int64]] = np.zeros(4, dtype=np.int64)
assert_type(toplabel.__version__, str)


def stop(record: toplabel.Record) -> bool:
    assert_type(record.epoch, int)
    assert_type(record.relative_gap, float)
    assert_type(record.watched, dict[str, float])
    return record.relative_gap < 0.5


solution = toplabel.solve(X, y, "svm_multi", C=1.0, callback=stop, watch={"train": (X, y)})
assert_type(solution, toplabel.Solution)
assert_type(solution.relative_gap, float)
assert_type(solution.status, str)
assert_type(solution.history, list[toplabel.Record])
scores: np.ndarray = solution.decision_function(X)
assert_type(toplabel.path(X, y, [0.1, 1.0], warm_start=solution), list[toplabel.Solution])
assert_type(toplabel.certify(X, y, solution), toplabel.Certificate)

value: np.ndarray = losses.value("lr_multi", scores, y)
gradient: np.ndarray = losses.gradient("lr_multi", scores, y)
assert_type(losses.get("lr_multi"), losses.Loss)
projected: np.ndarray = prox.topk_simplex_alpha(scores, k=2)
accuracy: float = metrics.top_k_accuracy(y, scores, k=2)
f1: float = metrics.f1(scores > 0, scores > 0, average="micro")
assert_type(thresholds.tune(scores, scores > 0, "f1_micro"), tuple[float, float])
codes: np.ndarray = simplex.simplex_coding(3)
assert_type(simplex.solve(X, y), simplex.SimplexSolution)

model = TopKClassifier("topk_svm_alpha", k=3, gamma=1.0)
assert_type(model.fit(X, y), TopKClassifier)
best: np.ndarray = model.predict_topk(X, k=3)
share: float = model.top_k_score(X, y, k=3)
assert_type(top_k_scorer(3), TopKScorer)
MultilabelClassifier("lr_ml", threshold="tune").fit(X, scores > 0).predict(X)
SimplexClassifier(C="loo").fit(X, y).predict(X)
assert_type(model.calibrate(X, y), TopKClassifier)
sets: np.ndarray = CalibratedSets(model).fit(X, y).predict_set(X, coverage=0.9)
assert_type(set_scorer("mean_set_size", coverage=0.9), SetScorer)

# What is wrong is told: --strict complains about an "ignore" that ignores nothing.
toplabel.solve(X, y, C="1")  # type: ignore[arg-type]
toplabel.solve(X, y, "lr_multi", 1.0)  # type: ignore[call-arg, arg-type]
wrong: Callable[[str], bool] = stop  # type: ignore[assignment]
