"""The files of a cell: choices, models with certificates, test metrics, ranks."""

from dataclasses import replace

import numpy as np
import pytest
from small_sets import evaluation_of, multiclass_set, problems_of, regions_set, task_of

from toplabel import metrics, thresholds
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget, ThresholdRange
from toplabel.reproduction.files import FileError, write_records
from toplabel.reproduction.frames import write_rows
from toplabel.reproduction.selection import evaluation
from toplabel.reproduction.selection.choice import (
    Choice,
    choose,
    load_choices,
    load_grids,
    seconds_by_split,
)
from toplabel.reproduction.selection.evaluation import evaluate, load_metrics
from toplabel.reproduction.selection.measures import ranking_value
from toplabel.reproduction.selection.models import key_of, load_models, train_models
from toplabel.reproduction.selection.tuning import tune_split

SOFTMAX = Method("lr_multi", "A", "lr_multi")
KERNEL = Method("lr_rbf", "A", "lr_multi", kernel="rbf")
MULTILABEL = Method("lr_ml", "A", "lr_ml")
LINE = ThresholdRange(-1, 1, 9)
BUDGET = Budget(Axis(2, -2, 2, 2), Axis(2, -1, 0, 1), [LINE], folds=3)
TOPS = ["top1", "top2"]
OF_SETS = ["rank_loss", "f1_micro", "hamming_loss"]
CHOICE = Choice("main", "top1", None, 1.0, None, None, None, 50.0, False)


def run(prepared, method, names, folder, validation="holdout", threshold="tune"):
    """Tune, train and evaluate a method, each stage from the files of the one before."""
    task = task_of(method, BUDGET, names, validation, dataset=prepared.name)
    write_records(tune_split(problems_of(prepared, task), task), folder / "main.npz")
    tuned = load_grids([folder / "main.npz"])
    choices = choose(tuned)
    write_rows(Choice, choices, folder / "selection.csv")
    write_records(train_models(prepared, task, choices), folder / "models.npz")
    choices, models = load_choices(folder / "selection.csv"), load_models(folder / "models.npz")
    seconds = seconds_by_split(tuned)
    rows, ranks = evaluate(prepared, evaluation_of(task, threshold), choices, models, seconds)
    write_rows(evaluation.TestMetric, rows, folder / "evaluation.csv")
    rows = load_metrics([folder / "evaluation.csv"])
    return choices, models, {row.metric: row for row in rows}, ranks


def test_linear_models_are_measured_on_the_test_part(tmp_path):
    prepared = multiclass_set()
    choices, models, rows, ranks = run(prepared, SOFTMAX, TOPS, tmp_path)
    test, val = prepared.parts["test"], prepared.parts["val"]
    for k, choice in zip((1, 2), choices, strict=True):
        model, row = models[key_of(choice)], rows[choice.metric]
        assert row.value == 100 * metrics.top_k_accuracy(test.y, test.X @ model.W, k=k)
        assert (row.dataset, row.method, row.split, row.budget) == (
            "toy",
            "lr_multi",
            "main",
            "standard",
        )
        assert (row.C, row.relative_gap, row.epochs, row.status) == (
            *(choice.C, model.relative_gap, model.epochs, "converged"),
        )
        assert 0 <= model.primal - model.dual <= 1e-3 * model.primal
        # It is the model that was validated: no rows were added.
        assert choice.value == 100 * metrics.top_k_accuracy(val.y, val.X @ model.W, k=k)
    tops = {str(m): 100.0 * float(np.mean(one.hits(m))) for one in ranks for m in one.metric}
    assert tops == {name: row.value for name, row in rows.items()}


def test_a_loss_of_the_user_passes_every_stage(tmp_path):
    found = []
    for method in (Method("mine", "Mine", "test_own_loss.Plain"), SOFTMAX):
        (tmp_path / method.name).mkdir()
        found.append(run(multiclass_set(), method, TOPS, tmp_path / method.name)[2])
    own, known = found
    for name in TOPS:
        assert own[name].value == pytest.approx(known[name].value, abs=3.0)  # a row of 36 is 2.8
        assert (own[name].C, own[name].status) == (known[name].C, "converged")
        assert np.isnan(own[name].relative_gap)
        assert own[name].gradient_norm > 0


def test_kernel_models_predict_with_the_training_rows(tmp_path):
    prepared = multiclass_set()
    choices, models, rows, _ = run(prepared, KERNEL, TOPS, tmp_path)
    train, test = prepared.parts["train"], prepared.parts["test"]
    distances = ((test.X[:, None] - train.X[None]) ** 2).sum(axis=2)
    scores = np.exp(-choices[0].theta * distances) @ models[key_of(choices[0])].A
    assert rows["top1"].value == pytest.approx(100 * metrics.top_k_accuracy(test.y, scores, k=1))
    assert rows["top1"].value > 60


def test_an_estimator_is_kept_as_its_scores_of_the_test_part(tmp_path):
    estimator = {"estimator": "sklearn.neighbors.KNeighborsClassifier"}
    method = Method("knn", "A", **estimator, grid={"n_neighbors": (1, 9)})
    prepared = multiclass_set()
    task = task_of(method, BUDGET, TOPS)
    choices = choose(tune_split(problems_of(prepared, task), task))
    write_records(train_models(prepared, task, choices), tmp_path / "models.npz")
    models = load_models(tmp_path / "models.npz")
    rows, _ = evaluate(prepared, evaluation_of(task), choices, models, {"main": 0.0})
    assert {row.candidate for row in rows} <= {0, 1}
    assert {row.C for row in rows} == {None}
    assert rows[0].value > 60
    assert (rows[0].status, np.isnan(rows[0].relative_gap)) == ("uncertified", True)
    with np.load(tmp_path / "models.npz", allow_pickle=False) as stored:
        assert stored["0.test_scores"].shape == (36, 3)


