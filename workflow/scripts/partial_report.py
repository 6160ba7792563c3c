"""Write the reports on whatever there is, and say what is missing and why."""

import logging

from toplabel.reproduction.workflow.jobs import checkout, run
from toplabel.reproduction.workflow.partial import write_partial
from toplabel.reproduction.workflow.plan import Plan


def main(snakemake):
    plan = Plan(checkout(snakemake), snakemake.params.config)
    failures = write_partial(plan)
    logging.info("%d results are missing", len(failures))


if "snakemake" in globals():
    run(main, snakemake)
