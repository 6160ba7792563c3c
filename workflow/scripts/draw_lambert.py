"""TPAMI Fig. 2: V(t) = W(exp t) on both scales."""

from toplabel.illustrations.lambert import lambert_curves
from toplabel.reporting.mathematics import draw_lambert
from toplabel.workflow.jobs import run


def main(snakemake):
    draw_lambert(lambert_curves(), snakemake.output.svg)


if "snakemake" in globals():
    run(main, snakemake)
