"""The names under which published and measured numbers meet: keys of methods, names of tables, and the
competitors, the methods of the papers that have code here.

Papers print a method by the label of its row: ``topk_svm_alpha`` with k = 1 in one table is
``svm_multi`` in another. Keys hold text, as the CSV files do; an empty text means "not stated" or
"does not apply".

Planning a run reads this module, so it imports no code of a competitor, which is in
`toplabel.reproduction.methods`.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from toplabel._core.catalogue import LOSSES
from toplabel.reproduction.files import PathLike


class Key(NamedTuple):
    """A method in canonical form; all fields are text."""

    method: str
    k: str
    gamma: str
    kernel: str


def canonical_key(method: object, k: object = "", gamma: object = "", kernel: object = "") -> Key:
    """Return the one key that all names of a method share.

    The top-k hinges with k = 1 are the multiclass SVM of the same gamma, the top-k entropies with k
    = 1 are the softmax loss (TPAMI section 3.2, Table 1). A hinge without gamma has gamma = 0; a
    loss without k or gamma has none, whatever the table says. Methods of other authors keep what
    they have. Empty, None and NaN are the same; so are 1, 1.0, "1" and "1.0". What is neither empty
    nor a number is a ValueError.

    >>> canonical_key("topk_svm_beta", 1, 0.0, "linear")
    Key(method='svm_multi', k='', gamma='0', kernel='linear')
    """
    name, k_text, gamma_text = _text(method), number_text(k, "k"), number_text(gamma, "gamma")
    loss = LOSSES.get(name)
    if loss is not None and k_text == "1":
        loss = LOSSES[loss.at_one or name]
    if loss is not None:
        name = loss.key
        k_text = k_text if loss.top_k else ""
        gamma_text = (gamma_text or "0") if loss.smoothing else ""
    return Key(name, k_text, gamma_text, _text(kernel))


def key_of(row: Mapping[str, object]) -> Key:
    """Return the key of a row of a result file."""
    return canonical_key(row["method"], row["k"], row["gamma"], row["kernel"])


def number_text(value: object, name: str) -> str:
    """Return a number in its shortest form ("1", "0.5"); nothing, None and NaN are empty.

    A ValueError names the argument, when it is neither empty nor a finite number.
    """
    text = _text(value)
    if not text:
        return ""
    try:
        number = float(text)
    except ValueError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a number or empty, got {value!r}")
    return f"{number:.12g}"


def _text(value: object) -> str:
    if value is None or (isinstance(value, numbers.Real) and math.isnan(value)):
        return ""
    text = str(value).strip()
    return "" if text in ("nan", "<NA>") else text


# ---- published tables ----------------------------------------------------------------------------

_TABLE_FILE = re.compile(r"(?P<source>[a-z]+[0-9]{4})_table(?P<table>[0-9]+)")
_MAIN = "tpami2017_"  # the paper whose tables need no prefix: table05 is tpami2017_table05
_RUNTIMES = "tpami2017_table02"  # these are no cells of data set, method and metric


def short_name(name: str) -> str:
    """Return the short form of a published table's name; any other name stays as it is."""
    return name.removeprefix(_MAIN)


def whole_name(name: str) -> str:
    """Return the name of a published table's file in data/published, given its short name."""
    return name if _TABLE_FILE.fullmatch(name) else f"{_MAIN}{name}"


def table_name(source: str, table: str) -> str:
    """Name a published table in short: "table05" of the main paper, or "cvpr2016_table07"."""
    return short_name(f"{source}_table{int(table):02d}")


def published_tables(folder: PathLike) -> dict[str, tuple[str, str]]:
    """Return source and number, as ("tpami2017", "5"), of the published tables by short name."""
    tables = {}
    for path in sorted(Path(folder).glob("*.csv")):
        match = _TABLE_FILE.fullmatch(path.stem)
        if match and path.stem != _RUNTIMES:
            tables[short_name(path.stem)] = (match["source"], str(int(match["table"])))
    return tables


