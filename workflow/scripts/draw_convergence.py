"""TPAMI Fig. 3b and c from the epochs that were measured."""

from toplabel._core.files import read_json
from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.timing import draw_convergence
from toplabel.reproduction.tables.table import read_numbers


def main(snakemake):
    about = read_json(snakemake.input.json, ["what", "sentence"])
    caption = (
        f"{about['what']} Points are epochs; the seconds are those of the epochs, without evaluations. "
        f"{about['sentence']}"
    )
    draw_convergence(read_numbers(snakemake.input.csv), snakemake.output.svg, caption=caption)


if "snakemake" in globals():
    run(main, snakemake)
