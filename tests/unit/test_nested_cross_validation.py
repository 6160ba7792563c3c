"""`protocol: own` beside nested cross-validation by scikit-learn, on the same folds."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn import datasets
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from small_sets import evaluation_of, own_entry, task_of

from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.data import PrepareTask
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.methods.estimator import EstimatorScores
from toplabel.reproduction.selection.choice import choose, means, seconds_by_split
from toplabel.reproduction.selection.evaluation import evaluate
from toplabel.reproduction.selection.measures import ranking_value
from toplabel.reproduction.selection.models import key_of, train_models
from toplabel.reproduction.selection.problems import stratified_folds
from toplabel.reproduction.selection.tuning import tune

SETS = {"iris": datasets.load_iris, "wine": datasets.load_wine}
GRIDS = {
    "bayes": ("sklearn.naive_bayes.GaussianNB", {"var_smoothing": (1e-9, 0.1, 1.0)}),
    "logistic": ("sklearn.linear_model.LogisticRegression", {"C": (0.01, 1.0, 100.0)}),
}
ESTIMATORS = {"bayes": GaussianNB(), "logistic": LogisticRegression()}


def by_the_workflow(folder, name, X, y, method, budget, metric="top1"):
    """The test value of each split, by the stages of the workflow."""
    (folder / name).mkdir()
    table = np.column_stack([X, y])
    header = ",".join([*(f"x{j}" for j in range(X.shape[1])), "y"])
    np.savetxt(folder / name / "a.csv", table, "%.17g", ",", header=header, comments="")
    entry = own_entry(name=name, options={"label": "y"}, bias=False)
    prepared = prepare(PrepareTask.of(entry), folder)
    task = replace(
        task_of(method, budget, dataset=name), splits=tuple(s.name for s in prepared.splits)
    )
    if metric == "log_loss":
        recipe = replace(task.recipe, log_probabilities=bool(method.estimator))
        task = replace(task, metrics=(metric,), recipe=recipe)
    tuned = list(tune(prepared, task))
    choices = choose(means(tuned))
    models = {key_of(model): model for model in train_models(prepared, task, choices)}
    rows, _ = evaluate(prepared, evaluation_of(task), choices, models, seconds_by_split(tuned))
    return [row.value for row in rows]


def by_sklearn(name, X, y, estimator, grid, scoring="accuracy"):
    """The same by GridSearchCV, its inner folds those of the workflow."""
    outer = StratifiedKFold(5, shuffle=True, random_state=seed_of(name, "folds") % 2**32)
    values = []
    for i, (train, test) in enumerate(outer.split(X, y)):
        scaler = StandardScaler().fit(X[train])
        folds = stratified_folds(y[train], 5, 0, name, f"f{i}")
        inner = [(fold.train, fold.val) for fold in folds]
        candidates = {parameter: [*given] for parameter, given in grid.items()}
        search = GridSearchCV(clone(estimator), candidates, cv=inner, scoring=scoring)
        search.fit(scaler.transform(X[train]), y[train])
        values.append(search.score(scaler.transform(X[test]), y[test]))
    return values


@pytest.fixture
def budget(protocols):
    return protocols["own_multiclass"].budgets["standard"]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("method", GRIDS)
def test_estimators_have_the_test_values_of_scikit_learn(budget, tmp_path, name, method):
    X, y = SETS[name](return_X_y=True)
    path, grid = GRIDS[method]
    ours = by_the_workflow(
        tmp_path, name, X, y, Method(method, method, estimator=path, grid=grid), budget
    )
    theirs = 100.0 * np.array(by_sklearn(name, X, y, ESTIMATORS[method], grid))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("method", GRIDS)
def test_log_losses_of_estimators_are_those_of_scikit_learn(budget, tmp_path, method):
    X, y = SETS["wine"](return_X_y=True)
    path, grid = GRIDS[method]
    row = Method(method, method, estimator=path, grid=grid)
    ours = by_the_workflow(tmp_path, "wine", X, y, row, budget, "log_loss")
    theirs = by_sklearn("wine", X, y, ESTIMATORS[method], grid, "neg_log_loss")
    np.testing.assert_allclose(ours, np.negative(theirs), rtol=1e-9)


def test_a_class_without_training_rows_has_the_least_probability():
    X, y = datasets.load_wine(return_X_y=True)
    known = LogisticRegression(max_iter=50).fit(X[y < 2, :2], y[y < 2])
    scores = EstimatorScores(known, 3, False, log_probabilities=True).scores(X[:, :2])
    whole = np.c_[known.predict_proba(X[:, :2]), np.zeros(len(X))]
    assert ranking_value("log_loss", y, scores) == pytest.approx(log_loss(y, whole))


def test_what_has_no_probabilities_has_no_log_loss(budget, tmp_path):
    X, y = SETS["iris"](return_X_y=True)
    path = "sklearn.linear_model.RidgeClassifier"
    ridge = Method("ridge", "ridge", estimator=path, grid={"alpha": (1.0,)})
    with pytest.raises(ValueError, match="'ridge': has none of the metrics log_loss"):
        by_the_workflow(tmp_path, "iris", X, y, ridge, budget, "log_loss")