@pytest.mark.parametrize("method", [SOFTMAX, MULTILABEL])
def test_regions_are_pooled_before_they_are_measured(method, tmp_path):
    prepared = regions_set()
    choices, models, rows, _ = run(prepared, method, OF_SETS, tmp_path, "half")
    test = prepared.parts["test"]
    for choice in choices:
        raw = test.X @ models[key_of(choice)].W
        scores = np.array([raw[test.groups == i].max(axis=0) for i in range(test.n_instances)])
        if choice.metric == "rank_loss":
            expected = metrics.rank_loss(test.Y, scores)
            assert rows["rank_loss"].threshold is None
        else:
            P = thresholds.predict(scores, choice.threshold)
            f1, loss = metrics.f1(test.Y, P, average="micro"), metrics.hamming_loss(test.Y, P)
            expected = 100 * f1 if choice.metric == "f1_micro" else loss
            assert rows[choice.metric].threshold == choice.threshold
        assert rows[choice.metric].value == pytest.approx(expected)


@pytest.mark.parametrize("threshold", [0.25, "cardinality"])
def test_thresholds_may_be_constant_or_match_the_cardinality(threshold, tmp_path):
    prepared = regions_set()
    choices, models, rows, _ = run(prepared, MULTILABEL, OF_SETS, tmp_path, "half", threshold)
    assert rows["rank_loss"].threshold is None
    at = rows["f1_micro"].threshold
    if threshold == 0.25:
        assert at == 0.25
        return
    train, test = prepared.parts["train"], prepared.parts["test"]
    raw = test.X @ models[key_of(choices[1])].W
    scores = np.array([raw[test.groups == i].max(axis=0) for i in range(test.n_instances)])
    predicted = thresholds.predict(scores, at).sum(axis=1).mean()
    assert predicted == pytest.approx(train.Y.sum(axis=1).mean(), abs=1 / len(test.Y))


def test_the_average_precisions_of_the_classes_are_those_of_the_map(tmp_path):
    rows = run(regions_set(), MULTILABEL, ["map", "rank_loss"], tmp_path, "half")[2]
    each = [rows[f"ap_{name}"] for name in "abc"]
    assert np.mean([row.value for row in each]) == pytest.approx(rows["map"].value)
    assert {row.C for row in each} == {rows["map"].C}


def test_the_chosen_k_is_trained_and_measured():
    prepared = multiclass_set()
    method = Method("topk", "A", "topk_svm_beta", gamma=1.0, k=(1, 2))
    task = task_of(method, BUDGET, TOPS)
    choices = [replace(CHOICE, k=2), replace(CHOICE, metric="top2", k=1)]
    models = {key_of(model): model for model in train_models(prepared, task, choices)}
    assert sorted(model.k for model in models.values()) == [1, 2]
    rows, _ = evaluate(prepared, evaluation_of(task), choices, models, {"main": 0.0})
    assert [row.selected_k for row in rows] == [2, 1]


def test_final_models_leave_out_the_validation_part(fits):
    train_models(multiclass_set(), task_of(SOFTMAX, BUDGET), [CHOICE])
    assert {fit["shape"][0] for fit in fits} == {36}


def test_models_of_a_split_are_trained_from_the_smallest_C_up():
    choices = [replace(CHOICE, C=C) for C in (4.0, 0.25, 4.0)]
    models = train_models(multiclass_set(), task_of(SOFTMAX, BUDGET), choices)
    assert [model.C for model in models] == [0.25, 4.0]


def test_a_split_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="data set 'toy': unknown split 's07'; known: main"):
        train_models(multiclass_set(), task_of(SOFTMAX, BUDGET), [replace(CHOICE, split="s07")])


def test_macro_f1_is_the_mean_over_the_classes():
    y = np.array([0, 0, 0, 1, 2])
    scores = np.eye(3)[[0, 0, 1, 1, 0]]
    # Of class 0 two of three are found and two of three right, of class 1 one of one and one of two.
    assert ranking_value("macro_f1", y, scores) == pytest.approx(100 * (2 / 3 + 2 / 3 + 0) / 3)


def test_a_model_of_zeros_is_not_the_best():
    """As it would be if ties counted as right (TPAMI Eq. (1))."""
    y, Y, zeros = np.array([0, 1, 2, 3]), np.eye(4, dtype=np.uint8), np.zeros((4, 4))
    assert ranking_value("top1", y, zeros) == ranking_value("p_at_1", Y, zeros) == 25.0
    assert ranking_value("balanced_accuracy", y, zeros) == 25.0
    assert ranking_value("top3", y, zeros) == ranking_value("r_at_3", Y, zeros) == 75.0
    assert ranking_value("one_error_loss", Y, zeros) == 75.0


# ---- the files ------------------------------------------------------------------------------------


def test_records_of_another_version_are_refused(tmp_path):
    np.savez(tmp_path / "models.npz", **{"0.split": "main", "0.C": 1.0})
    with pytest.raises(FileError, match="arrays of another version"):
        load_models(tmp_path / "models.npz")
