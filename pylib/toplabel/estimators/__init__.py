"""scikit-learn estimators over `toplabel.solve`: see docs/estimators.md.

This package imports scikit-learn; `import toplabel` does not, it loads the package when one of its
names is asked for.
"""

from toplabel.estimators.calibrated_sets import CalibratedSets
from toplabel.estimators.loading import load_model
from toplabel.estimators.multilabel import MultilabelClassifier
from toplabel.estimators.ranking import TopKScorer, top_k_scorer
from toplabel.estimators.set_scorers import (
    AverageKScorer,
    SetScorer,
    average_k_scorer,
    set_scorer,
)
from toplabel.estimators.simplex import SimplexClassifier
from toplabel.estimators.topk import TopKClassifier

__all__ = [
    "AverageKScorer",
    "CalibratedSets",
    "MultilabelClassifier",
    "SetScorer",
    "SimplexClassifier",
    "TopKClassifier",
    "TopKScorer",
    "average_k_scorer",
    "load_model",
    "set_scorer",
    "top_k_scorer",
]
