"""Turn raw files, or a generator, into the prepared form of a data set."""

from pathlib import Path

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.config.protocols import load_protocols
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.data.prepared import save_prepared
from toplabel.reproduction.jobs import checkout, logger, run


def main(snakemake):
    root = checkout(snakemake)
    registry = load_registry(root / "config/datasets.yaml", snakemake.config)
    entry = registry[snakemake.wildcards.dataset]
    protocol = load_protocols(root / "config/protocols.yaml")[entry.protocol]
    grid = protocol.budgets[snakemake.config["budget"]].C
    is_own = entry.name in snakemake.config["datasets"]
    prepared = prepare(entry, "data/raw", grid, is_own)
    save_prepared(prepared, Path(snakemake.output.meta).parent)
    logger.info("%s: %s", entry.name, prepared.meta["statistics"])
    for sentence in prepared.meta["advice"]:
        logger.warning("%s: %s", entry.name, sentence)


if "snakemake" in globals():
    run(main, snakemake)
