"""The losses of `TopKClassifier`, as the tests of the estimators go through them."""

from functools import partial

import pytest

import toplabel

each_loss = pytest.mark.parametrize(
    ("loss", "k", "gamma"),
    [
        ("svm_multi", 1, 0.0),
        ("svm_multi", 1, 1.0),
        ("topk_svm_alpha", 3, 0.5),
        ("topk_svm_beta", 2, 0.0),
        ("lr_multi", 1, 0.0),
        ("topk_ent", 2, 0.0),
        ("svm_ova", 1, 1.0),
        ("lr_ova", 1, 0.0),
    ],
)

solve = partial(toplabel.solve, fit_intercept=True)
"""With the intercept that estimators have by default."""
