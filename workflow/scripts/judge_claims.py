"""Ask the papers' claims of the numbers, and who wins where."""

from toplabel.studies.frames import read_comparison, read_evaluation, write_csv
from toplabel.workflow.collecting.claims import judge_claims
from toplabel.workflow.jobs import checkout, run


def main(snakemake):
    findings, winners = judge_claims(
        checkout(snakemake),
        read_comparison(snakemake.input.comparison),
        read_evaluation(snakemake.input.evaluation),
    )
    write_csv(findings, snakemake.output.findings)
    write_csv(winners, snakemake.output.winners)


if "snakemake" in globals():
    run(main, snakemake)
