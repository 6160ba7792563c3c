"""The relative duality gap of every model behind a measured number."""

from toplabel.reporting.figures import draw_gaps
from toplabel.studies.frames import read_evaluation
from toplabel.workflow.jobs import run

CAPTION = (
    "Each tick is the model behind one measured number (of several splits, the worst), the dot the "
    "largest gap of its method; a diamond lies above the tolerance ε."
)


def main(snakemake):
    frame = read_evaluation(snakemake.input.evaluation)
    draw_gaps(
        frame[["dataset", "method", "label", "relative_gap"]],
        snakemake.params.eps,
        snakemake.output.svg,
        caption=CAPTION,
        script=snakemake.params.script,
    )


if "snakemake" in globals():
    run(main, snakemake)
