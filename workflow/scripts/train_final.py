"""Train the chosen models on the full training part, each with its certificate."""

from pathlib import Path

from toplabel.datasets.prepared import load_prepared
from toplabel.selection.final import train_models
from toplabel.selection.fitting import default_solve
from toplabel.workflow.jobs import logger, read_table, run, write_table
from toplabel.workflow.params import method_of, protocol_of, settings_of


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    protocol, budget = protocol_of(snakemake.params)
    settings = settings_of(snakemake.params)
    selection = read_table(snakemake.input.selection)
    models, certificates = train_models(
        prepared,
        method_of(snakemake.params),
        protocol,
        budget,
        selection,
        settings,
        default_solve(),
    )
    models.save(snakemake.output.models)
    write_table(certificates, snakemake.output.certificates)
    for row in certificates[certificates["status"] != "converged"].itertuples():
        logger.warning(
            "split %s, C %g: gap %.2g, gradient norm %.2g after %d epochs (%s)",
            row.split,
            row.C,
            row.relative_gap,
            row.gradient_norm,
            row.epochs,
            row.status,
        )


if "snakemake" in globals():
    run(main, snakemake)
