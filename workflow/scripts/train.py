"""Choose hyper-parameters, and train the chosen models on the full training part."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.files import write_records
from toplabel.reproduction.frames import write_rows
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection import TrainTask
from toplabel.reproduction.selection.choice import Choice, choose, load_grids, means
from toplabel.reproduction.selection.models import train_models


def main(task, snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    choices = choose(means(load_grids(snakemake.input.units)), task.selected_by)
    models = train_models(prepared, task, choices)
    write_rows(Choice, choices, snakemake.output.selection)
    write_records(models, snakemake.output.models)


if "snakemake" in globals():
    run(main, TrainTask, snakemake)