# ---- competitors ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Competitor:
    """Facts of a competitor, which trains on one label per example, known before its import."""

    code: str  # the module in `toplabel.reproduction.methods` and its class, a `methods.trained.Trainer`
    # Arguments of the class that make this competitor; `params` of config/methods.yaml are added.
    fixed: Mapping[str, Any] = field(default_factory=dict)
    # What is selected on the axis C of the grids. "C" is that of the papers, 1/(lambda n) for n terms.
    parameter: str = "C"
    top_k: bool = False  # whether it has a k
    kernel: str = "linear"  # linear, rbf (whose width it chooses itself) or none
    labels: ClassVar[str] = "one"
    smoothing: ClassVar[bool] = False
    # Whether it is validated by closed-form leave-one-out scores, whatever the protocol.
    leave_one_out: bool = False


_STEP = "step"
_SIMPLEX = "simplex_coding.SupportVectors"

COMPETITORS: dict[str, Competitor] = {
    "svm_ova_liblinear": Competitor("one_vs_all.Liblinear", {"loss": "svm_ova"}),
    "lr_ova_liblinear": Competitor("one_vs_all.Liblinear", {"loss": "lr_ova"}),
    "toppush": Competitor("toppush.TopPush", {"one_vs_all": False}),
    "toppush_ova": Competitor("toppush.TopPush", {"one_vs_all": True}),
    "toppush_program": Competitor("toppush.TopPushProgram"),
    "recall_at_k": Competitor("svm_perf.RecallAtK", {"one_vs_all": False}, top_k=True),
    "recall_at_k_ova": Competitor("svm_perf.RecallAtK", {"one_vs_all": True}, top_k=True),
    "topk_ent_tr_descent": Competitor("entropy_descent.EntropyDescent", top_k=True),
    "wsabie_pp_0": Competitor("wsabie.WsabiePlusPlus", {"queue": 0}, _STEP),
    "wsabie_pp_1": Competitor("wsabie.WsabiePlusPlus", {"queue": 1}, _STEP),
    "wsabie_pp_2": Competitor("wsabie.WsabiePlusPlus", {"queue": 2}, _STEP),
    "s_ls_batch": Competitor(
        "simplex_coding.LeastSquares", {"kernel": "linear"}, leave_one_out=True
    ),
    "s_ls_rbf_batch": Competitor(
        "simplex_coding.LeastSquares", {"kernel": "rbf"}, kernel="rbf", leave_one_out=True
    ),
    "sc_svm_batch": Competitor(_SIMPLEX, {"loss": "sc_svm", "kernel": "linear"}),
    "sc_svm_rbf_batch": Competitor(_SIMPLEX, {"loss": "sc_svm", "kernel": "rbf"}, kernel="rbf"),
    "sh_svm_batch": Competitor(_SIMPLEX, {"loss": "sh_svm", "kernel": "linear"}),
    "sh_svm_rbf_batch": Competitor(_SIMPLEX, {"loss": "sh_svm", "kernel": "rbf"}, kernel="rbf"),
    "s_ls_online": Competitor("simplex_coding.Online", {"loss": "s_ls"}),
    "sc_svm_online": Competitor("simplex_coding.Online", {"loss": "sc_svm"}),
    "sc_svm_program": Competitor("simplex_coding.ConeProgram"),
    "sh_svm_online": Competitor("simplex_coding.Online", {"loss": "sh_svm"}),
    "svm_ova_batch": Competitor("one_vs_all.Libsvm", {"kernel": "linear"}),
    "svm_rbf_ova_batch": Competitor("one_vs_all.Libsvm", {"kernel": "rbf"}, kernel="rbf"),
    "simplex_boosting": Competitor("simplex_coding.SimplexBoosting", {}, "rounds", kernel=""),
}
"""The competitors by the key under which results are compared with data/published.

The key is that of the papers where they ran the same method, and a key of our own, under which
nothing is published, where they did not.
"""
