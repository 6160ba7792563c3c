"""The validation value of each method against C, on one data set."""

import pandas as pd

from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.curves import draw_selection
from toplabel.reproduction.selection.choice import choose
from toplabel.reproduction.selection.figure_data import selection_curve
from toplabel.reproduction.selection.tuned import load_tuned, means

# Two of these are drawn, the first that the protocol has.
SHOWN = ("rank_loss", "f1_micro", "top1", "top5", "top2")


def main(snakemake):
    shows = snakemake.params.shows
    frames = []
    for method in shows["methods"]:
        paths = [path for path in snakemake.input.units if f"/{method['name']}/tune/" in path]
        found = means(load_tuned(paths))
        results = [result for result in found if result.split == shows["split"]]
        metrics = [name for name in SHOWN if name in results[0].metric][:2]
        curve = selection_curve(results, choose(found), metrics)
        frames.append(curve.assign(method=method["name"], label=method["label"]))
    frame = pd.concat(frames, ignore_index=True)
    frame = frame.assign(dataset=snakemake.wildcards.dataset, title=shows["title"])
    draw_selection(
        frame, snakemake.output.svg, title=f"Validation value against C: {shows['title']}"
    )


if "snakemake" in globals():
    run(main, snakemake)
