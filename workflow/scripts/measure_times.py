"""Measure the times of projections or of training."""

from functools import partial
from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.files import write_json
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import run
from toplabel.reproduction.timing import TimeTask
from toplabel.reproduction.timing.clock import measure
from toplabel.reproduction.timing.training import MEASUREMENTS, timed_set


def main(task, snakemake):
    meta = snakemake.input.get("meta")
    data = timed_set(load_prepared(Path(meta).parent), task.title) if meta else None
    measurement = MEASUREMENTS[task.name]
    given = (data, task.quick) if data else (task.quick,)
    function = partial(measurement.function, *given)
    times, conditions = measure(function, task.quick, measurement.clock)
    write_frame(times, snakemake.output.csv, measurement.columns)
    facts = {"what": data.words if data else "", "sentence": conditions}
    write_json(snakemake.output.json, facts)


if "snakemake" in globals():
    run(main, TimeTask, snakemake)
