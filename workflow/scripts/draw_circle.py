"""TPAMI Fig. 4: the circle's training points and what each method predicts by direction."""

from pathlib import Path

import pandas as pd

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.circle import draw_circle
from toplabel.reproduction.selection.choice import load_choices
from toplabel.reproduction.selection.figure_data import circle_points, circle_rings
from toplabel.reproduction.selection.models import load_models

METRIC = "top2"


def main(snakemake):
    shows = snakemake.params.shows
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    frames = []
    inputs = zip(shows["methods"], snakemake.input.selections, snakemake.input.models, strict=True)
    for method, selection, models in inputs:
        rings = circle_rings(
            prepared, load_choices(selection), load_models(models), shows["split"], METRIC
        )
        frames.append(rings.assign(method=method["name"], label=method["label"], k=method["k"]))
    draw_circle(
        circle_points(prepared, shows["split"]),
        pd.concat(frames, ignore_index=True),
        snakemake.output.svg,
    )


if "snakemake" in globals():
    run(main, snakemake)
