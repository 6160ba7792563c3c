"""Test the papers' claims on the numbers, find the best methods, say why numbers differ, read
protocols otherwise.
"""

from toplabel.reproduction.studies.headline import headline
from toplabel.reproduction.tables.collected import (
    COMPARISON,
    DIFFERENCES,
    EVALUATION,
    FINDINGS,
    HEADLINE,
    READINGS,
    VARIANTS,
    WINNERS,
)
from toplabel.reproduction.workflow.collecting.claims import (
    explain_differences,
    judge_claims,
    other_readings,
    readings_of,
)
from toplabel.reproduction.workflow.jobs import checkout, run


def main(snakemake):
    root, comparison = checkout(snakemake), COMPARISON.read(snakemake.input.comparison)
    evaluation = EVALUATION.read(snakemake.input.evaluation)
    findings, winners = judge_claims(root, comparison, evaluation)
    FINDINGS.write(findings, snakemake.output.findings)
    WINNERS.write(winners, snakemake.output.winners)
    differences, variants = explain_differences(root, comparison, evaluation)
    DIFFERENCES.write(differences, snakemake.output.differences)
    VARIANTS.write(variants, snakemake.output.variants)
    worth = headline(comparison, readings_of(root).choices.values())
    HEADLINE.write(worth, snakemake.output.headline)
    READINGS.write(other_readings(root, comparison, evaluation), snakemake.output.readings)


if "snakemake" in globals():
    run(main, snakemake)
