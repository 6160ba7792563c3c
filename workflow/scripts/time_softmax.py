"""TPAMI Fig. 3d: the softmax by our solver, FISTA and L-BFGS."""

from pathlib import Path

from toplabel.bench.conditions import measuring, save
from toplabel.bench.convergence import missing_solvers, problem_of, race
from toplabel.datasets.prepared import load_prepared
from toplabel.studies.frames import write_csv
from toplabel.workflow.jobs import run


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    shape = problem_of(prepared).shape
    missing = (
        missing_solvers()
    )  # before the limit of threads, which holds for libraries that are loaded
    with measuring(snakemake.params.quick) as conditions:
        frame = race(shape)
    write_csv(frame, snakemake.output.csv)
    what = f"{prepared.meta['title']} ({shape.sizes}), C = {shape.C:g}."
    what += f" Left out: SPAMS, since {missing}." if missing else ""
    save(conditions, snakemake.output.json, what=what)


if "snakemake" in globals():
    run(main, snakemake)
