"""Check that runs which are killed, or whose disk is full, end with the same numbers.

    python tests/campaign/runs.py               # 20 kills, 10 full disks, 200 damaged results, ...
    python tests/campaign/runs.py --times 1 --seed 7 --only kill

The run of config/smoke.yaml with its reports is made once. Then

kill    it is made in an empty folder and killed with SIGKILL five times, at random moments:
        Snakemake with all its jobs, Snakemake alone, or a job alone. No file may be there that
        differs from its sum. The same command must go on each time, and finish.
disk    it is made in a file system of a random size, which is enlarged when the run has ended,
        five times before there is room.
damage  a file of its results is cut, cut at the end of a line, changed in one bit, overwritten with
        zeros or emptied. Reading it must be refused in one line that names the file and the command
        that makes it again.

And the circle of that run alone, up to the comparison:

path    it is made in a folder whose name has blanks, quotes, a command, a semicolon and letters of
        other scripts.
tmpdir  TMPDIR names a folder that does not exist: one line before any job, and nothing is written.
clock   it is killed, and goes on with a clock that was set back by an hour (Debian's faketime).
reports the folder of the reports is read-only: one line before any job.

Numbers are compared with those of the first run, but for wall times. Anything else is a defect: it
is printed, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))

from running import SMOKE, command, environment

from same_numbers import same_numbers
from toplabel._core.files import FileError, checked, file_sum
from toplabel.reproduction.data.prepared import load_prepared

_CHAIN = ("all", "Snakemake", "all", "Snakemake", "a job")  # who is killed, one after the other
_COMPARED = ("results/comparison.csv", "results/evaluation.csv")
_NAMES = (
    "a blank and 'quotes\"",
    "$(touch made) `touch made`",
    "a;touch made;b & c",
    "Größe 数据 données",
    "{braces} %s \\n",
)


@dataclass(frozen=True)
class Campaign:
    """A finished run, and where others are tried.

    Attributes
    ----------
    place : Path
        For the folders of all runs.
    target : str
    configs : tuple of Path
        What they compute.
    """

    place: Path
    target: str
    configs: tuple[Path, ...]

    @property
    def reference(self) -> Path:
        """The folder of the finished run."""
        return self.place / "reference"

    @cached_property
    def seconds(self) -> float:
        """Return what the finished run took; make the run if it is not there."""
        took = self.place / "seconds"
        if not took.exists():
            begin = time.monotonic()
            done = self.run(self.folder("reference"))
            if done.returncode != 0:
                sys.exit(f"the first run fails: {done.stdout[-3000:]}")
            took.write_text(f"{time.monotonic() - begin:.1f}", encoding="utf-8")
        return float(took.read_text(encoding="utf-8"))

    def folder(self, name: str) -> Path:
        """A new folder of a run."""
        folder = self.place / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def command(self, folder: Path) -> list[str]:
        """The command line of a run in a folder."""
        return command(self.target, directory=folder, configfiles=self.configs, cores=2)

    def run(
        self, folder: Path, before: Sequence[str] = (), **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run in a folder, with words before the command and variables in its environment."""
        return subprocess.run(
            [*before, *self.command(folder)],
            env=environment() | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def finish(self, folder: Path, before: Sequence[str] = ()) -> str:
        """Run to the end in a folder; what is wrong with that, empty if nothing is."""
        done = self.run(folder, before)
        if done.returncode != 0:
            return f"the same command fails: {done.stdout[-2000:]}"
        return self.compare(folder)

    def compare(self, folder: Path) -> str:
        """The first difference from the reference run."""
        found = (
            "" if same_numbers(self.reference / name, folder / name) else f"{name} differs"
            for name in _COMPARED
        )
        return next(filter(None, found), "")


def campaigns(place: Path) -> tuple[Campaign, Campaign]:
    """The smoke run, and a small part of it."""
    config = place / "circle.yaml"
    config.write_text("studies: [circle]\n", encoding="utf-8")
    whole = Campaign(place / "whole", "all", (SMOKE,))
    return whole, Campaign(place / "circle", "results/comparison.csv", (SMOKE, config))


def half_written(folder: Path) -> str:
    """A file that differs from the sum beside it; empty if there is none."""
    for beside in folder.glob("results/**/*.sha256"):
        path = beside.with_suffix("")
        if path.is_file() and file_sum(path) != beside.read_text(encoding="utf-8").split()[0]:
            return f"{path.relative_to(folder)} differs from its sum"
    return ""


def kill(campaign: Campaign, rng: random.Random, number: int) -> str:
    """Kill a run at random moments, and go on after each."""
    folder = campaign.folder(f"killed{number}")
    moments = sorted(rng.uniform(0.0, 0.95 * campaign.seconds) for _ in _CHAIN)
    for whom, start, end in zip(_CHAIN, [0.0, *moments], moments, strict=False):
        _kill_one(campaign, rng, folder, whom, end - start)
        if found := half_written(folder):
            return f"{whom} killed at {end:.1f} s: {found}"
    if not (found := campaign.finish(folder)):
        shutil.rmtree(folder)
    return found


def _kill_one(
    campaign: Campaign, rng: random.Random, folder: Path, whom: str, seconds: float
) -> None:
    """Begin a run and kill it, or a job of it, after some seconds."""
    run = subprocess.Popen(
        campaign.command(folder),
        env=environment(),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(seconds)
    if whom == "all":
        os.killpg(run.pid, signal.SIGKILL)
    elif whom == "Snakemake":
        run.kill()
    else:
        _kill_a_job(run.pid, rng)
    run.wait()
    _wait_for_orphans(run.pid)


def _group(leader: int) -> list[int]:
    """What still runs of a session. A zombie does not; in a container nobody may ever ask for its
    exit status.
    """
    listed = subprocess.run(
        ["ps", "-o", "pid=,stat=", "-s", str(leader)], capture_output=True, text=True, check=False
    )
    found = (line.split() for line in listed.stdout.splitlines())
    return [int(pid) for pid, state in found if not state.startswith("Z")]


def _kill_a_job(leader: int, rng: random.Random) -> None:
    jobs = [pid for pid in _group(leader) if pid != leader]
    if jobs:
        try:
            os.kill(rng.choice(jobs), signal.SIGKILL)
        except ProcessLookupError:
            return


def _wait_for_orphans(leader: int) -> None:
    """Jobs whose Snakemake is dead write what they have; a user waits for them, too."""
    while _group(leader):
        time.sleep(0.2)


def full_disk(campaign: Campaign, rng: random.Random, number: int) -> str:
    """Run on disks of random sizes, each larger than the last, and go on when there is room."""
    disk, copy = campaign.folder(f"disk{number}"), campaign.place / f"copy{number}"
    shutil.rmtree(copy, ignore_errors=True)
    needed = sum(path.stat().st_size for path in campaign.reference.rglob("*") if path.is_file())
    sizes = sorted(rng.randrange(100, needed // 1024) for _ in _CHAIN)
    run = shlex.join(campaign.command(disk))
    tries = "".join(f"mount -o remount,size={size}k {disk} && {run}; " for size in sizes)
    script = (
        f"mount -t tmpfs -o size={sizes[0]}k tmpfs {disk} && {{ {tries}"
        f"mount -o remount,size=1g {disk} && {run} && cp -r {disk} {copy}; }}"
    )
    namespace = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
    done = subprocess.run(namespace, env=environment(), capture_output=True, text=True, check=False)
    found = done.stdout + done.stderr
    wrong = "" if done.returncode == 0 else f"the same command fails: {found[-2000:]}"
    if not wrong and "Traceback" in found:
        wrong = f"a traceback: {found[found.index('Traceback') - 200 :][:3000]}"
    wrong = wrong or half_written(copy) or campaign.compare(copy)
    shutil.rmtree(copy, ignore_errors=True)
    return f"disks of {sizes} kB: {wrong}" if wrong else ""


def damage(campaign: Campaign, rng: random.Random, number: int) -> str:
    """Damage a file of the results, and read it."""
    results = campaign.reference / "results"
    paths = sorted(path.with_suffix("") for path in results.rglob("*.sha256"))
    paths += sorted(results.glob("*/data/*.npy"))
    path = rng.choice(paths)
    good = path.read_bytes()
    bad = _damaged(good, rng)
    path.write_bytes(bad)
    try:
        if path.suffix == ".npy":
            load_prepared(path.parent)
        else:
            checked(path)
    except FileError as error:
        one_line = str(error).isprintable() and path.name in str(error)
        found = "" if one_line and "snakemake -f" in str(error) else f"says {error}"
    else:
        found = "is accepted" if bad != good else ""
    finally:
        path.write_bytes(good)
    return f"{path.relative_to(campaign.reference)} {found}" if found else ""


def _damaged(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    place = rng.randrange(len(data)) if data else 0
    kind = rng.choice(("cut", "line", "bit", "zeros", "empty"))
    if kind == "cut":
        return data[:place]
    if kind == "line":
        return data[: data.rfind(b"\n", 0, place) + 1]
    if kind == "bit" and data:
        changed[place] ^= 1 << rng.randrange(8)
    if kind == "zeros":
        changed[place : place + 64] = bytes(len(changed[place : place + 64]))
    return b"" if kind == "empty" else bytes(changed)


def path(campaign: Campaign, rng: random.Random, number: int) -> str:
    """Run in a folder with a hostile name."""
    name = _NAMES[number % len(_NAMES)]
    folder = campaign.folder(name)
    found = campaign.finish(folder)
    if not found and (made := [*campaign.place.rglob("made"), *Path().glob("made")]):
        found = f"the name was run as a command: {made[0]}"
    shutil.rmtree(folder)
    return f"{name}: {found}" if found else ""


def _refused(done: subprocess.CompletedProcess[str], folder: Path, name: str) -> str:
    """What is wrong with a run that has to end in one line before its first job."""
    last = done.stdout.splitlines()[-1:]
    if done.returncode == 0 or "Traceback" in done.stdout or not last or name not in last[0]:
        return f"says {done.stdout[-2000:]}"
    return "results are there" if list(folder.glob("results/*")) else ""


def tmpdir(campaign: Campaign, rng: random.Random, number: int) -> str:
    """Run with a TMPDIR that does not exist, and go on with one that does."""
    folder = campaign.folder(f"tmpdir{number}")
    done = campaign.run(folder, TMPDIR=str(campaign.place / "none"))
    found = _refused(done, folder, "TMPDIR") or campaign.finish(folder)
    shutil.rmtree(folder)
    return found


def clock(campaign: Campaign, rng: random.Random, number: int) -> str:
    """Kill a run, and go on with a clock that was set back by an hour."""
    folder = campaign.folder(f"clock{number}")
    _kill_one(campaign, rng, folder, "all", rng.uniform(0.0, campaign.seconds))
    found = half_written(folder) or campaign.finish(folder, ("faketime", "-f", "-1h"))
    found = found or campaign.finish(folder)
    shutil.rmtree(folder)
    return found


def reports(campaign: Campaign, rng: random.Random, number: int) -> str:
    """Run where the folder of the reports is read-only, and go on where it is not."""
    folder = campaign.folder(f"reports{number}")
    (folder / "reports").mkdir()
    mount = f"mount -t tmpfs -o ro tmpfs {shlex.quote(str(folder / 'reports'))}"
    run = shlex.join(campaign.command(folder))
    namespace = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f"{mount} && {run}"]
    done = subprocess.run(namespace, env=environment(), capture_output=True, text=True, check=False)
    done.stdout += done.stderr
    found = _refused(done, folder, "reports") or campaign.finish(folder)
    shutil.rmtree(folder)
    return found


@dataclass(frozen=True)
class Part:
    """A kind of attack: its title, how often it is tried, and how many attacks each try is."""

    title: str
    attempt: Callable[[Campaign, random.Random, int], str]
    times: int
    attacks: int = 1
    is_small: bool = True  # it attacks the small run


PARTS = {
    "kill": Part("killed runs (SIGKILL)", kill, 4, attacks=len(_CHAIN), is_small=False),
    "disk": Part("full disks", full_disk, 2, attacks=len(_CHAIN), is_small=False),
    "damage": Part("damaged results", damage, 200, is_small=False),
    "path": Part("folders with hostile names", path, len(_NAMES)),
    "tmpdir": Part("TMPDIR missing", tmpdir, 2),
    "clock": Part("clock set back by an hour", clock, 5),
    "reports": Part("folder of reports read-only", reports, 2),
}


def main(arguments: list[str] | None = None) -> int:
    """Try the parts, print a table, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, help="tries of each part")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=[*PARTS])
    parser.add_argument("--place", type=Path, help="a folder that is kept, with the first run")
    asked = parser.parse_args(arguments)
    defects = 0
    with tempfile.TemporaryDirectory(prefix="campaign") as temporary:
        place = asked.place or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        whole, small = campaigns(place.resolve())
        for name in asked.only:
            part = PARTS[name]
            campaign = small if part.is_small else whole
            times, faults = asked.times or part.times, 0
            if name == "clock" and not shutil.which("faketime"):
                print("clock: left out, since faketime is not installed (apt-get install faketime)")
                times = 0
            begin, _ = time.monotonic(), campaign.seconds
            for number in range(times):
                found = part.attempt(
                    campaign, random.Random(f"{name} {asked.seed} {number}"), number
                )
                faults += bool(found)
                if found:
                    print(f"  {name} {number}: {found}", flush=True)
            seconds = time.monotonic() - begin
            print(
                f"{name}: tried {times * part.attacks}, faults {faults}, {seconds:.0f} s",
                flush=True,
            )
            defects += faults
    return int(defects > 0)


if __name__ == "__main__":
    sys.exit(main())
