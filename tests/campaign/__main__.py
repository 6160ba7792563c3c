"""Try all kinds of attack, one after the other, and print a table of the faults found.

    python tests/campaign                 # as `make campaign`
    python tests/campaign --fraction 0.05 # with fewer repeats
    python tests/campaign --only kill disk

Each kind writes a log into build/campaign. Called again after an interruption, it goes on with the
kinds that have none; after the last one it begins anew. The exit status is 1 if a fault was found.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from runs import PARTS

_ROOT = Path(__file__).resolve().parents[2]
_PLACE = _ROOT / "build/campaign"
_RUNS = _PLACE / "runs"
_LONGEST = 1800  # seconds of one kind, after which it counts as a fault
_FAULTS = re.compile(r"(?:faults|not confirmed) +([0-9]+)")


@dataclass(frozen=True)
class Kind:
    """A kind of attack: its title, how often it is tried, and the command line that does so."""

    title: str
    tried: int
    command: list[str]


def kinds(fraction: float) -> dict[str, Kind]:
    """All kinds, with a part of the usual repeats."""

    def times(count: int) -> int:
        return max(1, round(fraction * count))

    def python(script: str, *options: object) -> list[str]:
        return [sys.executable, str(_ROOT / "tests" / script), *map(str, options)]

    found = {
        name: Kind(
            part.title,
            times(part.times) * part.attacks,
            python(
                "campaign/runs.py", "--only", name, "--times", times(part.times), "--place", _RUNS
            ),
        )
        for name, part in PARTS.items()
    }
    problems, inputs = times(30_000), times(1_000_000)
    return found | {
        "scales": Kind(
            "problems of extreme scales",
            problems,
            python("evidence/scales.py", "--problems", problems),
        ),
        "fuzz": Kind(
            "random calls of the C library",
            3 * inputs,
            ["make", "-C", str(_ROOT / "csrc"), "fuzz", f"FUZZ_RUNS={inputs}"],
        ),
    }


def _attack(command: list[str], log: Path) -> None:
    """Run a kind to its end; its log has its name from then on."""
    begin, part = time.monotonic(), log.with_suffix(".part")
    with part.open("w", encoding="utf-8") as stream:
        try:
            done = subprocess.run(
                command, stdout=stream, stderr=subprocess.STDOUT, timeout=_LONGEST
            )
            status = f"exit status {done.returncode}"
        except subprocess.TimeoutExpired:
            status = f"ended after {_LONGEST} s"
        stream.write(f"\n{status}, {time.monotonic() - begin:.0f} s\n")
    part.rename(log)


def _row(kind: Kind, log: Path) -> tuple[str, bool]:
    """Return a row of the table, and whether a fault was found."""
    *lines, last = log.read_text(encoding="utf-8").splitlines()
    status, _, seconds = last.rpartition(", ")
    faults = sum(int(count) for line in lines for count in _FAULTS.findall(line))
    wrong = faults > 0 or status != "exit status 0"
    notes = [line for line in lines if "left out" in line] + [status] * wrong
    row = f"{kind.title:<30} {0 if notes and not wrong else kind.tried:>7} {faults:>6} {seconds:>7}"
    return "  ".join((row, *notes)), wrong


def main() -> int:
    """Try what has no log yet, print the table, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fraction", type=float, default=1.0, help="of the usual repeats")
    parser.add_argument("--only", nargs="+", choices=kinds(1.0), default=[*kinds(1.0)])
    asked = parser.parse_args()
    chosen = {name: kind for name, kind in kinds(asked.fraction).items() if name in asked.only}
    logs = {name: _PLACE / f"{name}.log" for name in chosen}
    if all(log.exists() for log in logs.values()):
        shutil.rmtree(_PLACE)
    _PLACE.mkdir(parents=True, exist_ok=True)
    for name, kind in chosen.items():
        if not logs[name].exists():
            print(f"{time.strftime('%H:%M:%S')} {kind.title} ...", flush=True)
            _attack(kind.command, logs[name])
    rows = [_row(kind, logs[name]) for name, kind in chosen.items()]
    print(f"\n{'attack':<30} {'tried':>7} {'faults':>6} {'seconds':>7}")
    print(*(row for row, _ in rows), f"\nLogs are in {_PLACE.relative_to(_ROOT)}.", sep="\n")
    return int(any(wrong for _, wrong in rows))


if __name__ == "__main__":
    sys.exit(main())
