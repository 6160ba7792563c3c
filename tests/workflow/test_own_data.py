"""docs/own-data.md, literally: files of one's own, their entries, and the full table.

Nothing of the checkout changes: entries, a method and a study stand in a config file.
"""

import numpy as np
import pytest
import yaml
from running import ROOT, SMOKE, read_rows, snakemake

from toplabel.reproduction.compare.cells import MEASURED, read_cells

pytestmark = pytest.mark.workflow

METRICS = {
    "rank_loss",
    "hamming_loss",
    "accuracy",
    "subset_accuracy",
    "f1_micro",
    "f1_macro",
    "f1_instance",
}
OWN = {
    "methods": {"my_svm": {"label": "My SVM", "loss": "svm_ml", "gamma": 0.5}},
    "studies": {
        "my_own": {
            "title": "My own",
            "datasets": ["tags", "notes", "vectors"],
            "methods": ["lr_ml", "my_svm"],
        }
    },
}
D, M = 12, 5


def _rows_of_the_documentation():
    """Return the entries of label sets that the page shows."""
    page = (ROOT / "docs/own-data.md").read_text(encoding="utf-8")
    lines = [line[4:] for line in page.splitlines() if line.startswith("    ")]
    return yaml.safe_load("\n".join(lines[lines.index("  tags:") :]))


def _examples(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, D)).astype(float)
    directions = np.random.default_rng(0).standard_normal((D, M))
    return X, (X @ directions > 0.5).astype(int)


def _libsvm(X, Y):
    rows = []
    for x, labels in zip(X, Y, strict=True):
        pairs = "".join(f" {j + 1}:{x[j]:g}" for j in np.flatnonzero(x))
        rows.append(",".join(map(str, np.flatnonzero(labels))) + pairs)
    return "\n".join(rows) + "\n"


def _arff(X, Y):
    header = [f"@attribute word{j} numeric" for j in range(D)]
    header += [f"@attribute tag{j} {{0,1}}" for j in range(M)]
    table = np.column_stack([X, Y])
    rows = ["{" + ",".join(f"{j} {row[j]:g}" for j in np.flatnonzero(row)) + "}" for row in table]
    return "\n".join(["@relation tags", *header, "@data", *rows]) + "\n"


def _write_files(raw):
    for name in ("tags", "notes", "vectors"):
        (raw / name).mkdir(parents=True)
    (raw / "tags/tags-train.arff").write_text(_arff(*_examples(60, 1)))
    (raw / "tags/tags-test.arff").write_text(_arff(*_examples(30, 2)))
    labels = "".join(f'<label name="tag{j}"></label>\n' for j in reversed(range(M)))
    (raw / "tags/tags.xml").write_text(
        f'<labels xmlns="http://mulan.sourceforge.net/labels">\n{labels}</labels>\n'
    )
    (raw / "notes/notes.txt").write_text(_libsvm(*_examples(90, 3)))
    X, Y = _examples(90, 4)
    np.savez(raw / "vectors/vectors.npz", X=X, Y=Y)


def test_a_row_for_each_file_gives_the_full_table(tmp_path):
    folder, config = tmp_path / "run", tmp_path / "own.yaml"
    _write_files(folder / "data/raw")
    own = OWN | {"datasets": _rows_of_the_documentation()}
    config.write_text(yaml.safe_dump(own), encoding="utf-8")
    files = ("results/datasets.csv", "results/cells.csv")
    done = snakemake(*files, directory=folder, configfiles=(SMOKE, config))
    assert done.returncode == 0, done.stdout[-5000:]

    sets = {row["dataset"]: row for row in read_rows(folder / "results/datasets.csv")}
    for name in ("tags", "notes", "vectors"):
        assert sets[name]["status"] == "ready"
        sizes = [sets[name][key] for key in ("n_classes", "n_features")]
        assert sizes == [str(M), str(D + 1)]  # with the column of ones
        n = [int(sets[name][key]) for key in ("n_train", "n_test")]
        assert n == ([60, 30] if name == "tags" else [63, 27])
    cells = read_cells(folder / "results/cells.csv")
    table = cells[(cells["run"] == MEASURED)].to_dict("records")
    cells = {(row["label"], row["dataset"], row["metric"]): row["value"] for row in table}
    assert set(cells) == {
        (method, name, metric)
        for method in ("LR^{ML}", "My SVM")
        for name in ("tags", "notes", "vectors")
        for metric in METRICS
    }
    assert len(table) == len(cells)
    # The labels are half-spaces: a mistake in the order of rows or columns shows in the metrics.
    assert max(value for (*_, metric), value in cells.items() if metric == "hamming_loss") < 0.25
    assert min(value for (*_, metric), value in cells.items() if metric == "f1_micro") > 75
    assert not any(row["source"] for row in table)
