"""
Thresholds: from scores to sets of labels
=========================================

A multilabel loss puts the labels of a row in order; a threshold says where the set ends. Too low,
and wrong labels come in; too high, and right ones stay out.
"""

# %%
# Twelve labels, some of them rare.
import matplotlib.pyplot as plt
import numpy as np

from toplabel import MultilabelClassifier, metrics, thresholds

rng = np.random.default_rng(0)
X = rng.normal(size=(1600, 10))
logits = X @ rng.normal(size=(10, 12)) - np.linspace(0, 5, 12)
Y = (logits + rng.logistic(size=logits.shape) > 0).astype(int)
X_train, X_test, Y_train, Y_test = X[:800], X[800:], Y[:800], Y[800:]

# %%
# The same loss with each way to choose the threshold; all see the training rows alone.
ways = {}
for way in ("tune", "cardinality", 0.0):
    model = MultilabelClassifier("lr_ml", C=0.1, threshold=way, random_state=0)
    ways[way] = model.fit(X_train, Y_train)
    f1 = metrics.f1(Y_test, model.predict(X_test), average="micro")
    print(f"threshold={way!r}: {model.threshold_:.2f}, micro F1 {100 * f1:.1f}")

# %%
# All thresholds on the test rows, and where the ways end up.
scores = ways["tune"].decision_function(X_test)
grid = np.linspace(scores.min(), scores.max(), 200)
curves = thresholds.sweep(scores, Y_test, grid)
figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
names = {"f1_micro": "micro F1", "f1_macro": "macro F1", "subset_accuracy": "subset accuracy"}
for (key, name), color, dash in zip(
    names.items(), ["#0072B2", "#D55E00", "#009E73"], ["-", "--", ":"], strict=True
):
    axes.plot(grid, 100 * curves[key], dash, color=color, label=name)
for (way, model), color, marker in zip(
    ways.items(), ["#000000", "#56B4E9", "#E69F00"], "ov^", strict=True
):
    axes.axvline(model.threshold_, color=color, linewidth=1)
    axes.plot(model.threshold_, 2, marker, color=color, label=f"threshold={way!r}")
axes.set(xlabel="threshold", ylabel="%", xlim=(-3, 4), ylim=(0, 100))
axes.legend(fontsize="small")
axes.grid(alpha=0.3)
