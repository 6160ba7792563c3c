"""The methods of the papers that have code here, and what planning a run knows of each.

Planning a run reads this module, so it imports none of that code, which is in
`toplabel.reproduction.methods`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Competitor:
    """What is known of a competitor, which trains on one label per example, before its import.

    Attributes
    ----------
    module, trainer : str
        The module and its class, whose instances are a `methods.trained.Trainer`.
    parameter : str
        What is selected on validation data, on the axis C of the protocols' grids. "C" is the C of
        the papers, 1/(lambda n) with n the number of terms in the loss.
    top_k : bool
        Whether it has a k.
    fixed : mapping
        Arguments of the class that make this competitor.
    options : frozenset of str
        Arguments of the class that a row of config/methods.yaml may set in `params`.
    kernel : {"linear", "rbf", ""}
        Its kernel; the width of an RBF kernel is chosen by the competitor itself.
    leave_one_out : bool
        Whether it is validated by closed-form leave-one-out scores, whatever the protocol says.
    """

    module: str
    trainer: str
    parameter: str = "C"
    top_k: bool = False
    fixed: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    options: frozenset[str] = frozenset()
    kernel: str = "linear"
    leave_one_out: bool = False


def _by(code: str, options: str = "", **about: Any) -> Competitor:
    """Return the competitor of a module and a class, with the names of its options."""
    module, trainer = code.split(".")
    where = f"toplabel.reproduction.methods.{module}"
    return Competitor(where, trainer, options=frozenset(options.split()), **about)


_KERNELS = {"": "linear", "_rbf": "rbf"}

COMPETITORS: dict[str, Competitor] = {
    "svm_ova_liblinear": _by("liblinear.OneVsAll", fixed={"loss": "svm_ova"}),
    "lr_ova_liblinear": _by("liblinear.OneVsAll", fixed={"loss": "lr_ova"}),
    "toppush": _by("toppush.TopPush", fixed={"one_vs_all": False}),
    "toppush_ova": _by("toppush.TopPush", fixed={"one_vs_all": True}),
    "toppush_program": _by("toppush_program.TopPushProgram", "tolerance iterations"),
    "recall_at_k": _by("svm_perf.RecallAtK", "tolerance", top_k=True, fixed={"one_vs_all": False}),
    "recall_at_k_ova": _by(
        "svm_perf.RecallAtK", "tolerance", top_k=True, fixed={"one_vs_all": True}
    ),
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
    "s_ls_batch": _by(
        "simplex_coding.LeastSquares", "count bias", fixed={"kernel": "linear"}, leave_one_out=True
    ),
    "s_ls_rbf_batch": _by(
        "simplex_coding.LeastSquares",
        "count denominator",
        fixed={"kernel": "rbf"},
        kernel="rbf",
        leave_one_out=True,
    ),
    **{
        f"{loss}{suffix}_batch": _by(
            "simplex_coding.SupportVectors", fixed={"loss": loss, "kernel": kernel}, kernel=kernel
        )
        for loss in ("sc_svm", "sh_svm")
        for suffix, kernel in _KERNELS.items()
    },
    **{
        f"{loss}_online": _by("simplex_coding.Online", "epochs average bias", fixed={"loss": loss})
        for loss in ("s_ls", "sc_svm", "sh_svm")
    },
    **{
        f"svm{suffix}_ova_batch": _by(
            "libsvm.OneVsAllSVC", "passes", fixed={"kernel": kernel}, kernel=kernel
        )
        for suffix, kernel in _KERNELS.items()
    },
    "simplex_boosting": _by(
        "simplex_boosting.SimplexBoosting", "depth", parameter="rounds", kernel=""
    ),
}
"""The competitors by the key under which results are compared with data/published.

The key is that of the papers where they ran the same method, and a key of our own, under which
nothing is published, where they did not.
"""
