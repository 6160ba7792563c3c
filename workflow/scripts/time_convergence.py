"""TPAMI Fig. 3b and c: duality gap and validation accuracy of three methods at every epoch."""

from pathlib import Path

from toplabel._core.files import write_json
from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.figures.convergence import convergence, timed_set
from toplabel.reproduction.report.figures.measuring import measure


def main(snakemake):
    quick = snakemake.params.quick
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    data = timed_set(prepared)
    frame, sentence = measure(lambda: convergence(data, 10 if quick else 1000), quick)
    write_frame(frame, snakemake.output.csv)
    what = f"{prepared.meta['title']} {data.words}, {len(data.y_val)} rows to validate on."
    write_json(snakemake.output.json, {"what": what, "sentence": sentence})


if "snakemake" in globals():
    run(main, snakemake)
