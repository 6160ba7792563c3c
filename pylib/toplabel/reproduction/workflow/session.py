"""What happens before the first job of a run and after its last one.

One run at a time works in a folder. Snakemake's own lock is a set of files that outlive a killed
process, after which the same command refuses to start; the kernel releases the one here whenever
its holder ends.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from toplabel.reproduction.config.documents import read_yaml
from toplabel.reproduction.workflow.environment import note_start
from toplabel.reproduction.workflow.fingerprints import save_parsed
from toplabel.reproduction.workflow.folders import FolderError, check_folders
from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.targets import Targets

_LOCK = ".snakemake/toplabel.lock"


class RunLockError(RuntimeError):
    """Another run is active."""


def read_plan(root: Path, config: Mapping[str, Any], workflow: Any) -> Plan:
    """Return the plan of a run of Snakemake, or end it in one line."""
    try:
        # Read again, since Snakemake takes the last of a key given twice.
        names = [root / "config/config.yaml", *workflow.overwrite_configfiles]
        layers = [(_short(name, root), read_yaml(name)) for name in names]
        plan = Plan(root, config, [*layers, ("--config", workflow.config_settings.config)])
        check_folders(sets=plan.registry)
    except (ValueError, FolderError) as error:
        sys.exit(f"Error: {error}")
    return plan


def _short(name: str | Path, root: Path) -> str:
    return "config/config.yaml" if name == root / "config/config.yaml" else str(name)


def lock_run(path: str | os.PathLike[str]) -> FileLock:
    """Take the lock of a run, or say who has it.

    Parameters
    ----------
    path : path-like
        The file to lock. It holds the number of the last holder's process.

    Returns
    -------
    FileLock
        Held as long as it is referred to.

    Raises
    ------
    RunLockError
        One line with the folder and the number of the process that holds the lock.
    """
    lock = FileLock(path, blocking=False, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        holder = Path(path).read_text(encoding="ascii", errors="replace").strip() or "unknown"
        raise RunLockError(
            f"another run is active in {Path.cwd()} (process {holder}); "
            "wait for it to end, or stop it"
        ) from None
    Path(path).write_text(f"{os.getpid()}\n", encoding="ascii")
    return lock


class Session:
    """A run of Snakemake, as its handlers see it.

    Parameters
    ----------
    plan : Plan
    targets : Targets
    """

    def __init__(self, plan: Plan, targets: Targets) -> None:
        self._plan, self._targets = plan, targets
        self._reports = False
        self._lock: FileLock | None = None

    def begin(self, workflow: Any) -> None:
        """Take the lock of the folder, and say what the run computes and how long that takes."""
        from snakemake.exceptions import WorkflowError

        from toplabel.reproduction.workflow.progress import follow

        try:
            self._lock = lock_run(_LOCK)
        except RunLockError as error:
            raise WorkflowError(str(error)) from None
        note_start()
        save_parsed()
        self._reports = follow(workflow, self._plan, self._targets)

    def succeed(self) -> None:
        """Say what was measured, and where the reports are."""
        from toplabel.reproduction.workflow.announcements import closing

        print("", *closing(self._plan, self._reports), sep="\n", file=sys.stderr)

    def fail(self) -> None:
        """Report on what there is, and print nothing that would hide the error."""
        from toplabel.reproduction.workflow.partial import has_failures, write_partial

        try:
            if not has_failures(self._plan):
                return
            missing = len(write_partial(self._plan))
        except Exception as error:
            print(f"No report on what there is: {error}", file=sys.stderr)
            return
        print(
            "The run did not finish; reports/index.html shows what there is, and why the rest is"
            f" missing: {missing} results or files. The same command goes on where it ended.",
            file=sys.stderr,
        )
