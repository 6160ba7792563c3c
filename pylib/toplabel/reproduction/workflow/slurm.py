"""What Slurm says of the jobs of a folder: those in its queue, and why it ended earlier attempts."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

LOGS = Path(".snakemake/slurm_logs")
"""Logs of the executor plugin, kept of failed jobs: ``rule_<rule>/<wildcards>/<job>.log``."""

_TIME = re.compile("DUE TO TIME LIMIT")
_MEMORY = re.compile("oom.kill|out.of.memory|memory limit", re.IGNORECASE)
_WAIT = 30  # seconds, for a controller that does not answer
_WHERE = {"slurm_account": "account", "slurm_partition": "partition"}


class SubmissionError(RuntimeError):
    """Slurm takes no jobs of this account or in this partition."""


def queued_jobs(folder: Path) -> list[str]:
    """Return the numbers of the jobs of earlier runs in a folder that still wait or run; none where
    no run has used Slurm, or it does not answer.
    """
    if not (folder / LOGS).is_dir():
        return []
    command = ["squeue", "--me", "--noheader", "--format=%i|%k|%Z"]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, timeout=_WAIT, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    # The plugin's comment on a job is its rule with the wildcards.
    return re.findall(rf"^(\S+)\|rule_.*\|{re.escape(str(folder))}$", asked.stdout, re.MULTILINE)


def check_submission(workflow: Any) -> None:
    """Ask Slurm whether it takes jobs of the accounts and partitions of a run, before the run tries
    each of its jobs in vain.

    Raises
    ------
    SubmissionError
        One line with the account, the partition and the words of Slurm.
    """
    if getattr(workflow.executor_plugin, "name", "") != "slurm":
        return
    jobs = {job.rule.name: job for job in workflow.dag.needrun_jobs() if not job.is_local}
    for asked in {tuple(map(job.resources.get, _WHERE)) for job in jobs.values()}:
        options = [
            f"--{name}={value}" for name, value in zip(_WHERE.values(), asked, strict=True) if value
        ]
        command = ["sbatch", "--test-only", *options, "--wrap=true"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_WAIT)
        except (OSError, subprocess.TimeoutExpired):
            return  # the plugin has words for it
        if done.returncode and re.search("account|partition|qos", done.stderr, re.IGNORECASE):
            raise SubmissionError(f"{' '.join(command[:-1])}: {' '.join(done.stderr.split())}")


def growth(rule: str, wildcards: Iterable[str], attempt: int, begun: float) -> tuple[int, int]:
    """Return by how much the time and the memory of an attempt are those of the first: twice for
    each attempt since the run has begun that Slurm ended for it, and for any where it has left no
    log.
    """
    names = "_".join(wildcards).replace("/", "_")
    # A rule of a module has its name behind that of the module.
    logs = LOGS.glob(f"rule_*{rule}/{names}/*.log") if attempt > 1 else ()
    texts = [log.read_text("utf-8", "replace") for log in logs if log.stat().st_mtime >= begun]
    if not texts:
        return 2 ** (attempt - 1), 2 ** (attempt - 1)
    time, memory = (sum(bool(why.search(text)) for text in texts) for why in (_TIME, _MEMORY))
    return 2**time, 2**memory
