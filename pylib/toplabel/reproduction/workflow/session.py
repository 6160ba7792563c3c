"""What happens before the first job of a run and after its last one."""

from __future__ import annotations

import atexit
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from types import FrameType
from typing import Any

from filelock import FileLock

from toplabel.reproduction.config.documents import read_yaml
from toplabel.reproduction.data.locate import MIRROR_VARIABLE
from toplabel.reproduction.workflow.arguments import unknown_target
from toplabel.reproduction.workflow.environment import note_start
from toplabel.reproduction.workflow.fingerprints import save_parsed
from toplabel.reproduction.workflow.folders import FolderError, check_folders, pull_back_times
from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.runlock import RunLockError, check_run, lock_run
from toplabel.reproduction.workflow.slurm import SubmissionError, check_submission
from toplabel.reproduction.workflow.targets import Targets

_TWICE = 2.0  # seconds in which Ctrl-C counts once
_RETRY = 0.1  # seconds
_SHOWN = 5  # of many errors, so many
_INTERRUPTED = 130  # as shells report a process that Ctrl-C ended


def read_plan(root: Path, config: Mapping[str, Any], workflow: Any) -> Plan:
    """Return the plan of a run of Snakemake, or end it in one line."""
    from snakemake.utils import update_config

    try:
        if workflow.remote_exec:
            check_run()
        # Read again, since Snakemake takes the last of a key given twice.
        names = [root / "config/config.yaml", *workflow.overwrite_configfiles]
        layers = [(_short(name, root), read_yaml(name)) for name in names]
        layers.append(("--config", workflow.config_settings.config))
        if workflow.modifier.skip_configfile:
            # `config:` of a module stands in place of the file, and of the command line.
            layers = [layers[0], ("`config:` of the module", config)]
            config = deepcopy(layers[0][1])
            update_config(config, layers[1][1])
        plan = Plan(root, config, layers)
        if workflow.is_main_process:  # nodes of a cluster need no raw files
            _check_mirrors(plan)
        check_folders(sets=plan.registry)
    except (ValueError, FolderError, RunLockError) as error:
        sys.exit(f"Error: {error}")
    return plan


def _short(name: str | Path, root: Path) -> str:
    return "config/config.yaml" if name == root / "config/config.yaml" else str(name)


def _check_mirrors(plan: Plan) -> None:
    named = os.environ.get(MIRROR_VARIABLE, "").split(os.pathsep)
    for key, folders in ((MIRROR_VARIABLE, named), ("mirrors", plan.config["mirrors"])):
        for folder in filter(None, map(str, folders)):
            if not Path(os.path.expanduser(folder)).is_dir():
                raise ValueError(f"{key}: {folder}: no such folder")


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
        self._began = time.time()
        self._interrupted = 0.0  # when Ctrl-C came

    def check_targets(self, workflow: Any) -> None:
        """End a run of this workflow, not of another that uses it, if a target does not exist."""
        if Path(workflow.main_snakefile).resolve().parent in (
            self._plan.root,
            self._plan.root / "workflow",
        ):
            rules = [rule.name for rule in workflow.rules]
            if wrong := unknown_target(rules, self._plan.registry, self._plan.methods):
                sys.exit(f"Error: {wrong}")

    def begin(self, workflow: Any) -> None:
        """Take the lock of the folder, and say what the run computes and how long that takes."""
        from toplabel.reproduction.workflow.progress import follow

        try:
            self._lock = lock_run()
            check_submission(workflow)
        except (RunLockError, SubmissionError) as error:
            sys.exit(f"Error: {error}")
        if count := pull_back_times(self._began):
            print(
                f"{count:,} files are of the future, as after a clock was set back: they get the"
                " time of now.",
                file=sys.stderr,
            )
        logging.raiseExceptions = False  # a log on a full disk gets no traceback of its own
        note_start()
        save_parsed()
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._interrupt)
            threading.setprofile(_block_interrupts)
        if callable(ends := signal.getsignal(signal.SIGTERM)):
            signal.signal(signal.SIGTERM, in_a_thread(ends))
        self._reports = follow(workflow, self._plan, self._targets)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Say in one line that Ctrl-C has come, and let Snakemake end the jobs without a word."""
        if not self._interrupted and not _is_inside(frame, "schedule"):  # no job runs
            os._exit(_INTERRUPTED)
        elif _is_inside(frame, "emit"):  # of a log, which takes no notice of exceptions
            threading.Timer(_RETRY, os.kill, (os.getpid(), signal.SIGINT)).start()
        elif not self._interrupted:
            self._interrupted = time.monotonic()
            _silence()
            print(
                "\nInterrupted: the jobs are stopped, and what there is gets a report; Ctrl-C again"
                " ends at once. The same command goes on where it ended.",
                file=sys.stderr,
            )
            raise KeyboardInterrupt
        elif time.monotonic() > self._interrupted + _TWICE:
            os._exit(_INTERRUPTED)

    def succeed(self) -> None:
        """Say what was measured, and where the reports are."""
        from toplabel.reproduction.workflow.announcements import closing

        print("", *closing(self._plan, self._reports), sep="\n", file=sys.stderr)

    def fail(self) -> None:
        """Report on what there is, and print nothing that would hide the error."""
        from toplabel.reproduction.workflow.failures import errors_since
        from toplabel.reproduction.workflow.partial import has_failures, write_partial

        try:
            errors = errors_since(self._began)
            if errors and not self._interrupted:  # the last lines, after Snakemake's own
                atexit.register(_print_errors, errors)
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


def in_a_thread(handler: Callable[..., Any]) -> Callable[..., None]:
    """Return a handler of signals that calls another in a thread.

    That of Snakemake 9.27 waits for a lock, for ever where the interrupted code holds it.
    """
    return lambda *given: threading.Thread(target=handler, args=given, daemon=True).start()


def _block_interrupts(*event: Any) -> None:
    """Keep Ctrl-C from a new thread and the jobs that it starts, which take it when they can:
    `jobs.run` unblocks it.
    """
    sys.setprofile(None)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])


def _is_inside(frame: FrameType | None, function: str) -> bool:
    """Return whether a frame is, or was called from, one of a function of this name."""
    while frame is not None and frame.f_code.co_name != function:
        frame = frame.f_back
    return frame is not None


def _silence() -> None:
    """Let Snakemake print nothing more; its log has it."""
    from snakemake.logging import logger

    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler":
            handler.setLevel(logging.CRITICAL + 1)


def _print_errors(errors: list[str]) -> None:
    more = [f"and {len(errors) - _SHOWN} more"] if len(errors) > _SHOWN else []
    print(*(f"Error: {error}" for error in errors[:_SHOWN]), *more, sep="\n", file=sys.stderr)
