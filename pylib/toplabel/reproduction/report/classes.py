"""How the best method of an own data set does class by class, how to load it, and what it took."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from toplabel.reproduction.files import read_npz
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import metric_label, plain
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
            elif best["config_method"] in inputs.candidates:
                text = "The models of an estimator are not kept; the last table has its parameters."
                parts.append(Text(text))
            title = f"{inputs.title(dataset)}, class by class"
            parts += [*class_tables(rows), cost_table(inputs, dataset, best["metric"])]
            section = Section(f"classes-{dataset}", title, parts)
            found.append((dataset, section))
    return found


def cost_table(inputs: Inputs, dataset: str, metric: str) -> Table:
    """Return what was selected for a metric, and what each method took: the most of any metric,
    summed over the splits.
    """
    cells = inputs.cells[inputs.cells["config_dataset"] == dataset]
    rows = []
    for label, part in cells.groupby("label", sort=False):
        seconds, passes = part["seconds"].max(), part["epochs"].max()
        chosen = selected_for(inputs, part[part["metric"] == metric].iloc[0])
        said = [compact(seconds, 3), count(int(passes)) if passes > 0 else ""]
        rows.append([label, chosen, *said])
    head = ["Method", f"Selected for {metric_label(metric)}", "Seconds of selection and training"]
    head.append("Passes or steps of the final fits")
    return table_of("What each method selected and took", head, rows)


def selected_for(inputs: Inputs, row: pd.Series) -> str:
    """Return C, or the parameters of an estimator with the number of splits where they differ."""
    candidates = inputs.candidates.get(row["config_method"])
    if candidates is None:
        return f"C {compact(row['C'], 3)}" if row["C"] == row["C"] else ""
    file = inputs.results / row["config_dataset"] / row["config_method"] / "selection.csv"
    chosen = pd.read_csv(file)
    places = chosen.loc[chosen["metric"] == row["metric"], "candidate"].astype(int)
    texts = Counter(
        ", ".join(f"{name} {value}" for name, value in candidates[i].items()) for i in places
    )
    more = len(texts) > 1
    return "; ".join(f"{text} ({n})" if more else text for text, n in texts.most_common())


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
