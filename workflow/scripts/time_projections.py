"""TPAMI Fig. 3a and Table 2: time of the projections against the dimension."""

from toplabel.reproduction.jobs import run
from toplabel.reproduction.tables.table import write_csv
from toplabel.reproduction.timings.conditions import measuring
from toplabel.reproduction.timings.projections import scaling


def main(snakemake):
    with measuring(snakemake.params.quick, cpu_time=True) as conditions:  # as the paper
        frame = scaling(snakemake.params.quick)
    write_csv(frame, snakemake.output.csv)
    conditions.save(snakemake.output.json)


if "snakemake" in globals():
    run(main, snakemake)
