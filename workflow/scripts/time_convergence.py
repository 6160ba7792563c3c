"""TPAMI Fig. 3b and c: duality gap and validation accuracy of three methods at every epoch."""

from pathlib import Path

from toplabel.bench.conditions import measuring, save
from toplabel.bench.convergence import convergence, problem_of
from toplabel.datasets.prepared import load_prepared
from toplabel.studies.frames import write_csv
from toplabel.workflow.jobs import run


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    problem = problem_of(prepared)
    with measuring(snakemake.params.quick) as conditions:
        frame = convergence(problem, epochs=10 if snakemake.params.quick else 1000)
    write_csv(frame, snakemake.output.csv)
    shape = problem.shape
    what = f"{prepared.meta['title']} ({shape.sizes}), C = {shape.C:g}, {len(problem.y_val)} rows to validate on."
    save(conditions, snakemake.output.json, what=what)


if "snakemake" in globals():
    run(main, snakemake)
