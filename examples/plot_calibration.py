"""
Probabilities, and whether they hold
====================================

The softmax estimates probabilities. The scores of a hinge are none, but ``CalibratedClassifierCV``
of scikit-learn turns them into some on held-out folds. A reliability diagram compares what was
promised with what came.
"""

# %%
# Eight overlapping classes.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV

from toplabel import TopKClassifier

rng = np.random.default_rng(0)
centers = rng.normal(size=(8, 10))
y = rng.integers(8, size=8000)
X = centers[y] + 1.5 * rng.normal(size=(8000, 10))
train, test = slice(0, 2000), slice(2000, 8000)

# %%
svm = TopKClassifier("svm_multi", gamma=1.0, random_state=0).fit(X[train], y[train])
scores = svm.decision_function(X[test])
pretended = np.exp(scores - scores.max(axis=1, keepdims=True))
# "temperature" is for scikit-learn 1.8 and later; "sigmoid" takes one class at a time.
calibrated = CalibratedClassifierCV(svm, method="temperature", cv=5).fit(X[train], y[train])
softmax = TopKClassifier("lr_multi", random_state=0).fit(X[train], y[train])
probabilities = {
    "softmax": softmax.predict_proba(X[test]),
    "SVM, calibrated": calibrated.predict_proba(X[test]),
    "SVM, scores taken for logits": pretended / pretended.sum(axis=1, keepdims=True),
}

# %%
# The probability of the first guess, in ten parts of equal size, and how often it was right.
figure, axes = plt.subplots(figsize=(4.8, 4.2), layout="constrained")
axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, label="perfect")
styles = [("#0072B2", "o-"), ("#009E73", "^--"), ("#D55E00", "s:")]
for (name, p), (color, style) in zip(probabilities.items(), styles, strict=True):
    confidence, right = p.max(axis=1), p.argmax(axis=1) == y[test]
    parts = np.array_split(np.argsort(confidence), 10)
    points = [(confidence[part].mean(), right[part].mean()) for part in parts]
    axes.plot(*np.transpose(points), style, color=color, label=name)
    print(f"{name}: log loss {-np.log(p[np.arange(len(p)), y[test]]).mean():.3f}")
axes.set(xlabel="probability of the first guess", ylabel="share of right guesses", aspect="equal")
axes.legend()
axes.grid(alpha=0.3)
