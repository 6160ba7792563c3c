"""The relative duality gap of every model behind a measured number, but of methods that have
none.
"""

from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.curves import draw_gaps
from toplabel.reproduction.tables.collected import EVALUATION

CAPTION = (
    "Each tick is the model behind one measured number (of several splits, the worst), the dot the "
    "largest gap of its method; a diamond lies above the tolerance ε."
)

NONE = "Methods without a gap are left out: a loss that is not convex, and some baselines."


def main(snakemake):
    frame = EVALUATION.read(snakemake.input.evaluation)
    proved = frame["relative_gap"].notna()
    draw_gaps(
        frame.loc[proved, ["dataset", "method", "label", "relative_gap"]],
        snakemake.config["eps_train"],
        snakemake.output.svg,
        caption=CAPTION if proved.all() else f"{CAPTION} {NONE}",
    )


if "snakemake" in globals():
    run(main, snakemake)
