"""Write the six data sets of own.yaml, four of scikit-learn and two drawn, as tables beside it.

python examples/study/make_sets.py
"""

from pathlib import Path

import numpy as np
from sklearn import datasets

FOLDER = Path(__file__).parent / "raw"


def write(name, X, y):
    """Write a table with a column for each feature and the class in the last one."""
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    header = ",".join([*(f"x{j}" for j in range(X.shape[1])), "class"])
    rows = [
        ",".join([*(f"{value:.10g}" for value in x), f"c{label}"])
        for x, label in zip(X, y, strict=True)
    ]
    (folder / f"{name}.csv").write_text("\n".join([header, *rows, ""]))


def main():
    """Write all sets."""
    for name in ("iris", "wine", "breast_cancer"):
        write(name, *getattr(datasets, f"load_{name}")(return_X_y=True))
    X, y = datasets.load_digits(return_X_y=True)
    write("digits_600", X[:600, X[:600].std(axis=0) > 0], y[:600])
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=400)
    write("gaussians", rng.standard_normal((400, 10)) + 0.7 * np.eye(4, 10)[y] * 2, y)
    X, y = datasets.make_classification(400, 20, n_informative=6, n_classes=3, random_state=0)
    write("mixtures", X, y)


if __name__ == "__main__":
    main()
