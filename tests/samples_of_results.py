"""Small results, printed numbers and frames of cells for tests."""

import math
from dataclasses import fields, replace
from types import SimpleNamespace

import pandas as pd

from toplabel.reproduction.compare.build import build
from toplabel.reproduction.compare.cells import COLUMNS, KEPT, MEASURED, PUBLISHED
from toplabel.reproduction.selection.evaluation import TestMetric

_BLANK = {name: "" if kind is str else math.nan for name, kind in COLUMNS.items()}
_HEADER = "source,table,dataset,features,method,k,gamma,kernel,metric,value,std"


def evaluations(*rows):
    """Rows of evaluation.csv; one is (data set, method, split, metric, value) and what differs."""
    base = {
        **dict.fromkeys(("theta", "threshold", "gradient_norm", "selected_k"), math.nan),
        **{"C": 1.0, "relative_gap": 1e-4, "epochs": 10, "status": "converged"},
        **{"seconds": 2.0, "budget": "standard"},
    }
    names = ("dataset", "method", "split", "metric", "value")
    records = [
        dict(zip(names, row[:5], strict=True)) | base | (row[5] if len(row) > 5 else {})
        for row in rows
    ]
    return pd.DataFrame(records, columns=[field.name for field in fields(TestMetric)])


def built(catalogue, folder, printed, measured, notes=None, **more):
    """The frame of some results beside some printed numbers.

    `printed` are rows of data/published from the data set on, with another source, if any, at the
    end; `measured` are rows of `evaluations`.
    """
    texts = {"tpami2017": [_HEADER]}
    for row in printed:
        text, _, source = row.partition(" ")
        source = source or "tpami2017"
        texts.setdefault(source, [_HEADER]).append(f"{source},5,{text}")
    for source, lines in texts.items():
        (folder / f"{source}_table05.csv").write_text("\n".join([*lines, ""]))
    catalogue = replace(catalogue, published=folder, notes=notes or noted())
    return build(catalogue, evaluations(*measured), **more)


def noted(**changes):
    """Notes without any, but for those given."""
    none = {name: {} for name in ("readings", "choices", "reasons", "claims")}
    return SimpleNamespace(**none | {"reason_of": lambda row: None} | changes)


def number(run, value, metric="top1", method="svm_multi", printed="", **changes):
    """A row of the frame: a number of letter in Table 5 of TPAMI 2017."""
    place = {"source": "tpami2017", "table": "5", "dataset": "letter", "metric": metric}
    place |= {"method": method, "kernel": "linear", "run": run, "value": value}
    row = _BLANK | place | {"printed": printed}
    if run == PUBLISHED:
        row["printed"] = printed or f"{value}"
    else:
        row |= {"config_dataset": "letter", "config_method": method, "splits": 1.0}
        row["difference"] = value - float(printed or "nan")
    row |= changes
    if "dataset" in changes and "config_dataset" not in changes and run != PUBLISHED:
        row["config_dataset"] = changes["dataset"]
    return row


def frame(*rows):
    """A frame of such rows."""
    return pd.DataFrame(rows, columns=[*COLUMNS])


__all__ = ["KEPT", "MEASURED", "PUBLISHED", "built", "evaluations", "frame", "noted", "number"]
