"""The files of one data set and method."""

from __future__ import annotations

from toplabel.reproduction.tables.table import Column, Table

_CELL = "results/<set>/<method>/"

DATASET = Column("dataset", "text", "The data set's name in config/datasets.yaml.")
METHOD = Column("method", "text", "The method's name in config/methods.yaml.")
METRIC = Column("metric", "text", "The metric's name (docs/architecture.md).")
BUDGET = Column("budget", "text", "The budget of config/protocols.yaml for tuning and training.")
C = Column("C", "number", "The regularisation parameter.")
THETA = Column("theta", "number", "The parameter of the RBF kernel; empty for other kernels.")
THRESHOLD = Column("threshold", "number", "The threshold; empty where the metric needs none.")
_SPLIT = Column("split", "text", "The split's name: one experiment on the set.")
_K = Column("k", "number", "The k that was selected; empty where the method gives it.")
_GAP = Column(
    "relative_gap",
    "number",
    "(abs(P - D) + e) / max(abs P, abs D), e a bound of the rounding error; empty where nothing bounds it.",
)
_EPOCHS = Column("epochs", "whole", "Passes over the data in the final training.")
_STATUS = Column(
    "status",
    "text",
    "converged, max_epochs, stalled, imprecise, or uncertified: a baseline or a network, which has no gap.",
)
_GRADIENT_NORM = Column(
    "gradient_norm", "number", "The gradient's norm, of a loss that is not convex."
)

SELECTION = Table(
    f"{_CELL}selection.csv",
    "The selected hyper-parameters: one row per split and metric.",
    (
        *(_SPLIT, METRIC, _K, C, THETA, THRESHOLD),
        Column(
            "value",
            "number",
            "The validation value: percent, but fractions for the rank and the Hamming loss.",
        ),
        Column(
            "at_edge",
            "text",
            "True where the choice lies on an edge of the grid and is better than any inside.",
        ),
    ),
)
CERTIFICATES = Table(
    f"{_CELL}certificates.csv",
    "The models that were trained: one row for each (split, C, theta, k) of the selection, in the order of models.npz.",
    (
        *(_SPLIT, C, THETA, _K),
        Column("primal", "number", "The primal objective P."),
        Column(
            "dual",
            "number",
            "The dual objective D; empty where the loss is not convex, and for some baselines.",
        ),
        *(_GAP, _EPOCHS, _STATUS),
        Column("seconds", "number", "What the training took."),
        _GRADIENT_NORM,
    ),
)
THRESHOLDS = Table(
    f"{_CELL}thresholds.csv",
    "The thresholds, where the protocol has any: one row per split and metric. Elsewhere the selection stands in.",
    (
        *(_SPLIT, METRIC, _K, C, THETA, THRESHOLD),
        Column(
            "strategy",
            "text",
            "tune, constant or cardinality; empty where the metric needs no threshold.",
        ),
    ),
)
THRESHOLD_STRATEGIES = Table(
    f"{_CELL}threshold_strategies.csv",
    "What each strategy for the threshold gives on the test part: one row per split, metric and strategy.",
    (
        *(_SPLIT, METRIC),
        Column(
            "strategy",
            "text",
            "constant, cardinality, tune, or per_label: a threshold for each label.",
        ),
        Column("threshold", "number", "The threshold; of several, their mean."),
        Column("value", "number", "The test value, as printed in the papers."),
    ),
)
TEST_METRICS = Table(
    f"{_CELL}evaluation.csv",
    "The test metrics: one row per split and metric; after map, with its model, ap_<class> for each class that occurs.",
    (
        *(DATASET, METHOD, _SPLIT, METRIC),
        Column(
            "value",
            "number",
            "Percent for accuracies and F1, fractions for the rank and the Hamming loss.",
        ),
        *(C, THETA, THRESHOLD, _GAP, _EPOCHS, _STATUS),
        Column(
            "seconds", "number", "What the tuning of the split and the training of the model took."
        ),
        *(BUDGET, _GRADIENT_NORM),
        Column("selected_k", "number", _K.about),
    ),
)
AGREEMENT = Table(
    "results/<set>/agreement.csv",
    "Our own one-vs-all beside LIBLINEAR on the first split: one row per loss and C.",
    (
        *(DATASET, _SPLIT),
        Column("method", "text", "The loss."),
        C,
        Column("ours", "number", "The primal objective of our model."),
        Column(
            "lower_bound", "number", "The dual objective of our model: the optimum is not below."
        ),
        Column("liblinear", "number", "The primal objective of LIBLINEAR's model."),
        Column("difference", "number", "(liblinear - ours) / ours."),
        Column(
            "accuracy_difference",
            "number",
            "The largest difference in test accuracy, in points, without sign.",
        ),
        Column("ours_top*", "number", "The top-k accuracy of our model."),
        Column("liblinear_top*", "number", "The top-k accuracy of LIBLINEAR's model."),
        Column("finished", "whole", "1 where both met their tolerance, else 0."),
    ),
)
TABLES = (SELECTION, CERTIFICATES, THRESHOLDS, THRESHOLD_STRATEGIES, TEST_METRICS, AGREEMENT)
