"""The workflow in other hands: from `workflow/Snakefile`, as a module of another workflow."""

from running import ROOT, jobs_of, snakemake

CELL = "results/digits/svm_ova/evaluation.csv"
STAGES = {"fetch": 1, "prepare": 1, "tune": 1, "train": 1, "evaluate": 1, "total": 5}


def test_both_snakefiles_are_one_workflow(tmp_path):
    for name in ("Snakefile", "workflow/Snakefile"):
        done = snakemake("--snakefile", ROOT / name, "--dry-run", CELL, directory=tmp_path)
        assert done.returncode == 0, done.stdout
        assert jobs_of(done.stdout) == STAGES
        assert "time left" not in done.stdout


def test_another_workflow_uses_it_as_a_module(tmp_path):
    (tmp_path / "Snakefile").write_text(
        f"module toplabel:\n    snakefile: {str(ROOT / 'workflow/Snakefile')!r}\n\n"
        "use rule * from toplabel as toplabel_*\n\n"
        f"rule mine:\n    input: {CELL!r}\n    output: 'mine.txt'\n    shell: 'cp {{input}} {{output}}'\n",
        encoding="utf-8",
    )
    done = snakemake("--cores", "1", "mine.txt", root=tmp_path, directory=tmp_path)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "mine.txt").read_bytes() == (tmp_path / CELL).read_bytes()
