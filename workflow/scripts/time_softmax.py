"""TPAMI Fig. 3d: the softmax by our solver, FISTA and L-BFGS."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import run
from toplabel.reproduction.tables.table import write_csv
from toplabel.reproduction.timings.conditions import measuring
from toplabel.reproduction.timings.convergence import timed_set
from toplabel.reproduction.timings.packages import missing
from toplabel.reproduction.timings.softmax import race


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    data = timed_set(prepared)
    why = missing("spams")  # load it before the limit of threads, which holds for loaded libraries
    with measuring(snakemake.params.quick) as conditions:
        frame = race(data)
    write_csv(frame, snakemake.output.csv)
    what = f"{prepared.meta['title']} {data.words}."
    what += f" Left out: SPAMS, since {why}." if why else ""
    conditions.save(snakemake.output.json, what=what)


if "snakemake" in globals():
    run(main, snakemake)
