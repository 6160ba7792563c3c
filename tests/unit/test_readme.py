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


def test_the_table_of_losses_is_the_catalogue(repository):
    labels = {"one": "one", "set": "a set", "either": "one, or a set"}
    rows = ["| loss | labels per row | parameters | what it is |", "|---|---|---|---|"]
    for loss in toplabel.losses.LOSSES.values():
        has = {"`k`": loss.top_k, "`gamma`": loss.smoothing}
        names = ", ".join(name for name, meant in has.items() if meant)
        rows.append(f"| `{loss.key}` | {labels[loss.labels]} | {names} | {loss.about} |")
    assert "\n".join(rows) in (repository / "README.md").read_text(encoding="utf-8")
