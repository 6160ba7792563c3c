"""NIPS 2012 Fig. 1: decoding with the simplex coding of three classes."""

from toplabel.reproduction.illustrations.simplex_coding import decoding_regions
from toplabel.reproduction.reporting.simplex_plane import draw_decoding
from toplabel.reproduction.workflow.jobs import run


def main(snakemake):
    draw_decoding(decoding_regions(), snakemake.output.svg)


if "snakemake" in globals():
    run(main, snakemake)
