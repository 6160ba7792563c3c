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
    task: str = "multiclass"
    parameter: str = "C"
    top_k: bool = False
    fixed: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    options: frozenset[str] = frozenset()
    kernel: str = "linear"
    leave_one_out: bool = False
    own_grid: bool = False


def _by(code: str, options: str = "", **about: Any) -> Baseline:
    """Return the baseline of a module and a class, with the names of its options."""
    module, trainer = code.split(".")
    where = f"toplabel.reproduction.methods.{module}"
    return Baseline(where, trainer, options=frozenset(options.split()), **about)


_KERNELS = (("", "linear"), ("_rbf", "rbf"))

BASELINES: dict[str, Baseline] = {
    "svm_ova_liblinear": _by("liblinear.OneVsAll", fixed={"loss": "svm_ova"}),
    "lr_ova_liblinear": _by("liblinear.OneVsAll", fixed={"loss": "lr_ova"}),
    "toppush": _by("toppush.TopPush", fixed={"one_vs_all": False}),
    "toppush_ova": _by("toppush.TopPush", fixed={"one_vs_all": True}),
    "recall_at_k": _by("svm_perf.RecallAtK", "tolerance", top_k=True, fixed={"one_vs_all": False}),
    "recall_at_k_ova": _by(
        "svm_perf.RecallAtK", "tolerance", top_k=True, fixed={"one_vs_all": True}
    ),
    "toppush_nesterov": _by("toppush_nesterov.TopPushNesterov", "tolerance iterations"),
    "topk_ent_tr_descent": _by("entropy_descent.EntropyDescent", "steps", top_k=True),
    **{
        f"wsabie_pp_{queue}": _by(
            "wsabie.WsabiePlusPlus",
            "dimension step epochs",
            parameter="bound on the norms",
            fixed={"queue": queue},
        )
        for queue in range(3)
    },
    "multioutput_forest": _by(
        "forest.MultiOutputForest",
        "trees features projection",
        task="multilabel",
        parameter="rows in a leaf",
    ),
    "label_hierarchy": _by("hierarchy.LabelHierarchy", "children", task="multilabel"),
    **{
        f"s_ls{suffix}_batch": _by(
            "simplex_coding.LeastSquares",
            f"count {option}",
            fixed={"kernel": kernel},
            kernel=kernel,
            leave_one_out=True,
            own_grid=True,
        )
        for (suffix, kernel), option in zip(_KERNELS, ("bias", "denominator"), strict=True)
    },
    **{
        f"{loss}{suffix}_batch": _by(
            "simplex_coding.SupportVectors", fixed={"loss": loss, "kernel": kernel}, kernel=kernel
        )
        for loss in ("sc_svm", "sh_svm")
        for suffix, kernel in _KERNELS
    },
    **{
        f"{loss}_online": _by("simplex_coding.Online", "epochs average bias", fixed={"loss": loss})
        for loss in ("s_ls", "sc_svm", "sh_svm")
    },
    **{
        f"svm{suffix}_ova_batch": _by(
            "libsvm.OneVsAllSVC", "passes", fixed={"kernel": kernel}, kernel=kernel
        )
        for suffix, kernel in _KERNELS
    },
    "simplex_boosting": _by(
        "simplex_boosting.SimplexBoosting", "depth", parameter="rounds", kernel=""
    ),
}
"""By the key under which results are compared with data/published: the published one where the
papers ran the same method, and a key of our own where they did not (those are never compared).
"""
