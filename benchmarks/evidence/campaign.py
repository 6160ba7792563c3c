"""Runs that are killed, or whose disk is full, or whose results are damaged: `python benchmarks/evidence/campaign.py`.

The run of config/smoke.yaml is made once. Then

kill    it is made in an empty folder and killed with SIGKILL five times, at random moments. The same
        command, after `snakemake --unlock`, goes on each time, and finishes;
disk    it is made in a file system of a random size, which is enlarged five times before there is
        room;
damage  a file of its results is cut or changed in one bit. Reading it is refused in one line.

Numbers are compared with those of the first run. A fault is printed, and the exit status is 1.
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
import time
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path[:0] = [str(_TESTS), str(_TESTS / "workflow")]

from running import SMOKE, command, environment, snakemake  # noqa: E402

from same_numbers import same_numbers  # noqa: E402
from toplabel.reproduction.files import FileError, checked, file_sum  # noqa: E402

_PLACE = _TESTS.parent / "build/campaign"
_TIMES = 5


def reference() -> tuple[Path, float]:
    """The folder of the undisturbed run, and the seconds that it took."""
    folder, begin = _folder("reference"), time.monotonic()
    done = snakemake(directory=folder)
    assert done.returncode == 0, done.stdout[-3000:]
    return folder, time.monotonic() - begin


def kill(good: Path, seconds: float, rng: random.Random, number: int) -> str:
    """Kill a run at random moments and go on after each; what is wrong, empty if nothing is."""
    folder = _folder(f"kill{number}")
    for _ in range(_TIMES):
        run = subprocess.Popen(
            command(directory=folder),
            env=environment(),
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(rng.uniform(0.0, 0.4 * seconds))
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        if found := half_written(folder):
            return found
        snakemake("--unlock", directory=folder)
    return finished(folder, good)


def disk(good: Path, seconds: float, rng: random.Random, number: int) -> str:
    """Run on disks of random sizes, each larger than the last, and go on when there is room."""
    folder, copy = _folder(f"disk{number}"), _folder(f"copy{number}")
    needed = sum(path.stat().st_size for path in good.rglob("*") if path.is_file())
    sizes = sorted(rng.randrange(100, needed // 1024) for _ in range(_TIMES))
    run = shlex.join(command(directory=folder))
    unlock = shlex.join(command("--unlock", directory=folder))
    tries = "".join(
        f"mount -o remount,size={size}k {folder} && {run}; {unlock}; " for size in sizes
    )
    script = (
        f"mount -t tmpfs -o size={sizes[0]}k tmpfs {folder} && {{ {tries}"
        f"mount -o remount,size=1g {folder} && {run} && cp -r {folder}/. {copy}; }}"
    )
    namespace = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
    done = subprocess.run(namespace, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"disks of {sizes} kB: {(done.stdout + done.stderr)[-2000:]}"
    return half_written(copy) or compared(copy, good)


def damage(good: Path, seconds: float, rng: random.Random, number: int) -> str:
    """Damage a file of the results, and read it."""
    path = rng.choice(sorted(one.with_suffix("") for one in good.glob("results/**/*.sha256")))
    content = path.read_bytes()
    bad = bytearray(content)
    place = rng.randrange(len(bad))
    if number % 2:
        bad[place] ^= 1 << rng.randrange(8)
    path.write_bytes(bad if number % 2 else bad[:place])
    try:
        checked(path)
        found = f"{path}: is accepted"
    except FileError as error:
        found = "" if path.name in str(error) and str(error).isprintable() else f"says {error}"
    finally:
        path.write_bytes(content)
    return found


def half_written(folder: Path) -> str:
    """A file that differs from the sum beside it; empty if there is none."""
    for beside in folder.glob("results/**/*.sha256"):
        path = beside.with_suffix("")
        if path.is_file() and file_sum(path) != beside.read_text(encoding="utf-8").split()[0]:
            return f"{path.relative_to(folder)} differs from its sum"
    return ""


def finished(folder: Path, good: Path) -> str:
    """Run to the end in a folder, and compare the numbers."""
    done = snakemake(directory=folder)
    if done.returncode != 0:
        return f"the same command fails: {done.stdout[-2000:]}"
    return compared(folder, good)


def compared(folder: Path, good: Path) -> str:
    for path in sorted(good.glob("results/*/*/evaluation.csv")):
        name = path.relative_to(good)
        if not (folder / name).is_file() or not same_numbers(path, folder / name):
            return f"{name} differs"
    return ""


def _folder(name: str) -> Path:
    folder = _PLACE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


ATTACKS = {"kill": (kill, 4), "disk": (disk, 2), "damage": (damage, 200)}


def main() -> int:
    """Try the attacks, print how many faults each found, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=ATTACKS, default=[*ATTACKS])
    parser.add_argument("--times", type=int, help="tries of each attack")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    good, seconds = reference()
    defects = 0
    print(f"the undisturbed run of {SMOKE.name} took {seconds:.0f} s", flush=True)
    for name in asked.only:
        attack, times = ATTACKS[name]
        times, begin, faults = asked.times or times, time.monotonic(), 0
        for number in range(times):
            rng = random.Random(f"{name} {asked.seed} {number}")
            if found := attack(good, seconds, rng, number):
                faults += 1
                print(f"  {name} {number}: {found}", flush=True)
        print(f"{name}: tried {times}, faults {faults}, {time.monotonic() - begin:.0f} s")
        defects += faults
    return int(defects > 0)


if __name__ == "__main__":
    sys.exit(main())
