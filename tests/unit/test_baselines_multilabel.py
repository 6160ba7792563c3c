"""The multilabel baselines: binary relevance, the forest, the hierarchy."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestRegressor
from standin import regions_set

import toplabel
from toplabel.reproduction.config.methods import load_methods
from toplabel.reproduction.methods import create
from toplabel.reproduction.methods.hierarchy import balanced_clusters, label_tree
from toplabel.reproduction.methods.models import Forest, Hierarchy
from toplabel.reproduction.selection.fitting import Limits, by_solver
from toplabel.reproduction.selection.problems import training_labels


def _sets(n=80, d=6, m=5, seed=0):
    """Labels that are half-spaces of the features, some of them with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    Y = (X @ rng.standard_normal((d, m)) + 0.3 * rng.standard_normal((n, m)) > 0.4).astype(np.uint8)
    return X, Y


def _train(name, X, Y, C=1.0, seed=0, max_epochs=20000, **params):
    trainer = create(name, params=params)
    return trainer.train(
        X, Y, n_classes=Y.shape[1], C=C, seed=seed, eps=1e-5, max_epochs=max_epochs
    )


# Binary relevance ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_binary_relevance_is_one_svm_a_label(repository, kernel):
    rows = load_methods(repository / "config/methods.yaml")
    method = rows["br_svm" if kernel == "linear" else "br_svm_rbf"]
    assert (method.task, method.kernel, method.key.method) == ("multilabel", kernel, "svm_ova_sets")
    X, Y = _sets()
    part = regions_set().parts["train"]
    assert training_labels(part, method).shape == (len(part.X), 3)
    rows = toplabel.kernels.rbf_gram(X, 0.2) if kernel == "rbf" else X
    train = by_solver(toplabel.solve, rows, Y, method, Limits(Y.shape[1], 1e-6, 50000, ("toy",)))
    together = train(2.0)
    for j in range(Y.shape[1]):
        alone = toplabel.solve(
            rows,
            Y[:, j].astype(int),
            loss="svm_ova",
            C=2.0,
            eps=1e-6,
            max_epochs=50000,
            kernel="precomputed" if kernel == "rbf" else "linear",
        )
        scores = rows @ alone.A if kernel == "rbf" else X @ alone.W
        ours = rows @ together.A if kernel == "rbf" else X @ together.W
        assert ours[:, j] == pytest.approx(scores[:, 1], abs=0.01)


# Forest --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leaf", [1, 6])
def test_the_stored_forest_predicts_what_scikit_learn_does(leaf):
    X, Y = _sets(n=150)
    trained = _train("multioutput_forest", X[:100], Y[:100], C=leaf, trees=12, seed=3)
    assert isinstance(trained.model, Forest)
    assert (trained.status, trained.epochs) == ("uncertified", 12)
    peer = RandomForestRegressor(
        n_estimators=12,
        min_samples_leaf=leaf,
        max_features="sqrt",
        random_state=int(np.random.default_rng(3).integers(1 << 32)),
    ).fit(X[:100].astype(np.float32), Y[:100].astype(float))
    assert trained.decision_function(X[100:]) == pytest.approx(peer.predict(X[100:]), abs=1e-12)


def test_a_forest_learns_a_threshold_and_is_the_same_each_time():
    rng = np.random.default_rng(0)
    X = rng.random((300, 3))
    Y = np.column_stack([X[:, 0] > 0.5, X[:, 1] > 0.3]).astype(np.uint8)
    scores, again, other = (
        _train("multioutput_forest", X, Y, trees=20, seed=seed).decision_function(X)
        for seed in (1, 1, 2)
    )
    assert ((scores > 0.5) == (Y > 0)).mean() > 0.99
    np.testing.assert_array_equal(scores, again)
    assert (scores != other).any()


def test_with_many_labels_splits_are_chosen_for_projections():
    rng = np.random.default_rng(1)
    X = rng.random((200, 4))
    Y = np.repeat((X[:, :1] > 0.5), 20, axis=1).astype(np.uint8)
    trained = _train("multioutput_forest", X, Y, trees=10, projection=2)
    scores = trained.decision_function(X)
    assert scores.shape == (200, 20)
    assert ((scores > 0.5) == (Y > 0)).mean() > 0.95  # leaves hold the labels themselves


