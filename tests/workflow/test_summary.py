"""The numbers of the documents are those of reports/summary."""

import re

import pandas as pd
import pytest

from toplabel._core.files import write_json
from toplabel.reproduction.compare.headline import headline
from toplabel.reproduction.report import fragments
from toplabel.reproduction.tables.collected import (
    COMPARISON,
    DIFFERENCES,
    EVALUATION,
    FINDINGS,
    HEADLINE,
    READINGS,
    VARIANTS,
    WINNERS,
)
from toplabel.reproduction.tables.table import read_csv, write_csv
from toplabel.reproduction.workflow import summary


def written(folder):
    """A results folder of few cells, of each kind that a fragment shows."""
    cells = [
        ("tpami2017", "7", "scene", "svm_ml", "f1_micro", "68.3", 68.55, 0.25, "match"),
        ("tpami2017", "7", "scene", "svm_ml", "rank_loss", "0.083", 0.091, 0.008, "close"),
        ("tpami2017", "5", "letter", "topk_ent_tr", "top1", "46.1", 40.0, -6.1, "off"),
        ("tpami2017", "5", "letter", "svm_multi", "top1", "56.5", 56.9, 0.4, "match"),
        ("nips2012", "2", "letter", "s_ls_batch", "top1", "54.96", 53.95, -1.01, "close"),
        ("tpami2017", "7", "mediamill", "svm_ml", "f1_micro", "53.0", "", "", ""),
    ]
    names = ["source", "table", "dataset", "method", "metric"]
    names += ["published", "measured", "difference", "verdict"]
    frame = pd.DataFrame(cells, columns=names).assign(kernel="linear", seconds=3.6)
    frame = frame.reindex(columns=COMPARISON.names).assign(budget="standard")
    frame["seeds"] = [5, 5, *[None] * 4]
    frame["in_seeds"] = ["true", "true", *[""] * 4]
    frame["in_rows"] = ["", "", "false", "true", "", ""]
    COMPARISON.write(frame, folder / "comparison.csv")
    measured = [
        (study, "yeast", f"{method}{ending}", metric, 60.04 + i, "")
        for method in ("svm_ml", "svm_ml_smooth", "lr_ml")
        for i, (study, ending) in enumerate(
            (
                ("multilabel;multilabel_bias", ""),
                ("multilabel_bias", "_bias"),
                ("multilabel_bias", "_standard"),
            )
        )
        for metric in ("f1_micro", "subset_accuracy")
    ]
    measured += [
        ("multilabel_baselines", "yeast", "br_svm", "f1_micro", 48.77, ""),
        ("finetuning", "digits_network", "lr_multi_ft", "top1", 97.31, 0.26),
        ("multilabel", "yeast", "svm_ml", "f1_macro", 1.0, ""),
    ]
    names = ["study", "dataset", "method", "metric", "measured", "std"]
    labels = {"br_svm": "BR^{SVM}", "lr_multi_ft": "LR (FT)"}
    frame = pd.DataFrame(measured, columns=names).reindex(columns=EVALUATION.names)
    frame["label"] = frame["method"].map(labels)
    EVALUATION.write(frame, folder / "evaluation.csv")
    claim = {"claim": "finetuning_softmax", "says": "it gains", "other_outcome": "holds"}
    counts = {"other_first": 7, "other_second": 2, "other_median": 0.314, "other_comparisons": 9}
    frame = pd.DataFrame([claim | counts]).reindex(columns=FINDINGS.names)
    FINDINGS.write(frame, folder / "findings.csv")
    for table in (WINNERS, READINGS):
        table.write(table.frame(), folder / table.file)
    worth = headline(COMPARISON.read(folder / "comparison.csv"), ())
    HEADLINE.write(worth, folder / HEADLINE.file)
    (folder / "tables").mkdir()
    columns = ["data set", "method", "metric", "constant", "cardinality", "tuned", "per label"]
    metrics = ["Hamming loss", "Subset acc.", "F1 micro"]
    rows = [["yeast", m, one, *"1234"] for m in ("SVM", "LR") for one in metrics]
    write_csv(pd.DataFrame(rows, columns=columns), folder / "tables/thresholds.csv")
    written_differences(folder)
    for name, took in (("tune/yeast/br_svm/main", "9\t80"), ("prepare/yeast", "1\t70")):
        path = folder / f"benchmarks/{name}.tsv"
        path.parent.mkdir(parents=True)
        path.write_text(f"s\tmax_rss\n{took}\n", encoding="utf-8")
    stage = {"stage": "tune", "jobs": 3, "hours": 1.25, "longest_seconds": 9, "peak_mb": 80}
    run = {"created": "2026-11-24T01:02:03+00:00", "budget": "standard", "versions": {}}
    run |= {"machine": {"cpu": "a processor", "cores": 2, "memory_gib": 23.5}, "jobs": [stage]}
    run |= {"blas": [{"library": "openblas", "version": "0.3", "kernels": "Zen", "threads": 1}]}
    run |= {"parts": [3600, 1800.5], "nodes": ["a host"]}
    run |= {"git": {"commit": "0123456789abcdef", "url": "x"}, "command": "in a folder"}
    write_json(folder / "run.json", run)


