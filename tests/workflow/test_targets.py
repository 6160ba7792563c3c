"""The linter, dry runs of targets, and what bad input gets."""

import re

import pytest
import yaml
from running import ROOT, SMOKE, count_jobs, snakemake

from toplabel.workflow.plan import Plan

pytestmark = pytest.mark.workflow


# What Snakemake says of every run before it reads the Snakefile.
_PREAMBLE = ("Using workflow specific profile", "Config file ")


def _said(output):
    return [line for line in output.splitlines() if line and not line.startswith(_PREAMBLE)]


def _jobs(output):
    return {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", output, re.MULTILINE)}


def test_the_linter_has_nothing_to_say(tmp_path):
    done = snakemake("--lint", directory=tmp_path, configfiles=())
    assert done.returncode == 0, done.stdout[-3000:]


def _cells(*studies):
    """Number of pairs of data set and method in some studies, which are disjoint."""
    files = [ROOT / f"config/studies/{study}.yaml" for study in studies]
    documents = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in files]
    return sum(len(one["datasets"]) * len(one["methods"]) for one in documents)


CIRCLE, DIGITS = _cells("circle"), _cells("digits")
ALL = _cells("circle", "digits", "digit_scenes")


@pytest.mark.parametrize(
    ("target", "expected", "absent"),
    [
        ("all", {"write_html": 1, "write_pdf": 1, "train": ALL, "draw_circle": 1}, "tune_coarse"),
        ("all", {"draw_lambert": 1, "draw_simplices": 1, "draw_losses": 1}, "bench"),
        ("report", {"write_html": 1, "write_pdf": 1}, "tune_coarse"),
        ("data", {"prepare": 3, "collect_datasets": 1}, "tune_set"),
        ("bench", {"bench": 1}, "prepare"),
        ("digits", {"prepare": 1, "tune_set": DIGITS, "compare": 1, "make_table": 1}, "write_html"),
        ("circle", {"prepare": 1, "tune_set": CIRCLE, "make_table": 1}, "draw_circle"),
        ("table03", {"prepare": 1, "train": CIRCLE, "make_table": 1}, "write_html"),
        ("tpami2017_table03", {"prepare": 1, "make_table": 1}, "write_html"),
        ("tpami2017_figure04", {"draw_circle": 1, "train": CIRCLE}, "compare"),
        ("tpami2017_figure02", {"draw_lambert": 1}, "prepare"),
        ("nips2015_figure02", {"draw_simplices": 1}, "prepare"),
        ("nips2012_figure01", {"draw_decoding": 1}, "prepare"),
        ("nips2012_figure02", {"draw_levels": 1}, "prepare"),
        ("losses_1d", {"draw_losses": 1}, "prepare"),
        ("selection_digits", {"draw_selection": 1, "tune_set": DIGITS}, "train"),
        ("tpami2017_figure03a", {"time_projections": 1, "draw_scaling": 1}, "prepare"),
        ("tpami2017_table02", {"time_projections": 1, "draw_scaling": 1}, "prepare"),
        ("table02", {"draw_scaling": 1}, "make_table"),
        ("tpami2017_figure03bc", {"prepare": 1, "time_convergence": 1}, "time_softmax"),
        ("tpami2017_figure03d", {"prepare": 1, "time_softmax": 1}, "tune_set"),
        ("calibration", {"study_calibration": 1, "draw_calibration": 1}, "prepare"),
    ],
)
def test_targets_ask_for_what_they_name(tmp_path, target, expected, absent):
    done = snakemake("--dry-run", target, directory=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:]
    jobs = _jobs(done.stdout)
    assert {rule: jobs.get(rule) for rule in expected} == expected
    assert absent not in jobs


def test_the_count_of_jobs_is_snakemakes(tmp_path):
    """`count_jobs`, on which the limit of the whole graph rests; kernels and several splits come from a rehearsal."""
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    plan = Plan(ROOT, config | yaml.safe_load(SMOKE.read_text(encoding="utf-8")))
    done = snakemake("--dry-run", "all", directory=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:]
    jobs = _jobs(done.stdout)
    of_cells = "fetch prepare tune_set tune_split select train threshold evaluate draw_selection"
    cells = plan.cells_of_studies(plan.config["studies"])
    assert count_jobs(plan, cells) == sum(jobs.get(rule, 0) for rule in of_cells.split())


