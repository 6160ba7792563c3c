"""The result files: what is refused, that what was written comes back, and the page that lists
them.
"""

import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from samples_of_results import collected, published, results
from toplabel._core.files import FileError, result_path
from toplabel.reproduction.compare.comparison import compare
from toplabel.reproduction.tables import cells
from toplabel.reproduction.tables.__main__ import page
from toplabel.reproduction.tables.cells import AGREEMENT, SELECTION, TEST_METRICS
from toplabel.reproduction.tables.collected import COLLECTED, COMPARISON, EVALUATION, GRID
from toplabel.reproduction.tables.table import read_csv

TABLES = (*cells.TABLES, *COLLECTED.values(), GRID)


@pytest.fixture
def path(tmp_path):
    """A file of test metrics with one row."""
    path = tmp_path / "evaluation.csv"
    gap = {"relative_gap": 1e-9}
    TEST_METRICS.write(results(("letter", "svm", "0", "top1", 1.5, gap)), path)
    return path


@pytest.fixture
def bare(path):
    """The same without its sum, as earlier versions wrote it."""
    path.with_name("evaluation.csv.sha256").unlink()
    return path


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.path)
def test_descriptions_are_whole(table, tmp_path):
    assert len(set(table.names)) == len(table.names)
    for column in table.columns:
        assert column.kind in ("text", "number", "whole")
        assert column.about.endswith(".")
    table.write(table.frame(), tmp_path / table.file)
    back = table.read(tmp_path / table.file)
    assert [*back.columns] == table.names
    assert back[table.numbers].dtypes.map(pd.api.types.is_float_dtype).all()


def test_the_page_lists_what_there_is(repository):
    written = (repository / "docs/result-files.md").read_text(encoding="utf-8")
    assert written == page(), (
        "make it again: python -m toplabel.reproduction.tables > docs/result-files.md"
    )


def test_collected_files_are_written_in_one_form(tmp_path):
    ours = collected(
        ("letter", "svm", "main", "top1", 76.0 + 1 / 3, {"C": 2.0**-20}),
        ("yeast", "ml", "main", "rank_loss", 0.1),
    )
    cells = published(
        ("letter", "", "svm_multi", "", "0", "top1", "76.0"),
        ("letter", "", "svm_multi", "", "0", "top3", "89.2"),
    )
    for table, frame in ((EVALUATION, ours), (COMPARISON, compare(ours, cells))):
        first, again = tmp_path / table.file, tmp_path / "again.csv"
        table.write(frame, first)
        back = table.read(first)
        pd.testing.assert_frame_equal(back, frame, check_dtype=False, rtol=1e-11)
        table.write(back, again)
        assert again.read_bytes() == first.read_bytes()
    line = (tmp_path / "comparison.csv").read_text().splitlines()[1]
    assert line.startswith("tpami2017,5,letter,,svm_multi,,0,linear,top1,76.0,,76.3333333333,0.33")
    assert ",9.53674316406e-07," in line


def test_stages_get_every_bit_back(tmp_path):
    rng = np.random.default_rng(0)
    values = {"split": ["007", "1"], "C": 10.0 ** rng.uniform(-9, 9, 2), "at_edge": ["True", ""]}
    frame = SELECTION.frame([{}, {}]).assign(**values, metric="top1")
    frame = frame.astype(dict.fromkeys(SELECTION.numbers, float))
    SELECTION.write(frame, tmp_path / "t.csv")
    again = SELECTION.read(tmp_path / "t.csv")
    pd.testing.assert_frame_equal(again, frame, check_exact=True, check_dtype=False)
    assert again["split"].tolist() == ["007", "1"]  # a name, no number


def test_files_are_joined(tmp_path):
    for method in ("svm", "softmax"):
        row = ("letter", method, "0", "top1", 1.0)
        TEST_METRICS.write(results(row), tmp_path / method / "evaluation.csv")
    joined = TEST_METRICS.read_all(sorted(tmp_path.glob("*/evaluation.csv")))
    assert joined["method"].tolist() == ["softmax", "svm"]
    assert TEST_METRICS.read_all([]).empty


def test_whole_numbers_stay_whole_unless_one_is_missing(bare):
    assert TEST_METRICS.read(bare)["epochs"].tolist() == [10]
    assert TEST_METRICS.read(bare)["epochs"].dtype == int
    bare.write_text(bare.read_text().replace(",10,", ",,"))
    assert math.isnan(TEST_METRICS.read(bare)["epochs"].iloc[0])


