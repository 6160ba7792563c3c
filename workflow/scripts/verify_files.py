"""Compare all files of results/ with the sums that were written with them."""

from pathlib import Path

from toplabel.reproduction.data.prepared import check_prepared
from toplabel.reproduction.files import FileError, checked
from toplabel.reproduction.jobs import logger, run

RESULTS = Path("results")


def main(task, snakemake):
    damaged = []
    sums = (path.with_suffix("") for path in RESULTS.rglob("*.sha256"))
    files = sorted(filter(Path.is_file, sums))  # Snakemake leaves the sums of files that it removes
    sets = sorted(path.parent for path in RESULTS.glob("*/data/meta.json"))
    for check, paths in ((checked, files), (check_prepared, sets)):
        for path in paths:
            try:
                check(path)
            except FileError as error:
                damaged.append(str(error))
    found = f"{len(damaged):,} damaged" if damaged else "none damaged"
    print(f"{len(files):,} files and {len(sets):,} prepared sets compared with their sums: {found}")
    for error in damaged[:-1]:
        logger.error("%s", error)
    if damaged:
        raise ValueError(damaged[-1])


if "snakemake" in globals():
    run(main, None, snakemake)
