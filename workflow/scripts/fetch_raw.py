"""Bring a raw file of a data set to data/raw."""

from pathlib import Path

from toplabel.reproduction.data.fetch import FetchTask, Places, fetch_file
from toplabel.reproduction.jobs import received, run


def main(task, snakemake):
    places = received(Places, snakemake.params.places)
    fetch_file(task, Path(snakemake.output[0]), places)


if "snakemake" in globals():
    run(main, FetchTask, snakemake)
