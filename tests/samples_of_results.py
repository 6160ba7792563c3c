"""Small results and published cells for the tests of the studies."""

from __future__ import annotations

import math

import pandas as pd

from toplabel.reproduction.compare.collection import collect
from toplabel.reproduction.config.datasets import Registry
from toplabel.reproduction.config.entry import Entry
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.studies import Study
from toplabel.reproduction.tables.cells import TEST_METRICS

METHODS = {
    m.name: m
    for m in (
        Method("svm", "SVM^{Multi}", "svm_multi"),
        Method("smooth", "SVM^{Multi}_{1}", "svm_multi", gamma=1.0),
        Method("softmax", "LR^{Multi}", "lr_multi"),
        Method("ml", "SVM^{ML}", "svm_ml"),
    )
}
FEATURES = {"letter": "", "yeast": "", "circle": "", "cub": "vgg16_fc7", "cub_alex": "alexnet_fc7"}
STUDIES = [
    Study("second", "second", ("yeast",), ("ml",)),
    Study("first", "first", ("letter", "circle"), ("softmax", "svm")),
    Study("third", "third", ("letter",), ("svm",)),
]


def registered(names, sources=None, seeds_of=None):
    """A registry of data sets by their names in the papers, and the papers that use them."""
    known = ("title", "protocol", "licence", "citation")
    words = {"task": "multiclass"} | dict.fromkeys(known, "x")
    found = Registry(
        {
            name: Entry(
                name, **words, published_key=key, published_sources=(sources or {}).get(name, ())
            )
            for name, key in names.items()
        },
        {},
    )
    found.seeds_of = seeds_of or {}
    return found


def results(*rows):
    """A frame of evaluations; a row is (dataset, method, split, metric, value) and what differs."""
    base = {
        "C": 1.0,
        "theta": math.nan,
        "threshold": math.nan,
        "relative_gap": 1e-4,
        "epochs": 10,
        "status": "converged",
        "seconds": 2.0,
        "budget": "standard",
        "gradient_norm": math.nan,
    }
    names = ("dataset", "method", "split", "metric", "value")
    records = [
        {**dict(zip(names, row[:5], strict=True)), **base, **(row[5] if len(row) > 5 else {})}
        for row in rows
    ]
    return TEST_METRICS.frame(records)


def collected(*rows):
    """What `collect` makes of such rows."""
    return collect(results(*rows), METHODS, STUDIES, FEATURES)


def published(*rows):
    """A frame of published cells; a row is (dataset, features, method, k, gamma, metric, value)."""
    names = ("dataset", "features", "method", "k", "gamma", "metric", "published")
    frame = pd.DataFrame(rows, columns=names)
    frame = frame.assign(source="tpami2017", table="5", kernel="linear", std="")
    return frame.assign(value=frame["published"].astype(float))
