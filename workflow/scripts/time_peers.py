"""The time of training beside LIBLINEAR and scikit-learn."""

from pathlib import Path

from toplabel.reproduction.compare.peers import race, table_of
from toplabel.reproduction.compare.tables import write_table
from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.figures.convergence import timed_set
from toplabel.reproduction.report.figures.measuring import measure
from toplabel.reproduction.report.figures.registry import TimeTask


def main(task, snakemake):
    quick = task.quick
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    data = timed_set(prepared)
    raced, sentence = measure(lambda: race(data.X, data.y, data.C), quick, "CPU time")
    what = f"{task.title} {data.words}"
    write_table(table_of(raced, what, sentence), snakemake.output.table)


if "snakemake" in globals():
    run(main, TimeTask, snakemake)
