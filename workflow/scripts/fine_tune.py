"""Train the network of a draw further with a loss, and measure it on the test part."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import run
from toplabel.reproduction.networks.stages import fine_tune, remove_checkpoint
from toplabel.reproduction.selection.evaluation import save_metrics
from toplabel.reproduction.selection.task import Task


def main(snakemake):
    images = load_prepared(Path(snakemake.input.meta).parent)
    params, names, path = snakemake.params, snakemake.wildcards, snakemake.output.draw
    options = params.options["network"]
    task = Task(**params.task)
    rows = fine_tune(
        *(images, options, task.method, names.dataset, names.part),
        *(
            snakemake.input.weights,
            task.metrics(options.classes),
            params.budget,
            params.options["seed"],
            path,
        ),
    )
    save_metrics(rows, path)
    remove_checkpoint(path)


if "snakemake" in globals():
    run(main, snakemake)
