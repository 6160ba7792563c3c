"""The procedure of a study in words."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from small_sets import problems_of, regions_set, task_of

from toplabel.reproduction.compare.procedure import procedure_of
from toplabel.reproduction.config.catalogue import Study
from toplabel.reproduction.config.entry import Entry, RawFile, Split
from toplabel.reproduction.config.methods import Method


def entry(name, *names, parts=(), **more):
    parts = names or parts
    files = tuple(RawFile(f"{name}_{part}.txt", part) for part in parts)
    fields = {"task": "multiclass", "protocol": "own", "format": "libsvm", "files": files}
    return Entry(**{"name": name, "title": name.capitalize()} | fields | more)


def test_sets_with_one_procedure_share_its_sentences(protocols):
    catalogue = SimpleNamespace(
        registry={
            "a": entry("a", "all", repeats=10),
            "b": entry("b", "all", repeats=10),
            "c": entry("c", "train", "test", transform=None, bias=False, C_scale=None),
        },
        methods={
            "lr": Method("lr", "LR", "lr_multi"),
            "tree": Method(
                "tree",
                "tree",
                estimator="sklearn.tree.DecisionTreeClassifier",
                grid={"max_depth": (1, 3)},
            ),
        },
        protocols=protocols,
    )
    study = Study(name="s", title="S", datasets=("a", "b", "c"), methods=("lr", "tree"))
    text = procedure_of(study, catalogue, "standard")
    first, second = text.split(" C: ")
    assert first.startswith(
        "A and B: nested cross-validation with 5 folds, stratified by the classes"
    )
    assert "drawn 10 times" in first
    assert "LR C in 10^{-3}, ..., 10^{3}, relative to the mean squared norm" in first
    assert "tree max_depth in {1, 3}" in first
    assert "by 5-fold cross-validation" in first
    assert second.startswith("models are trained and tested on the parts of one split.")
    assert "Features are not transformed." in second


def sentences_of(protocols, methods, threshold="tune", budget="standard", study=None, **fields):
    by_name = {method.name: method for method in methods}
    study = study or Study(name="s", title="S", datasets=("a",), methods=[*by_name])
    catalogue = SimpleNamespace(
        registry={name: entry(name, **fields) for name in study.datasets},
        methods=by_name,
        protocols=protocols,
    )
    return procedure_of(study, catalogue, budget, threshold)


LABELS = Method("lr", "LR^{ML}", "lr_ml")
RBF = Method("rbf", "RBF", "svm_ml", gamma=1.0, kernel="rbf")


def test_what_is_selected_is_named_with_its_values(protocols):
    sets = {"task": "multilabel", "parts": ("all",)}
    several = Method("several", "Several", "topk_ent", k=(2, 3))
    text = sentences_of(protocols, [LABELS, RBF, several], **sets)
    threshold = " and the threshold in 71 values from -7.94 to 7.94"
    assert "LR^{ML} C in 10^{-3}, ..., 10^{3}, relative to the mean squared norm" in text
    assert (
        "RBF C in 10^{-3}, ..., 10^{3} and θ in 2^{-15}, ..., 2^{3} (exponents in steps of 3)"
        + threshold
        in text
    )
    assert f"and k in {{2, 3}}{threshold}" in text
    assert "(divided only, where at most a fifth of all values is not 0)" in text


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("median", "Missing values are replaced by the median of the training rows. Features are"),
        ("mean", "Missing values are replaced by the mean of the training rows. Features are"),
        ("drop", "Rows with a missing value are left out. Features are"),
        ("error", "on the parts of one split. Features are"),
    ],
)
def test_what_becomes_of_missing_values_is_said(protocols, missing, said):
    options = {"label": "y", "missing": missing}
    text = sentences_of(
        protocols, [LABELS], parts=("train", "test"), format="table", options=options
    )
    assert said in text


@pytest.mark.parametrize(
    ("threshold", "said"),
    [
        ("cardinality", "Test rows get as many labels on average as training rows have."),
        (0.5, "Labels with a score of 0.5 or more are predicted."),
    ],
)
def test_a_threshold_that_is_not_selected_is_not_said_to_be(protocols, threshold, said):
    text = sentences_of(protocols, [LABELS], threshold, task="multilabel", parts=("all",))
    assert text.endswith(said)
    assert "the threshold in" not in text


def test_the_rows_of_validation_are_those_of_the_method(protocols):
    methods = [
        Method("lr", "LR", "lr_multi"),
        Method("scaled", "Scaled", "lr_multi", features="standardise"),
        Method(
            "logistic", "S-LR", "toplabel.more_losses.SimplexLogistic", protocol="simplex_coding"
        ),
        Method("s_ls", "S-LS", competitor="s_ls_batch", protocol="simplex_coding"),
    ]
    text = sentences_of(protocols, methods, parts=("train", "val", "test"))
    assert (
        "Parameters are selected on the validation part, for each metric by itself: LR C in" in text
    )
    assert (
        "Scaled (on standardised features with a constant column) C in 10^{-3}, ..., 10^{3}, ext"
        in text
    )
    assert "on a fifth of the training part, without the validation part, for each" in text
    assert "S-LR C in 10^{-9}, ..., 10^{1}" in text
    assert "by leaving out each training row, without the validation part, for" in text


def test_methods_for_other_sets_are_not_named(protocols):
    study = Study(name="s", title="S", datasets=("a", "b"), methods=("lr",), only={"rbf": ("b",)})
    text = sentences_of(protocols, [LABELS, RBF], study=study, task="multilabel", parts=("all",))
    of_a, of_b = text.split(" B: ")
    assert of_a.startswith("A: ")  # not "A and B: "
    assert "RBF" not in of_a
    assert "RBF" in of_b


def test_label_sets_are_validated_on_their_validation_part(protocols):
    """On folds where they have none, whatever single labels they have, too."""
    protocol = protocols["own_multilabel"]
    budget = protocol.budgets["standard"]
    prepared = regions_set()
    task = task_of(LABELS, budget, ["rank_loss"], protocol.validation)
    of_folds = problems_of(prepared, task)
    by_folds = problems_of(prepared, replace(task, validation="folds"))
    assert len(of_folds) == len(by_folds) == 5
    for problem, other in zip(of_folds, by_folds, strict=True):
        np.testing.assert_array_equal(problem.truth, other.truth)
    prepared.parts["val"] = prepared.parts["test"]
    prepared = replace(prepared, splits=[Split("main", "train", "val", "test")])
    (problem,) = problems_of(prepared, task)
    assert problem.truth is prepared.parts["val"].Y