def test_a_column_may_stand_for_several(tmp_path):
    tops = {f"{name}_top{k}": [97.5] for name in ("ours", "liblinear") for k in (1, 3)}
    frame = pd.DataFrame({name: [1] for name in AGREEMENT.names} | tops)
    AGREEMENT.write(frame, tmp_path / "agreement.csv")
    assert AGREEMENT.read(tmp_path / "agreement.csv")["ours_top3"].tolist() == [97.5]
    with pytest.raises(FileError, match="the column 'theirs_top1' is unknown"):
        AGREEMENT.write(frame.assign(theirs_top1=0), tmp_path / "agreement.csv")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda t: t.replace("metric", "measure", 1), ": the column 'metric' is missing; another "),
        (lambda t: t.replace("split", "split,fold", 1), ": the column 'fold' is unknown; another "),
        (lambda t: t.replace(",1e-09", ",one"), ":2: 'one' in column 'relative_gap' is not a fin"),
        (lambda t: t.replace(",1e-09", ",inf"), ":2: 'inf' in column 'relative_gap' is not a fin"),
        (lambda t: t.replace(",10,", ",10.5,"), ":2: '10.5' in column 'epochs' is not a whole nu"),
        (lambda t: "", ": the file is empty"),
        (lambda t: t + 'a,"', ": Error tokenizing data"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(bare, damage, message):
    bare.write_text(damage(bare.read_text()))
    with pytest.raises(FileError) as caught:
        TEST_METRICS.read_all([bare])
    assert str(caught.value).startswith(f"{bare}{message}")
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_refused(bare):
    bare.write_bytes(b"dataset\n\xff\n")
    with pytest.raises(FileError, match=r"evaluation\.csv: not UTF-8 at byte 8"):
        read_csv(bare)
    bare.unlink()
    with pytest.raises(FileError, match=r"evaluation\.csv: the file is missing"):
        read_csv(bare)


def test_a_file_that_lost_rows_is_refused(tmp_path):
    path = tmp_path / "evaluation.csv"
    TEST_METRICS.write(results(*(("letter", "svm", str(i), "top1", 1.5) for i in range(3))), path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    with pytest.raises(FileError) as caught:
        TEST_METRICS.read(path)
    assert str(caught.value).startswith(f"{path}: cut off or changed since it was written (its ")
    assert str(caught.value).endswith(f"; `snakemake -f {path}` makes it again")
    assert len(pd.read_csv(path)) == 2  # to others it is a CSV file as any


def test_rows_are_read_and_written_as_frames_are(tmp_path):
    values = {
        "C": [0.1, 1e-5],
        "k": [math.nan, 5.0],
        "value": [1e16, 1 / 3],
        "at_edge": [True, False],
    }
    frame = SELECTION.frame([{}, {}]).assign(split="s,0", metric="top1", **values)
    frame = frame.assign(theta=math.nan, threshold=-0.25)
    SELECTION.write(frame, tmp_path / "frame.csv")
    SELECTION.write_rows(map(SELECTION.row._make, frame.to_numpy()), tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_bytes() == (tmp_path / "frame.csv").read_bytes()
    again = pd.DataFrame(SELECTION.read_rows(tmp_path / "rows.csv"))
    pd.testing.assert_frame_equal(again, SELECTION.read(tmp_path / "frame.csv"), check_dtype=False)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("s,top1,,x,,,1,True", r"rows.csv:2: 'x' in column 'C' is not a finite number"),
        ("s,top1,,1", r"rows.csv:2: 4 columns instead of 8"),
        (None, "the column 'split' is missing"),
    ],
)
def test_rows_that_are_damaged_are_refused(tmp_path, line, message):
    path = tmp_path / "rows.csv"
    text = "metric\ntop1\n" if line is None else f"{','.join(SELECTION.names)}\n{line}\n"
    with result_path(path) as temporary:
        temporary.write_text(text)
    with pytest.raises(FileError, match=message):
        SELECTION.read_rows(path)


@pytest.mark.parametrize("stage", ["tuning", "final", "evaluation", "thresholding"])
def test_training_does_not_import_pandas(stage):
    code = f"import sys, toplabel.reproduction.selection.{stage}; sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
