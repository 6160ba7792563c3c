"""
Simplex coding: three classes in a plane
========================================

In the simplex coding (Mroueh, Poggio, Rosasco, Slotine, NIPS 2012) T classes are the corners of a
simplex in T - 1 dimensions. A model maps each row to a point there; the nearest corner is its
class.
"""

# %%
# The iris, with three classes: the simplex is a triangle.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

from toplabel import SimplexClassifier

data = load_iris()
X, y = StandardScaler().fit_transform(data.data), data.target
models = {
    "least squares": SimplexClassifier("s_ls").fit(X, y),
    "simplex cone SVM": SimplexClassifier("sc_svm", random_state=0).fit(X, y),
}
corners = models["least squares"].codes_

# %%
ticks = np.linspace(-2.2, 2.2, 300)
plane = np.stack(np.meshgrid(ticks, ticks), axis=-1)
nearest = np.argmax(plane @ corners, axis=-1)
colors = ["#0072B2", "#E69F00", "#009E73"]
figure, axes = plt.subplots(1, 2, figsize=(8.5, 4), layout="constrained", sharey=True)
for each, (name, model) in zip(axes, models.items(), strict=True):
    values = X @ model.coef_.T  # in the plane
    each.contourf(ticks, ticks, nearest, [-0.5, 0.5, 1.5, 2.5], colors=colors, alpha=0.2)
    for label, marker in enumerate("os^"):
        points = values[y == label]
        flower = data.target_names[label]
        each.plot(*points.T, marker, color=colors[label], markersize=4, label=flower)
    each.plot(*corners, "*", color="black", markersize=13, label="corner of a class")
    each.set(title=name, xlabel="first coordinate", aspect="equal")
    each.set(xlim=(-2.2, 2.2), ylim=(-2.2, 2.2))
axes[0].set(ylabel="second coordinate")
axes[0].legend(fontsize="small", loc="lower left")
