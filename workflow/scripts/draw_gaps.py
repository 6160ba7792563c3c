"""The relative duality gap of every model behind a measured number, but of losses that have none."""

from toplabel.reporting.figures import draw_gaps
from toplabel.studies.frames import read_evaluation
from toplabel.workflow.jobs import run

CAPTION = (
    "Each tick is the model behind one measured number (of several splits, the worst), the dot the "
    "largest gap of its method; a diamond lies above the tolerance ε."
)

NOT_CONVEX = "Methods whose loss is not convex have no gap and are left out."


def main(snakemake):
    frame = read_evaluation(snakemake.input.evaluation)
    convex = frame["relative_gap"].notna()
    draw_gaps(
        frame.loc[convex, ["dataset", "method", "label", "relative_gap"]],
        snakemake.params.eps,
        snakemake.output.svg,
        caption=CAPTION if convex.all() else f"{CAPTION} {NOT_CONVEX}",
        script=snakemake.params.script,
    )


if "snakemake" in globals():
    run(main, snakemake)
