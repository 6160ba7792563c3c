"""The losses as functions of tensors."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from toplabel._core.catalogue import Loss, get
from toplabel.torch import candidates, rows

__all__ = ["loss"]

REDUCTIONS = ("mean", "sum", "none")
_BLOCK = 1 << 19  # numbers worked on at a time, so that they stay in the processor's cache


def loss(
    scores: Tensor,
    target: Tensor,
    key: str,
    *,
    k: int = 1,
    gamma: float = 0.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return a loss of the catalogue, as `toplabel.losses.value` has it, with its gradient.

    Parameters
    ----------
    scores : Tensor, (C,), (N, C) or (N, C, d1, ...)
        The classes are where ``cross_entropy`` has them. float64 and float32 are computed as they are,
        float16 and bfloat16 in float32, which is the type of the result. A class whose score is minus
        infinity is masked: the loss is the limit for lower and lower scores.
    target : Tensor
        Classes, int64, of the shape of `scores` without C; for losses of label sets an indicator of 0
        and 1 of the shape of `scores`, of any type. The one-vs-all losses take either.
    key : str
        A key of `toplabel.losses.LOSSES`, but those of the simplex coding.
    k : int
        The k of top-k losses, 1..C-1.
    gamma : float
        Smoothing of the hinge losses; 0 is the nonsmooth loss, whose subgradient is returned.
    weight : Tensor, (C,), optional
        Of the classes. A row counts with the mean of the weights of its labels, with 1 if it has
        none, and ``"mean"`` divides by the sum of these, as in ``cross_entropy``; in the one-vs-all
        losses each class's term has its weight, and ``"mean"`` divides by the number of rows.
    reduction : {"mean", "sum", "none"}
        ``"none"`` returns the shape of `scores` without C. The mean is 0 where no row counts, in place
        of the NaN of ``cross_entropy``: of an empty batch, or where all rows are ignored.
    ignore_index : int
        A class in `target` whose rows are left out: their loss and gradient are 0, and ``"mean"``
        does not count them.
    label_smoothing : float, 0..1
        For ``"lr_multi"`` alone, as in ``cross_entropy``: the part of the target that is shared among
        all classes.

    Raises
    ------
    ValueError, TypeError
        In one line that names the argument. The content of `target` is looked at on the CPU alone,
        and not in compiled code.
    NotImplementedError
        When the gradient is differentiated.
    """
    spec = get(key)
    check_parameters(spec, k, gamma)
    check_reduction(spec, reduction, ignore_index, label_smoothing)
    scores, target = _with_classes_last(spec, scores, target, k)
    m = scores.shape[-1]
    if weight is not None:
        if weight.shape != (m,):
            raise ValueError(f"weight must have shape ({m},), got {tuple(weight.shape)}")
        weight = weight.to(scores.dtype)
    kept = None
    if target.shape != scores.shape:
        kept = target != ignore_index
        target = target.masked_fill(~kept, 0)
    gamma = gamma if gamma >= rows.SMALLEST_GAMMA[scores.dtype] else 0.0
    # A few numbers that depend on the scores, for the refusal of second derivatives.
    values, _ = _Rows.apply(scores, scores[..., :1].clone(), target, key, k, gamma)
    counts = None
    if spec.labels == "either":
        values = (values if weight is None else values * weight).sum(-1)
    elif weight is not None:
        counts = _weights(target, weight, spec)
        values = values * counts
    if label_smoothing:
        values = (1.0 - label_smoothing) * values + label_smoothing * _of_all(scores, weight)
    if kept is not None:
        values = torch.where(kept, values, 0.0)
        counts = kept.to(values.dtype) if counts is None else torch.where(kept, counts, 0.0)
    if reduction != "mean":
        return values.sum() if reduction == "sum" else values
    if counts is None:
        return values.sum() / max(values.numel(), 1)
    total = counts.sum()
    return values.sum() / torch.where(total > 0.0, total, 1.0)