def written_differences(folder):
    """Two cells with a reason, of which an experiment is known, and one without."""
    cells = [("letter", "topk_ent_tr", "3", "top1", "off", "too far", "gives 46.2 for LR^{ML}")] * 2
    cells.append(("bibtex", "svm_ml", "", "f1_micro", "higher", "", ""))
    names = ["dataset", "method", "k", "metric", "verdict", "title", "experiment"]
    frame = pd.DataFrame(cells, columns=names)
    write_csv(frame.reindex(columns=DIFFERENCES.names, fill_value=""), folder / "differences.csv")
    VARIANTS.write(VARIANTS.frame(), folder / "variants.csv")


@pytest.fixture
def kept(tmp_path, repository):
    """A checkout's root with what is kept of such a run."""
    (tmp_path / "results").mkdir()
    written(tmp_path / "results")
    root = tmp_path / "checkout"
    (root / summary.SUMMARY).mkdir(parents=True)
    (root / "data").mkdir()
    (root / "data/published").symlink_to(repository / "data/published")
    summary.keep(tmp_path / "results", root / summary.SUMMARY)
    cells = COMPARISON.read_text(tmp_path / "results/comparison.csv")
    COMPARISON.write(with_the_papers_grid(cells), tmp_path / "results/comparison.csv")
    summary.keep_paper(tmp_path / "results", root / summary.SUMMARY)
    COMPARISON.write(cells, tmp_path / "results/comparison.csv")
    return root


def with_the_papers_grid(cells):
    """The rank loss comes nearer at another C, and takes ten times as long."""
    changed = cells.assign(budget="paper", seconds="36")
    changed.loc[1, ["measured", "verdict", "C", "seconds"]] = ["0.085", "match", "0.5", "360"]
    return changed


@pytest.mark.parametrize("page", summary.PAGES)
def test_a_page_has_the_numbers_of_the_last_full_run(repository, page):
    text = (repository / page).read_text(encoding="utf-8")
    assert "<!-- run: " in text
    assert summary.filled(text, repository) == text, "make reference"


