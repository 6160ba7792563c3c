"""Performance measures of multiclass and multilabel classifiers (TPAMI section 3.1).

All are means over instances, fractions in [0, 1] (the coverage: a number of labels), float64.
Scores are finite numbers; an order of the scores is never broken by the position of a class.
What happens on ties and on empty label sets is
said at each function, and for all of them in docs/metrics.md.
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
    mean_average_precision,
    precision_at_k,
    rank_loss,
    recall_at_k,
    top_k_accuracy,
)

__all__ = [
    "average_precision",
    "coverage",
    "f1",
    "hamming_loss",
    "label_ranking_average_precision",
    "mean_average_precision",
    "multilabel_accuracy",
    "ndcg_at_k",
    "one_error",
    "precision_at_k",
    "rank_loss",
    "recall_at_k",
    "subset_accuracy",
    "top_k_accuracy",
]
