"""One-vs-all by our own solver and by LIBLINEAR on the first split of a set: objectives and
accuracies at each C.
"""

from pathlib import Path

import pandas as pd

from toplabel.reproduction.baselines.liblinear_agreement import results
from toplabel.reproduction.datasets.prepared import load_prepared
from toplabel.reproduction.tables.cells import AGREEMENT
from toplabel.reproduction.workflow.jobs import logger, run


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    split = prepared.splits[0]
    train, test = prepared.parts[split.train], prepared.parts[split.test]
    found = results(train.X, train.y, test.X, test.y, **snakemake.params.settings)
    rows = []
    for one in found:
        row = {"dataset": prepared.name, "split": split.name, "method": one.loss, "C": one.C}
        names = ("ours", "lower_bound", "liblinear", "difference", "accuracy_difference")
        row |= {name: getattr(one, name) for name in names}
        row |= {f"ours_top{k}": ours for k, ours, _ in one.accuracies}
        row |= {f"liblinear_top{k}": theirs for k, _, theirs in one.accuracies}
        rows.append(row | {"finished": int(one.finished)})
        logger.info("%s, C = %g: relative difference %.2g", one.loss, one.C, one.difference)
    AGREEMENT.write(pd.DataFrame(rows), snakemake.output.agreement)


if "snakemake" in globals():
    run(main, snakemake)
