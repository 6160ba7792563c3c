"""Evidence for ``threshold="tune"``: ``python benchmarks/evidence/thresholds.py [SET ...]`` prints the
micro F1 on the test part with each way to set one threshold for all labels.

Each set is trained with "lr_ova" at C = 1, as it is, with features of unit variance, and so on 250
rows drawn at random (the mean of three draws).
"""

from __future__ import annotations

import sys

import numpy as np
from common import LABEL_SETS, load, measure, scaled
from threadpoolctl import threadpool_limits

from toplabel import MultilabelClassifier

THRESHOLDS = {"0": 0.0, "cardinality": "cardinality", "tune": "tune"}


def main() -> None:
    print(f"| set | rows | {' | '.join(THRESHOLDS)} |")
    print("|---" * (2 + len(THRESHOLDS)) + "|")
    for name in sys.argv[1:] or LABEL_SETS:
        if (data := load(name)) is None:
            continue
        X, y, X_test, y_test = data
        Z, Z_test = scaled(X, X_test)
        every = [np.arange(X.shape[0])]
        few = [np.random.default_rng(seed).permutation(X.shape[0])[:250] for seed in range(3)]
        for form, train, test, draws in (
            ("", X, X_test, every),
            (", scaled", Z, Z_test, every),
            (", scaled", Z, Z_test, few),
        ):
            cells = [name + form, str(len(draws[0]))]
            for threshold in THRESHOLDS.values():
                model = MultilabelClassifier(threshold=threshold, random_state=0)
                found = [measure(model, train[i], y[i], test, y_test)[0][0] for i in draws]
                cells.append(f"{np.mean(found):.1f}")
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
