"""Projections onto the domains of the smoothed hinges (TPAMI Propositions 14 and 18), a row at a
time side by side.

Each is the root of a piecewise linear, monotone function of one threshold, found by Newton's method
(in a bracket where the function is not convex): exact as soon as the piece is right. All shapes are
fixed. The last dimension is that of the classes; an entry of minus infinity takes no part.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

STEPS = 32
"""Steps of Newton's method in compiled code; otherwise it ends when all rows have converged."""


def root(
    evaluate: Callable[[Tensor], tuple[Tensor, Tensor]], low: Tensor, high: Tensor, scale: float
) -> Tensor:
    """Return the root in [low, high] of a function that falls; `evaluate` returns its value and
    minus its slope.
    """
    t = low
    rounding = 2.0 * torch.finfo(t.dtype).eps
    for _ in range(STEPS):
        excess, slope = evaluate(t)
        above = excess > 0
        low, high = torch.where(above, t, low), torch.where(above, high, t)
        step = t + excess / slope
        converged = (
            (excess == 0) | ((step - t).abs() <= rounding * (scale + t.abs())) | (low >= high)
        )
        # The slope may be 0, and a step to an end of the bracket may be the way back.
        step = torch.where((step > low) & (step < high), step, 0.5 * (low + high))
        t = torch.where(converged, t, step)
        if not torch.compiler.is_compiling() and bool(converged.all()):
            break
    return t


def knapsack(v: Tensor, k: int, radius: float) -> tuple[Tensor, Tensor]:
    """Return the threshold of the x with sum `radius` and 0 <= x_j <= radius/k that is nearest to
    v.

    Returns v relative to its k-th largest entry, and the threshold t relative to the same:
    x = clip(v - t, 0, radius/k).
    With k = 1 that is the simplex.
    """
    w = v - kth_largest(v, k)
    if k == 1:
        return w, simplex(w, radius)
    cap = radius / k

    def evaluate(t: Tensor) -> tuple[Tensor, Tensor]:
        x = w - t
        free = (x > 0) & (x <= cap)
        return x.clamp(0.0, cap).sum(-1, keepdim=True) - radius, count(free)

    low = torch.full_like(w[..., :1], -cap)  # there the k largest reach the sum
    return w, root(evaluate, low, low / (v.shape[-1] - k + 1), radius)


def simplex(w: Tensor, radius: float) -> Tensor:
    """Return the threshold of the simplex for w <= 0: from the left, Newton's method needs no
    bracket (Michelot 1986).
    """
    t = torch.full_like(w[..., :1], -radius)
    rounding = 2.0 * torch.finfo(t.dtype).eps * radius
    for _ in range(STEPS):
        x = (w - t).clamp_(min=0.0)
        step = (x.sum(-1, keepdim=True) - radius) / count(x > 0)
        t = t + step
        if not torch.compiler.is_compiling() and bool((step.abs() <= rounding).all()):
            break
    return t


def simplex_beta(v: Tensor, shift: Tensor, k: int, radius: float) -> Tensor:
    """Return the projection of b = v + shift onto the top-k simplex beta; with k = 1, onto the
    simplex.
    """
    cap = radius / k
    w, t = knapsack(v, k, radius)
    within = (v + shift).clamp(0.0, cap)  # where the bound of the sum is not active
    return torch.where(within.sum(-1, keepdim=True) > radius, (w - t).clamp(0.0, cap), within)


