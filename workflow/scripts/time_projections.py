"""TPAMI Fig. 3a and Table 2: time of the projections against the dimension."""

from toplabel.bench.conditions import measuring, save
from toplabel.bench.scaling import scaling
from toplabel.studies.frames import write_csv
from toplabel.workflow.jobs import run


def main(snakemake):
    with measuring(snakemake.params.quick, cpu_time=True) as conditions:  # as the paper
        frame = scaling(snakemake.params.quick)
    write_csv(frame, snakemake.output.csv)
    save(conditions, snakemake.output.json)


if "snakemake" in globals():
    run(main, snakemake)
