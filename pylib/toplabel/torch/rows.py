"""Value and gradient of each loss, a row at a time side by side; the formulas are those of
``csrc/src/loss_*.c``.

Scores are (..., m), and so are gradients; targets are classes (...) or an indicator (..., m).
Values are (...), but for the one-vs-all losses one for each class, (..., m).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from toplabel.torch import candidates, projections

SMALLEST_GAMMA = {torch.float64: 1e-100, torch.float32: 1e-30}
"""Below, a gamma smooths rounding errors alone, or is 0 in the type of the scores."""


def softplus(x: Tensor) -> Tensor:
    """log(1 + e^x), right to the last digits."""
    return x.clamp(min=0.0) + torch.exp(-x.abs()).log1p()


# ---- one-vs-all ----


def svm_ova(scores: Tensor, Y: Tensor, k: int, gamma: float) -> tuple[Tensor, Tensor]:
    z = torch.where(Y, -scores, scores).add_(1.0).clamp_(min=0.0)
    if gamma == 0.0:
        x = (z > 0).to(z.dtype)
        return z, torch.where(Y, -x, x)
    # Each in its range: a large z has no square. Not in place: compiled by PyTorch 2.11, x is then 0.
    x = z.clamp(max=gamma)
    return (z - 0.5 * x) * x / gamma, torch.where(Y, -x, x) / gamma


def lr_ova(scores: Tensor, Y: Tensor, k: int, gamma: float) -> tuple[Tensor, Tensor]:
    z = torch.where(Y, -scores, scores)
    p = torch.sigmoid(z)
    return softplus(z), torch.where(Y, -p, p)


# ---- multiclass hinges ----


def margins(scores: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """1 + s_j - s_y relative to the largest, which keeps the digits, and the largest; minus
    infinity for y.
    """
    own = scores.gather(-1, y.unsqueeze(-1))
    others = scores.scatter(-1, y.unsqueeze(-1), -torch.inf)
    top = others.amax(-1, keepdim=True)
    return others - top, 1.0 + top - own


def balanced(x: Tensor, y: Tensor) -> Tensor:
    """Minus the sum of the others in the place of y, where x is 0; in place."""
    return x.scatter_(-1, y.unsqueeze(-1), -x.sum(-1, keepdim=True))


def hinge(
    project: Callable[[Tensor, Tensor, int, float], Tensor],
    nonsmooth: Callable[[Tensor, int], tuple[Tensor, Tensor]],
) -> Callable[[Tensor, Tensor, int, float], tuple[Tensor, Tensor]]:
    """Return a multiclass hinge from the projection onto the domain of its conjugate."""

    def evaluate(scores: Tensor, y: Tensor, k: int, gamma: float) -> tuple[Tensor, Tensor]:
        v, shift = margins(scores, y)
        b = v + shift
        if gamma == 0.0:
            values, x = nonsmooth(b, k)
            return values, balanced(x, y)
        x = project(v, shift, k, gamma)
        b.clamp_(min=torch.finfo(b.dtype).min)  # there x is 0
        return (x * (b - 0.5 * x)).sum(-1) / gamma, balanced(x / gamma, y)

    return evaluate


def mean_of_largest(b: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """max{0, mean of the k largest}, and the x of which it is <b, x>."""
    top, where = b.topk(k, -1)
    mean = top.sum(-1, keepdim=True) / k
    x = torch.zeros_like(b).scatter_(-1, where, ((mean > 0).to(b.dtype) / k).expand_as(top))
    return mean.clamp(min=0.0).squeeze(-1), x


def mean_of_hinges(b: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the mean of the k largest of max{0, b_j}."""
    top, where = b.max(-1, keepdim=True) if k == 1 else b.topk(k, -1)
    x = torch.zeros_like(b).scatter_(-1, where, (top > 0).to(b.dtype) / k)
    return top.clamp(min=0.0).sum(-1) / k, x


