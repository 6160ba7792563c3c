"""The frame of the scripts: bad input ends in one line that names the job, defects keep a traceback."""

import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from toplabel.reproduction.jobs import run


@pytest.fixture
def job(tmp_path, monkeypatch):
    """Snakemake's object of a job; the log and the handlers of the test process are kept apart."""
    kept = signal.getsignal(signal.SIGTERM)
    yield SimpleNamespace(
        log=[str(tmp_path / "logs/job.log")], rule="tune", wildcards=["letter", "svm_multi"]
    )
    signal.signal(signal.SIGTERM, kept)


def _raise(error):
    def main(task, snakemake):
        raise error

    return main


def test_bad_input_ends_in_one_line_that_names_the_job(job, tmp_path):
    with pytest.raises(SystemExit) as ended:
        run(_raise(ValueError("row 7 is empty")), None, job)
    assert ended.value.code == "Error: tune letter svm_multi: row 7 is empty"
    assert "row 7 is empty" in (tmp_path / "logs/job.log").read_text()
    assert "Traceback" in (tmp_path / "logs/job.traceback").read_text()


def test_a_full_disk_ends_a_job_in_one_line(tmp_path):
    script = tmp_path / "job.py"
    script.write_text(
        "import resource\n"
        "from pathlib import Path\n"
        "from types import SimpleNamespace\n"
        "from toplabel.reproduction.jobs import run\n"
        "def main(task, snakemake):\n"
        "    Path('result').write_text('content')\n"
        "job = SimpleNamespace(log=['job.log'], rule='tune', wildcards=['letter'])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "run(main, None, job)\n"
    )
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "Error: tune letter: File too large\n")


def test_a_missing_file_is_named(job):
    with pytest.raises(SystemExit) as ended:
        run(_raise(FileNotFoundError(2, "No such file", "mine.txt")), None, job)
    assert str(ended.value.code).endswith("mine.txt: No such file")


def test_a_defect_keeps_its_traceback(job, tmp_path):
    with pytest.raises(KeyError):
        run(_raise(KeyError("x")), None, job)
    assert "KeyError" in (tmp_path / "logs/job.log").read_text()


def test_a_cancelled_job_ends_with_the_status_of_sigterm(job, tmp_path):
    with pytest.raises(SystemExit) as ended:
        run(lambda task, snakemake: os.kill(os.getpid(), signal.SIGTERM), None, job)
    assert ended.value.code == 143
    assert "SIGTERM" in (tmp_path / "logs/job.log").read_text()
