"""Write what the models of a cell predict for the test rows, class by class too, and the models."""

from pathlib import Path

from toplabel.reproduction.compare.classes import CONFUSION, RATES, class_rates, confusion
from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.files import write_npz
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection import PredictTask
from toplabel.reproduction.selection.choice import load_choices
from toplabel.reproduction.selection.evaluation import model_arrays, predictions, predicts_sets
from toplabel.reproduction.selection.models import load_models


def main(task, snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    choices = load_choices(snakemake.input.selection)
    models = load_models(snakemake.input.models)
    frame = predictions(prepared, task, choices, models)
    are_sets = predicts_sets(prepared, choices)
    write_frame(class_rates(frame, are_sets), snakemake.output.classes, RATES)
    write_frame(confusion(frame, are_sets), snakemake.output.confusion, CONFUSION)
    columns = {name: float if name.startswith("score_") else str for name in frame}
    write_frame(frame, snakemake.output.predictions, columns | {"row": int})
    write_npz(snakemake.output.model, model_arrays(prepared, task, choices, models))


if "snakemake" in globals():
    run(main, PredictTask, snakemake)
