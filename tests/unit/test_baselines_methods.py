"""Baselines as methods like any other: made by name, tuned, trained, stored, evaluated."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from standin import blobs, multiclass_set

from toplabel.reproduction.baselines import BASELINES, create
from toplabel.reproduction.baselines.models import KINDS, Affine, Trained, arrays_of
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget, Protocol
from toplabel.reproduction.config.run import Settings
from toplabel.reproduction.selection.choice import select
from toplabel.reproduction.selection.evaluation import evaluate
from toplabel.reproduction.selection.final import Models, train_models
from toplabel.reproduction.selection.fitting import by_baseline
from toplabel.reproduction.selection.problems import validation_problems
from toplabel.reproduction.selection.task import Task
from toplabel.reproduction.selection.tuning import tune_split

BUDGET = Budget(Axis(2, -4, 2, 2), None, folds=2)
PROTOCOL = Protocol("toy", "holdout", "train", ("top1", "top2"), {"standard": BUDGET})
METHOD = Method("lr", "A", baseline="lr_ova_liblinear")
TASK = Task("toy", METHOD, PROTOCOL, BUDGET, Settings(), "main")


def _refuse(*arguments, **keywords):
    raise AssertionError("a baseline needs no call of our own solver")


class Recorder:
    """A trainer that remembers how it was called."""

    def __init__(self):
        self.calls = []

    def train(self, X, labels, *, n_classes, C, seed, eps, max_epochs, start=None):
        self.calls.append({"C": C, "seed": seed, "start": start, "eps": eps})
        return Trained(np.full((X.shape[1], n_classes), C), "uncertified", epochs=3)


def test_every_baseline_can_be_made():
    for name, baseline in BASELINES.items():
        trainer = create(name, k=2)
        assert callable(trainer.train), name
        assert baseline.task in ("multiclass", "multilabel")
        assert baseline.parameter


def test_what_cannot_be_made_is_refused():
    with pytest.raises(ValueError, match="unknown baseline 'x'; known: svm_ova_liblinear"):
        create("x")
    with pytest.raises(ValueError, match="'svm_ova_liblinear': unknown option 'bias'; known: none"):
        create("svm_ova_liblinear", params={"bias": True})


def test_a_series_starts_at_the_largest_value_below():
    trainer = Recorder()
    X, y = blobs()
    train = by_baseline(trainer, X, y, 3, 1e-3, 100, ("toy", 0))
    fits = {C: train(C) for C in (1.0, 4.0, 2.0, 8.0)}
    starts = [call["start"] for call in trainer.calls]
    assert starts == [None, fits[1.0], None, fits[4.0]]
    seeds = [call["seed"] for call in trainer.calls]
    assert len(set(seeds)) == 4
    assert train(2.0).epochs == 3
    assert trainer.calls[-1]["seed"] == seeds[2]  # of names and value, not of the order


def test_a_baseline_goes_through_all_stages(tmp_path):
    prepared = multiclass_set()
    tuned = tune_split(list(validation_problems(prepared, TASK)), TASK, _refuse)
    assert tuned.C.tolist() == BUDGET.C.values()
    selection = select({"main": tuned})
    models, certificates = train_models(prepared, TASK, selection, _refuse)
    assert all(row.status == "converged" for row in certificates)
    models.save(tmp_path / "models.npz")
    table, _ = evaluate(
        *(prepared, METHOD.name, PROTOCOL, "standard", selection, certificates),
        *(Models.load(tmp_path / "models.npz"), {"main": 0.0}),
    )
    test = prepared.parts["test"]
    for row in table:
        scores = test.X @ models.arrays["main", row.C, None, None]
        k = int(row.metric[3:])
        hits = np.argsort(-scores, axis=1)[:, :k] == test.y[:, None]
        assert row.value == pytest.approx(100 * hits.any(axis=1).mean())
        assert row.relative_gap <= 1e-3


def test_the_final_model_is_the_one_that_was_validated():
    prepared = multiclass_set()
    trained = create("lr_ova_liblinear").train(
        *(prepared.parts["train"].X, prepared.parts["train"].y),
        n_classes=3,
        C=4.0,
        seed=1,
        eps=1e-3,
        max_epochs=100,
    )
    selection = [SimpleNamespace(split="main", theta=np.nan, k=np.nan, C=4.0)]
    models, _ = train_models(prepared, TASK, selection, _refuse)
    assert models.arrays["main", 4.0, None, None] == pytest.approx(trained.model, abs=1e-9)


def test_models_of_every_kind_are_stored_as_arrays(tmp_path):
    rng = np.random.default_rng(0)
    X, affine = rng.random((5, 2)), Affine(rng.random((2, 3)), rng.random(3))
    assert affine.scores(X) == pytest.approx(X @ affine.W + affine.bias)
    stored = {("main", 1.0, None, None): affine, ("main", 2.0, None, 3.0): affine.W}
    Models(stored).save(tmp_path / "models.npz")
    with np.load(tmp_path / "models.npz", allow_pickle=False) as raw:
        assert {"model_0.affine.W", "model_0.affine.bias", "model_1"} <= set(raw)
    loaded = Models.load(tmp_path / "models.npz")
    for key in stored:
        np.testing.assert_array_equal(
            loaded.scores(key, X, None), Models(stored).scores(key, X, None)
        )
    assert {kind: model.kind for kind, model in KINDS.items()} == {kind: kind for kind in KINDS}
    for model in KINDS.values():
        assert dataclasses.is_dataclass(model)
    assert set(arrays_of(affine)) == {"W", "bias"}
