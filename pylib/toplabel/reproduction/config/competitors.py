"""The methods of the papers that have code here, and what planning a run knows of each.

Planning a run reads this module, so it imports none of that code, which is in
`toplabel.reproduction.methods`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
    leave_one_out: bool = (
        False  # validated by closed-form leave-one-out scores, whatever the protocol
    )


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
