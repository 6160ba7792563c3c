"""Performance measures of multiclass and multilabel classifiers (TPAMI section 3.1).

All are means over instances, fractions in [0, 1] (the coverage: a number of labels), float64.
Scores are finite numbers; ties are never broken by the index of a class.
Each function says what it does with ties and empty label sets; docs/protocols.md says it for all.
"""

from toplabel.metrics.label_ranking import (
    coverage,
    label_ranking_average_precision,
    ndcg_at_k,
    one_error,
)
from toplabel.metrics.label_sets import (
    f1,
    hamming_loss,
    multilabel_accuracy,
    subset_accuracy,
)
from toplabel.metrics.ranking import (
    average_precision,
    balanced_accuracy,
    mean_average_precision,
    precision_at_k,
    rank_loss,
    recall_at_k,
    top_k_accuracy,
)
from toplabel.metrics.top_lists import (
    ndcg_of_lists,
    precision_of_lists,
    propensities,
    psp_of_lists,
    recall_of_lists,
    top_lists,
)

__all__ = [
    "average_precision",
    "balanced_accuracy",
    "coverage",
    "f1",
    "hamming_loss",
    "label_ranking_average_precision",
    "mean_average_precision",
    "multilabel_accuracy",
    "ndcg_at_k",
    "ndcg_of_lists",
    "one_error",
    "precision_at_k",
    "precision_of_lists",
    "propensities",
    "psp_of_lists",
    "rank_loss",
    "recall_at_k",
    "recall_of_lists",
    "subset_accuracy",
    "top_k_accuracy",
    "top_lists",
]
