"""Compare all files of results/ with the sums that were written with them."""

import time
from datetime import UTC, datetime
from pathlib import Path

from toplabel._core.files import FileError, checked, write_json
from toplabel.reproduction.data.prepared import check_prepared
from toplabel.reproduction.jobs import logger, run

RESULTS = Path("results")
VERIFIED = "verified.json"


def main(snakemake):
    begin, damaged = time.monotonic(), []
    sums = (path.with_suffix("") for path in RESULTS.rglob("*.sha256"))
    files = sorted(filter(Path.is_file, sums))  # Snakemake leaves the sums of files that it removes
    sets = sorted(path.parent for path in RESULTS.glob("*/data/meta.json"))
    for check, paths in ((checked, files), (check_prepared, sets)):
        for path in paths:
            try:
                check(path)
            except FileError as error:
                damaged.append(str(error))
    when, seconds = datetime.now(UTC), time.monotonic() - begin
    found = f"{len(damaged):,} damaged" if damaged else "none damaged"
    said = (
        f"{len(files):,} files and {len(sets):,} prepared sets compared with their sums on"
        f" {when:%Y-%m-%d %H:%M} UTC, in {seconds:.1f} s: {found}"
    )
    write_json(RESULTS / VERIFIED, {"said": said, "damaged": damaged})
    print(said)
    for error in damaged[:-1]:
        logger.error("%s", error)
    if damaged:
        raise ValueError(damaged[-1])


if "snakemake" in globals():
    run(main, snakemake)
