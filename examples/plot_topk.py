"""
Top-k accuracy: train for the k that counts
===========================================

Where classes overlap, the best first guess and the best three guesses are different aims. The data
are of the shape of the letter set: 16 features, 26 classes, each a mixture of two clusters.
"""

# %%
# The data: 3,000 rows to learn from, 3,000 to test on.
import matplotlib.pyplot as plt
import numpy as np

from toplabel import TopKClassifier

rng = np.random.default_rng(0)
classes, features = 26, 16
centers = rng.normal(scale=0.9, size=(classes, 2, features))
y = rng.integers(classes, size=6000)
X = centers[y, rng.integers(2, size=6000)] + rng.normal(size=(6000, features))
X = (X - X.mean(axis=0)) / X.std(axis=0)
train, test = np.arange(3000), np.arange(3000, 6000)

# %%
# A model for each loss. The top-k losses are trained for k = 5.
losses = {
    "multiclass SVM": {"loss": "svm_multi", "gamma": 1.0},
    "top-5 SVM": {"loss": "topk_svm_alpha", "k": 5, "gamma": 1.0},
    "softmax": {"loss": "lr_multi"},
    "top-5 entropy": {"loss": "topk_ent", "k": 5},
}
ks = np.arange(1, 11)
accuracy = {}
for name, options in losses.items():
    model = TopKClassifier(C=0.1, random_state=0, **options).fit(X[train], y[train])
    accuracy[name] = [100 * model.top_k_score(X[test], y[test], k=k) for k in ks]
    print(f"{name:15} gap {model.relative_gap_:.1e} after {model.n_iter_} epochs")

# %%
# Differences to the softmax: the SVM for one guess falls behind as k grows.
figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
colors = ["#D55E00", "#0072B2", "#000000", "#009E73"]
for (name, values), color, marker in zip(accuracy.items(), colors, "so^v", strict=True):
    axes[0].plot(ks, values, color=color, marker=marker, label=name)
    axes[1].plot(ks, np.subtract(values, accuracy["softmax"]), color=color, marker=marker)
axes[0].set(xlabel="k", ylabel="top-k accuracy, %")
axes[1].set(xlabel="k", ylabel="difference to softmax, points")
axes[0].legend()
for each in axes:
    each.grid(alpha=0.3)