def check_reduction(
    spec: Loss, reduction: object, ignore_index: object, label_smoothing: object
) -> None:
    """Check what becomes of the losses of the rows."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"reduction must be one of {', '.join(REDUCTIONS)}, got {reduction!r}")
    if isinstance(ignore_index, bool) or not isinstance(ignore_index, int):
        raise TypeError(f"ignore_index must be an integer, got {ignore_index!r}")
    if isinstance(label_smoothing, bool) or not isinstance(label_smoothing, (int, float)):
        raise TypeError(f"label_smoothing must be a number, got {label_smoothing!r}")
    if not 0.0 <= label_smoothing <= 1.0:
        raise ValueError(f"label_smoothing must be in [0, 1], got {label_smoothing!r}")
    if label_smoothing and spec.key != "lr_multi":
        raise ValueError(
            f"label_smoothing is for loss 'lr_multi', not {spec.key!r}; leave it at 0, "
            f"got {label_smoothing!r}"
        )


def _of_all(scores: Tensor, weight: Tensor | None) -> Tensor:
    """Return the mean softmax loss of all classes, each with its weight."""
    each = scores.logsumexp(-1, keepdim=True) - scores
    return (each if weight is None else each * weight).mean(-1)


def _weights(target: Tensor, weight: Tensor, spec: Loss) -> Tensor:
    """Return the mean weight of the labels of each row; 1 without labels."""
    if spec.labels == "one":
        return weight[target]
    Y = target.to(weight.dtype)
    sizes = Y.sum(-1)
    return torch.where(sizes > 0.0, (Y * weight).sum(-1) / sizes.clamp(min=1.0), 1.0)


def check_parameters(spec: Loss, k: object, gamma: object) -> None:
    """Check k and gamma as far as that is possible without a number of classes."""
    if spec.centred:
        raise ValueError(f"loss {spec.key!r} is not available for tensors")
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise TypeError(f"k must be an integer, got {k!r}")
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if k != 1 and not spec.top_k:
        raise ValueError(f"loss {spec.key!r} has no k; leave it at 1, got {k}")
    if isinstance(gamma, bool) or not isinstance(gamma, (int, float)):
        raise TypeError(f"gamma must be a number, got {gamma!r}")
    if not 0.0 <= gamma < float("inf"):
        raise ValueError(f"gamma must be a number of at least 0, got {gamma!r}")
    if gamma != 0.0 and not spec.smoothing:
        raise ValueError(f"loss {spec.key!r} is smooth already; leave gamma at 0, got {gamma!r}")


def _with_classes_last(spec: Loss, scores: Tensor, target: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Check types and shapes; return scores, of half precision in float32, and the target with the
    classes in the last dimension.
    """
    if not scores.is_floating_point():
        raise TypeError(f"scores must be floating-point numbers, got {scores.dtype}")
    if scores.dim() < 1 or scores.shape[min(1, scores.dim() - 1)] < 2:
        raise ValueError(
            f"scores must be (N, C) with at least 2 classes, got {tuple(scores.shape)}"
        )
    whole = scores.shape
    if scores.dtype in (torch.float16, torch.bfloat16):
        scores = scores.float()
    if scores.dim() > 2:
        scores = scores.movedim(1, -1)
    m = scores.shape[-1]
    if k >= m:
        raise ValueError(f"k must be in 1..{m - 1} for {m} classes, got {k}")
    if target.shape == scores.shape[:-1] and spec.labels != "set":
        if target.dtype != torch.int64:
            raise TypeError(f"target must be int64 classes, got {target.dtype}")
    elif spec.labels == "one" or target.shape != whole:
        shapes = {
            "one": [scores.shape[:-1]],
            "set": [whole],
            "either": [scores.shape[:-1], whole],
        }[spec.labels]
        expected = " or ".join(str(tuple(shape)) for shape in shapes)
        raise ValueError(
            f"target of loss {spec.key!r} must have shape {expected}, got {tuple(target.shape)}"
        )
    elif target.dim() > 2:
        target = target.movedim(1, -1)
    return scores, target


def _check_content(target: Tensor, indicator: bool, m: int) -> None:
    if torch.compiler.is_compiling() or not target.is_cpu or target.numel() == 0:
        return
    if not indicator:
        low, high = (int(bound) for bound in torch.aminmax(target))
        if low < 0 or high >= m:
            raise ValueError(f"target must be in 0..{m - 1}, got {low if low < 0 else high}")
    elif target.dtype != torch.bool and bool(((target != 0) & (target != 1)).any()):
        raise ValueError("target must be an indicator of 0 and 1")


