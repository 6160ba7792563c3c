"""TPAMI section 4 in numbers: which losses are top-k calibrated, the propositions as a table, maps
of three classes.
"""

from pathlib import Path

from toplabel.reproduction.calibration.propositions import table
from toplabel.reproduction.calibration.study import map_of_three, study
from toplabel.reproduction.compare.tables import PrintedTable, write_tables
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import run

TITLE = "Top-k calibration: TPAMI Propositions 8 to 13 in numbers"
CAPTION = (
    "A case is a loss, a distribution p of the classes and an s with a gap between the s-th and the next probability. "
    "Bayes optimal: every minimiser of the conditional risk has the Bayes optimal top-s set: so it is if scores tying "
    "classes s and s + 1 risk more than the least; by how much is the excess, and both risks are certified. "
    "A counterexample is a minimiser f that ties them. Open: what the paper leaves open. The argument is in "
    "docs/evidence/calibration.md."
)


def main(snakemake):
    params = snakemake.params
    minima, cases = study(params.seed, params.each)
    write_frame(minima, snakemake.output.minima)
    write_frame(cases, snakemake.output.cases)
    write_frame(map_of_three(params.divisions), snakemake.output.map)
    rows = table(minima, cases)
    name = Path(snakemake.output.table).stem
    about = PrintedTable(name, TITLE, CAPTION, "tpami2017", "", "calibration", rows)
    write_tables([about], Path(snakemake.output.table).parent)


if "snakemake" in globals():
    run(main, snakemake)
