"""The workflow in other hands: from `workflow/Snakefile`, as a module of another workflow."""

import subprocess

from running import ROOT, jobs_of, snakemake

CELL = "results/digits/svm_ova/evaluation.csv"
STAGES = {"prepare": 1, "tune": 1, "train": 1, "evaluate": 1, "total": 4}


def test_both_snakefiles_are_one_workflow(tmp_path):
    for name in ("Snakefile", "workflow/Snakefile"):
        done = snakemake("--snakefile", ROOT / name, "--dry-run", CELL, directory=tmp_path)
        assert done.returncode == 0, done.stdout
        assert jobs_of(done.stdout) == STAGES


def write_module(folder, rest="", config=""):
    """A Snakefile outside the checkout that uses the workflow as a module."""
    (folder / "Snakefile").write_text(
        f"module toplabel:\n    snakefile: {str(ROOT / 'workflow/Snakefile')!r}\n{config}\n"
        f"use rule * from toplabel as toplabel_*\n{rest}",
        encoding="utf-8",
    )


def test_another_workflow_uses_it_as_a_module(tmp_path):
    write_module(
        tmp_path,
        f"\nrule mine:\n    input: {CELL!r}\n    output: 'mine.txt'\n    shell: 'cp {{input}} {{output}}'\n",
    )
    done = snakemake("--cores", "1", "mine.txt", root=tmp_path, directory=tmp_path)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "mine.txt").read_bytes() == (tmp_path / CELL).read_bytes()


def test_a_module_without_its_checkout_is_refused(tmp_path):
    """A module by `github(...)` is such a one: Snakemake takes this one file from a repository."""
    remote = tmp_path / "remote"
    (remote / "workflow").mkdir(parents=True)
    (remote / "workflow/Snakefile").write_bytes((ROOT / "workflow/Snakefile").read_bytes())
    author = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "Begin"]):
        subprocess.run(["git", *command], cwd=remote, check=True)
    address = f"git+file://{remote}/workflow/Snakefile@HEAD"
    (tmp_path / "Snakefile").write_text(
        f"module toplabel:\n    snakefile: {address!r}\n\nuse rule * from toplabel\n"
    )
    done = snakemake("--dry-run", CELL, root=tmp_path, directory=tmp_path, configfiles=())
    assert done.returncode != 0
    assert "clone it" in done.stdout


def test_the_config_of_a_module_is_filled_in_and_named_in_errors(tmp_path):
    how = {"root": tmp_path, "directory": tmp_path, "configfiles": ()}
    write_module(tmp_path, config='    config: {"studies": ["digits"], "budget": "quick"}\n')
    done = snakemake("--dry-run", CELL, **how)
    assert done.returncode == 0, done.stdout
    stages = {name.removeprefix("toplabel_"): n for name, n in jobs_of(done.stdout).items()}
    assert stages == STAGES
    write_module(tmp_path, config='    config: {"budget": "fast"}\n')
    done = snakemake("--dry-run", CELL, **how)
    assert done.returncode != 0
    assert "budget: " in done.stdout
    assert "'fast'" in done.stdout
