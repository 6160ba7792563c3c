"""k as a hyper-parameter: tuned, chosen for each metric, trained and measured (TPAMI section
6.3).
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from standin import problems_of, task_of

from toplabel import solve
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget, EquallySpaced
from toplabel.reproduction.data.embedded import digit_scenes
from toplabel.reproduction.data.parts import Prepared
from toplabel.reproduction.data.validation import validate_prepared
from toplabel.reproduction.selection.choice import select
from toplabel.reproduction.selection.evaluation import evaluate
from toplabel.reproduction.selection.final import Models, model_key, train_models
from toplabel.reproduction.selection.problems import training_labels
from toplabel.reproduction.selection.results import candidates, load_units, save_unit
from toplabel.reproduction.selection.thresholding import set_thresholds
from toplabel.reproduction.selection.tuning import tune_ks, tune_split

METRICS = ("map", "rank_loss", "f1_micro")
BUDGET = Budget(Axis(2, -6, 0, 3), None, [EquallySpaced(0.1, 1, 4)])
METHOD = Method("topk_svm_beta", "A", "topk_svm_beta", gamma=1.0, k=(2, 5))
TASK = task_of(METHOD, BUDGET, METRICS, "half", dataset="scenes")
PROTOCOL = TASK.protocol


@pytest.fixture(scope="module")
def prepared():
    loaded = digit_scenes(n_train=120, n_test=60)
    return Prepared("scenes", "multilabel", 10, loaded.class_names, loaded.parts, loaded.splits)


def _problems(prepared, method=METHOD):
    return problems_of(prepared, replace(TASK, method=method))


@pytest.fixture(scope="module")
def tuned(prepared):
    return tune_ks(_problems(prepared), TASK, solve)


def test_every_k_is_tuned_as_a_method_with_that_k(prepared, tuned):
    assert [result.k for result in tuned] == [2, 5]
    for result in tuned:
        alone = replace(TASK, method=METHOD.at(result.k))
        once = tune_split(_problems(prepared), alone, solve)
        np.testing.assert_array_equal(result.value, once.value)
    assert not np.array_equal(tuned[0].value, tuned[1].value)


def test_a_k_of_all_classes_is_left_out(prepared):
    some, none = (replace(TASK, method=replace(METHOD, k=ks)) for ks in ((9, 10), (10, 12)))
    (only,) = tune_ks(_problems(prepared), some, solve)
    assert only.k == 9
    with pytest.raises(ValueError, match=r"every k of \[10, 12\] .* number of classes, 10"):
        tune_ks(_problems(prepared), none, solve)


def test_the_file_of_a_job_keeps_the_ks_apart(tuned, tmp_path):
    save_unit(tuned, tmp_path / "all.npz")
    found = candidates(load_units([tmp_path / "all.npz"]))
    assert list(found) == ["main, k = 2", "main, k = 5"]
    again, before = select(found), select({result.name: result for result in tuned})
    assert pd.DataFrame(again).equals(pd.DataFrame(before))


def test_the_chosen_k_is_trained_and_measured(prepared, tuned, tmp_path):
    # The rank loss with the other k: every k has models of its own.
    other = {"rank_loss": 2.0, "map": 5.0}
    selection = [
        row._replace(k=other.get(row.metric, row.k), C=0.125)
        for row in select({result.name: result for result in tuned})
    ]
    models, certificates = train_models(prepared, TASK, selection, solve)
    assert sorted(row.k for row in certificates) == [2, 5]
    models.save(tmp_path / "models.npz")
    models = Models.load(tmp_path / "models.npz")
    thresholds = set_thresholds(prepared, PROTOCOL, selection, models, "tune")
    table, _ = evaluate(
        *(prepared, METHOD.name, PROTOCOL, "standard", thresholds, certificates, models),
        {"main": 0.0},
    )
    table = pd.DataFrame(table).set_index("metric")
    assert table.loc["rank_loss", "selected_k"] == 2
    assert table.loc["map", "selected_k"] == 5
    train = prepared.parts["train"]
    for k in (2, 5):
        W = solve(
            *(train.X, training_labels(train, METHOD)),
            **dict(loss="topk_svm_beta", k=k, gamma=1.0, C=0.125, eps=1e-9, max_epochs=5000),
        ).W
        found = models.arrays[model_key("main", 0.125, np.nan, k)]
        np.testing.assert_allclose(found, W, atol=0.05 * np.abs(W).max())


def test_the_average_precisions_of_the_classes_are_those_of_the_map(prepared, tuned):
    selection = select({result.name: result for result in tuned})
    models, certificates = train_models(prepared, TASK, selection, solve)
    thresholds = set_thresholds(prepared, PROTOCOL, selection, models, "tune")
    table, _ = evaluate(
        *(prepared, METHOD.name, PROTOCOL, "standard", thresholds, certificates, models),
        {"main": 0.0},
    )
    table = pd.DataFrame(table).set_index("metric")
    each = table.loc[[f"ap_{digit}" for digit in range(10)]]
    assert each["value"].mean() == pytest.approx(table.loc["map", "value"])
    assert set(each["C"]) == {table.loc["map", "C"]}
    assert each["value"].nunique() > 5


def test_images_without_a_single_label_train_only_methods_for_label_sets(prepared):
    train = prepared.parts["train"]
    Y, y = train.Y.copy(), train.y.copy()
    Y[::4], y[::4] = 0, -1
    gaps = replace(prepared, parts={**prepared.parts, "train": replace(train, Y=Y, y=y)})
    validate_prepared(gaps)
    (one,) = _problems(gaps, METHOD.at(2))
    (sets,) = _problems(gaps, Method("lr_ml", "A", "lr_ml"))
    assert one.labels.min() == 0
    assert len(one.labels) == one.X.shape[0] < len(sets.labels) == sets.X.shape[0]
    np.testing.assert_array_equal(one.truth, sets.truth)
    selection = select({result.name: result for result in tune_ks([one], TASK, solve)})
    models, _ = train_models(gaps, TASK, selection, solve)
    for key, W in models.arrays.items():
        labelled = np.isin(train.groups, np.flatnonzero(y >= 0))
        again = solve(
            *(train.X[labelled], y[train.groups[labelled]]),
            **dict(loss="topk_svm_beta", k=int(key[3]), gamma=1.0, C=key[1], eps=1e-9),
        ).W
        np.testing.assert_allclose(W, again, atol=0.05 * np.abs(again).max())
    with pytest.raises(ValueError, match=r"y\[0\] is -1; class indices are 0..9"):
        validate_prepared(replace(gaps, parts={**gaps.parts, "train": replace(train, y=y)}))
