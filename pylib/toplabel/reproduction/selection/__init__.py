"""Tuning, training and evaluation of a method on a data set: from the prepared set to a cell.

The stages, in their order, with what each hands to the next:

- `problems`: rows to train on and rows to measure on, for each fold;
- `tuning` (with `models.Fitter`): validation values over the grid, `choice.GridValues`;
- `choice`: the best point for each metric, `choice.Choice`, a row of selection.csv;
- `models`: the chosen models with their certificates, `models.Model`, in models.npz;
- `evaluation`: thresholds and test metrics, `evaluation.TestMetric`, a row of evaluation.csv, and
  `evaluation.TrueRanks`, in ranks.npz.

The tasks are what the jobs of a cell depend on besides their inputs: the params of tune, train and evaluate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from toplabel.reproduction.config.protocols import Grid, Threshold
from toplabel.reproduction.methods import Recipe

_K = re.compile(r"(?:^top|_at_)([0-9]+)$")  # of a metric's name


@dataclass(frozen=True)
class Task:
    """Params of every model of a cell, whether it is tuned or final.

    `method` is the name of the method, which seeds depend on; `tol` and `max_iter` are those of the
    stage, and `split` is the one that is worked on.
    """

    dataset: str
    method: str
    recipe: Recipe
    seed: int
    tol: float
    max_iter: int
    gram_dtype: Literal["float32", "float64"] = "float64"
    split: str = ""

    @property
    def names(self) -> tuple[object, ...]:
        """Names in the seeds of its models."""
        return self.seed, self.dataset, self.method, self.split


@dataclass(frozen=True)
class TuneTask(Task):
    """A job of tuning, with the splits that it tunes and how it selects.

    `C_scale` is what of the rows the grid of C is divided by, ``"mean_squared_norm"`` or nothing.
    """

    splits: tuple[str, ...] = ()
    validation: Literal["holdout", "folds", "half", "fifth"] = "holdout"
    metrics: tuple[str, ...] = ()
    grid: Grid = field(kw_only=True)
    C_scale: Literal["mean_squared_norm"] | None = None


@dataclass(frozen=True)
class TrainTask(Task):
    """The training of final models.

    `selected_by` is the metric whose best point all metrics take; empty where each has its own.
    """

    selected_by: str = ""


@dataclass(frozen=True)
class EvaluateTask:
    """The test metrics of a cell: its names and the rule for thresholds."""

    dataset: str
    method: str
    budget: str
    threshold: Threshold


@dataclass(frozen=True)
class PredictTask:
    """The predictions of a cell, and its models for new rows.

    The features of the data set were transformed, and have a column of ones as the last where there
    is a `bias`.
    """

    recipe: Recipe
    threshold: Threshold
    transform: Literal["standardise", "normalise"] | None
    bias: bool


@dataclass(frozen=True)
class CurveTask:
    """The test values of a cell by shares of its training rows.

    The tasks are those of the cell, and the shares are below 1. With a `bias` the last feature is a
    column of ones.
    """

    tune: TuneTask
    train: TrainTask
    evaluate: EvaluateTask
    sizes: tuple[float, ...]
    bias: bool


@dataclass(frozen=True)
class FinalTask:
    """The model of a cell on all rows, by the tasks of the cell."""

    tune: TuneTask
    train: TrainTask
    predict: PredictTask


def with_meaning(metrics: Sequence[str], n_classes: int) -> list[str]:
    """Return the metrics that mean something for m classes: those of k < m."""
    ks = {name: _K.search(name) for name in metrics}
    return [name for name, k in ks.items() if not k or int(k[1]) < n_classes]
