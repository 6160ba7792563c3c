"""Which baselines there are, and where the code of each is.

Planning a run reads this module, so it imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Baseline:
    """What the other packages know of a baseline.

    `trainer` is a class of `module`, whose instances are a `models.Trainer`. `task` is
    "multiclass", trained on one label per example, or "multilabel", on a set of labels. `parameter`
    is what is selected on validation data, on the axis C of the protocols' grids; "C" is the C of
    the papers, 1/(lambda n) with n the number of terms in the loss. `fixed` are the arguments of
    the trainer that make this baseline, `options` those that a row of the registry of methods may
    set (`params`). `kernel` is that of its key: "linear", "rbf" with a width that it chooses
    itself, or "" for none. `leave_one_out`: it is validated by its closed-form leave-one-out scores
    (`models.Trained.left_out`), whatever the protocol. `own_grid`: the trainer derives the grid of
    C from the data (`axis`), in place of the protocol's.
    """

    module: str
    trainer: str
    task: str
    parameter: str = "C"
    top_k: bool = False
    fixed: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    options: frozenset[str] = frozenset()
    kernel: str = "linear"
    leave_one_out: bool = False
    own_grid: bool = False


_ROOM = "toplabel.reproduction.baselines"

BASELINES: dict[str, Baseline] = {
    "svm_ova_liblinear": Baseline(
        f"{_ROOM}.liblinear", "OneVsAll", "multiclass", fixed={"loss": "svm_ova"}
    ),
    "lr_ova_liblinear": Baseline(
        f"{_ROOM}.liblinear", "OneVsAll", "multiclass", fixed={"loss": "lr_ova"}
    ),
    "toppush": Baseline(f"{_ROOM}.toppush", "TopPush", "multiclass", fixed={"one_vs_all": False}),
    "toppush_ova": Baseline(
        f"{_ROOM}.toppush", "TopPush", "multiclass", fixed={"one_vs_all": True}
    ),
    **{
        name: Baseline(
            f"{_ROOM}.svm_perf",
            "RecallAtK",
            "multiclass",
            top_k=True,
            fixed={"one_vs_all": one_vs_all},
            options=frozenset(("tolerance",)),
        )
        for name, one_vs_all in (("recall_at_k", False), ("recall_at_k_ova", True))
    },
    "toppush_nesterov": Baseline(
        f"{_ROOM}.toppush_nesterov",
        "TopPushNesterov",
        "multiclass",
        options=frozenset(("tolerance", "iterations")),
    ),
    "topk_ent_tr_descent": Baseline(
        f"{_ROOM}.entropy_descent",
        "EntropyDescent",
        "multiclass",
        top_k=True,
        options=frozenset(("steps",)),
    ),
    **{
        f"wsabie_pp_{queue}": Baseline(
            f"{_ROOM}.wsabie",
            "WsabiePlusPlus",
            "multiclass",
            parameter="bound on the norms",
            fixed={"queue": queue},
            options=frozenset(("dimension", "step", "epochs")),
        )
        for queue in range(3)
    },
    "multioutput_forest": Baseline(
        f"{_ROOM}.forest",
        "MultiOutputForest",
        "multilabel",
        parameter="rows in a leaf",
        options=frozenset(("trees", "features", "projection")),
    ),
    "label_hierarchy": Baseline(
        f"{_ROOM}.hierarchy", "LabelHierarchy", "multilabel", options=frozenset(("children",))
    ),
    **{
        name: Baseline(
            f"{_ROOM}.simplex_coding",
            "LeastSquares",
            "multiclass",
            fixed={"kernel": kernel},
            options=frozenset(("count", *options)),
            kernel=kernel,
            leave_one_out=True,
            own_grid=True,
        )
        for name, kernel, options in (
            ("s_ls_batch", "linear", ("bias",)),
            ("s_ls_rbf_batch", "rbf", ("denominator",)),
        )
    },
    **{
        f"{loss}{suffix}_batch": Baseline(
            f"{_ROOM}.simplex_coding",
            "SupportVectors",
            "multiclass",
            fixed={"loss": loss, "kernel": kernel},
            kernel=kernel,
        )
        for loss in ("sc_svm", "sh_svm")
        for suffix, kernel in (("", "linear"), ("_rbf", "rbf"))
    },
    **{
        f"{loss}_online": Baseline(
            f"{_ROOM}.simplex_coding",
            "Online",
            "multiclass",
            fixed={"loss": loss},
            options=frozenset(("epochs", "average", "bias")),
        )
        for loss in ("s_ls", "sc_svm", "sh_svm")
    },
    **{
        name: Baseline(
            f"{_ROOM}.libsvm",
            "OneVsAllSVC",
            "multiclass",
            fixed={"kernel": kernel},
            options=frozenset(("passes",)),
            kernel=kernel,
        )
        for name, kernel in (("svm_ova_batch", "linear"), ("svm_rbf_ova_batch", "rbf"))
    },
    "simplex_boosting": Baseline(
        f"{_ROOM}.simplex_boosting",
        "SimplexBoosting",
        "multiclass",
        parameter="rounds",
        options=frozenset(("depth",)),
        kernel="",
    ),
}
"""By the key under which results are compared with data/published: the published one where the
papers ran the same method, and a key of our own where they did not (those are never compared).
"""
