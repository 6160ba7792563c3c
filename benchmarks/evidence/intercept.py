"""Evidence for ``intercept_scaling="auto"``: ``python benchmarks/evidence/intercept.py [SET ...]`` prints
the table of docs/evidence/estimators.md.

Each set is trained with the logistic losses at C = 1, as it is and with features of unit variance,
for scales of the intercept from 1 to three times the length of the rows (the root of their mean
squared norm). Rows longer than 100 are left out, since no training converges on them. Numbers are
those of ``defaults.py``.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from common import LABEL_SETS, SETS, cell, load, measure, scaled
from scipy import sparse
from threadpoolctl import threadpool_limits

from toplabel import MultilabelClassifier, TopKClassifier

FACTORS = (1.0, 3.0)
COLUMNS = ["set", "length", "1", "auto", *(f"{factor:.2g} lengths" for factor in FACTORS)]


def main() -> None:
    print(f"| {' | '.join(COLUMNS)} |")
    print("|---" * len(COLUMNS) + "|")
    for name in sys.argv[1:] or SETS:
        if (data := load(name)) is None:
            continue
        X, y, X_test, y_test = data
        for form, rows in (("", (X, X_test)), (", scaled", scaled(X, X_test))):
            length = np.sqrt(sparse.csr_array(rows[0]).power(2).sum() / rows[0].shape[0])
            if length > 100:
                continue
            cells = [name + form, f"{length:.3g}"]
            for scaling in (1.0, "auto", *(factor * length for factor in FACTORS)):
                options = {"intercept_scaling": scaling, "random_state": 0}
                if name in LABEL_SETS:
                    model = MultilabelClassifier("lr_ova", **options)
                else:
                    model = TopKClassifier("lr_multi", **options)
                cells.append(cell(*measure(model, rows[0], y, rows[1], y_test)))
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        main()
