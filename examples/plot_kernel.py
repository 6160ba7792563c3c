"""
A kernel: classes that no line separates
========================================

With ``kernel="rbf"`` the classifier is linear in the kernel's space. `theta` is the inverse of the
squared width: small values give smooth boundaries, large ones follow each point.
"""

# %%
# Three spirals.
import matplotlib.pyplot as plt
import numpy as np

from toplabel import TopKClassifier

rng = np.random.default_rng(0)
y = np.repeat(np.arange(3), 120)
radius = np.sqrt(rng.random(360))
angle = 2 * np.pi * y / 3 + 4 * radius + rng.normal(scale=0.18, size=360)
X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])

# %%
ticks = np.linspace(-1.15, 1.15, 150)
plane = np.column_stack([a.ravel() for a in np.meshgrid(ticks, ticks)])
figure, axes = plt.subplots(1, 3, figsize=(9, 3.3), layout="constrained", sharey=True)
models = {
    "linear": TopKClassifier("svm_multi", gamma=1.0),
    "rbf, theta = 4": TopKClassifier("svm_multi", gamma=1.0, C=10.0, kernel="rbf", theta=4.0),
    "rbf, theta = 100": TopKClassifier("svm_multi", gamma=1.0, C=10.0, kernel="rbf", theta=100.0),
}
colors = ["#0072B2", "#E69F00", "#009E73"]
for each, (name, model) in zip(axes, models.items(), strict=True):
    regions = model.fit(X, y).predict(plane).reshape(len(ticks), len(ticks))
    each.contourf(ticks, ticks, regions, [-0.5, 0.5, 1.5, 2.5], colors=colors, alpha=0.3)
    for label, marker in enumerate("os^"):
        rows = X[y == label]
        each.plot(rows[:, 0], rows[:, 1], marker, color=colors[label], markersize=3)
    each.set(title=name, xlabel="first feature", aspect="equal")
    print(f"{name}: gap {model.relative_gap_:.1e}, {100 * model.score(X, y):.0f} % of these rows")
axes[0].set(ylabel="second feature")
