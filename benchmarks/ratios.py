"""Print the time of every solver to the accuracy over ours, from a result of benchopt.

python benchmarks/ratios.py [benchmarks/outputs/benchopt_run_<date>.parquet]
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from benchmark_utils.limits import limits
from benchmark_utils.stopping import ACCURACY

OURS = "toplabel[acceleration=auto]"
_CASE = ["dataset_name", "p_obj_loss"]


def times(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the seconds of each solver to the accuracy, over those of our solver.

    Parameters
    ----------
    curves : DataFrame
        A result of benchopt: a row for each point of a curve.

    Returns
    -------
    DataFrame
        `seconds` is that of the first point that is accurate enough, the fastest of the
        repetitions; of a solver that was given up that of its last point, marked by `reached`.
    """
    rows = []
    for (*case, solver), curve in curves.groupby([*_CASE, "solver_name"], sort=False):
        enough = curve[curve["objective_value"] <= ACCURACY]
        first = enough.loc[enough.groupby("idx_rep")["time"].idxmin()]
        reached = len(first) > 0
        seconds = first["time"].min() if reached else curve["time"].max()
        point = (first if reached else curve).iloc[-1]
        rows.append((*case, solver, seconds, reached, point["stop_val"], point["objective_value"]))
    names = ["problem", "loss", "solver", "seconds", "reached", "setting", "excess"]
    found = pd.DataFrame(rows, columns=names)
    ours = found[found["solver"] == OURS].set_index(["problem", "loss"])["seconds"]
    case = pd.MultiIndex.from_frame(found[["problem", "loss"]])
    return found.assign(ratio=found["seconds"].to_numpy() / ours.reindex(case).to_numpy())


def main(arguments: list[str]) -> None:
    """Print the machine's limits and the table of a result, by default of the newest."""
    results = sorted(Path(__file__).parent.glob("outputs/*.parquet"))
    curves = pd.read_parquet(arguments[0] if arguments else results[-1])
    print(limits().to_string(index=False))
    print(times(curves).to_string(index=False, float_format=lambda value: f"{value:.3g}"))


if __name__ == "__main__":
    main(sys.argv[1:])
