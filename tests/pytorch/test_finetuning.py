"""The study of fine-tuning: inputs, training, features, tables, and a small run of all of it."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from toplabel.reproduction.config.entry import Network, Split
from toplabel.reproduction.data.parts import Part, PreparedSet
from toplabel.reproduction.networks import FeaturesTask, FineTuneTask, NetworkTask
from toplabel.reproduction.networks.extraction import extract_features
from toplabel.reproduction.networks.network import (
    build,
    class_names,
    descend,
    draw_images,
    fine_tune,
    load_weights,
    train_network,
)
from toplabel.reproduction.selection.evaluation import load_metrics

ROOT = Path(__file__).parents[2]
NETWORK = Network(images="squares", classes=3, width=6, epochs=3, batch=8)


def squares(n_train: int = 40, n_test: int = 30, side: int = 6) -> PreparedSet:
    """Noise with a bright row that says the class."""
    rng = np.random.default_rng(0)
    parts = {}
    for name, n in (("train", n_train), ("test", n_test)):
        y = rng.integers(0, 3, n)
        X = 0.3 * rng.random((n, side, side))
        X[np.arange(n), 2 * y] += 4.0
        parts[name] = Part(X=X.reshape(n, -1), y=y)
    splits = [Split("main", "train", None, "test")]
    return PreparedSet("squares", "multiclass", ["a", "b", "c"], parts, splits)


def trained(tmp_path: Path, name: str = "set/d0") -> Path:
    path = tmp_path / f"{name.replace('/', '_')}.npz"
    train_network(squares(), NetworkTask(*name.split("/"), NETWORK, 0), path)
    return path


def tuned(weights: Path, epochs: int):
    task = FineTuneTask(
        dataset="set",
        draw="d0",
        network=NETWORK,
        seed=0,
        method="m",
        loss="lr_multi",
        k=1,
        gamma=0.0,
        epochs=epochs,
        metrics=("top1", "top2"),
        budget="quick",
    )
    return fine_tune(squares(), task, weights)


# ---- inputs ----


def test_a_draw_is_all_images_or_some_of_them():
    train, test = draw_images(squares(), NETWORK, "set/d0", 0)
    assert train.inputs.shape == (40, 1, 6, 6)
    assert train.inputs.max() == 1.0
    np.testing.assert_array_equal(test.classes, squares().parts["test"].y)
    some = Network(images="squares", classes=3, epochs=1, n_train=7)
    draws = [draw_images(squares(), some, f"set/d{i}", 0)[0].inputs for i in (0, 0, 1)]
    assert draws[0].shape[0] == 7
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])


def test_pairs_stand_side_by_side_and_have_a_class_for_each_pair():
    pairs = Network(images="squares", classes=9, epochs=1, pairs=True, n_train=50, n_test=20)
    names = class_names(squares(), pairs)
    train, test = draw_images(squares(), pairs, "set/d0", 0)
    assert train.inputs.shape == (50, 1, 6, 12)
    assert len(test.classes) == 20
    for image, number in zip(train.inputs[:, 0], train.classes, strict=True):
        halves = (image[:, :6], image[:, 6:])
        assert names[number] == " ".join("abc"[int(half.sum(1).argmax()) // 2] for half in halves)


# ---- training ----


def test_a_training_is_repeated_to_the_byte(tmp_path):
    first, again, other = (
        trained(tmp_path / folder, name).read_bytes()
        for folder, name in (("a", "set/d0"), ("b", "set/d0"), ("c", "set/d1"))
    )
    assert first == again != other


def test_the_steps_are_those_of_pytorch():
    torch.manual_seed(0)
    ours, theirs = (build(NETWORK, (6, 6), seed=3) for _ in range(2))
    named = list(theirs.named_parameters())
    groups = [
        {"params": [p for n, p in named if n.endswith("bias")], "weight_decay": 0.0},
        {"params": [p for n, p in named if not n.endswith("bias")]},
    ]
    sgd = torch.optim.SGD(groups, lr=0.1, momentum=0.9, weight_decay=5e-4)
    velocity = {name: torch.zeros_like(weights) for name, weights in ours.named_parameters()}
    for _ in range(4):
        inputs = torch.randn(5, 1, 6, 6)
        for one in (ours, theirs):
            one.zero_grad()
            one(inputs).square().sum().backward()
        descend(ours, velocity, 0.1)
        sgd.step()
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(mine, other)


def test_a_training_that_diverges_is_an_error(tmp_path):
    wild = Network(images="squares", classes=3, epochs=5, rate=1e9)
    with pytest.raises(ValueError, match="diverged; lower its learning rate"):
        train_network(squares(), NetworkTask("set", "d0", wild, 0), tmp_path / "d0.npz")


# ---- the stages ----


def test_zero_epochs_are_the_network_as_it_was(tmp_path):
    weights = trained(tmp_path)
    model = build(NETWORK, (6, 6))
    load_weights(model, weights)
    _, test = draw_images(squares(), NETWORK, "set/d0", 0)
    right = (model(test.inputs).argmax(1) == test.classes).double().mean()
    rows = tuned(weights, 0)
    assert rows[0].value == pytest.approx(100 * float(right))
    assert [(row.metric, row.epochs) for row in rows] == [("top1", 0), ("top2", 0)]


def test_the_features_are_those_of_the_networks(tmp_path):
    weights = {f"d{i}": trained(tmp_path, f"set/d{i}") for i in range(2)}
    prepared = extract_features(squares(), FeaturesTask("set", NETWORK, 0), weights)
    assert [split.name for split in prepared.splits] == ["d0", "d1"]
    assert prepared.meta["not_comparable"].startswith("features of a small network")
    model = build(NETWORK, (6, 6))
    load_weights(model, weights["d1"])
    below = torch.nn.Sequential(
        *list(model)[: [*dict(model.named_children())].index("rectified") + 1]
    )
    _, test = draw_images(squares(), NETWORK, "set/d1", 0)
    with torch.no_grad():
        expected = below(test.inputs).numpy()
    np.testing.assert_allclose(prepared.parts["d1_test"].X, expected, rtol=1e-5, atol=1e-6)
    assert expected.min() == 0.0 < expected.max()


# ---- the workflow ----


def test_the_workflow_goes_from_the_images_to_the_test_metrics(tmp_path):
    sys.path.append(str(ROOT / "tests/workflow"))
    from running import snakemake

    config = tmp_path / "config.yaml"
    config.write_text("{studies: [finetuning], budget: quick, download: false}", encoding="utf-8")
    methods = ("lr_multi_network", "topk_svm_alpha_k3_smooth_ft", "lr_multi")
    files = [f"results/digits_network/{method}/evaluation.csv" for method in methods]
    done = snakemake(*files, directory=tmp_path, configfiles=[config], cores=1)
    assert done.returncode == 0, done.stdout
    for method, file in zip(methods, files, strict=True):
        rows = load_metrics([tmp_path / file])
        assert {row.method for row in rows} == {method}
        assert len({row.split for row in rows}) == 2
        assert all(row.value > 90 for row in rows)
