"""NIPS 2015 Fig. 2: the top-k simplices for m = 3."""

from toplabel.reproduction.illustrations.topk_simplices import topk_simplices
from toplabel.reproduction.reporting.polytopes import draw_simplices
from toplabel.reproduction.workflow.jobs import run


def main(snakemake):
    draw_simplices(topk_simplices(), snakemake.output.svg)


if "snakemake" in globals():
    run(main, snakemake)
