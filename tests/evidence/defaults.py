"""Evidence for the estimators: ``python tests/evidence/defaults.py [SET ...]`` prints how ``fit(X,
y)`` predicts, as the tables of docs/evidence/estimators.md.

Nothing is set but the loss; beside them stand scikit-learn's nearest estimators, with nothing set
either. Each set is taken as it is and with features of unit variance (of sparse ones the mean is
kept). Raw files are looked for in the folders named by TOPLABEL_MIRROR; a set that is not there is
left out. A star: a training did not converge.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn import datasets
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from toplabel import MultilabelClassifier, TopKClassifier, metrics
from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data.fetch import fetch, mirror_folders
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.raw import missing_reason

ROOT = Path(__file__).resolve().parents[2]
LABEL_SETS = ("emotions", "scene", "yeast", "medical", "enron", "bibtex")
SETS = (*LABEL_SETS, "letter", "landsat", "optdigits", "isolet1", "digits", "breast_cancer", "wine")
MULTICLASS = {
    "`TopKClassifier()`": TopKClassifier(random_state=0),
    '`TopKClassifier("lr_multi")`': TopKClassifier("lr_multi", random_state=0),
    "`LinearSVC()`": LinearSVC(random_state=0),
    "`LogisticRegression()`": LogisticRegression(),
}
MULTILABEL = {
    "`MultilabelClassifier()`": MultilabelClassifier(random_state=0),
    '`MultilabelClassifier("lr_ml")`': MultilabelClassifier("lr_ml", random_state=0),
    "one-vs-rest `LinearSVC()`": OneVsRestClassifier(LinearSVC(random_state=0)),
    "one-vs-rest `LogisticRegression()`": OneVsRestClassifier(LogisticRegression()),
}


def load(name: str):
    """Return rows and labels of the training and the test part, or None without the raw files."""
    if name not in load_registry(ROOT / "config/datasets.yaml") or name == "digits":
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
        return X, y, X_test, y_test
    entry = load_registry(ROOT / "config/datasets.yaml")[name]
    mirrors = mirror_folders((), ROOT)
    with tempfile.TemporaryDirectory() as folder:
        if missing_reason(entry, folder, mirrors):
            print(f"{name}: raw files not there (TOPLABEL_MIRROR)", file=sys.stderr)
            return None
        fetch(entry, folder, mirrors, network=False)
        data = prepare(entry, folder)
    train, test = (data.parts[getattr(data.splits[0], part)] for part in ("train", "test"))
    if data.task == "multiclass":
        return train.X, train.y, test.X, test.y
    # Labels as int: of a uint8 indicator scikit-learn numbers the columns modulo 256.
    return train.X, train.Y.astype(int), test.X, test.Y.astype(int)


def scaled(X, X_test):
    """Return the rows with features of unit variance."""
    scaler = StandardScaler(with_mean=not sparse.issparse(X)).fit(X)
    return scaler.transform(X), scaler.transform(X_test)


def measure(model, X, y, X_test, y_test) -> tuple[list[float], bool, float]:
    """Return micro F1 (in percent) and rank loss, or the accuracy; convergence; and seconds."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = clone(model).fit(X, y)
    seconds = time.perf_counter() - start
    converged = not any(issubclass(w.category, ConvergenceWarning) for w in caught)
    predicted = model.predict(X_test)
    if np.ndim(y) == 1:
        return [100 * float(np.mean(predicted == y_test))], converged, seconds
    loss = metrics.rank_loss(y_test, model.decision_function(X_test))
    return [100 * metrics.f1(y_test, predicted), loss], converged, seconds


def row_of(name: str, data, models) -> str:
    """Return the line of a table: each model on the features as they are, and scaled."""
    X, y, X_test, y_test = data
    cells = [name]
    for train, test in ((X, X_test), scaled(X, X_test)):
        for model in models.values():
            values, converged, _ = measure(model, train, y, test, y_test)
            texts = [f"{values[0]:.1f}", *(f"{value:.3f}" for value in values[1:])]
            cells.append(", ".join(texts) + ("" if converged else " *"))
    return f"| {' | '.join(cells)} |"


def main() -> None:
    names = sys.argv[1:] or SETS
    for models, sets in ((MULTILABEL, LABEL_SETS), (MULTICLASS, set(SETS) - set(LABEL_SETS))):
        print(f"| set | {' | '.join([*models, *(f'{name}, scaled' for name in models)])} |")
        print("|---" * (1 + 2 * len(models)) + "|")
        for name in (name for name in names if name in sets):
            if (data := load(name)) is not None:
                print(row_of(name, data, models), flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
