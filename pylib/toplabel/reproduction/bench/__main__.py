"""``python -m toplabel.reproduction.bench``: measure, print, write results/bench/*.csv."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from toplabel.reproduction.bench import run, training
from toplabel.reproduction.bench.measuring import QUICK, Effort


def main(arguments: list[str] | None = None) -> int:
    """Measure the groups of the command line; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(
        prog="python -m toplabel.reproduction.bench", description=__doc__
    )
    known, on_request = ", ".join(run.GROUPS), ", ".join(run.ON_REQUEST)
    text = f"some of {known}, which are the default, and {on_request}"
    parser.add_argument("groups", nargs="*", metavar="group", help=text)
    parser.add_argument("--quick", action="store_true", help="tiny problems, in half a minute")
    text = "folder of the tables [results/bench, bench-quick if quick]"
    parser.add_argument("--out", help=text)
    parser.add_argument("--repeats", type=_positive(int), help="the fastest of so many counts [3]")
    text = "seconds of a fit after which a peer is given up [60]"
    parser.add_argument("--cap", type=_positive(float), help=text)
    text = "problems of the group training"
    parser.add_argument("--shapes", nargs="+", choices=list(training.PROBLEMS), help=text)
    text = "count CPU time, where the machine cannot be kept quiet [wall time]"
    parser.add_argument("--cpu-time", action="store_true", help=text)
    given = parser.parse_args(arguments)
    for name in given.groups:
        if name not in run.GROUPS | run.ON_REQUEST:
            parser.error(f"no group {name!r}; there are {known}, {on_request}")
    usual = QUICK if given.quick else Effort()
    effort = replace(
        usual,
        repeats=given.repeats or usual.repeats,
        cap=given.cap or usual.cap,
        cpu_time=given.cpu_time,
    )
    out = given.out or ("results/bench-quick" if given.quick else "results/bench")
    failed = run.run(effort, out, given.groups or list(run.GROUPS), given.shapes)
    return 1 if failed else 0


def _positive(kind):
    def parse(text: str):
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"must be positive, got {text}")
        return value

    parse.__name__ = kind.__name__
    return parse


if __name__ == "__main__":
    sys.exit(main())
