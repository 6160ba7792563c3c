"""Compare all files of results/ with the sums that were written with them."""

from pathlib import Path

from toplabel.reproduction.data.prepared import check_prepared
from toplabel.reproduction.files import RESULTS, FileError, checked, has_sum
from toplabel.reproduction.jobs import logger, run


def main(task, snakemake):
    files = [
        path
        for path in sorted(Path(RESULTS).rglob("*"))
        if path.is_file() and path.suffix != ".sha256" and has_sum(path)
    ]
    sets = sorted(path.parent for path in Path(RESULTS).glob("*/data/meta.json"))
    damaged = [*_refused(checked, files), *_refused(check_prepared, sets)]
    number = f"{len(damaged):,} damaged" if damaged else "none damaged"
    print(
        f"{len(files):,} files and {len(sets):,} prepared sets compared with their sums: {number}"
    )
    for error in damaged[:-1]:
        logger.error("%s", error)
    if damaged:
        raise ValueError(damaged[-1])


def _refused(check, paths):
    """Return the errors of the paths that a check refuses."""
    errors = []
    for path in paths:
        try:
            check(path)
        except FileError as error:
            errors.append(str(error))
    return errors


if "snakemake" in globals():
    run(main, None, snakemake)
