"""
A path over C, and the gap that certifies it
============================================

`toplabel.path` trains for several values of C, each from the solution before. Each solution has a
duality gap, which bounds how far its objective is from the optimum.
"""

# %%
# Digits, and a validation part to choose C on.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import toplabel

X, y = load_digits(return_X_y=True)
X_train, X_val, y_train, y_val = train_test_split(X / 16, y, random_state=0)
Cs = np.logspace(-4, 3, 15)
path = toplabel.path(X_train, y_train, Cs, "svm_multi", gamma=1.0)
print(f"largest gap {max(s.relative_gap for s in path):.1e}, {sum(s.epochs for s in path)} epochs")
errors = [
    100 - 100 * toplabel.metrics.top_k_accuracy(y_val, s.decision_function(X_val), k=1)
    for s in path
]

# %%
# How the gap of one training falls, with and without the acceleration.
histories = {}
for acceleration in ("auto", False):
    history = []
    toplabel.solve(
        X_train, y_train, "svm_multi", C=100.0, tol=1e-6, eval_every=5, max_iter=2000,
        acceleration=acceleration, callback=history.append,
    )  # fmt: skip
    histories[acceleration] = [(r.epoch, r.relative_gap) for r in history if r.epoch]

# %%
figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
axes[0].semilogx(Cs, errors, "o-", color="#0072B2")
axes[0].set(xlabel="C", ylabel="validation error, %")
axes[1].loglog(*np.transpose(histories["auto"]), color="#0072B2", label="accelerated")
axes[1].loglog(*np.transpose(histories[False]), "--", color="#D55E00", label="plain passes")
axes[1].set(xlabel="passes over the data", ylabel="relative duality gap, C = 100")
axes[1].legend()
for each in axes:
    each.grid(alpha=0.3)