def _evaluate(
    scores: Tensor, target: Tensor, key: str, k: int, gamma: float
) -> tuple[Tensor, Tensor]:
    """Return values and gradients of rows."""
    if key in rows.ONE_LABEL:
        return rows.ONE_LABEL[key](scores, target, k, gamma)
    if target.shape != scores.shape:
        target = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, target.unsqueeze(-1), True)
    return rows.LABEL_SETS[key](scores, target.bool(), k, gamma)


def _on_processor(
    scores: Tensor, target: Tensor, key: str, k: int, gamma: float
) -> tuple[Tensor, Tensor]:
    """`_evaluate` on the CPU: on the classes that matter, where these are few, or some rows at a
    time.
    """
    n, m = scores.shape
    block = max(1, _BLOCK // m)
    chosen = None
    if key in rows.OF_LARGEST:
        chosen = candidates.of_classes(scores, target, k, gamma, block)
    elif key == "svm_ml":
        chosen = candidates.of_sets(scores, target.bool(), gamma, block)
    if chosen is not None:
        values, gradient = _evaluate(chosen.scores, chosen.target, key, k, gamma)
        return values, chosen.spread(gradient, scores.shape)
    if n <= block:
        return _evaluate(scores, target, key, k, gamma)
    parts = [
        _evaluate(s, y, key, k, gamma)
        for s, y in zip(scores.split(block), target.split(block), strict=True)
    ]
    return torch.cat([values for values, _ in parts]), torch.cat([g for _, g in parts])


def _with_masked(
    scores: Tensor, target: Tensor, key: str, k: int, gamma: float
) -> tuple[Tensor, Tensor]:
    """`_on_processor`, and once more for rows that have no value, since too many of their scores are
    minus infinity.
    """
    values, gradient = _on_processor(scores, target, key, k, gamma)
    lost = values.isnan() if values.dim() == 1 else values.isnan().any(-1)
    if lost.any():
        rest = (_floored(scores[lost]), target[lost])
        values[lost], gradient[lost] = _on_processor(*rest, key, k, gamma)
    return values, gradient


def _floored(scores: Tensor) -> Tensor:
    """Put numbers so low that they are as good as minus infinity in its place, whose sums and
    differences are numbers, too.
    """
    return scores.clamp(min=torch.finfo(scores.dtype).min / (16 * scores.shape[-1]))


class _Rows(torch.autograd.Function):
    """Values of the rows, and their gradients, which are projections (Danskin's theorem)."""

    @staticmethod
    def forward(scores, anchor, target, key, k, gamma):
        _check_content(target, target.shape == scores.shape, scores.shape[-1])
        if torch.compiler.is_compiling() or not scores.is_cpu:
            return _evaluate(_floored(scores), target, key, k, gamma)
        before, m = scores.shape[:-1], scores.shape[-1]
        target = target.reshape(-1, m) if target.shape == scores.shape else target.reshape(-1)
        values, gradient = _with_masked(scores.reshape(-1, m).contiguous(), target, key, k, gamma)
        return values.reshape(before + values.shape[1:]), gradient.reshape(scores.shape)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(output[1], inputs[1])

    @staticmethod
    def backward(ctx, of_values, _):
        if of_values is None:
            return None, None, None, None, None, None
        gradient, anchor = ctx.saved_tensors
        return _Product.apply(of_values, gradient, anchor), None, None, None, None, None

    @staticmethod
    def vmap(info, in_dims, scores, anchor, target, key, k, gamma):
        scores, target = (
            x.unsqueeze(0).expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0)
            for x, dim in ((scores, in_dims[0]), (target, in_dims[2]))
        )
        return _Rows.apply(scores, scores[..., :1].clone(), target, key, k, gamma), (0, 0)


class _Product(torch.autograd.Function):
    """The gradient times that of the values; it has no derivative: the losses are not twice
    differentiable.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(of_values, gradient, anchor):
        whole = of_values if of_values.dim() == gradient.dim() else of_values.unsqueeze(-1)
        return whole * gradient

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, _):
        raise NotImplementedError("the losses of toplabel.torch have no second derivatives")
