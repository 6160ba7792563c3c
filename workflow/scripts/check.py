"""Print what data sets hold: sizes, rows of each class, the columns of tables, and advice."""

from pathlib import Path

from toplabel.reproduction.data.columns import columns_text, load_columns
from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.data.statistics import class_counts
from toplabel.reproduction.jobs import run

SHOWN = 20  # of many classes, so many


def main(task, snakemake):
    for meta in snakemake.input.metas:
        prepared = load_prepared(Path(meta).parent)
        size, n = prepared.meta["statistics"], len(prepared.splits)
        print(
            f"\n{prepared.name}: {prepared.task}, {size['n_train']} training rows, "
            f"{size['n_test']} test rows, {size['n_features']} features, "
            f"{prepared.n_classes} classes, {n} split{'s' if n > 1 else ''}"
        )
        counts = class_counts(prepared)
        for name, count in list(zip(prepared.class_names, counts, strict=True))[:SHOWN]:
            print(f"  {name}: {count} training rows")
        if len(counts) > SHOWN:
            print(f"  and {len(counts) - SHOWN} more classes")
        for line in columns_text(load_columns(Path(meta).parent)):
            print(f"  {line}")
        for sentence in prepared.meta["advice"]:
            print(f"  Note: {sentence}")


if "snakemake" in globals():
    run(main, None, snakemake)
