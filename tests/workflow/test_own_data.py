"""docs/add-a-dataset.md, literally: three files of one's own, their rows, and the full table.

The checkout is a copy in which nothing changes but config/datasets.yaml and one file of
config/studies.
"""

import numpy as np
import pytest
from running import ROOT, SMOKE, copy_checkout, read_rows, snakemake

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
STUDY = "title: My own\ndatasets: [tags, notes, vectors]\nmethods: [lr_ml]\n"
D, M = 12, 5


def _rows_of_the_documentation():
    """The entries that the page shows, without `mine`, which holds single labels."""
    page = (ROOT / "docs/add-a-dataset.md").read_text(encoding="utf-8")
    lines = [line[4:] for line in page.splitlines() if line.startswith("    ")]
    entries = lines[: lines.index("title: First look at my data")]
    return "\n".join(entries[entries.index("  tags:") :]) + "\n"


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
    checkout, folder = copy_checkout(tmp_path / "checkout"), tmp_path / "run"
    with (checkout / "config/datasets.yaml").open("a", encoding="utf-8") as registry:
        registry.write("\n" + _rows_of_the_documentation())
    (checkout / "config/studies/my_own.yaml").write_text(STUDY)
    _write_files(folder / "data/raw")

    config = tmp_path / "mine.yaml"
    config.write_text("studies: [my_own]\n", encoding="utf-8")
    files = ("results/datasets.csv", "results/tables/my_own.csv")
    done = snakemake(*files, directory=folder, configfiles=(SMOKE, config), root=checkout)
    assert done.returncode == 0, done.stdout[-5000:]

    sets = {row["dataset"]: row for row in read_rows(folder / "results/datasets.csv")}
    for name in ("tags", "notes", "vectors"):
        assert sets[name]["status"] == "ready"
        sizes = [sets[name][key] for key in ("n_classes", "n_features")]
        assert sizes == [str(M), str(D)]
        n = [int(sets[name][key]) for key in ("n_train", "n_test")]
        assert n == ([60, 30] if name == "tags" else [63, 27])
    table = read_rows(folder / "results/tables/my_own.csv")
    cells = {(row["dataset"], row["metric"]): float(row["measured"]) for row in table}
    assert set(cells) == {
        (name, metric) for name in ("tags", "notes", "vectors") for metric in METRICS
    }
    assert len(table) == len(cells)
    # The labels are half-spaces: a mistake in the order of rows or columns shows in the metrics.
    assert max(value for (_, metric), value in cells.items() if metric == "hamming_loss") < 0.25
    assert min(value for (_, metric), value in cells.items() if metric == "f1_micro") > 75
    comparison = read_rows(folder / "results/comparison.csv")
    assert not any(row["measured"] for row in comparison)
