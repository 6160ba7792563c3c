"""``python -m toplabel.bench``: measure, print, write results/bench/*.csv."""

from __future__ import annotations

import argparse
import sys

from toplabel.bench import compare, run
from toplabel.bench.effort import Effort


def main(arguments: list[str] | None = None) -> int:
    """Measure the groups of the command line; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m toplabel.bench", description=__doc__)
    parser.add_argument(
        "groups",
        nargs="*",
        metavar="group",
        help=f"some of {', '.join(run.GROUPS)}, which are the default, and {', '.join(run.ON_REQUEST)}",
    )
    parser.add_argument("--quick", action="store_true", help="tiny problems, in half a minute")
    parser.add_argument("--out", help="folder of the tables [results/bench, bench-quick if quick]")
    parser.add_argument("--repeats", type=_positive(int), help="the fastest of so many counts [3]")
    parser.add_argument(
        "--cap", type=_positive(float), help="seconds of a fit after which a peer is given up [60]"
    )
    parser.add_argument(
        "--shapes", nargs="+", choices=list(compare.PROBLEMS), help="problems of the group training"
    )
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help="count CPU time, where the machine cannot be kept quiet [wall time]",
    )
    given = parser.parse_args(arguments)
    for name in given.groups:
        if name not in run.GROUPS | run.ON_REQUEST:
            parser.error(f"no group {name!r}; there are {', '.join(run.GROUPS | run.ON_REQUEST)}")
    effort = Effort.of(given.quick, given.repeats, given.cap, given.cpu_time)
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
