"""The files of one data set and method."""

from __future__ import annotations

from functools import partial

from toplabel.reproduction.tables.table import columns, described

KNOWN = columns(
    """
    dataset       text   The data set's name in config/datasets.yaml.
    method        text   The method's name in config/methods.yaml.
    split         text   The split's name: one experiment on the set.
    metric        text   The metric's name (docs/architecture.md).
    budget        text   The budget of config/protocols.yaml for tuning and training.
    C             number The regularisation parameter.
    theta         number The parameter of the RBF kernel; empty for other kernels.
    threshold     number The threshold; empty where the metric needs none.
    k             number The k that was selected; empty where the method gives it.
    relative_gap  number (abs(P - D) + e) / max(abs P, abs D), e a bound of the rounding error;
        empty where nothing bounds it.
    epochs        whole  Passes over the data in the final training.
    status        text   converged, max_epochs, stalled, imprecise, or uncertified: a baseline or a
        network, which has no gap.
    gradient_norm number The gradient's norm, of a loss that is not convex.
    """
)
"""The columns that several files have."""
_table = partial(described, known=KNOWN)

SELECTION = _table(
    "results/<set>/<method>/selection.csv",
    """
    The selected hyper-parameters: one row per split and metric.

    split metric k C theta threshold
    value   number The validation value: percent, but fractions for the rank and the Hamming loss.
    at_edge text   True where the choice lies on an edge of the grid and is better than any inside.
    """,
)
CERTIFICATES = _table(
    "results/<set>/<method>/certificates.csv",
    """
    The models that were trained: one row for each (split, C, theta, k) of the selection, in the
    order of models.npz.

    split C theta k
    primal  number The primal objective P.
    dual    number The dual objective D; empty where the loss is not convex, and for some
        baselines.
    relative_gap epochs status
    seconds number What the training took.
    gradient_norm
    """,
)
THRESHOLDS = _table(
    "results/<set>/<method>/thresholds.csv",
    """
    The thresholds, where the protocol has any: one row per split and metric. Elsewhere the
    selection stands in.

    split metric k C theta threshold
    strategy text   tune, constant or cardinality; empty where the metric needs no threshold.
    """,
)
THRESHOLD_STRATEGIES = _table(
    "results/<set>/<method>/threshold_strategies.csv",
    """
    What each strategy for the threshold gives on the test part: one row per split, metric and
    strategy.

    split metric
    strategy  text   constant, cardinality, tune, or per_label: a threshold for each label.
    threshold number The threshold; of several, their mean.
    value     number The test value, as printed in the papers.
    """,
)
TEST_METRICS = _table(
    "results/<set>/<method>/evaluation.csv",
    """
    The test metrics: one row per split and metric; after map, with its model, ap_<class> for
    each class that occurs.

    dataset method split metric
    value      number Percent for accuracies and F1, fractions for the rank and the Hamming loss.
    C theta threshold relative_gap epochs status
    seconds    number What the tuning of the split and the training of the model took.
    budget gradient_norm
    selected_k number The k that was selected; empty where the method gives it.
    """,
)
AGREEMENT = _table(
    "results/<set>/agreement.csv",
    """
    Our own one-vs-all beside LIBLINEAR on the first split: one row per loss and C.

    dataset split
    method              text   The loss.
    C
    ours                number The primal objective of our model.
    lower_bound         number The dual objective of our model: the optimum is not below.
    liblinear           number The primal objective of LIBLINEAR's model.
    difference          number (liblinear - ours) / ours.
    accuracy_difference number The largest difference in test accuracy, in points, without sign.
    ours_top*           number The top-k accuracy of our model.
    liblinear_top*      number The top-k accuracy of LIBLINEAR's model.
    finished            whole  1 where both met their tolerance, else 0.
    """,
)
TABLES = (SELECTION, CERTIFICATES, THRESHOLDS, THRESHOLD_STRATEGIES, TEST_METRICS, AGREEMENT)