def test_each_fragment_stands_in_a_page(repository):
    text = "".join((repository / page).read_text(encoding="utf-8") for page in summary.PAGES)
    assert {name.split()[0] for name in re.findall(r"<!-- run: ([\w ]+) -->", text)} == set(
        summary.MAKERS
    )


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "score",
            [
                "**The last whole run** (",
                "measured 5 of the 8,482",
                "With shuffled methods",
                "2 under other readings",
            ],
        ),
        ("cardinality", ["In 6 comparisons", "on 1 data sets", "points"]),
        ("counts letter", ["| TPAMI 2017, Table 5 | letter | 1 | 1 | 2 |", "are 0.40 points"]),
        ("counts multilabel", ["| **all** |  | 1 | 1 | 2 |", "So 2 of 2 (100 %)"]),
        (
            "intervals",
            ["| letter | linear | 3 | 1 of 2 |", "| scene | linear | 2 | — | 5 | 2 of 2 |"],
        ),
        ("beside nips2012 2", ["54.96 / 53.95 / −1.01 close |", "Of 1 cells: 1 close."]),
        ("bias", ["| yeast | `lr_ml` |  /  /  | 60.0 / 61.0 / 62.0 | 60.0 / 61.0 / 62.0 |"]),
        ("baselines", ["| yeast | BR<sup>SVM</sup> |  |  |  | 48.8 |  |"]),
        ("finetuning", ["| digits_network | LR (FT) | 97.3 ± 0.3 |  |  |  |"]),
        ("claims finetuning", ["| it gains | confirmed | 9 | 7 | 2 | +0.31 |"]),
        (
            "strategies",
            ["| yeast | 1.000 / 2.000 / 3.000 / 4.000 | 1.0 / 2.0 / 3.0 / 4.0 |", "|  |"],
        ),
        (
            "grids multilabel",
            [
                "| scene | linear | 2 | 1 | 2 | 1 | 1 of 2 | 0.30 | 0.60 | 0.00 | 0.10 |",
                "| scene | SVM<sup>ML</sup> | Rank loss | 0.083 | 0.091 | 0.085 | close → match |",
            ],
        ),
        (
            "differences",
            [
                "| too far | letter | top-3 Ent<sub>tr</sub> | 2 | 0 | 0 | gives 46.2 for LR<sup>ML</sup> |",
                "| not looked into | bibtex | SVM<sup>ML</sup> | 0 | 1 | 0 |  |",
            ],
        ),
        (
            "jobs",
            [
                "| tune yeast br_svm main | 9 | 80 |",
                "| multilabel_baselines | 1 | 0.00 |",
                "| data, and jobs for all | 1 |",
            ],
        ),
        (
            "grids letter",
            [
                "| letter | linear | 3 | 1 | 1 | 0 | 0 of 3 | 0.00 | 0.00 |",
                "No cell has another verdict.",
            ],
        ),
        (
            "conditions",
            [
                "commit `0123456789ab`",
                "1.5 hours of wall time in 2 parts",
                "| tune | 3 | 1.25 | 9 | 80 |",
            ],
        ),
    ],
)
def test_a_fragment_is_made_of_the_kept_files(kept, name, lines):
    page = f"before\n<!-- run: {name} -->\nas it was\n<!-- end -->\nafter"
    text = summary.filled(page, kept)
    assert text.startswith(f"before\n<!-- run: {name} -->\n\n")
    assert text.endswith("\n\n<!-- end -->\nafter")
    assert "as it was" not in text
    for line in lines:
        assert line in text
    assert summary.filled(text, kept) == text


def test_of_a_run_only_what_the_pages_need_is_kept(kept):
    folder = kept / summary.SUMMARY
    assert len(COMPARISON.read_text(folder / "comparison.csv")) == 5
    for study in read_csv(folder / "measured.csv")["study"]:
        assert {*study.split(";")} & {*summary.STUDIES}
    text = (folder / "run.json").read_text(encoding="utf-8")
    assert not any(word in text for word in ("a host", "in a folder", "url"))


def test_a_run_with_another_budget_is_not_kept_as_that_of_the_papers_grid(kept, tmp_path):
    with pytest.raises(ValueError, match="--paper is for the budget `paper` alone"):
        summary.keep_paper(kept / summary.SUMMARY, tmp_path)
    assert not (tmp_path / "paper.csv").exists()


def test_a_fragment_of_which_nothing_is_kept_stays(kept):
    (kept / summary.SUMMARY / "run.json").unlink()
    measured = kept / summary.SUMMARY / "measured.csv"
    write_csv(read_csv(measured).iloc[:0], measured)
    for name in ("conditions", "bias", "baselines", "finetuning"):
        page = f"<!-- run: {name} -->\nas it was\n<!-- end -->"
        assert summary.filled(page, kept) == page


def test_an_unknown_fragment_is_refused(kept):
    with pytest.raises(ValueError, match="no fragment has the name 'nothing'"):
        summary.filled("<!-- run: nothing -->\n\n<!-- end -->", kept)


def test_multilabel_sets_are_those_of_tables_7_and_9():
    cells = pd.DataFrame(
        [("tpami2017", number, "a", "svm_ml", "match", 0.1) for number in ("5", "7", "9")],
        columns=["source", "table", "dataset", "method", "verdict", "difference"],
    )
    assert "| **all** |  | 2 | 2 |" in fragments.counts(cells, "multilabel")


