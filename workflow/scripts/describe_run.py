"""What the numbers depend on besides the data: config, machine, versions, commit, time."""

from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.facts import describe_run
from toplabel.reproduction.files import write_json
from toplabel.reproduction.jobs import checkout, run


def main(snakemake):
    root = checkout(snakemake)
    facts = describe_run(root, load_catalogue(root, snakemake.config), snakemake.params.config)
    write_json(snakemake.output.run, facts)


if "snakemake" in globals():
    run(main, snakemake)
