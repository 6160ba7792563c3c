"""Turn raw files, or a generator, into the prepared form of a data set."""

from pathlib import Path

from toplabel.reproduction.data import PrepareTask
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.data.prepared import columns_text, save_prepared
from toplabel.reproduction.jobs import logger, run


def main(task, snakemake):
    prepared = prepare(task, "data/raw")
    save_prepared(prepared, Path(snakemake.output.meta).parent)
    logger.info("%s: %s", task.name, prepared.meta["statistics"])
    for line in columns_text(prepared.columns):
        logger.info("%s", line)
    for sentence in prepared.meta["advice"]:
        logger.warning("%s: %s", task.name, sentence)


if "snakemake" in globals():
    run(main, PrepareTask, snakemake)