@pytest.fixture
def checkout(kept, monkeypatch):
    """The same as the working folder, with a page of each name."""
    for name in (*summary.PAGES, summary.PICTURE):
        (kept / name).parent.mkdir(parents=True, exist_ok=True)
        (kept / name).write_text("<!-- run: score -->\n\nold\n\n<!-- end -->\n", encoding="utf-8")
    monkeypatch.chdir(kept)
    return kept


def state(root):
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_pages_and_picture_are_written(checkout):
    assert summary.main([]) == 0
    assert "5 of the 8,4" in (checkout / "README.md").read_text(encoding="utf-8")
    assert "<svg" in (checkout / summary.PICTURE).read_text(encoding="utf-8")


def test_a_run_that_lacks_cells_is_kept_only_if_that_is_asked_for(checkout, tmp_path, capsys):
    results = tmp_path / "results"
    cells = COMPARISON.read_text(results / "comparison.csv")
    COMPARISON.write(cells.iloc[1:], results / "comparison.csv")
    before = state(checkout)
    assert summary.main([str(results)]) == 1
    said = capsys.readouterr().err
    assert (
        "make summary: 1 of the 5 cells of reports/summary/comparison.csv are not in this run, first"
        in said
    )
    assert "tpami2017, 7, scene, svm_ml" in said
    assert state(checkout) == before
    assert summary.main([str(results), "--fewer"]) == 0
    assert len(COMPARISON.read_text(checkout / summary.SUMMARY / "comparison.csv")) == 4


@pytest.mark.parametrize("budgets", [("quick", "quick"), ("standard", "paper")])
def test_a_quick_run_and_a_mixed_one_are_not_kept(checkout, tmp_path, capsys, budgets):
    path = tmp_path / "results/comparison.csv"
    cells = COMPARISON.read_text(path)
    COMPARISON.write(cells.assign(budget=[budgets[i % 2] for i in range(len(cells))]), path)
    before = state(checkout)
    assert summary.main([str(path.parent)]) == 1
    assert "; kept is a run of one, and not `quick`" in capsys.readouterr().err
    assert state(checkout) == before


def test_an_error_leaves_everything_as_it_was(checkout, tmp_path, capsys):
    before = state(checkout)
    assert summary.main([str(tmp_path / "nowhere")]) == 1
    (tmp_path / "results/run.json").unlink()
    assert summary.main([str(tmp_path / "results")]) == 1
    assert [line[:13] for line in capsys.readouterr().err.splitlines()] == ["make summary:"] * 2
    assert state(checkout) == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda cells: cells.assign(verdict="mtach"), "unknown verdict 'mtach'"),
        (lambda cells: pd.concat([cells, cells.iloc[:1]]), "svm_ml, linear, f1_micro stands twice"),
        (lambda cells: cells.assign(measured="x"), "svm_ml, linear, f1_micro has no number"),
    ],
)
def test_a_comparison_that_is_none_is_refused(checkout, tmp_path, capsys, change, words):
    path = tmp_path / "results/comparison.csv"
    write_csv(change(read_csv(path).iloc[:5]), path)
    before = state(checkout)
    assert summary.main([str(tmp_path / "results")]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert "comparison.csv" in said
    assert state(checkout) == before


def test_a_run_that_lacks_sets_without_published_numbers_is_not_kept(checkout, tmp_path, capsys):
    path = tmp_path / "results/evaluation.csv"
    write_csv(read_csv(path).query("dataset != 'digits_network'"), path)
    assert summary.main([str(tmp_path / "results")]) == 1
    said = capsys.readouterr().err
    assert "1 of the 20 cells of reports/summary/measured.csv are not in this run" in said
    assert "digits_network, lr_multi_ft, top1" in said


def test_the_run_json_of_an_earlier_version_is_refused_in_one_line(checkout, tmp_path, capsys):
    path = tmp_path / "results/run.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"hours"', '"cpu_hours"'), "utf-8")
    path.with_name("run.json.sha256").unlink(missing_ok=True)
    assert summary.main([str(tmp_path / "results")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "not of this version (KeyError('hours'))" in line
