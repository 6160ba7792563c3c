"""Evidence for the estimators: ``python benchmarks/evidence/defaults.py [SET ...]`` prints how ``fit(X,
y)`` predicts, as the tables of docs/evidence/estimators.md.

Nothing is set but the loss; beside them stand scikit-learn's nearest estimators, with nothing set
either. Each set is taken as it is and with features of unit variance (of sparse ones the mean is
kept). Raw files are looked for in the folders named by TOPLABEL_MIRROR; a set that is not there is
left out. A star: a training did not converge.
"""

from __future__ import annotations

import sys

from common import LABEL_SETS, SETS, cell, load, measure, scaled
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from toplabel import MultilabelClassifier, TopKClassifier

MULTICLASS = {
    '`TopKClassifier("svm_multi")`': TopKClassifier("svm_multi", random_state=0),
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


def row_of(name: str, data, models) -> str:
    """Return the line of a table: each model on the features as they are, and scaled."""
    X, y, X_test, y_test = data
    cells = [name]
    for train, test in ((X, X_test), scaled(X, X_test)):
        for model in models.values():
            cells.append(cell(*measure(model, train, y, test, y_test)))
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
