"""
A loss of your own, in scores
=============================

The solvers take the losses of their catalogue. Any other loss can be watched while one of these is
minimised; and one that is smooth can be minimised by SciPy, from the solution of its convex
relative. Here: a softmax whose loss is cut off, so that wrong labels in the data count less.
"""

# %%
# One label in four is wrong in the training rows.
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import toplabel

X, y = load_digits(return_X_y=True)
X_train, X_test, clean, y_test = train_test_split(X / 16, y, test_size=0.5, random_state=0)
rng = np.random.default_rng(0)
y_train = np.where(rng.random(len(clean)) < 0.25, rng.integers(10, size=len(clean)), clean)
n, C, cap = len(X_train), 1.0, 3.0


def cut(y, scores):
    """cap (1 - exp(-L/cap)) of the softmax loss L: L where it is small, never above the cap."""
    losses = toplabel.losses.value("lr_multi", scores, y)
    return cap * -np.expm1(-losses / cap)


def objective(w):
    """The mean of `cut` plus the regulariser, and the gradient."""
    W = w.reshape(X_train.shape[1], 10)
    scores = X_train @ W
    weight = np.exp(-toplabel.losses.value("lr_multi", scores, y_train) / cap)
    gradient = weight[:, None] * toplabel.losses.gradient("lr_multi", scores, y_train)
    value = cut(y_train, scores).mean() + w @ w / (2 * C * n)
    return value, ((X_train.T @ gradient) / n + W / (C * n)).ravel()


# %%
# Train the softmax, watch the loss that is cut off, and descend from there.
history = []
softmax = toplabel.solve(
    X_train, y_train, "lr_multi", C=C, tol=1e-4, eval_every=1, callback=history.append,
    watch={"train": (X_train, y_train)}, watch_metric=lambda y, scores: cut(y, scores).mean(),
)  # fmt: skip
found = minimize(
    objective, softmax.W.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 200}
)
own = found.x.reshape(softmax.W.shape)
print(f"with the regulariser: {objective(softmax.W.ravel())[0]:.3f} before, {found.fun:.3f} after")

# %%
figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
watched = [(r.epoch, r.watched["train"]) for r in history]
axes[0].plot(*np.transpose(watched), "o-", color="#0072B2", markersize=4, label="softmax")
lowest = cut(y_train, X_train @ own).mean()
axes[0].axhline(lowest, color="#D55E00", linestyle="--", label="cut off, after the descent")
axes[0].legend()
axes[0].set(xlabel="passes of the softmax training", ylabel="mean of the loss cut off")
ks = [1, 2, 3]
for offset, (name, W, color) in zip(
    (-0.18, 0.18), [("softmax", softmax.W, "#0072B2"), ("cut off", own, "#D55E00")], strict=True
):
    error = [100 - 100 * toplabel.metrics.top_k_accuracy(y_test, X_test @ W, k=k) for k in ks]
    axes[1].bar(np.add(ks, offset), error, 0.34, color=color, label=name)
axes[1].set(xlabel="k", ylabel="top-k error on clean test rows, %", xticks=ks)
axes[1].legend()