def simplex_alpha(v: Tensor, shift: Tensor, k: int, radius: float) -> Tensor:
    """Return the projection of b = v + shift onto the top-k simplex alpha, x_j <= <1, x>/k."""
    if k == 1:
        return simplex_beta(v, shift, 1, radius)
    w, t = knapsack(v, k, radius)
    b = v + shift
    top, where = b.topk(k, -1)
    bounded = (w - t).clamp(0.0, radius / k)
    cone = Cone(b.scatter(-1, where[..., :-1], -torch.inf), top, k)
    t = t + top[..., -1:]
    excess, _ = cone.evaluate(t, radius / k)
    inside = excess > 0  # the bound of the sum is not active
    zero = top.sum(-1, keepdim=True) <= 0
    bounded = bounded.masked_fill_(zero, 0.0)
    if not torch.compiler.is_compiling() and not inside.any():
        return bounded
    # Rows of the two other kinds have their root already.
    low = torch.where(inside & ~zero, t, top[..., -1:])
    t = root(cone.evaluate, low, top[..., -1:], radius)
    free = torch.minimum((b - t).clamp(min=0.0), cone.cap(t)[0])
    return torch.where(inside & ~zero, free, bounded)


class Cone:
    """The top-k cone as a function of the threshold: 0 <= x_j = clip(b_j - t, 0, u) with u = <1,
    x>/k.

    For a threshold the u is the smallest over i < k of (sum of the (b_j - t)_+ without the i
    largest)/(k - i).
    """

    def __init__(self, rest: Tensor, top: Tensor, k: int):
        self.rest: Tensor = rest  # without the k - 1 largest
        self.top: Tensor = top[..., :-1].flip(-1)  # these, the least first: i = k - 1, ..., 0
        self.open: Tensor = torch.arange(1, k + 1, device=top.device).to(top.dtype)  # k - i
        self.sums: Tensor = torch.nn.functional.pad(top[..., :-1].cumsum(-1), (1, 0)).flip(-1)
        self.k = k

    def cap(self, t: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """u, k - 1 less the number of entries at it, and the number of entries between 0 and it."""
        x, top = (self.rest - t).clamp_(min=0.0), (self.top - t).clamp_(min=0.0)
        sums = torch.cat([x.sum(-1, keepdim=True), top], -1).cumsum(-1)
        u, place = (sums / self.open).min(-1, keepdim=True)
        free = torch.cat([count(x > 0), top > 0], -1).cumsum(-1)
        return u, place, free.gather(-1, place)

    def evaluate(self, t: Tensor, u: float | None = None) -> tuple[Tensor, Tensor]:
        """k times the derivative of the distance in <1, x>, which falls in t, and minus its
        slope.
        """
        cap, place, free = self.cap(t)
        if u is not None:
            cap = u
            place = count(self.top - t < u)
        left = place + 1
        capped = self.k - left
        value = self.sums.gather(-1, place) - capped * cap + left * t
        return -value, left + capped * free / left


def bipartite(b: Tensor, b_bar: Tensor, radius: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return the projection of the pair onto the bipartite simplex; x, y and the sum of both
    thresholds.
    """
    gap = kth_largest(b, 1) + kth_largest(b_bar, 1)
    (w, w_bar), (t, t_bar) = knapsack(torch.stack([b, b_bar]), 1, radius)

    def evaluate(t: Tensor) -> tuple[Tensor, Tensor]:
        x, y = (w - t).clamp(min=0.0), (w_bar + gap + t).clamp(min=0.0)
        falls = count(x > 0) + count(y > 0)
        return (x - y).sum(-1, keepdim=True), falls

    bounded = t + t_bar >= -gap
    if torch.compiler.is_compiling() or not bounded.all():
        coupled = root(evaluate, t, torch.where(bounded, t, -gap - t_bar), radius)
        t, t_bar = torch.where(bounded, t, coupled), torch.where(bounded, t_bar, -gap - coupled)
    zero = gap <= 0
    x = (w - t).clamp(min=0.0).masked_fill(zero, 0.0)
    return x, (w_bar - t_bar).clamp(min=0.0).masked_fill(zero, 0.0), gap + t + t_bar


def kth_largest(v: Tensor, k: int) -> Tensor:
    """Return the k-th largest entry, with the last dimension kept."""
    return v.amax(-1, keepdim=True) if k == 1 else v.topk(k, -1).values[..., -1:]


def count(mask: Tensor) -> Tensor:
    """Return the number of true entries, with the last dimension kept."""
    return mask.count_nonzero(-1).unsqueeze(-1)
