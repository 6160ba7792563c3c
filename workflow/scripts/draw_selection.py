"""The validation value of each method against C, on one data set."""

import pandas as pd

from toplabel.reporting.figures import draw_selection
from toplabel.selection.curves import selection_curve
from toplabel.selection.results import TuneResult, collect
from toplabel.workflow.jobs import read_table, run


def main(snakemake):
    params = snakemake.params
    frames = []
    for method, selection in zip(params.methods, snakemake.input.selections, strict=True):
        paths = [path for path in snakemake.input.units if f"/{method['name']}/tune/" in path]
        result = collect(TuneResult.load(path) for path in paths)[params.split]
        curve = selection_curve(result, read_table(selection), params.metrics)
        frames.append(curve.assign(method=method["name"], label=method["label"]))
    frame = pd.concat(frames, ignore_index=True).assign(dataset=snakemake.wildcards.dataset)
    draw_selection(
        frame,
        snakemake.output.svg,
        title=f"Validation value against C: {params.title}",
        script=params.script,
    )


if "snakemake" in globals():
    run(main, snakemake)
