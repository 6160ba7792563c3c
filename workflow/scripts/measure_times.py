"""Measure the times of projections or of training."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.files import write_json
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import run
from toplabel.reproduction.timing import TimeTask
from toplabel.reproduction.timing.training import MEASUREMENTS, measured


def main(task, snakemake):
    meta = snakemake.input.get("meta")
    times, facts = measured(task, load_prepared(Path(meta).parent) if meta else None)
    write_frame(times, snakemake.output.csv, MEASUREMENTS[task.name].columns)
    write_json(snakemake.output.json, facts)


if "snakemake" in globals():
    run(main, TimeTask, snakemake)
