"""The examples of the README run."""

import re

import numpy as np

import toplabel


def test_the_python_examples_run(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 7
    Y = (rng.random((60, 7)) < 0.3).astype(int)
    names = {"X": X, "y": y, "Y": Y, "X_test": X, "y_test": y, "Y_val": Y}
    for code in blocks:
        exec(code, names)
    assert names["solution"].relative_gap <= 1e-3
    assert [solution.C for solution in names["path"]] == [0.01, 0.1, 1, 10]
    assert 0.0 <= names["f1"] <= 1.0


def test_the_table_of_losses_is_complete(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    listed = {key for key in re.findall(r"`([a-z_]+)`", text) if key in toplabel.losses.LOSSES}
    assert listed == set(toplabel.losses.LOSSES)
