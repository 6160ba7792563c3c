"""A loss as a module."""

from __future__ import annotations

from torch import Tensor, nn

from toplabel._core.catalogue import get
from toplabel.torch.functional import check_parameters, check_reduction, loss


class Loss(nn.Module):
    """A loss of the catalogue in the place of ``nn.CrossEntropyLoss``.

    Parameters
    ----------
    key : str
        A key of `toplabel.losses.LOSSES` without the simplex coding: not ``sc_svm`` or ``sh_svm``.
    k : int
        As in `loss`.
    gamma : float
        As in `loss`.
    weight : Tensor, (C,), optional
        As in `loss`. It is a buffer: it moves between devices with the module, and is in its state.
    reduction : {"mean", "sum", "none"}
        As in `loss`.
    ignore_index : int
        As in `loss`.
    label_smoothing : float, 0..1
        As in `loss`.
    """

    key: str
    k: int
    gamma: float
    reduction: str
    ignore_index: int
    label_smoothing: float
    weight: Tensor | None

    def __init__(
        self,
        key: str,
        *,
        k: int = 1,
        gamma: float = 0.0,
        weight: Tensor | None = None,
        reduction: str = "mean",
        ignore_index: int = -100,
        label_smoothing: float = 0.0,
    ):
        super().__init__()
        check_parameters(get(key), k, gamma)
        check_reduction(get(key), reduction, ignore_index, label_smoothing)
        self.key, self.k, self.gamma, self.reduction = key, k, gamma, reduction
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        self.register_buffer("weight", weight)

    def forward(self, scores: Tensor, target: Tensor) -> Tensor:
        """Return the `loss` of the scores.

        Parameters
        ----------
        scores : Tensor
            As in `loss`.
        target : Tensor
            As in `loss`.

        Returns
        -------
        Tensor
            As of `loss`.
        """
        return loss(
            scores,
            target,
            self.key,
            k=self.k,
            gamma=self.gamma,
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
        )

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"{self.key!r}, k={self.k}, gamma={self.gamma:g}, reduction={self.reduction!r}"


__all__ = ["Loss"]
