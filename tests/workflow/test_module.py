"""The workflow in other hands: from `workflow/Snakefile`, as a module of another workflow."""

import shutil
import subprocess

import pytest
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


def clone_with_changes(folder):
    """A repository of the checkout as it is now, one commit with the tag v0."""
    subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)
    changed = ["git", "ls-files", "-z", "--modified", "--others", "--exclude-standard"]
    names = subprocess.check_output(changed, cwd=ROOT, text=True).split("\0")
    for name in filter(None, names):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    author = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
    for command in (
        ["add", "."],
        [*author, "commit", "-qm", "Now", "--allow-empty"],
        ["tag", "v0"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)


@pytest.mark.parametrize("address", ["github", "git+file"])
def test_a_module_of_a_repository_is_cloned(tmp_path, monkeypatch, address):
    """As snakedeploy writes it; git takes the repository beside in place of that at GitHub."""
    remote = tmp_path / "github" / "someone" / "toplabel"
    clone_with_changes(remote)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{tmp_path}/github/.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    snakefile = {
        "github": 'github("someone/toplabel", path="workflow/Snakefile", tag="v0")',
        "git+file": f"{f'git+file://{remote}/workflow/Snakefile@v0'!r}",
    }[address]
    work = tmp_path / "work"
    work.mkdir()
    (work / "Snakefile").write_text(
        f"module toplabel:\n    snakefile: {snakefile}\n    config: config\n\nuse rule * from toplabel\n"
    )
    done = snakemake("--dry-run", CELL, root=work, directory=work, configfiles=())
    assert done.returncode == 0, done.stdout
    assert jobs_of(done.stdout) == STAGES
    assert (work / ".snakemake/toplabel/v0/config/config.yaml").exists()


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
