"""TPAMI Fig. 2: V(t) = W(exp t) on both scales."""

from toplabel.reproduction.illustrations.lambert import lambert_curves
from toplabel.reproduction.reporting.mathematics import draw_lambert
from toplabel.reproduction.workflow.jobs import run


def main(snakemake):
    draw_lambert(lambert_curves(), snakemake.output.svg)


if "snakemake" in globals():
    run(main, snakemake)
