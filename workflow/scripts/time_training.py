"""TPAMI Fig. 3b to d: every epoch of three methods, and of the softmax by two solvers."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.files import write_json
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.figures.convergence import convergence, timed_set
from toplabel.reproduction.report.figures.measuring import measure
from toplabel.reproduction.report.figures.registry import TimeTask
from toplabel.reproduction.report.figures.softmax import race


def main(task, snakemake):
    quick = task.quick
    measured = {"convergence": convergence, "softmax": race}[snakemake.wildcards.figure]
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    data = timed_set(prepared)
    frame, sentence = measure(lambda: measured(data, quick), quick)
    write_frame(frame, snakemake.output.csv)
    what = f"{task.title} {data.words}."
    write_json(snakemake.output.json, {"what": what, "sentence": sentence})


if "snakemake" in globals():
    run(main, TimeTask, snakemake)
