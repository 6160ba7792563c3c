"""toplabel.torch: against the C losses, gradcheck, compiled, mapped, refused."""

import numpy as np
import pytest
import torch

from toplabel import losses
from toplabel.torch import Loss, candidates, loss
from toplabel.torch import rows as rows_of

EPS = np.finfo(float).eps
SIZES = (2, 3, 10, 101)
CASES = [
    (key, m, k, gamma)
    for key, spec in losses.LOSSES.items()
    if not spec.centred
    for m in SIZES
    for k in (sorted({1, 2, 5, m // 2, m - 1} & set(range(1, m))) if spec.top_k else (1,))
    for gamma in ((0.0, 1e-6, 0.1, 1.0, 1000.0) if spec.smoothing else (0.0,))
]
KEYS = [key for key, spec in losses.LOSSES.items() if not spec.centred]


def typical(key: str) -> dict:
    """Parameters of a loss where it does not degenerate."""
    spec = losses.LOSSES[key]
    return {"k": 3 if spec.top_k else 1, "gamma": 1.0 if spec.smoothing else 0.0}


def rows(key: str, m: int, n: int = 500, largest: float = 1e9):
    """Random and adversarial scores, and labels."""
    rng = np.random.default_rng(m)
    scores = rng.normal(size=(n, m)) * 10.0 ** rng.uniform(-3, 3, size=(n, 1))
    scores[::5] = np.round(scores[::5])  # ties
    scores[1::7] *= 1e-9
    scores[3::11] = 4.0 * 0.5 ** rng.permutation(m)  # many breakpoints, one near the other
    scores[4::13] = 0.0
    scores[6::17] *= largest / np.abs(scores[6::17]).max()
    if losses.LOSSES[key].labels == "one":
        return scores, rng.integers(0, m, n)
    Y = (rng.random((n, m)) < rng.random((n, 1))).astype(int)
    Y[::9], Y[1::9] = 0, 1
    return scores, Y


def both(scores, y, key, **arguments):
    """Values and gradients of the rows."""
    tensor = torch.as_tensor(scores).detach().clone().requires_grad_()
    values = loss(tensor, torch.as_tensor(y), key, reduction="none", **arguments)
    (gradient,) = torch.autograd.grad(values.sum(), tensor)
    return values.detach().numpy(), gradient.numpy()


def instance(key: str, seed: int = 0):
    """A few rows of random scores, differentiable, and their target."""
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(6, 7, dtype=torch.float64, generator=generator, requires_grad=True)
    if losses.LOSSES[key].labels == "one":
        return scores, torch.randint(0, 7, (6,), generator=generator)
    return scores, torch.rand(6, 7, generator=generator) < 0.4


@pytest.mark.parametrize(("key", "m", "k", "gamma"), CASES)
def test_values_and_gradients_are_those_of_the_library(key, m, k, gamma):
    assert_of_the_library(*rows(key, m), key, k=k, gamma=gamma)


def assert_of_the_library(scores, y, key, k, gamma):
    values, gradient = both(scores, y, key, k=k, gamma=gamma)
    m, size = scores.shape[1], np.abs(scores).max(1)
    # Relative to the value; a difference of scores is right to their rounding.
    tolerance = 1e-12 * np.abs(losses.value(key, scores, y, k=k, gamma=gamma)) + 8 * EPS * size
    error = np.abs(values - losses.value(key, scores, y, k=k, gamma=gamma))
    assert (error <= np.maximum(tolerance, 4 * EPS)).all()
    if gamma == 0.0 and losses.LOSSES[key].smoothing:
        return  # the library has no subgradient
    expected = losses.gradient(key, scores, y, k=k, gamma=gamma)
    # A rounding of the scores moves the gradient by as much over gamma; that of a softmax, by as
    # much.
    moved = 8 * EPS * (m + size) / gamma if gamma > 0.0 else 8 * EPS * size
    assert (np.abs(gradient - expected).max(1) <= 1e-12 + moved).all()


@pytest.mark.parametrize("m", [64, 300])
@pytest.mark.parametrize("key", [*rows_of.OF_LARGEST, "svm_ml", "topk_ent", "topk_ent_tr"])
def test_the_few_classes_that_matter_give_the_loss_of_all(key, m, monkeypatch):
    """Each row by itself, so that no other widens it; rows of every kind are packed."""
    packed = []
    pack = candidates._packed
    monkeypatch.setattr(candidates, "_packed", lambda *a: packed.append(a[0]) or pack(*a))
    scores, y = rows(key, m, n=200)
    spec = losses.LOSSES[key]
    for k in (1, 2, 5) if spec.top_k else (1,):
        for gamma in (0.0, 0.1, 1.0) if spec.smoothing else (0.0,):
            for row, label in zip(scores, y, strict=True):
                assert_of_the_library(row[None], label[None], key, k=k, gamma=gamma)
    assert len(packed) > 100


@pytest.mark.parametrize("m", [6, 100])
@pytest.mark.parametrize("key", KEYS)
def test_a_masked_class_has_the_loss_of_a_very_low_score(key, m):
    spec, rng = losses.LOSSES[key], np.random.default_rng(0)
    scores, y = rng.normal(size=(8, m)), np.arange(8) % m
    for finite in range(4):  # other classes that are not masked
        low = scores.copy()
        for i in range(8):
            low[i, rng.permutation(np.delete(np.arange(m), y[i]))[finite:]] = -1e4
        target = y if spec.labels == "one" else np.eye(m, dtype=int)[y]
        masked = np.where(low == -1e4, -np.inf, low)
        for k in (1, 2, 3) if spec.top_k else (1,):
            for gamma in (0.0, 0.7) if spec.smoothing else (0.0,):
                expected = losses.value(key, low, target, k=k, gamma=gamma)
                values, gradient = both(masked, target, key, k=k, gamma=gamma)
                np.testing.assert_allclose(values, expected, atol=1e-9)
                np.testing.assert_allclose(
                    gradient, both(low, target, key, k=k, gamma=gamma)[1], atol=1e-9
                )


def test_the_bound_of_the_kth_largest_is_one():
    v = torch.from_numpy(rows("svm_multi", 300)[0])
    for k in (1, 3, 20, 70, 299):
        bound, exact = candidates.below_kth_largest(v, k), v.topk(k).values[:, -1:]
        assert (bound <= exact).all()
    assert (bound == exact).all()  # no groups for so large a k


@pytest.mark.parametrize("key", KEYS)
def test_a_score_that_is_not_a_number_is_not_hidden(key):
    scores, y = rows(key, 101, n=50, largest=10.0)
    y[:] = 1 if losses.LOSSES[key].labels == "one" else np.arange(101) < 3
    scores[7, 50] = np.nan
    values, _ = both(scores, y, key, **typical(key))
    values = values if values.ndim == 1 else values.sum(1)
    assert np.isnan(values[7])
    assert np.isfinite(values).sum() == 49


@pytest.mark.parametrize("key", [key for key in KEYS if losses.LOSSES[key].smoothing])
def test_a_subgradient_of_the_nonsmooth_hinge_supports_it(key):
    scores, y = rows(key, 10, largest=1e3)
    k = typical(key)["k"]
    values, gradient = both(scores, y, key, k=k)
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = scores + rng.normal(size=scores.shape) * 10.0 ** rng.uniform(-3, 3)
        below = values + ((other - scores) * gradient).sum(1)
        assert (below <= losses.value(key, other, y, k=k) + 1e-9).all()


@pytest.mark.parametrize("key", [key for key in KEYS if losses.LOSSES[key].smoothing])
@pytest.mark.parametrize("gamma", [1e-320, 1e-60, 1e-46, 1e-40, 1e-31])
def test_a_tiny_gamma_is_0(key, gamma):
    scores, y = instance(key)
    scores = scores.detach().float().numpy()
    smoothed, hinge = (both(scores, y, key, k=typical(key)["k"], gamma=g) for g in (gamma, 0.0))
    for of_gamma, of_zero in zip(smoothed, hinge, strict=True):
        np.testing.assert_array_equal(of_gamma, of_zero)


@pytest.mark.parametrize("key", KEYS)
def test_gradcheck(key):
    scores, y = instance(key)
    assert torch.autograd.gradcheck(
        lambda s: loss(s, y, key, reduction="none", **typical(key)), scores
    )


@pytest.mark.parametrize("key", KEYS)
def test_second_derivatives_are_refused(key):
    scores, y = instance(key)
    (gradient,) = torch.autograd.grad(
        loss(scores, y, key, **typical(key)) ** 2, scores, create_graph=True
    )
    with pytest.raises(NotImplementedError, match="second derivatives"):
        gradient.sum().backward()
    with pytest.raises(NotImplementedError, match="second derivatives"):
        torch.func.jacrev(torch.func.grad(lambda s: loss(s, y, key, **typical(key))))(
            scores.detach()
        )
    with pytest.raises(
        NotImplementedError, match="jvp"
    ):  # forward over reverse: PyTorch's own words
        torch.func.hessian(lambda s: loss(s, y, key, **typical(key)))(scores.detach())


@pytest.mark.parametrize("key", KEYS)
def test_vmap_gives_the_gradients_of_single_rows(key):
    scores, y = instance(key)

    def one(row, target):
        return loss(row, target, key, **typical(key))

    mapped = torch.func.vmap(torch.func.grad(one))(scores.detach(), y)
    (expected,) = torch.autograd.grad(loss(scores, y, key, reduction="sum", **typical(key)), scores)
    torch.testing.assert_close(mapped, expected, rtol=1e-14, atol=1e-15)
    shared = torch.func.vmap(one, in_dims=(1, None))(scores.detach().T, y[0])
    expected = torch.stack([one(row, y[0]) for row in scores.detach()])
    torch.testing.assert_close(shared, expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("key", KEYS)
def test_compiled_whole(key):
    torch._dynamo.reset()
    scores, y = instance(key)
    criterion = Loss(key, **typical(key))
    compiled = torch.compile(criterion, fullgraph=True, backend="aot_eager")
    value, expected = compiled(scores, y), criterion(scores, y)
    torch.testing.assert_close(value, expected, rtol=1e-13, atol=0.0)
    torch.testing.assert_close(
        torch.autograd.grad(value, scores),
        torch.autograd.grad(expected, scores),
        atol=1e-13,
        rtol=0.0,
    )


@pytest.mark.parametrize("key", [key for key in KEYS if losses.LOSSES[key].labels == "set"])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_weights_of_1_change_nothing_of_a_row_without_labels(key, reduction):
    scores, y = instance(key)
    y[2:4] = False
    options = {"reduction": reduction, **typical(key)}
    weighted = loss(scores, y, key, weight=torch.ones(7), **options)
    plain = loss(scores, y, key, **options)
    torch.testing.assert_close(weighted, plain, rtol=1e-13, atol=0.0)


def test_weights_of_one_vs_all_are_those_of_pytorch():
    scores, y = instance("lr_ova")
    options = {"weight": torch.arange(1.0, 8.0, dtype=torch.float64), "reduction": "sum"}
    expected = torch.nn.functional.binary_cross_entropy_with_logits(scores, y.double(), **options)
    torch.testing.assert_close(loss(scores, y, "lr_ova", **options), expected, rtol=1e-13, atol=0.0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(), (3,), (2, 5)], ids=str)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_the_softmax_has_the_arguments_of_cross_entropy(shape, reduction, weighted):
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(6, 7, *shape, dtype=torch.float64, generator=generator)
    y = torch.randint(0, 7, (6, *shape), generator=generator)
    y[::3] = 5
    weight = torch.arange(1.0, 8.0, dtype=torch.float64) if weighted else None
    options = {"weight": weight, "reduction": reduction, "ignore_index": 5, "label_smoothing": 0.3}
    results = []
    for function in (
        lambda s: loss(s, y, "lr_multi", **options),
        lambda s: torch.nn.functional.cross_entropy(s, y, **options),
    ):
        s = scores.clone().requires_grad_()
        value = function(s)
        value.sum().backward()
        results.append((value.detach(), s.grad))
    torch.testing.assert_close(results[0], results[1], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("key", KEYS)
def test_classes_stand_in_the_second_dimension(key):
    spec, generator = losses.LOSSES[key], torch.Generator().manual_seed(0)
    scores = torch.randn(2, 7, 3, 5, dtype=torch.float64, generator=generator)
    last = scores.permute(0, 2, 3, 1).reshape(-1, 7)
    if spec.labels == "one":
        y = torch.randint(0, 7, (2, 3, 5), generator=generator)
        flat = y.reshape(-1)
    else:
        y = torch.rand(2, 7, 3, 5, generator=generator) < 0.4
        flat = y.permute(0, 2, 3, 1).reshape(-1, 7)
    values = loss(scores, y, key, reduction="none", **typical(key))
    assert values.shape == (2, 3, 5)
    expected = loss(last, flat, key, reduction="none", **typical(key))
    torch.testing.assert_close(values.reshape(-1), expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("key", KEYS)
def test_rows_that_do_not_count_leave_the_loss_of_the_others(key):
    if losses.LOSSES[key].labels == "set":
        y = torch.zeros(0, 7)
        assert loss(torch.zeros(0, 7, requires_grad=True), y, key, **typical(key)) == 0.0
        return
    scores, y = instance(key)[0], torch.arange(6)
    y[2], y[4] = -1, -1
    rest = [0, 1, 3, 5]
    value = loss(scores, y, key, ignore_index=-1, **typical(key))
    torch.testing.assert_close(value, loss(scores[rest], y[rest], key, **typical(key)))
    (gradient,) = torch.autograd.grad(value, scores)
    assert not gradient[[2, 4]].any()
    for none in (loss(scores, y * 0 - 1, key, ignore_index=-1), loss(scores[:0], y[:0], key)):
        assert none == 0.0
        assert not torch.autograd.grad(none, scores)[0].any()


@pytest.mark.parametrize("key", ["svm_ova", "lr_ova"])
def test_one_vs_all_takes_classes_too(key):
    scores, _ = instance(key)
    y = torch.arange(6)
    sets = torch.nn.functional.one_hot(y, 7)
    assert loss(scores, y, key) == loss(scores, sets, key)


@pytest.mark.parametrize("key", KEYS)
def test_blocks_change_nothing(key, monkeypatch):
    scores, y = instance(key)
    whole = both(scores.detach(), y, key, **typical(key))
    monkeypatch.setattr("toplabel.torch.functional._BLOCK", 14)
    for part, expected in zip(both(scores.detach(), y, key, **typical(key)), whole, strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("key", KEYS)
def test_half_precision_is_computed_in_single(key):
    scores, y = instance(key)
    half = scores.detach().bfloat16().requires_grad_()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = loss(half, y, key, **typical(key))
    value.backward()
    assert value.dtype == torch.float32
    assert half.grad.dtype == torch.bfloat16
    torch.testing.assert_close(value, loss(half.detach().float(), y, key, **typical(key)))


@pytest.mark.parametrize("key", KEYS)
def test_single_precision_is_near_double(key):
    scores, y = rows(key, 101, largest=1e3)
    scores = scores.astype(np.float32)
    values, gradient = both(scores, y, key, **typical(key))
    expected, expected_gradient = both(scores.astype(float), y, key, **typical(key))
    np.testing.assert_allclose(values, expected, rtol=2e-5, atol=2e-3)
    np.testing.assert_allclose(gradient, expected_gradient, atol=2e-3)


def test_the_weight_moves_with_the_module():
    criterion = Loss("topk_ent", k=2, weight=torch.ones(7))
    assert "weight" in criterion.state_dict()
    assert criterion.double().weight.dtype == torch.float64


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"key": "softmax"}, ValueError, "loss must be one of"),
        ({"key": "topk_ent", "k": 7}, ValueError, "k must be in 1..6 for 7 classes, got 7"),
        ({"key": "topk_ent", "k": 2.0}, TypeError, "k must be an integer"),
        ({"key": "lr_multi", "k": 2}, ValueError, "has no k"),
        ({"key": "lr_multi", "gamma": 1.0}, ValueError, "is smooth already"),
        ({"key": "svm_multi", "gamma": -1.0}, ValueError, "gamma must be"),
        ({"key": "svm_multi", "gamma": float("nan")}, ValueError, "gamma must be"),
        ({"key": "lr_multi", "reduction": "max"}, ValueError, "reduction must be one of"),
        (
            {"key": "lr_multi", "weight": torch.ones(6)},
            ValueError,
            r"weight must have shape \(7,\)",
        ),
        ({"key": "lr_multi", "ignore_index": 0.5}, TypeError, "ignore_index must be an integer"),
        ({"key": "lr_multi", "label_smoothing": 1.5}, ValueError, "label_smoothing must be in"),
        ({"key": "topk_ent", "label_smoothing": 0.1}, ValueError, "label_smoothing is for loss"),
        ({"key": "sc_svm"}, ValueError, "is not available for tensors"),
        ({"key": "lr_multi", "target": torch.full((6,), 7)}, ValueError, r"target .* 0..6, got 7"),
        ({"key": "lr_multi", "target": torch.full((6,), -1)}, ValueError, r"target .* got -1"),
        ({"key": "lr_multi", "target": torch.zeros(6)}, TypeError, "target must be int64"),
        ({"key": "lr_multi", "target": torch.zeros(6, 7)}, ValueError, r"must have shape \(6,\)"),
        ({"key": "lr_ml"}, ValueError, r"must have shape \(6, 7\)"),
        ({"key": "lr_ml", "target": torch.full((6, 7), 2)}, ValueError, "indicator of 0 and 1"),
        ({"key": "lr_multi", "scores": torch.ones(6, 7).long()}, TypeError, "scores must be"),
    ],
)
def test_misuse_is_told_in_one_line(arguments, error, words):
    call = {"scores": torch.zeros(6, 7), "target": torch.zeros(6, dtype=torch.int64)} | arguments
    with pytest.raises(error, match=words) as caught:
        loss(call.pop("scores"), call.pop("target"), **call)
    assert "\n" not in str(caught.value)
