"""The columns of the collected files (docs/architecture.md, "Collected")."""

#: What names a cell, but for the paper and the table.
KEYS = ["dataset", "features", "method", "k", "gamma", "kernel", "metric"]
COMPARISON_COLUMNS = [
    "source",
    "table",
    *KEYS,
    "published",
    "std",
    "measured",
    "difference",
    "verdict",
    "budget",
    "C",
    "theta",
    "delta",
    "relative_gap",
    "seconds",
]
#: Columns that comparison.csv and the printed tables may have besides.
OPTIONAL_COLUMNS = ["measured_std", "file", "reason", "label"]
#: A table with these is a grid of cells; what else comparison.csv has may be left out of it.
GRID_COLUMNS = ["dataset", "method", "metric", "published", "measured", "difference", "verdict"]
#: The columns of comparison.csv that are numbers.
NUMBERS = [
    "published",
    "std",
    "measured",
    "measured_std",
    "difference",
    "C",
    "theta",
    "delta",
    "relative_gap",
    "seconds",
]
EVALUATION_COLUMNS = [
    "study",
    "dataset",
    "features",
    "method",
    "label",
    "loss",
    "k",
    "gamma",
    "kernel",
    "metric",
    "measured",
    "std",
    "splits",
    "budget",
    "C",
    "theta",
    "delta",
    "relative_gap",
    "epochs",
    "status",
    "seconds",
    "file",
]
DATASETS_COLUMNS = [
    "dataset",
    "title",
    "task",
    "status",
    "reason",
    "n_classes",
    "n_train",
    "n_val",
    "n_test",
    "n_features",
    "label_cardinality",
    "zero_rows",
    "empty_label_sets",
    "full_label_sets",
    "classes_without_example",
    "paper_n_classes",
    "paper_n_train",
    "paper_n_features",
    "paper_label_cardinality",
    "paper_source",
    "agrees",
    "licence",
    "citation",
    "url",
]
RUN_KEYS = [
    "created",
    "command",
    "config",
    "budget",
    "seeds",
    "machine",
    "versions",
    "git",
    "blas",
    "wall_seconds",
]
