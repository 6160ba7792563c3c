"""Dry runs, one per family of targets, and bad input on the command line; `test_plan.py` has the
rest.
"""

import re
from base64 import urlsafe_b64encode
from dataclasses import fields

import pytest
import yaml
from running import ROOT, SMOKE, count_jobs, jobs_of, smoke_plan, snakemake

from toplabel._core.files import result_path
from toplabel.reproduction.config.documents import read_yaml
from toplabel.reproduction.config.run import RunConfig
from toplabel.reproduction.workflow.arguments import check_arguments

pytestmark = pytest.mark.workflow


# What Snakemake says of every run before it reads the Snakefile.
_PREAMBLE = ("Using workflow specific profile", "Config file ")


def _said(output):
    return [line for line in output.splitlines() if line and not line.startswith(_PREAMBLE)]


def _dry_run(*targets, directory, **how):
    done = snakemake("--dry-run", *targets, directory=directory, **how)
    assert done.returncode == 0, done.stdout[-3000:]
    return jobs_of(done.stdout)


def _cells(*studies):
    """Number of pairs of data set and method in some studies, which are disjoint."""
    documents = [read_yaml(ROOT / f"config/studies/{study}.yaml") for study in studies]
    return sum(len(one["datasets"]) * len(one["methods"]) for one in documents)


CIRCLE, DIGITS = _cells("circle"), _cells("digits")


@pytest.mark.parametrize(
    ("targets", "expected", "absent"),
    [
        ("data", {"prepare": 3, "collect_datasets": 1}, {"tune"}),
        ("digits", {"prepare": 1, "tune": DIGITS, "evaluate": DIGITS}, {"compare", "make_table"}),
        (
            "table03 tpami2017_table03",
            {"prepare": 1, "train": CIRCLE, "evaluate": CIRCLE},
            {"compare", "draw_circle"},
        ),
        (
            "tpami2017_figure04 selection_digits",
            {"tune": CIRCLE + DIGITS, "train": CIRCLE, "draw_circle": 1, "draw_selection": 1},
            {"compare"},
        ),
        (
            "tpami2017_figure02 nips2015_figure02 nips2012_figure01 nips2012_figure02 losses_1d "
            "tpami2017_figure03a table02 tpami2017_table02 calibration",
            {"draw_mathematics": 5, "time_projections": 1, "draw_scaling": 1}
            | {"study_calibration": 1, "draw_calibration": 1},
            {"prepare", "make_table"},
        ),
        (
            "tpami2017_figure03bc tpami2017_figure03d",
            {"prepare": 1, "time_convergence": 1, "time_softmax": 1},
            {"tune"},
        ),
    ],
)
def test_targets_ask_for_what_they_name(tmp_path, targets, expected, absent):
    jobs = _dry_run(*targets.split(), directory=tmp_path)
    assert {rule: jobs.get(rule) for rule in expected} == expected
    assert not absent & set(jobs)


def test_the_whole_run_and_the_count_of_its_jobs(tmp_path):
    """`count_jobs` is what the limit of the whole graph rests on; `test_rehearsal.py` has kernels
    and splits.
    """
    plan = smoke_plan()
    cells = plan.cells_of_studies(plan.config["studies"])
    jobs = _dry_run(directory=tmp_path)
    assert jobs["all"] == 1
    expected = {"write_html": 1, "write_pdf": 1, "train": len(cells), "draw_circle": 1}
    expected |= {"draw_mathematics": 5}
    assert {rule: jobs.get(rule) for rule in expected} == expected
    assert "tune_block" not in jobs
    of_cells = "fetch prepare tune tune_block train threshold evaluate draw_selection"
    assert count_jobs(plan, cells) == sum(jobs.get(rule, 0) for rule in of_cells.split())


@pytest.mark.mirror
def test_kernels_are_tuned_in_blocks_and_then_finer(mirror, tmp_path):
    config = tmp_path / "paper.yaml"
    config.write_text("budget: paper\n", encoding="utf-8")
    jobs = _dry_run("yeast", directory=tmp_path, configfiles=(SMOKE, config), mirror=mirror)
    # four methods with a kernel, whose nineteen widths are four blocks
    assert jobs["tune_block"] == 16
    assert jobs["tune"] == jobs["train"]


def test_bad_config_is_one_line_that_names_file_and_key(tmp_path):
    config = tmp_path / "mine.yaml"
    config.write_text(yaml.safe_dump({"threshold": {"strategy": "guess"}}), encoding="utf-8")
    done = snakemake("--dry-run", directory=tmp_path, configfiles=(config,))
    assert done.returncode == 1
    (line,) = _said(done.stdout)
    assert line.startswith(f"Error: {config}: threshold.strategy: 'guess' is")
    done = snakemake("--dry-run", "--config", "budget=fast", directory=tmp_path)
    assert done.returncode == 1
    (line,) = _said(done.stdout)
    assert line.startswith("Error: --config: budget: 'fast' is not one of ")


