"""Performance measures of multiclass and multilabel classifiers (TPAMI section 3.1).

Nearly all are means over instances, and fractions in [0, 1]; float64. scikit-learn has others, as
the coverage error.
Scores are finite numbers; ties are never broken by the index of a class.
Each function says what it does with ties and empty label sets; docs/protocols.md says it for all.
"""

from toplabel.metrics.class_sets import (
    average_k_accuracy,
    mean_set_size,
    set_coverage,
    size_stratified_coverage,
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

__all__ = [
    "average_k_accuracy",
    "average_precision",
    "balanced_accuracy",
    "f1",
    "hamming_loss",
    "mean_average_precision",
    "mean_set_size",
    "multilabel_accuracy",
    "precision_at_k",
    "rank_loss",
    "recall_at_k",
    "set_coverage",
    "size_stratified_coverage",
    "subset_accuracy",
    "top_k_accuracy",
]