def sum_of_hinges(b: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the sum of max{0, b_j}."""
    return b.clamp(min=0.0).sum(-1), (b > 0).to(b.dtype)


def box(v: Tensor, shift: Tensor, k: int, side: float) -> Tensor:
    """Return the projection of b = v + shift onto the box."""
    return (v + shift).clamp(0.0, side)


# ---- multilabel SVM ----


def svm_ml(scores: Tensor, Y: Tensor, k: int, gamma: float) -> tuple[Tensor, Tensor]:
    trivial = (Y.all(-1) | ~Y.any(-1)).unsqueeze(-1)
    # Empty and full sets have the loss 0: any proper set stands in their place.
    first = torch.zeros_like(Y)
    first[..., 0] = True
    Y = torch.where(trivial, first, Y)
    b, b_bar = (
        (0.5 - scores).masked_fill(~Y, -torch.inf),
        (0.5 + scores).masked_fill(Y, -torch.inf),
    )
    if gamma == 0.0:
        top, top_bar = (projections.kth_largest(part, 1) for part in (b, b_bar))
        positive = top + top_bar > 0
        values = (top + top_bar).clamp(min=0.0)
        x, y = (one_at(part) * positive for part in (b, b_bar))
    else:
        x, y, threshold = projections.bipartite(b, b_bar, gamma)
        squares = (x * x).sum(-1, keepdim=True) + (y * y).sum(-1, keepdim=True)
        # <b, x> - x^2/2 = x^2/2 + t x, and both sides have the same sum.
        values = (0.5 * squares + threshold * x.sum(-1, keepdim=True)) / gamma
        x, y = x / gamma, y / gamma
    return values.masked_fill(trivial, 0.0).squeeze(-1), (y - x).masked_fill(trivial, 0.0)


def one_at(v: Tensor) -> Tensor:
    """1 for the largest, 0 for the rest."""
    return torch.zeros_like(v).scatter_(-1, v.argmax(-1, keepdim=True), 1.0)


# ---- softmax and entropies ----


def exponentials(scores: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return e^(s_j - their largest) of the others, 0 for y; the log of their sum; and the largest
    less the score of y.
    """
    own = scores.gather(-1, y.unsqueeze(-1))
    others = scores.scatter(-1, y.unsqueeze(-1), -torch.inf)
    top = others.amax(-1, keepdim=True)
    e = others.sub_(top).exp_()
    return e, e.sum(-1, keepdim=True).log_(), top - own


def lr_ml(scores: Tensor, Y: Tensor, k: int, gamma: float) -> tuple[Tensor, Tensor]:
    labels = Y.to(scores.dtype)
    count = labels.sum(-1, keepdim=True)
    share = labels / count.clamp(min=1.0)
    mean = (scores * share).sum(-1, keepdim=True)
    top = scores.amax(-1, keepdim=True)
    e = (scores - top).exp_()
    total = e.sum(-1, keepdim=True)
    others = (e * (1.0 - labels)).sum(-1, keepdim=True)
    # With one label the loss may be far smaller than the scores.
    difference = top - mean
    values = torch.where(count == 1, softplus(others.log() + difference), total.log() + difference)
    present = (count > 0).to(scores.dtype)
    return (values * present).squeeze(-1), e.mul_(present / total).sub_(share)


def sides(scores: Tensor, Y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the shares of each class in the exponentials of its side, e^s of the others and e^-s of
    the labels, and the log of the sum of each side; minus infinity of none.
    """
    z = torch.where(Y, -scores, scores)
    parts = [z.masked_fill(Y, -torch.inf), z.masked_fill(~Y, -torch.inf)]
    logs = [torch.logsumexp(part, -1, keepdim=True) for part in parts]
    # Where all of a side is minus infinity, so stays z less its finite bound.
    log_sum = torch.where(Y, logs[1], logs[0]).clamp(min=torch.finfo(scores.dtype).min)
    return torch.exp(z - log_sum), logs[0], logs[1]


def zlpr(scores: Tensor, Y: Tensor, k: int, gamma: float) -> tuple[Tensor, Tensor]:
    shares, others, labels = sides(scores, Y)
    sums = torch.where(Y, -torch.sigmoid(labels), torch.sigmoid(others))
    return (softplus(others) + softplus(labels)).squeeze(-1), shares * sums


def lsep(scores: Tensor, Y: Tensor, k: int, gamma: float) -> tuple[Tensor, Tensor]:
    shares, others, labels = sides(scores, Y)
    pairs = others + labels  # minus infinity where there is none
    share = torch.sigmoid(pairs)
    return softplus(pairs).squeeze(-1), shares * torch.where(Y, -share, share)


def lr_multi(scores: Tensor, y: Tensor, k: int, gamma: float) -> tuple[Tensor, Tensor]:
    e, log_sum, difference = exponentials(scores, y)
    log_others = log_sum + difference
    # p_j = e_j / (sum of e + e^-difference), of two numbers of which either may overflow
    p = e.mul_(torch.exp(-log_sum - softplus(-log_others)))
    return softplus(log_others).squeeze(-1), balanced(p, y)


def topk_ent_tr(scores: Tensor, y: Tensor, k: int, gamma: float) -> tuple[Tensor, Tensor]:
    if k > 1:
        others = scores.scatter(-1, y.unsqueeze(-1), -torch.inf)
        packed = candidates.of_largest(others, k - 1)
        if packed is None:
            scores = scores.masked_fill(first_largest(others, k - 1), -torch.inf)
        else:
            dropped = first_largest(packed.scores, k - 1).view(-1)[packed.place]
            scores = scores.clone()
            scores.view(-1)[packed.origin[dropped]] = -torch.inf
    return lr_multi(scores, y, 1, gamma)


def first_largest(v: Tensor, k: int) -> Tensor:
    """Return where the k largest are, of tied ones the first."""
    kth = projections.kth_largest(v, k)
    above, equal = v > kth, v == kth
    ties = k - above.count_nonzero(-1).unsqueeze(-1)
    return above | (equal & (equal.cumsum(-1, dtype=torch.int32) <= ties))


def topk_ent(scores: Tensor, y: Tensor, k: int, gamma: float) -> tuple[Tensor, Tensor]:
    """Proposition 17: x_j = min(e^{v_j - t}, s/k) for v_j = s_j - s_y, by the number i of the
    capped entries.
    """
    if k == 1:
        return lr_multi(scores, y, 1, gamma)
    own = scores.gather(-1, y.unsqueeze(-1))
    others = scores.scatter(-1, y.unsqueeze(-1), -torch.inf)
    top, where = candidates.topk(others, k)
    kth = top[..., -1:].clone()
    e = others.sub_(kth).scatter_(-1, where, -torch.inf).exp_()
    rest = e.sum(-1, keepdim=True).log_()
    above, kth, top = top - kth, kth - own, top - own
    # tail[i] = log of the sum of e^(v - kth) over all but the i largest
    tail = torch.cat([above, rest], -1).flip(-1).logcumsumexp(-1).flip(-1)[..., :-1]
    capped = torch.arange(k, device=scores.device)
    # The first i whose next entry is not capped: t and s, which lose their digits where scores are
    # huge, are not in it. At i = k - 1 that is tail >= 0.
    fits = tail - above >= (k - capped).to(scores.dtype).log()
    i = fits.to(torch.int8).argmax(-1, keepdim=True)
    share = i.to(scores.dtype) / k
    mean = torch.nn.functional.pad(top.cumsum(-1) / k, (1, 0)).gather(-1, i)
    log_k, log_free = math.log(k), torch.log1p(-share)
    tail = tail.gather(-1, i) + kth
    log_q = (1.0 - share) * (log_free - tail) - share * log_k - mean
    log_1q = softplus(log_q)
    t = tail + log_1q - log_free
    cap = torch.exp(-log_1q) / k
    # Only the k largest may be capped; e has the others.
    x = e.mul_(torch.exp(kth - t)).scatter_(-1, where, torch.minimum(torch.exp(top - t), cap))
    return softplus(-log_q).squeeze(-1), balanced(x, y)


ONE_LABEL: dict[str, Callable[[Tensor, Tensor, int, float], tuple[Tensor, Tensor]]] = {
    "svm_multi": hinge(projections.simplex_beta, mean_of_hinges),
    "topk_svm_alpha": hinge(projections.simplex_alpha, mean_of_largest),
    "topk_svm_beta": hinge(projections.simplex_beta, mean_of_hinges),
    "svm_ww": hinge(box, sum_of_hinges),
    "lr_multi": lr_multi,
    "topk_ent": topk_ent,
    "topk_ent_tr": topk_ent_tr,
}
OF_LARGEST = ("svm_multi", "topk_svm_alpha", "topk_svm_beta")
"""The hinges that depend on the largest scores alone."""
LABEL_SETS = {
    "svm_ova": svm_ova,
    "lr_ova": lr_ova,
    "svm_ml": svm_ml,
    "lr_ml": lr_ml,
    "zlpr": zlpr,
    "lsep": lsep,
}
