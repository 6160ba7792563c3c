"""Final training, thresholds, test metrics and the numbers of figures."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from standin import Recorder, multiclass_set, problems_of, regions_set, task_of

from toplabel import metrics, thresholds
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget, EquallySpaced
from toplabel.reproduction.selection.choice import select
from toplabel.reproduction.selection.evaluation import evaluate, instance_scores
from toplabel.reproduction.selection.figure_data import circle_points, circle_rings, selection_curve
from toplabel.reproduction.selection.final import Models, model_key, train_models
from toplabel.reproduction.selection.measures import ranking_value
from toplabel.reproduction.selection.results import seconds_by_split
from toplabel.reproduction.selection.thresholding import compare_strategies, set_thresholds
from toplabel.reproduction.selection.tuning import tune_split
from toplabel.reproduction.tables.cells import TEST_METRICS

SOFTMAX = Method("lr_multi", "A", "lr_multi")
KERNEL = Method("lr_rbf", "A", "lr_multi", kernel="rbf")
MULTILABEL = Method("lr_ml", "A", "lr_ml")
BUDGET = Budget(Axis(2, -2, 2, 2), Axis(2, -1, 0, 1), [EquallySpaced(-1, 1, 9)], folds=3)
MULTICLASS_METRICS = ["top1", "top2"]
SET_METRICS = ["rank_loss", "f1_micro", "hamming_loss"]


def _run(prepared, method, names, validation="holdout", retrain_on="train", strategy="tune"):
    task = task_of(method, BUDGET, names, validation, retrain_on, prepared.name)
    tuned = tune_split(problems_of(prepared, task), task, Recorder())
    selection = select({"main": tuned})
    models, certificates = train_models(prepared, task, selection, Recorder())
    chosen = set_thresholds(prepared, task.protocol, selection, models, strategy, 0.25)
    seconds = seconds_by_split([tuned])
    table, ranks = evaluate(
        prepared, method.name, task.protocol, "standard", chosen, certificates, models, seconds
    )
    # Every top-k accuracy, and nothing else, follows from the ranks of the true classes.
    tops = {str(m): 100.0 * float(np.mean(one.hits(m))) for one in ranks for m in one.metric}
    assert tops == {row.metric: row.value for row in table if row.metric.startswith("top")}
    frames = map(pd.DataFrame, (selection, certificates, chosen, table))
    selection, certificates, chosen, table = frames
    return tuned, selection, models, certificates, chosen, table.set_index("metric")


def _rows(frame):
    return [*frame.itertuples(index=False)]


def test_linear_models_are_measured_on_the_test_part(tmp_path):
    prepared = multiclass_set()
    _, selection, models, certificates, _, table = _run(prepared, SOFTMAX, MULTICLASS_METRICS)
    test = prepared.parts["test"]
    chosen = selection.set_index("metric")
    for k, metric in ((1, "top1"), (2, "top2")):
        W = models.arrays[model_key("main", chosen.loc[metric, "C"], np.nan)]
        expected = 100 * metrics.top_k_accuracy(test.y, test.X @ W, k=k)
        assert table.loc[metric, "value"] == pytest.approx(expected)
        assert table.loc[metric, "C"] == chosen.loc[metric, "C"]
    assert [*table.reset_index()[TEST_METRICS.names].columns] == TEST_METRICS.names
    assert len(certificates) == chosen["C"].nunique() == len(models.arrays)
    models.save(tmp_path / "models.npz")
    again = Models.load(tmp_path / "models.npz")
    for key, array in models.arrays.items():
        np.testing.assert_array_equal(again.arrays[key], array)


@pytest.mark.parametrize("strategy", ["tune", "constant", "cardinality"])
def test_the_comparison_of_strategies_repeats_what_each_run_measures(strategy):
    prepared = regions_set()
    protocol = task_of(MULTILABEL, BUDGET, SET_METRICS, "half").protocol
    _, selection, models, _, _, table = _run(
        prepared, MULTILABEL, SET_METRICS, "half", strategy=strategy
    )
    found = compare_strategies(prepared, protocol, _rows(selection), models, 0.25)
    compared = pd.DataFrame(found)
    assert set(compared["metric"]) == {"f1_micro", "hamming_loss"}
    assert compared["strategy"].tolist()[:4] == ["constant", "cardinality", "tune", "per_label"]
    of_strategy = compared[compared["strategy"] == strategy].set_index("metric")
    for metric, row in of_strategy.iterrows():
        assert row["value"] == pytest.approx(table.loc[metric, "value"])
        assert row["threshold"] == pytest.approx(table.loc[metric, "threshold"])


def test_thresholds_per_label_predict_each_label_as_often_as_it_was_trained():
    prepared = regions_set()
    protocol = task_of(MULTILABEL, BUDGET, SET_METRICS, "half").protocol
    _, selection, models, *_ = _run(prepared, MULTILABEL, SET_METRICS, "half")
    compared = pd.DataFrame(compare_strategies(prepared, protocol, _rows(selection), models))
    row = compared[
        (compared["strategy"] == "per_label") & (compared["metric"] == "hamming_loss")
    ].iloc[0]
    chosen = selection.set_index("metric").loc["hamming_loss"]
    key = model_key("main", chosen["C"], chosen["theta"])
    scores = instance_scores(prepared, protocol, prepared.splits[0], models, key)
    matched = thresholds.match_frequencies(scores, prepared.parts["train"].Y.mean(axis=0))
    truth = prepared.parts["test"].Y
    expected = metrics.hamming_loss(truth, (scores >= matched).astype(np.uint8))
    assert row["value"] == pytest.approx(expected)


def test_kernel_models_keep_the_dual_and_predict_with_the_training_rows(tmp_path):
    prepared = multiclass_set()
    _, _, models, certificates, _, table = _run(prepared, KERNEL, MULTICLASS_METRICS)
    assert certificates["theta"].notna().all()
    train, test = prepared.parts["train"], prepared.parts["test"]
    key = model_key("main", table.loc["top1", "C"], table.loc["top1", "theta"])
    distances = ((test.X[:, None] - train.X[None]) ** 2).sum(axis=2)
    scores = np.exp(-key[2] * distances) @ models.arrays[key]
    expected = 100 * metrics.top_k_accuracy(test.y, scores, k=1)
    assert table.loc["top1", "value"] == pytest.approx(expected)
    assert expected > 60
    models.save(tmp_path / "models.npz")
    assert set(Models.load(tmp_path / "models.npz").arrays) == set(models.arrays)


def test_retraining_takes_the_validation_part_only_when_told(monkeypatch):
    seen = []

    class Counting(Recorder):
        def __call__(self, X, y, **arguments):
            seen.append(len(X))
            return super().__call__(X, y, **arguments)

    prepared = multiclass_set()
    n, n_val = prepared.parts["train"].n_rows, prepared.parts["val"].n_rows
    selection = pd.DataFrame({"split": ["main"], "C": [1.0], "theta": [np.nan], "k": [np.nan]})
    for retrain_on, rows in (("train", n), ("train_val", n + n_val)):
        seen.clear()
        task = task_of(SOFTMAX, BUDGET, retrain_on=retrain_on)
        train_models(prepared, task, _rows(selection), Counting())
        assert set(seen) == {rows}


def test_the_model_of_a_set_with_a_validation_part_is_the_one_that_was_validated():
    prepared = multiclass_set()
    tuned, selection, models, *_ = _run(prepared, SOFTMAX, MULTICLASS_METRICS)
    val = prepared.parts["val"]
    for row in selection.itertuples():
        scores = val.X @ models.arrays[model_key("main", row.C, np.nan)]
        k = int(row.metric.removeprefix("top"))
        assert row.value == 100 * metrics.top_k_accuracy(val.y, scores, k=k)
    assert tuned.fold == "all"


def test_each_fit_leaves_a_line_in_the_log(caplog):
    caplog.set_level("INFO", "toplabel")
    _, selection, *_ = _run(multiclass_set(), SOFTMAX, ["top1"], validation="folds")
    lines = [record.getMessage() for record in caplog.records]
    assert all(line.endswith(" s, converged") for line in lines)
    tuned = [f"split main, fold {i}, k 1, C {C}" for i in range(3) for C in (0.25, 1, 4)]
    trained = [f"split main, C {C:g}" for C in selection["C"].unique()]
    assert [line.split(", gap")[0] for line in lines] == tuned + trained


def test_certificates_say_what_the_solver_said(caplog):
    prepared = multiclass_set()
    nothing = [np.nan] * 2
    selection = pd.DataFrame(
        {"split": ["main"] * 2, "C": [4.0, 0.25], "theta": nothing, "k": nothing}
    )
    task = task_of(SOFTMAX, BUDGET)
    with caplog.at_level("INFO"):
        _, found = train_models(prepared, task, _rows(selection), Recorder(status="max_epochs"))
    assert [one.message.endswith(", max_epochs_train") for one in caplog.records] == [True] * 2
    table = pd.DataFrame(found)
    assert table["C"].tolist() == [0.25, 4.0]  # from the smallest up
    assert (table["status"] == "max_epochs").all()
    assert (table["relative_gap"] == 1e-6).all()


@pytest.mark.parametrize("method", [SOFTMAX, MULTILABEL])
def test_regions_are_pooled_before_they_are_measured(method):
    prepared = regions_set()
    _, _, models, _, chosen, table = _run(prepared, method, SET_METRICS, validation="half")
    test = prepared.parts["test"]
    for metric in SET_METRICS:
        row = chosen.set_index("metric").loc[metric]
        raw = test.X @ models.arrays[model_key("main", row["C"], np.nan)]
        scores = np.array([raw[test.groups == i].max(axis=0) for i in range(test.n_instances)])
        if metric == "rank_loss":
            expected = metrics.rank_loss(test.Y, scores)
            assert np.isnan(row["threshold"])
        else:
            P = thresholds.predict(scores, row["threshold"])
            f1, loss = metrics.f1(test.Y, P, average="micro"), metrics.hamming_loss(test.Y, P)
            expected = 100 * f1 if metric == "f1_micro" else loss
        assert table.loc[metric, "value"] == pytest.approx(expected)


def test_threshold_strategies():
    prepared = regions_set()
    by_name = {}
    for strategy in ("tune", "constant", "cardinality"):
        *_, models, _, chosen, _ = _run(
            prepared, MULTILABEL, SET_METRICS, validation="half", strategy=strategy
        )
        by_name[strategy] = chosen.set_index("metric")
        assert np.isnan(by_name[strategy].loc["rank_loss", "threshold"])
        assert by_name[strategy].loc["rank_loss", "strategy"] == ""
    assert (by_name["constant"].loc["f1_micro":, "threshold"] == 0.25).all()
    assert set(by_name["tune"].loc["f1_micro":, "threshold"]) <= set(BUDGET.thresholds.values())
    train, test = prepared.parts["train"], prepared.parts["test"]
    row = by_name["cardinality"].loc["f1_micro"]
    raw = test.X @ models.arrays[model_key("main", row["C"], np.nan)]
    scores = np.array([raw[test.groups == i].max(axis=0) for i in range(test.n_instances)])
    predicted = thresholds.predict(scores, row["threshold"]).sum(axis=1).mean()
    assert predicted == pytest.approx(train.Y.sum(axis=1).mean(), abs=1 / len(test.Y))


def test_an_unknown_strategy_is_refused():
    prepared = regions_set()
    protocol = task_of(MULTILABEL, BUDGET, ("f1_micro",), "half").protocol
    with pytest.raises(ValueError, match=r"threshold strategy must be one of .*, not 'guess'"):
        set_thresholds(prepared, protocol, [], Models({}), "guess")


def test_selection_curve_takes_the_best_over_theta_and_delta():
    prepared = regions_set()
    tuned, selection, *_ = _run(prepared, MULTILABEL, SET_METRICS, validation="half")
    curve = selection_curve([tuned], _rows(selection), ["hamming_loss", "f1_micro"])
    for metric in ("hamming_loss", "f1_micro"):
        part = curve[curve["metric"] == metric]
        assert part["C"].is_monotonic_increasing
        chosen = part[part["chosen"]].iloc[0]
        best = part["value"].min() if metric == "hamming_loss" else part["value"].max()
        assert chosen["value"] == pytest.approx(best)


def test_circle_figure_says_what_the_model_predicts():
    prepared = multiclass_set()
    _, selection, models, *_ = _run(prepared, SOFTMAX, MULTICLASS_METRICS)
    rings = circle_rings(prepared, _rows(selection), models, "main", "top2")
    chosen = selection.set_index("metric").loc["top2", "C"]
    W = models.arrays[model_key("main", chosen, np.nan)]
    for row in rings.iloc[::90].itertuples():
        scores = np.array([np.cos(row.angle), np.sin(row.angle)]) @ W
        order = np.argsort(-scores)
        assert [row.rank1, row.rank2] == [prepared.class_names[i] for i in order[:2]]
    points = circle_points(prepared, "main")
    part = prepared.parts["train"]
    radius = np.hypot(*part.X.T)
    np.testing.assert_allclose(radius * np.cos(points["angle"]), part.X[:, 0], atol=1e-12)
    assert points["label"].tolist() == [prepared.class_names[i] for i in part.y]


def test_a_split_that_is_not_there_is_named():
    prepared = multiclass_set()
    selection = pd.DataFrame({"split": ["s07"], "C": [1.0], "theta": [np.nan], "k": [np.nan]})
    task = task_of(SOFTMAX, BUDGET)
    with pytest.raises(ValueError, match="data set 'toy': unknown split 's07'; known: main"):
        train_models(prepared, task, _rows(selection), Recorder())


def test_a_model_of_zeros_is_not_the_best():
    """As if ties counted as right (TPAMI Eq. (1))."""
    y, Y, zeros = np.array([0, 1, 2, 3]), np.eye(4, dtype=np.uint8), np.zeros((4, 4))
    assert ranking_value("top1", y, zeros) == ranking_value("p_at_1", Y, zeros) == 25.0
    assert ranking_value("balanced_accuracy", y, zeros) == 25.0
    assert ranking_value("top3", y, zeros) == ranking_value("r_at_3", Y, zeros) == 75.0
    assert ranking_value("one_error_loss", Y, zeros) == 75.0


def test_measures_refuse_what_does_not_fit():
    prepared = replace(multiclass_set(), task="multiclass")
    with pytest.raises(ValueError, match="metric 'rank_loss' needs label sets"):
        _run(prepared, SOFTMAX, ["rank_loss"])
