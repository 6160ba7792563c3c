"""The tables of the measured times: TPAMI Table 2, and training beside other solvers."""

from toplabel.reproduction.compare.speed import TABLE_2, table_of_peers, table_of_projections
from toplabel.reproduction.compare.tables import write_table
from toplabel.reproduction.files import read_json
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.jobs import run
from toplabel.reproduction.timing import peers, projections


def main(task, snakemake):
    given = snakemake.input
    times = read_frame(given.projections, projections.COLUMNS)
    conditions = read_json(given.about_projections, ["sentence"])["sentence"]
    table = table_of_projections(times, read_frame(given.printed, TABLE_2), conditions)
    write_table(table, snakemake.output.table02)
    times = read_frame(given.peers, peers.COLUMNS)
    facts = read_json(given.about_peers, ["what", "sentence"])
    table = table_of_peers(times, facts["what"], facts["sentence"])
    write_table(table, snakemake.output.peers)


if "snakemake" in globals():
    run(main, None, snakemake)
