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
TABLES = (TEST_METRICS,)