@pytest.mark.mirror
def test_the_budget_decides_the_phases_of_cross_validation(mirror, tmp_path):
    counts = {}
    for budget in ("quick", "standard", "paper"):
        config = tmp_path / f"{budget}.yaml"
        config.write_text(f"budget: {budget}\n", encoding="utf-8")
        done = snakemake(
            "-n", "yeast", directory=tmp_path, configfiles=(SMOKE, config), mirror=mirror
        )
        jobs = _jobs(done.stdout)
        counts[budget] = [jobs.get(r, 0) for r in ("tune_coarse", "refine_grid", "tune_fine")]
    # four methods with a kernel; 4 widths in one block, 7 in four, 19 in four
    assert counts == {"quick": [4, 0, 0], "standard": [16, 4, 4], "paper": [16, 0, 0]}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ({"budget": "fast"}, "budget: 'fast' is not one of"),
        ({"colour": "red"}, "'colour' was unexpected"),
        ({"eps_train": 0}, "eps_train: 0 is less than or equal to"),
        ({"eps_train": 0.5}, "eps_train: 0.5 is looser than eps_tune"),
        ({"studies": ["circles"]}, "studies: unknown study 'circles'"),
        ({"studies": []}, "studies: [] should be non-empty"),
        ({"max_epochs_tune": 0}, "max_epochs_tune: 0 is less than the minimum"),
        ({"threshold": {"strategy": "guess"}}, "threshold.strategy: 'guess' is not one of"),
        ({"mirrors": "here"}, "mirrors: 'here' is not of type 'array'"),
    ],
)
def test_bad_config_is_one_line_that_names_file_and_key(tmp_path, override, message):
    config = tmp_path / "mine.yaml"
    config.write_text(yaml.safe_dump(override), encoding="utf-8")
    done = snakemake("--dry-run", directory=tmp_path, configfiles=(config,))
    assert done.returncode == 1
    lines = _said(done.stdout)
    assert len(lines) == 1, done.stdout[-2000:]
    assert lines[0].startswith("Error: ")
    assert message in lines[0]
    assert "config/config.yaml" in lines[0]
    assert str(config) in lines[0]


def test_an_unknown_target_is_named(tmp_path):
    done = snakemake("--dry-run", "lettre", directory=tmp_path)
    assert done.returncode == 1
    lines = [line for line in done.stdout.splitlines() if line.startswith("Error")]
    assert lines == ["Error: unknown target 'lettre'; did you mean letter or letter_raw?"]
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize("target", ["letter", "cub", "table07", "multiclass"])
def test_a_target_that_cannot_be_had_is_one_line_before_any_job(tmp_path, target):
    done = snakemake(target, directory=tmp_path)  # the smoke config forbids to download
    assert done.returncode != 0
    lines = [line for line in done.stdout.splitlines() if line.startswith(f"Error: {target}: ")]
    assert len(lines) == 1, done.stdout[-2000:]
    assert "Traceback" not in done.stdout
    assert not (tmp_path / "results").exists()


def test_a_study_skips_what_cannot_be_had(tmp_path):
    config = tmp_path / "more.yaml"
    config.write_text("studies: [digits, multiclass]\n", encoding="utf-8")
    done = snakemake("-n", directory=tmp_path, configfiles=(SMOKE, config))
    assert done.returncode == 0, done.stdout[-2000:]
    assert _jobs(done.stdout)["prepare"] == 1


def test_every_config_lists_the_keys_of_the_schema():
    schema = yaml.safe_load(
        (ROOT / "workflow/schemas/config.schema.yaml").read_text(encoding="utf-8")
    )
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    assert set(config) == set(schema["properties"]) == set(schema["required"])
    documented = (ROOT / "docs/workflow.md").read_text(encoding="utf-8")
    assert all(f"`{key}`" in documented for key in config)
