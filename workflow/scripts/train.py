"""Choose hyper-parameters, and train the chosen models on the full training part."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection import TrainTask
from toplabel.reproduction.selection.choice import choose, save_choices
from toplabel.reproduction.selection.models import save_models, train_models
from toplabel.reproduction.selection.tuned import load_tuned, means


def main(task, snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    choices = choose(means(load_tuned(snakemake.input.units)), task.selected_by)
    models = train_models(prepared, task, choices)
    save_choices(choices, snakemake.output.selection)
    save_models(models, snakemake.output.models)


if "snakemake" in globals():
    run(main, TrainTask, snakemake)
