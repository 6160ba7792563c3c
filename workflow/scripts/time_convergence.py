"""TPAMI Fig. 3b and c: duality gap and validation accuracy of three methods at every epoch."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import run
from toplabel.reproduction.tables.table import write_csv
from toplabel.reproduction.timings.conditions import measuring
from toplabel.reproduction.timings.convergence import convergence, timed_set


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    data = timed_set(prepared)
    with measuring(snakemake.params.quick) as conditions:
        frame = convergence(data, epochs=10 if snakemake.params.quick else 1000)
    write_csv(frame, snakemake.output.csv)
    what = f"{prepared.meta['title']} {data.words}, {len(data.y_val)} rows to validate on."
    conditions.save(snakemake.output.json, what=what)


if "snakemake" in globals():
    run(main, snakemake)
