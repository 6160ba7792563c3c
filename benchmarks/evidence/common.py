"""What several programs of this folder need: data sets, a fit that is measured, and the cells of their tables.

Importing it puts the folder of the benchmark on the path, whose problems the programs use.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn import datasets
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmark_utils.problems import SYNTHETIC, synthetic
from benchmark_utils.published_sets import Unavailable, gather
from toplabel import metrics
from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data import PrepareTask
from toplabel.reproduction.data.fetch import mirror_folders
from toplabel.reproduction.data.prepare import prepare

ROOT = Path(__file__).resolve().parents[2]
LABEL_SETS = ("emotions", "scene", "yeast", "medical", "enron", "bibtex")
SETS = (*LABEL_SETS, "letter", "landsat", "optdigits", "isolet1", "digits", "breast_cancer", "wine")


def load(name: str):
    """Return rows and labels of the training and the test part, or None without the raw files.

    Raw files are looked for in the folders named by TOPLABEL_MIRROR and in data/embedded.
    """
    if name not in load_registry(ROOT / "config/datasets.yaml") or name == "digits":
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
        return X, y, X_test, y_test
    entry = load_registry(ROOT / "config/datasets.yaml")[name]
    try:
        with tempfile.TemporaryDirectory() as folder:
            gather(entry, mirror_folders((), ROOT), Path(folder))
            data = prepare(PrepareTask.of(entry), Path(folder))
    except Unavailable as error:
        print(f"{name}: {error}", file=sys.stderr)
        return None
    train, test = (data.parts[getattr(data.splits[0], part)] for part in ("train", "test"))
    if data.task == "multiclass":
        return train.X, train.y, test.X, test.y
    # Labels as int: of a uint8 indicator scikit-learn numbers the columns modulo 256.
    return train.X, train.Y.astype(int), test.X, test.Y.astype(int)


def training_part(name: str):
    """Return rows and labels to train on, of a set or a synthetic problem, or None without the raw
    files. Dense rows are contiguous and float64.
    """
    if name in SYNTHETIC:
        problem = synthetic(name)
        X, y = problem.X, problem.y
    elif (data := load(name)) is not None:
        X, y = data[:2]
    else:
        return None
    return X if sparse.issparse(X) else np.ascontiguousarray(X, dtype=float), y


def scaled(X, X_test):
    """Return the rows with features of unit variance; of sparse ones the mean is kept."""
    scaler = StandardScaler(with_mean=not sparse.issparse(X)).fit(X)
    return scaler.transform(X), scaler.transform(X_test)


def measure(model, X, y, X_test, y_test) -> tuple[list[float], bool]:
    """Return micro F1 (in percent) and rank loss, or the accuracy; and whether the training converged."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = clone(model).fit(X, y)
    converged = not any(issubclass(w.category, ConvergenceWarning) for w in caught)
    predicted = model.predict(X_test)
    if np.ndim(y) == 1:
        return [100 * float(np.mean(predicted == y_test))], converged
    loss = metrics.rank_loss(y_test, model.decision_function(X_test))
    return [100 * metrics.f1(y_test, predicted), loss], converged


def cell(values: list[float], converged: bool) -> str:
    """Return what `measure` found as text, with a star if the training did not converge."""
    texts = [f"{values[0]:.1f}", *(f"{value:.3f}" for value in values[1:])]
    return ", ".join(texts) + ("" if converged else " *")


def stages(solution) -> str:
    """Return the methods that ran, with their numbers of steps."""
    return ", ".join(f"{stage.method} {stage.steps}" for stage in solution.methods)