def test_a_forest_takes_sparse_rows_block_by_block(monkeypatch):
    X, Y = _sets()
    X = np.where(np.abs(X) > 0.8, X, 0.0)
    trained = _train("multioutput_forest", sparse.csr_matrix(X), Y, trees=5)
    expected = trained.decision_function(X)
    monkeypatch.setattr(Forest, "ROWS", 7)
    assert trained.decision_function(sparse.csr_matrix(X)) == pytest.approx(expected, abs=1e-15)


# Hierarchy -----------------------------------------------------------------------------------------


def test_labels_that_go_together_form_clusters():
    """Three groups of labels, each of which occurs on rows of its own."""
    Y = np.kron(np.eye(3), np.ones((10, 4)))
    order = np.random.default_rng(0).permutation(12)
    values = Y[:, order]
    for seed in range(5):
        cluster = balanced_clusters(values.T @ values, 3, np.random.default_rng(seed))
        assert np.bincount(cluster).tolist() == [4, 4, 4]
    groups = order // 4
    found = [
        balanced_clusters(values.T @ values, 3, np.random.default_rng(seed)) for seed in range(20)
    ]
    pure = [all(len(set(groups[c == i])) == 1 for i in range(3)) for c in found]
    assert sum(pure) >= 15  # k-means may end in a local optimum


@pytest.mark.parametrize(("m", "count"), [(5, 2), (7, 3), (9, 4), (10, 9), (4, 4)])
def test_clusters_are_balanced_and_none_is_empty(m, count):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        Y = rng.random((6, m)) < 0.4
        gram = (Y.T @ Y.astype(float)).astype(float)
        cluster = balanced_clusters(gram, count, rng)
        sizes = np.bincount(cluster, minlength=count)
        assert sizes.min() >= 1
        assert sizes.max() <= -(-m // count)


@pytest.mark.parametrize(("m", "children"), [(2, 2), (5, 4), (17, 3), (30, 4)])
def test_a_label_tree_has_every_label_at_one_leaf(m, children):
    Y = np.random.default_rng(m).random((40, m)) < 0.2
    nodes = label_tree(Y, children, seed=0)
    leaves = [int(child[0]) for node in nodes for child in node if len(child) == 1]
    assert sorted(leaves) == list(range(m))
    assert sorted(np.concatenate(nodes[0])) == list(range(m))
    known = {tuple(range(m))}
    for node in nodes:  # each node splits a child that stands above it
        assert tuple(sorted(np.concatenate(node))) in known
        known |= {tuple(sorted(child)) for child in node}


def test_a_hierarchy_predicts_a_label_when_every_step_says_yes():
    X, Y = _sets(n=200, m=9)
    trained = _train("label_hierarchy", X, Y, C=1.0, children=3)
    model = trained.model
    assert isinstance(model, Hierarchy)
    edges = X @ model.W
    expected = np.array([edges[:, sorted(set(path))].min(axis=1) for path in model.path]).T
    np.testing.assert_array_equal(trained.decision_function(X), expected)
    right = ((trained.decision_function(X) > 0) == (Y > 0)).mean()
    assert right > 0.8


def test_the_root_of_a_hierarchy_without_clusters_is_binary_relevance():
    X, Y = _sets(m=4)
    flat = _train("label_hierarchy", X, Y, children=4)
    ours = toplabel.solve(X, Y, loss="svm_ova", C=1.0, eps=1e-8, max_epochs=50000)
    assert flat.decision_function(X) == pytest.approx(X @ ours.W, abs=5e-3)


def test_a_hierarchy_with_labels_that_never_or_always_occur():
    X, Y = _sets(m=7)
    Y[:, 2], Y[:, 5] = 0, 1
    trained = _train("label_hierarchy", X, Y, children=2)
    scores = trained.decision_function(sparse.csr_matrix(X))
    assert np.isfinite(scores).all()
    again = _train("label_hierarchy", X, Y, children=2)
    np.testing.assert_array_equal(trained.model.W, again.model.W)
    nothing = _train("label_hierarchy", X, np.zeros_like(Y), children=2)
    assert np.isfinite(nothing.decision_function(X)).all()
    assert _train("label_hierarchy", X, Y, C=100.0, max_epochs=1).status == "max_epochs"
