"""
The multiclass SVM beside LIBLINEAR, at equal objective
=======================================================

Both minimise the multiclass hinge of Crammer and Singer plus half the squared norm, without an
intercept. What counts is how near a model is to the optimum, and the dual objective of a run to a
small gap says where that is.
"""

# %%
# Handwritten digits, and the optimum to seven digits.
import time
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import toplabel

X, y = load_digits(return_X_y=True)
X = X / 16
C = 1.0
optimum = toplabel.solve(X, y, "svm_multi", C=C, tol=1e-7, max_iter=20000).dual


def objective(W):
    """The mean loss and the norm, as `toplabel.Solution.primal` has them."""
    losses = toplabel.losses.value("svm_multi", X @ W, y)
    return losses.mean() + (W**2).sum() / (2 * C * len(X))


# %%
# A model for each tolerance, with the time that it took.
warnings.simplefilter("ignore", ConvergenceWarning)


def measure(train):
    start = time.perf_counter()
    W = train()
    seconds = time.perf_counter() - start
    return seconds, max(objective(W) / optimum - 1, 1e-7)


def liblinear(tol):
    model = LinearSVC(
        multi_class="crammer_singer", C=C, fit_intercept=False, tol=tol, max_iter=20000
    )
    return model.fit(X, y).coef_.T


ours = [
    measure(lambda tol=tol: toplabel.solve(X, y, "svm_multi", C=C, tol=tol).W)
    for tol in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
]
theirs = [measure(lambda tol=tol: liblinear(tol)) for tol in (1, 1e-1, 1e-2, 1e-3)]

# %%
# The same model in the end, and the way there.
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
axes.loglog(*np.transpose(ours), "o-", color="#0072B2", label="toplabel")
axes.loglog(*np.transpose(theirs), "s--", color="#D55E00", label="LIBLINEAR")
axes.set(xlabel="seconds", ylabel="distance to the optimum, relative")
axes.xaxis.set_minor_formatter("")  # the labels would overlap
axes.legend()
axes.grid(alpha=0.3)
