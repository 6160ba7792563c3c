"""Mean ranks of the multiclass methods over the data sets that all of them were measured on."""

import pandas as pd

from toplabel.reproduction.compare.ranks import ALPHA, rank_methods
from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.report.topk import draw_ranks
from toplabel.reproduction.tables.collected import EVALUATION
from toplabel.reproduction.workflow.jobs import checkout, run

METRICS = ("top1", "top5")


def main(snakemake):
    catalogue = load_catalogue(checkout(snakemake), snakemake.config)
    collected = catalogue.without_repeats(EVALUATION.read(snakemake.input.evaluation))
    rankings = [rank_methods(collected, metric) for metric in METRICS]
    frames = [
        one.table.assign(
            metric=one.metric,
            sets="; ".join(one.sets),
            friedman_p=one.friedman_p,
            critical_difference=one.critical_difference,
        )
        for one in rankings
        if one is not None
    ]
    if not frames:
        raise ValueError("no three data sets share three methods: there is nothing to rank")
    frame = pd.concat(frames, ignore_index=True)
    draw_ranks(frame, snakemake.output.svg, alpha=ALPHA)


if "snakemake" in globals():
    run(main, snakemake)
