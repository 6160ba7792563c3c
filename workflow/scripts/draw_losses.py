"""The losses and their smoothings in one dimension."""

from toplabel.reproduction.illustrations.one_dimension import RIVALS, loss_curves
from toplabel.reproduction.reporting.mathematics import draw_losses
from toplabel.reproduction.reporting.numbers import shown
from toplabel.reproduction.workflow.jobs import run

CAPTION = (
    "Left, against the margin of a binary problem; middle and right, against the score of the true class, while four "
    f"other classes have the scores {', '.join(shown(f'{score:g}') for score in RIVALS)}. "
    "Dashed: smoothed, by the γ in the subscript. Between the scores of the two best rivals the top-2 error is 0, "
    "while SVM and softmax still charge for the top-1 error; the truncated entropy alone follows the top-2 error."
)


def main(snakemake):
    draw_losses(loss_curves(), snakemake.output.svg, caption=CAPTION)


if "snakemake" in globals():
    run(main, snakemake)
