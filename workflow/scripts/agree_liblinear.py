"""One-vs-all by our own solver and by LIBLINEAR on the first split of a set: objectives and
accuracies at each C.
"""

from pathlib import Path

import pandas as pd

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import logger, run
from toplabel.reproduction.methods.liblinear_agreement import results
from toplabel.reproduction.tables.cells import AGREEMENT


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    split = prepared.splits[0]
    train, test = prepared.parts[split.train], prepared.parts[split.test]
    found = results(train.X, train.y, test.X, test.y, **snakemake.params.settings)
    for one in found.itertuples(index=False):
        logger.info("%s, C = %g: relative difference %.2g", one.method, one.C, one.difference)
    names = {"dataset": prepared.name, "split": split.name}
    AGREEMENT.write(pd.DataFrame(names, found.index).join(found), snakemake.output.agreement)


if "snakemake" in globals():
    run(main, snakemake)
