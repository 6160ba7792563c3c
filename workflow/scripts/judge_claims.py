"""Test the papers' claims on the numbers, and find the best methods."""

from toplabel.tables.collected import COMPARISON, EVALUATION, FINDINGS, WINNERS
from toplabel.workflow.collecting.claims import judge_claims
from toplabel.workflow.jobs import checkout, run


def main(snakemake):
    findings, winners = judge_claims(
        checkout(snakemake),
        COMPARISON.read(snakemake.input.comparison),
        EVALUATION.read(snakemake.input.evaluation),
    )
    FINDINGS.write(findings, snakemake.output.findings)
    WINNERS.write(winners, snakemake.output.winners)


if "snakemake" in globals():
    run(main, snakemake)
