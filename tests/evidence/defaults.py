"""Evidence for the estimators: ``python tests/evidence/defaults.py [SET ...]`` prints how ``fit(X,
y)`` predicts.

Nothing is set but the loss; beside them stand scikit-learn's nearest estimators, with nothing set
either. Raw files are looked for in the folders named by TOPLABEL_MIRROR; a set that is not there is
left out. Percent, but the rank loss.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from toplabel import MultilabelClassifier, TopKClassifier, metrics
from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.datasets.fetch import fetch
from toplabel.reproduction.datasets.locate import available, mirror_folders
from toplabel.reproduction.datasets.prepare import prepare

ROOT = Path(__file__).resolve().parents[2]
SETS = ("letter", "yeast", "scene", "emotions", "medical", "bibtex", "delicious")
MULTICLASS = {
    "TopKClassifier()": TopKClassifier(random_state=0),
    'TopKClassifier("lr_multi")': TopKClassifier("lr_multi", random_state=0),
    "LinearSVC()": LinearSVC(random_state=0),
    "LogisticRegression()": LogisticRegression(),
}
MULTILABEL = {
    "MultilabelClassifier()": MultilabelClassifier(random_state=0),
    'MultilabelClassifier("lr_ml")': MultilabelClassifier("lr_ml", random_state=0),
    'MultilabelClassifier("svm_ml", gamma=1.0)': MultilabelClassifier(
        "svm_ml", gamma=1.0, random_state=0
    ),
    "OneVsRestClassifier(LinearSVC())": OneVsRestClassifier(LinearSVC(random_state=0)),
    "OneVsRestClassifier(LogisticRegression())": OneVsRestClassifier(LogisticRegression()),
}


def load(name: str):
    """The prepared set, or None where its raw files are not there."""
    entry = load_registry(ROOT / "config/datasets.yaml")[name]
    mirrors = mirror_folders((), ROOT)
    with tempfile.TemporaryDirectory() as folder:
        if not available(entry, folder, mirrors)[0]:
            return None
        fetch(entry, folder, mirrors, network=False)
        return prepare(entry, folder)


def multiclass_row(y, scores, predicted) -> dict[str, float]:
    """Accuracies in percent."""
    return {
        "top1": 100 * float(np.mean(y == predicted)),
        "top3": 100 * metrics.top_k_accuracy(y, scores, 3, ties="shared"),
    }


def multilabel_row(Y, scores, predicted) -> dict[str, float]:
    """For label sets the top-k accuracy is P@1 and P@3."""
    return {
        "f1_micro": 100 * metrics.f1(Y, predicted),
        "rank_loss": metrics.rank_loss(Y, scores),
        "top1": 100 * metrics.precision_at_k(Y, scores, 1, ties="shared"),
        "top3": 100 * metrics.precision_at_k(Y, scores, 3, ties="shared"),
    }


def rows_of(name: str):
    """A row for each estimator, as soon as it is measured."""
    data = load(name)
    if data is None:
        print(f"{name}: raw files not there (TOPLABEL_MIRROR)", file=sys.stderr)
        return
    train, test = (data.parts[getattr(data.splits[0], part)] for part in ("train", "test"))
    # Labels as int: of a uint8 indicator scikit-learn numbers the columns modulo 256.
    one = data.task == "multiclass"
    for estimator, model in (MULTICLASS if one else MULTILABEL).items():
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(train.X, train.y if one else train.Y.astype(int))
        seconds = time.perf_counter() - start
        scores, predicted = model.decision_function(test.X), model.predict(test.X)
        measure = multiclass_row if one else multilabel_row
        numbers = measure(test.y if one else test.Y, scores, predicted)
        yield {"set": name, "estimator": estimator, **numbers} | {
            "seconds": seconds,
            "warnings": ", ".join(sorted({w.category.__name__ for w in caught})),
        }


def main() -> None:
    for name in sys.argv[1:] or SETS:
        print(pd.DataFrame(rows_of(name)).to_string(index=False), flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
