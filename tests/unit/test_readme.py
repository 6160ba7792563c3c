"""The examples of the README and of docs/library.md run."""

import re

import numpy as np

import toplabel


def blocks(path):
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def test_the_example_of_the_readme_runs_alone(repository, capsys):
    (code,) = blocks(repository / "README.md")
    exec(code, {})
    accuracy, gap = map(float, capsys.readouterr().out.split())
    assert accuracy > 0.98
    assert 0 <= gap <= 1e-3


def test_the_first_page_fits_a_screen(repository):
    lines = (repository / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100


def test_the_examples_of_the_library_run(repository):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 7
    Y = (rng.random((60, 7)) < 0.3).astype(int)
    names = {"X": X, "y": y, "Y": Y, "X_test": X, "y_test": y, "X_val": X, "Y_val": Y}
    for code in blocks(repository / "docs/library.md"):
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
    assert "\n".join(rows) in (repository / "docs/library.md").read_text(encoding="utf-8")
