"""How the best method of an own data set does class by class, from its predictions.csv."""

from __future__ import annotations

import pandas as pd

from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import plain
from toplabel.reproduction.report.numbers import count, fixed
from toplabel.reproduction.report.sections import best_by_dataset, table_of
from toplabel.reproduction.report.tree import Cell, Part, Section, Text

_LARGEST = 30  # classes of a confusion matrix that is shown


def class_sections(inputs: Inputs) -> list[tuple[str, Section]]:
    """Return a section for each own data set with predictions, with the name of the set."""
    found = []
    for dataset, best in best_by_dataset(inputs):
        file = f"{dataset}/{best['config_method']}/predictions.csv"
        if (inputs.results / file).is_file():
            rows = pd.read_csv(inputs.results / file, dtype=str, keep_default_na=False)
            parts = _of_sets(rows) if _has_sets(rows) else _of_classes(rows)
            lead = f"Predictions of {plain(best['label'])} for the test rows:"
            parts.insert(0, Text("", lead=lead, link="predictions.csv", href=inputs.link(file)))
            title = f"{inputs.title(dataset)}, class by class"
            found.append((dataset, Section(f"classes-{dataset}", title, parts)))
    return found


def _has_sets(rows: pd.DataFrame) -> bool:
    classes = [name.removeprefix("score_") for name in rows if name.startswith("score_")]
    return not rows["true"].isin(classes).all()


def _of_classes(rows: pd.DataFrame) -> list[Part]:
    """Return recall and precision of each class, and the confusion matrix."""
    names = [name.removeprefix("score_") for name in rows if name.startswith("score_")]
    matrix = pd.crosstab(rows["true"], rows["predicted"]).reindex(index=names, columns=names)
    matrix = matrix.fillna(0).astype(int)
    right = pd.Series([matrix.at[name, name] for name in names], names)
    body = _per_class(right, matrix.sum(axis=1), matrix.sum(axis=0))
    parts: list[Part] = [_table(body)]
    if len(names) <= _LARGEST:
        lines = [[name, *(count(n) if n else "" for n in matrix.loc[name])] for name in names]
        parts.append(table_of("Confusion matrix: true classes by row", ["True", *names], lines))
    return parts


def _of_sets(rows: pd.DataFrame) -> list[Part]:
    """Return recall and precision of each label."""
    names = [name.removeprefix("score_") for name in rows if name.startswith("score_")]
    true, predicted = (rows[column].str.get_dummies(";") for column in ("true", "predicted"))
    true, predicted = (part.reindex(columns=names, fill_value=0) for part in (true, predicted))
    return [_table(_per_class((true * predicted).sum(), true.sum(), predicted.sum()))]


def _per_class(right: pd.Series, true: pd.Series, predicted: pd.Series) -> list[list[str | Cell]]:
    def share(part: float, whole: float) -> str:
        return fixed(100 * part / whole, 1) if whole else ""

    return [
        [
            *(name, count(int(true[name])), share(right[name], true[name])),
            *(count(int(predicted[name])), share(right[name], predicted[name])),
        ]
        for name in right.index
    ]


def _table(body: list[list[str | Cell]]) -> Part:
    head = ["Class", "Test rows", "Recall, %", "Predicted", "Precision, %"]
    return table_of("Recall and precision by class", head, body)
