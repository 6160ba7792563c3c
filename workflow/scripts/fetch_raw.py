"""Bring the raw files of a data set to data/raw and write down what they are."""

from toplabel._core.files import write_json
from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data.fetch import fetch, read_raw
from toplabel.reproduction.data.locate import mirror_folders, raw_file
from toplabel.reproduction.workflow.jobs import checkout, logger, run


def main(snakemake):
    root = checkout(snakemake)
    entry = load_registry(root / "config/datasets.yaml", snakemake.config)[
        snakemake.wildcards.dataset
    ]
    mirrors = mirror_folders(snakemake.config["mirrors"], root)
    raw = snakemake.params.raw_folder
    files = fetch(entry, raw, mirrors, network=snakemake.config["download"])
    receipt = {}
    for path in files:
        sha256, size = read_raw(raw_file(entry, path.name), path)
        receipt[path.name] = {"sha256": sha256, "size": size}
        logger.info("%s: %d bytes, sha256 %s", path, size, sha256)
    write_json(snakemake.output.receipt, receipt)


if "snakemake" in globals():
    run(main, snakemake)
