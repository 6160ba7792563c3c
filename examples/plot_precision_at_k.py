"""
Precision and recall against k
==============================

Where a person looks at the first few labels, no threshold is needed: what counts is how many of the
first k are right. Here each label depends on the features alone, as one-vs-all supposes, so that it
is hard to beat; where labels exclude one another, the losses that compare them gain.
"""

# %%
# 60 labels, of which a row has about four.
import matplotlib.pyplot as plt
import numpy as np

import toplabel

rng = np.random.default_rng(0)
n, features, labels = 2000, 30, 60
X = rng.normal(size=(n, features))
logits = 1.2 * X @ rng.normal(size=(features, labels)) / np.sqrt(features) * 2
logits -= np.linspace(2.5, 6, labels)
Y = (logits + rng.logistic(size=logits.shape) > 0).astype(int)
train, test = slice(0, 800), slice(800, n)
print(
    f"{Y.mean(axis=0).min():.1%} to {Y.mean(axis=0).max():.1%} of the rows, {Y.sum(1).mean():.1f} per row"
)

# %%
ks = np.arange(1, 11)
losses = {
    "lr_ml": "multilabel softmax",
    "svm_ml": "multilabel SVM",
    "lr_ova": "one-vs-all logistic",
}
figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained", sharex=True)
for (loss, name), color, marker in zip(
    losses.items(), ["#0072B2", "#D55E00", "#009E73"], "os^", strict=True
):
    gamma = 1.0 if loss == "svm_ml" else 0.0
    solution = toplabel.solve(X[train], Y[train], loss, C=0.1, gamma=gamma, fit_intercept=True)
    scores = solution.decision_function(X[test])
    precision = [100 * toplabel.metrics.precision_at_k(Y[test], scores, k=k) for k in ks]
    recall = [100 * toplabel.metrics.recall_at_k(Y[test], scores, k=k) for k in ks]
    axes[0].plot(ks, precision, color=color, marker=marker, label=name)
    axes[1].plot(ks, recall, color=color, marker=marker)
axes[0].set(xlabel="k", ylabel="precision at k, %")
axes[1].set(xlabel="k", ylabel="recall at k, %")
axes[0].legend()
for each in axes:
    each.grid(alpha=0.3)
