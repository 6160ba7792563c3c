"""TPAMI Fig. 3d: the softmax by our solver and by others, and the times to three accuracies."""

from pathlib import Path

from toplabel._core.files import write_json
from toplabel.reproduction.compare.tables import write_tables
from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.figures.convergence import timed_set
from toplabel.reproduction.report.figures.measuring import measure
from toplabel.reproduction.report.figures.softmax import race, table_of


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    data = timed_set(prepared)
    frame, sentence = measure(lambda: race(data), snakemake.params.quick)
    write_frame(frame, snakemake.output.csv)
    what = f"{prepared.meta['title']} {data.words}."
    write_json(snakemake.output.json, {"what": what, "sentence": sentence})
    write_tables([table_of(frame, what, sentence)], Path(snakemake.output.table).parent)


if "snakemake" in globals():
    run(main, snakemake)
