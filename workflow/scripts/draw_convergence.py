"""TPAMI Fig. 3b and c from the epochs that were measured."""

import json
from pathlib import Path

import pandas as pd

from toplabel.reporting.timing import draw_convergence
from toplabel.workflow.jobs import run


def main(snakemake):
    about = json.loads(Path(snakemake.input.json).read_text(encoding="utf-8"))
    caption = (
        f"{about['what']} Points are epochs; the seconds are those of the epochs, without evaluations. "
        f"{about['sentence']}"
    )
    draw_convergence(pd.read_csv(snakemake.input.csv), snakemake.output.svg, caption=caption)


if "snakemake" in globals():
    run(main, snakemake)
