"""How the best method of an own data set does class by class, how to load it, and what it took."""

from __future__ import annotations

import pandas as pd

from toplabel.reproduction.files import read_npz
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import plain
from toplabel.reproduction.report.numbers import compact, count, fixed
from toplabel.reproduction.report.sections import first_bests, table_of
from toplabel.reproduction.report.tree import Part, Section, Table, Text

_LARGEST = 30  # classes of a confusion matrix that is shown


def class_sections(inputs: Inputs) -> list[tuple[str, Section]]:
    """Return a section for each own data set with predictions, with the name of the set."""
    found = []
    for dataset, best in first_bests(inputs).items():
        file = f"{dataset}/{best['config_method']}/predictions.csv"
        if (inputs.results / file).is_file():
            rows = pd.read_csv(inputs.results / file, dtype=str, keep_default_na=False)
            lead = f"Predictions of {plain(best['label'])} for the test rows:"
            parts: list[Part] = [
                Text("", lead=lead, link="predictions.csv", href=inputs.link(file))
            ]
            model = inputs.results / dataset / best["config_method"] / "model.npz"
            if (splits := read_npz(model)["splits"]).size:
                of = (
                    f", the model of split {splits[0]}, or another by split="
                    if splits.size > 1
                    else ""
                )
                parts.append(Text("", lead=f"As a scikit-learn pipeline for new rows{of}:"))
                parts.append(Text(f'toplabel.load_model("{model.as_posix()}")', style="code"))
            title = f"{inputs.title(dataset)}, class by class"
            parts += [*class_tables(rows), cost_table(inputs, dataset)]
            section = Section(f"classes-{dataset}", title, parts)
            found.append((dataset, section))
    return found


def cost_table(inputs: Inputs, dataset: str) -> Table:
    """Return what each method took: the most of any metric, summed over the splits."""
    cells = inputs.cells[inputs.cells["config_dataset"] == dataset]
    most = cells.groupby("label", sort=False)[["seconds", "epochs"]].max().dropna()
    rows = [
        [label, compact(one["seconds"], 3), count(int(one["epochs"])) if one["epochs"] else ""]
        for label, one in most.iterrows()
    ]
    head = ["Method", "Seconds of selection and training", "Passes or steps of the final fits"]
    return table_of("What each method took", head, rows)


def class_tables(rows: pd.DataFrame) -> list[Part]:
    """Return recall and precision of each class, and of single labels the confusion matrix."""
    names = [name.removeprefix("score_") for name in rows if name.startswith("score_")]
    has_sets = not rows["true"].isin(names).all()
    true, predicted = (
        (texts.str.get_dummies(";") if has_sets else pd.get_dummies(texts, dtype=int)).reindex(
            columns=names, fill_value=0
        )
        for texts in (rows["true"], rows["predicted"])
    )
    matrix = true.T @ predicted
    body = []
    for name in names:
        right, here, said = matrix.at[name, name], true[name].sum(), predicted[name].sum()
        recall, precision = (fixed(100 * right / n, 1) if n else "" for n in (here, said))
        body.append([name, count(here), recall, count(said), precision])
    head = ["Class", "Test rows", "Recall, %", "Predicted", "Precision, %"]
    parts: list[Part] = [table_of("Recall and precision by class", head, body)]
    if not has_sets and len(names) <= _LARGEST:
        lines = [[name, *(count(n) if n else "" for n in matrix.loc[name])] for name in names]
        parts.append(table_of("Confusion matrix: true classes by row", ["True", *names], lines))
    return parts
