"""The losses: what is known of each, in one row; the mathematics is in C (``csrc/src/loss_*.c``).

Importing this module loads nothing. The order is that of ``tl_loss_id``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["LOSSES", "Loss", "get", "parametrised"]


@dataclass(frozen=True, kw_only=True)
class Loss:
    """The description of a loss outside of its mathematics.

    Parameters
    ----------
    key : str
        The name used everywhere; ``TL_LOSS_<KEY>`` is its ``tl_loss_id``. Of a user's loss the
        object.
    label : str
        The papers' name; ``^{..}`` and ``_{..}`` are superscripts and subscripts, the k of "top-k"
        is replaced.
    about : str
        What it is, in a few words.
    labels : {"one", "set", "either"}
        One label per row, a set of labels, or either.
    formula : str
        The loss, as text, in the notation of docs/what-to-use.md.
    source : str
        Where it, its conjugate and its update stand.
    smoothing : bool
        Does gamma mean anything? If not, the loss is smooth by itself.
    top_k : bool
        Does k mean anything?
    at_one : str
        Of a top-k loss: the loss that it is with k = 1.
    differences : bool
        Does it depend on the differences of scores alone?
    centred : bool
        Is it a function of the scores minus their mean?
    start : str
        Of a loss that is not convex: the convex one at whose solution training starts
        (``toplabel._core.nonconvex``).
    """

    key: str
    label: str
    about: str
    labels: str
    formula: str = ""
    source: str = ""
    smoothing: bool = False
    top_k: bool = False
    at_one: str = ""
    differences: bool = True
    centred: bool = False
    start: str = ""

    @property
    def convex(self) -> bool:
        """One that is not has no conjugate, and no duality gap to certify with."""
        return not self.start

    def name(self, k: int = 1, gamma: float = 0.0) -> str:
        """Return the label with its parameters, as "top-2 SVM^{α}_{1}".

        Parameters
        ----------
        k : int
            The k of a top-k loss.
        gamma : float
            The smoothing of a hinge; 0 is left out.

        Returns
        -------
        str
            With the marks of `label`.
        """
        return parametrised(self.label, f"{k}", f"{gamma:g}")


LOSSES = {
    loss.key: loss
    for loss in (
        Loss(
            key="svm_ova",
            label="SVM^{OVA}",
            about="one-vs-all hinge; with sets: binary relevance",
            labels="either",
            formula="Σ max{0, 1 - τ_j s_j}, τ_j = ±1",
            source="section 3.2",
            smoothing=True,
            differences=False,
        ),
        Loss(
            key="lr_ova",
            label="LR^{OVA}",
            about="one-vs-all logistic loss; with sets: binary relevance",
            labels="either",
            formula="Σ log(1 + e^{-τ_j s_j})",
            source="section 3.2",
            differences=False,
        ),
        Loss(
            key="svm_multi",
            label="SVM^{Multi}",
            about="multiclass SVM (Crammer and Singer)",
            labels="one",
            formula="max{0, b_[1]}",
            source="Prop. 1, 2, 14 with k = 1",
            smoothing=True,
        ),
        Loss(
            key="topk_svm_alpha",
            label="top-k SVM^{α}",
            about="top-k SVM: hinge of the mean of the k largest margins",
            labels="one",
            formula="max{0, (b_[1] + ... + b_[k]) / k}",
            source="section 3.2, Prop. 1, 2, 14",
            smoothing=True,
            top_k=True,
            at_one="svm_multi",
        ),
        Loss(
            key="topk_svm_beta",
            label="top-k SVM^{β}",
            about="top-k SVM: mean of the k largest hinges",
            labels="one",
            formula="(max{0, b_[1]} + ... + max{0, b_[k]}) / k",
            source="section 3.2, Prop. 1, 2, 14",
            smoothing=True,
            top_k=True,
            at_one="svm_multi",
        ),
        Loss(
            key="lr_multi",
            label="LR^{Multi}",
            about="softmax",
            labels="one",
            formula="log(1 + Σ e^{v_j})",
            source="Prop. 3, 15",
        ),
        Loss(
            key="topk_ent",
            label="top-k Ent",
            about="top-k entropy",
            labels="one",
            formula="max over x in the top-k simplex α of <v, x> - <x, log x> - (1 - t) log(1 - t), t = <1, x>",
            source="Prop. 4, 15",
            top_k=True,
            at_one="lr_multi",
        ),
        Loss(
            key="topk_ent_tr",
            label="top-k Ent_{tr}",
            about="truncated top-k entropy; not convex, so a gradient norm in place of the gap",
            labels="one",
            formula="log(1 + Σ e^{v_j}) without the k - 1 largest v_j",
            source="section 3.2",
            top_k=True,
            at_one="lr_multi",
            start="lr_multi",
        ),
        Loss(
            key="svm_ml",
            label="SVM^{ML}",
            about="multilabel SVM (separation ranking loss)",
            labels="set",
            formula="max{0, 1 + max of s outside Y - min of s in Y}",
            source="Prop. 5, 6, 18",
            smoothing=True,
        ),
        Loss(
            key="lr_ml",
            label="LR^{ML}",
            about="multilabel softmax",
            labels="set",
            formula="log Σ e^{s_j} - mean of s in Y",
            source="Prop. 7, 20",
        ),
        Loss(
            key="svm_ww",
            label="SVM^{WW}",
            about="multiclass SVM of Weston and Watkins: sum of the hinges of all other classes",
            labels="one",
            formula="Σ max{0, b_j}",
            source="Weston and Watkins",
            smoothing=True,
        ),
        Loss(
            key="sc_svm",
            label="SC-SVM",
            about="simplex cone SVM: sum of the hinges of all other classes, of centred scores",
            labels="one",
            formula="Σ max{0, 1/(m - 1) + t_j}, t = sqrt(m/(m - 1)) (s - mean of s)",
            source="NIPS 2012, section 3",
            smoothing=True,
            centred=True,
        ),
        Loss(
            key="sh_svm",
            label="SH-SVM",
            about="simplex half space SVM: hinge of the label's centred score; not consistent",
            labels="one",
            formula="max{0, 1 - t_y}, t = sqrt(m/(m - 1)) (s - mean of s)",
            source="NIPS 2012, section 3",
            smoothing=True,
            centred=True,
        ),
        Loss(
            key="zlpr",
            label="ZLPR",
            about="zero-bounded log-sum-exp and pairwise rank-based loss: a softmax with 0 on each side of a set",
            labels="set",
            formula="log(1 + Σ e^{s_j} outside Y) + log(1 + Σ e^{-s_y} in Y)",
            source="Su et al., arXiv 2208.02955",
            differences=False,
        ),
        Loss(
            key="lsep",
            label="LSEP",
            about="log-sum-exp of all pairs of a wrong and a right label",
            labels="set",
            formula="log(1 + Σ e^{s_j - s_y}), j outside Y, y in Y",
            source="Li, Song and Luo, CVPR 2017",
        ),
    )
}


def nearest(key: object, known: Iterable[str]) -> str:
    """Return the end of a message that names the known keys nearest to an unknown one."""
    from difflib import get_close_matches

    near = get_close_matches(str(key), known, n=2)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


_SHOWN = 60  # letters of what is no loss, at most


def get(key: str) -> Loss:
    """Return the loss of this name; ``ValueError`` lists the known ones."""
    if not isinstance(key, str) or key not in LOSSES:
        given = repr(key)
        if len(given) > _SHOWN:  # an array, where arguments were exchanged
            raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {type(key).__name__}")
        raise ValueError(
            f"loss must be one of {', '.join(LOSSES)}, got {given}{nearest(key, LOSSES)}"
        )
    return LOSSES[key]


def parametrised(label: str, k: str, gamma: str) -> str:
    """Put the parameters of a method, as text, into its label; empty where they do not apply."""
    if k:
        label = label.replace("top-k", f"top-{k}").replace("@k", f"@{k}")
    return label if gamma in ("", "0", "0.0") else f"{label}_{{{gamma.removesuffix('.0')}}}"
