"""Choose and train a model on all rows of a data set."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.files import write_npz
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection import FinalTask
from toplabel.reproduction.selection.evaluation import model_arrays
from toplabel.reproduction.selection.rows import final_models, with_all_rows


def main(task, snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    whole = with_all_rows(prepared, task.predict.bias)
    choices, models = final_models(whole, task.tune, task.train)
    write_npz(snakemake.output.model, model_arrays(whole, task.predict, choices, models))


if "snakemake" in globals():
    run(main, FinalTask, snakemake)
