"""Test accuracy of each method against k, on one data set."""

import pandas as pd

from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.jobs import checkout, run
from toplabel.reproduction.report.topk import draw_topk
from toplabel.reproduction.tables.cells import TEST_METRICS
from toplabel.reproduction.workflow.collecting.results import printed_beside


def main(snakemake):
    shows = snakemake.params.shows
    frames = []
    for method, path in zip(shows["methods"], snakemake.input.evaluations, strict=True):
        table = TEST_METRICS.read(path)
        table = table[table["metric"].str.startswith("top")]
        of_k = table.groupby("metric", sort=False)["value"]
        frame = pd.DataFrame({"value": of_k.mean(), "std": of_k.std()}).reset_index()
        frame["k"] = frame["metric"].str.removeprefix("top").astype(int)
        words = {key: method[key] for key in ("group", "label")}
        frames.append(frame.assign(method=method["name"], **words))
    frame = pd.concat(frames, ignore_index=True)
    printed = printed_beside(
        load_catalogue(checkout(snakemake), snakemake.config), snakemake.input.evaluations
    )
    frame = frame.merge(printed, how="left", on=["method", "metric"])
    frame = frame.assign(dataset=snakemake.wildcards.dataset, title=shows["title"])
    draw_topk(frame, snakemake.output.svg, title=f"Top-k accuracy against k: {shows['title']}")


if "snakemake" in globals():
    run(main, snakemake)
