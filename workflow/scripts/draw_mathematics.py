"""Figures of formulas alone: they need neither data nor training."""

from toplabel.reproduction.illustrations.lambert import lambert_curves
from toplabel.reproduction.illustrations.one_dimension import RIVALS, loss_curves
from toplabel.reproduction.illustrations.simplex_coding import decoding_regions, loss_levels
from toplabel.reproduction.illustrations.topk_simplices import topk_simplices
from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.mathematics import (
    draw_decoding,
    draw_lambert,
    draw_levels,
    draw_losses,
    draw_simplices,
)
from toplabel.reproduction.report.numbers import shown

LOSSES = (
    "Left, against the margin of a binary problem; middle and right, against the score of the true class, while four "
    f"other classes have the scores {', '.join(shown(f'{score:g}') for score in RIVALS)}. "
    "Dashed: smoothed, by the γ in the subscript. Between the scores of the two best rivals the top-2 error is 0, "
    "while SVM and softmax still charge for the top-1 error; the truncated entropy alone follows the top-2 error."
)

DRAWINGS = {
    "losses_1d": lambda svg: draw_losses(loss_curves(), svg, caption=LOSSES),
    "nips2012_figure01": lambda svg: draw_decoding(decoding_regions(), svg),
    "nips2012_figure02": lambda svg: draw_levels(loss_levels(), svg),
    "nips2015_figure02": lambda svg: draw_simplices(topk_simplices(), svg),
    "tpami2017_figure02": lambda svg: draw_lambert(lambert_curves(), svg),
}


def main(snakemake):
    DRAWINGS[snakemake.wildcards.drawing](snakemake.output.svg)


if "snakemake" in globals():
    run(main, snakemake)
