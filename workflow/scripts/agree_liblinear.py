"""Train one-vs-all by the library and by LIBLINEAR, and compare objectives and accuracies."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import logger, run
from toplabel.reproduction.methods.liblinear_agreement import Agreement, compare_solvers
from toplabel.reproduction.selection.files import write_rows


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    rows = compare_solvers(prepared, seed=snakemake.params.seed)
    for row in rows:
        logger.info("%s, C = %g: relative difference %.2g", row.method, row.C, row.difference)
    write_rows(Agreement, rows, snakemake.output.agreement)


if "snakemake" in globals():
    run(main, snakemake)