def test_the_files_of_the_option_are_found(tmp_path):
    missing = str(tmp_path / "nope.yaml")
    for arguments in (
        ["-n", "--configfile", str(SMOKE), missing, "--cores", "1"],
        ["--configfiles", missing],
        [f"--configfile={missing}", "all"],
    ):
        with pytest.raises(SystemExit, match=r"Error: .*nope\.yaml: no such file"):
            check_arguments(arguments)
    check_arguments(["--cores", "1", missing, "--configfile", str(SMOKE), "--config", missing])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[studies]\n", "a list, not a mapping of keys to values"),
        ("", "nothing in it, not a mapping of keys to values"),
        ("__use_yte__: true\n", "the key '__use_yte__' is not supported; write the values out"),
        ("[" * 100_000, "nested deeper than 50 levels"),
        ("budget: quick\nbudget: quick\n", "the key 'budget' is given twice"),
    ],
)
def test_a_config_file_that_is_none_is_named(tmp_path, text, words):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(SystemExit, match=f"^Error: {path}.*: {re.escape(words)}$"):
        check_arguments(["--configfile", str(path)])


@pytest.mark.parametrize("option", ["--directory", "-d", "--directory="])
def test_a_work_folder_that_is_a_file_is_named(tmp_path, option):
    path = tmp_path / "file"
    path.write_text("")
    given = [f"{option}{path}"] if option.endswith("=") else [option, str(path)]
    with pytest.raises(SystemExit, match=f"^Error: {path}: is not a folder; --directory names"):
        check_arguments([*given, "--cores", "1"])


def test_a_damaged_target_is_named_unless_it_is_made_again(tmp_path):
    target = "results/evaluation.csv"
    (tmp_path / "results").mkdir()
    with result_path(tmp_path / target) as path:
        path.write_text("a\n1\n")
    given = [target, "--directory", str(tmp_path)]
    check_arguments(given)
    (tmp_path / target).write_text("a\n")
    with pytest.raises(
        SystemExit, match=rf"^Error: .*{target}: cut off or .*`snakemake -f {target}`"
    ):
        check_arguments(given)
    for force in ("-f", "-nF", "--forceall"):
        check_arguments([force, *given])
    # A run that was killed goes on with the same command: Snakemake makes again what it was at.
    notes = tmp_path / ".snakemake/incomplete"
    notes.mkdir(parents=True)
    (notes / urlsafe_b64encode(b"results/other.csv").decode()).write_text("")
    with pytest.raises(SystemExit):
        check_arguments(given)
    (notes / urlsafe_b64encode(target.encode()).decode()).write_text("")
    check_arguments(given)


@pytest.mark.workflow
def test_the_command_line_is_checked_before_snakemake_acts_on_it(tmp_path):
    path, missing = tmp_path / "file", tmp_path / "nope.yaml"
    path.write_text("")
    for how, said in (
        ({"directory": path}, f"{path}: is not a folder; --directory names that of the run"),
        ({"directory": tmp_path, "configfiles": (SMOKE, missing)}, f"{missing}: no such file"),
    ):
        done = snakemake("--dry-run", **how)
        assert done.returncode == 1
        assert _said(done.stdout) == [f"Error: {said}"]


def test_a_table_with_its_cells_is_a_matter_of_the_config(tmp_path):
    config = tmp_path / "mine.yaml"
    config.write_text("studies: [table03]\n", encoding="utf-8")
    table = "results/tables/table03.csv"
    jobs = _dry_run(table, directory=tmp_path, configfiles=(SMOKE, config))
    assert (jobs["prepare"], jobs["evaluate"], jobs["make_table"]) == (1, CIRCLE, 1)


def test_a_target_that_cannot_be_had_is_one_line_before_any_job(tmp_path):
    done = snakemake("usps", directory=tmp_path)  # the smoke config forbids to download
    assert done.returncode != 0
    lines = [line for line in done.stdout.splitlines() if line.startswith("Error: usps: ")]
    assert len(lines) == 1, done.stdout[-2000:]
    assert "Traceback" not in done.stdout
    assert not (tmp_path / "results").exists()


def test_the_config_has_every_key_that_there_is():
    config = read_yaml(ROOT / "config/config.yaml")
    assert set(config) == {field.name for field in fields(RunConfig)}
    documented = (ROOT / "docs/workflow.md").read_text(encoding="utf-8")
    assert all(f"`{key}`" in documented for key in config)
