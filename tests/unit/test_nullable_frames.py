"""Pandas' nullable columns are numbers for solvers, measures and thresholds."""

import numpy as np
import pandas as pd
import pytest

import toplabel
from toplabel import losses, metrics, thresholds

RNG = np.random.default_rng(0)
X, SCORES = RNG.normal(size=(40, 3)), RNG.normal(size=(40, 4))
Y, CLASSES = (RNG.random((40, 4)) < 0.4).astype(int), np.arange(40) % 4
WEIGHT = 1.0 + np.arange(40) % 2
NULLABLE = {"X": "Float64", "S": "Float32", "Y": "boolean", "y": "Int64", "w": "Int8"}
PLAIN = {"X": X, "S": SCORES.astype(np.float32), "Y": Y, "y": CLASSES, "w": WEIGHT}

CALLS = {
    "solve": lambda a: toplabel.solve(a["X"], a["y"], sample_weight=a["w"]).W,
    "solve_sets": lambda a: toplabel.solve(a["X"], a["Y"], "lr_ml").W,
    "single": lambda a: toplabel.solve(a["S"], a["y"]).W,
    "simplex": lambda a: toplabel.simplex.solve(a["X"], a["y"], sample_weight=a["w"]).W,
    "value": lambda a: losses.value("lr_ml", a["S"], a["Y"]),
    "f1": lambda a: metrics.f1(a["Y"], a["Y"]),
    "rank_loss": lambda a: metrics.rank_loss(a["Y"], a["S"]),
    "top_k": lambda a: metrics.top_k_accuracy(a["y"], a["S"], 2),
    "tune": lambda a: thresholds.tune(a["S"], a["Y"], "f1_macro", sample_weight=a["w"]),
    "cardinality": lambda a: thresholds.match_cardinality(a["S"], 1.5),
}


def nullable(values: np.ndarray, dtype: str):
    table = pd.Series(values) if values.ndim == 1 else pd.DataFrame(values)
    return table.astype(dtype)


@pytest.mark.parametrize("name", CALLS)
def test_nullable_columns_give_the_numbers_of_arrays(name):
    frames = {key: nullable(PLAIN[key], dtype) for key, dtype in NULLABLE.items()}
    np.testing.assert_array_equal(CALLS[name](frames), CALLS[name](PLAIN))


def test_a_missing_value_is_named():
    frame = nullable(X, "Float64")
    frame.iloc[3, 1] = pd.NA
    with pytest.raises(ValueError, match=r"X\[3, 1\] is nan"):
        toplabel.solve(frame, CLASSES)
    labels = nullable(Y, "Int64")
    labels.iloc[2, 0] = pd.NA
    with pytest.raises(ValueError, match=r"Y\[2, 0\] is nan"):
        metrics.f1(labels, Y)
    with pytest.raises(TypeError, match="real numbers"):
        toplabel.solve(pd.DataFrame(X).assign(name="a"), CLASSES)
