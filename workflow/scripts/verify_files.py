"""Compare all files of results/ with the sums that were written with them."""

from toplabel.reproduction.data.prepared import damaged_files
from toplabel.reproduction.files import RESULTS
from toplabel.reproduction.jobs import logger, run


def main(task, snakemake):
    looked_at, errors = damaged_files(RESULTS)
    print(f"{looked_at} compared with their sums: {len(errors) or 'none'} damaged")
    for error in errors[:-1]:
        logger.error("%s", error)
    if errors:
        raise ValueError(errors[-1])


if "snakemake" in globals():
    run(main, None, snakemake)
