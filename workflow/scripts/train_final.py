"""Choose hyper-parameters, and train the chosen models on the full training part, each with its
certificate.
"""

import math
from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import logger, run
from toplabel.reproduction.selection.choice import edge_notes, select
from toplabel.reproduction.selection.final import train_models
from toplabel.reproduction.selection.fitting import default_solve
from toplabel.reproduction.selection.results import candidates, load_units
from toplabel.reproduction.selection.task import Task
from toplabel.reproduction.tables.cells import CERTIFICATES, SELECTION


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    task = Task(**snakemake.params.task)
    selection = select(candidates(load_units(snakemake.input.units)), task.method.selected_by)
    for note in edge_notes(selection):
        logger.warning(note)
    models, certificates = train_models(prepared, task, selection, default_solve())
    SELECTION.write_rows(selection, snakemake.output.selection)
    models.save(snakemake.output.models)
    CERTIFICATES.write_rows(certificates, snakemake.output.certificates)
    for row in certificates:
        if row.status == "converged":
            continue
        facts = {"C": row.C, "gap": row.relative_gap, "gradient norm": row.gradient_norm}
        known = [f"{name} {value:.2g}" for name, value in facts.items() if math.isfinite(value)]
        what = ", ".join((f"split {row.split}", *known))
        logger.warning("%s after %d epochs (%s)", what, row.epochs, row.status)


if "snakemake" in globals():
    run(main, snakemake)
