"""
A loss of your own
==================

Any loss of the scores is an object with two methods, its value and its gradient for the rows of a
batch, and is trained with the same regulariser as the losses of the library. Here: a softmax whose
loss is cut off, so that wrong labels in the data count less.
"""

# %%
# One label in four is wrong in the training rows.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from toplabel import TopKClassifier, losses

X, y = load_digits(return_X_y=True)
X_train, X_test, clean, y_test = train_test_split(X / 16, y, test_size=0.5, random_state=0)
rng = np.random.default_rng(0)
y_train = np.where(rng.random(len(clean)) < 0.25, rng.integers(10, size=len(clean)), clean)


class CutOff:
    """cap (1 - exp(-L/cap)) of the softmax loss L: L where it is small, never above the cap."""

    cap = 3.0

    def value(self, scores, labels):
        return self.cap * -np.expm1(-losses.value("lr_multi", scores, labels) / self.cap)

    def gradient(self, scores, labels):
        weight = np.exp(-losses.value("lr_multi", scores, labels) / self.cap)
        return weight[:, None] * losses.gradient("lr_multi", scores, labels)


# %%
# The loss is not convex, so there is no duality gap: the norm of the gradient says how far the
# descent went.
softmax = TopKClassifier("lr_multi", tol=1e-4).fit(X_train, y_train)
own = TopKClassifier(CutOff(), tol=1e-4).fit(X_train, y_train)
print(f"softmax: relative duality gap {softmax.relative_gap_:.1e}")
print(f"cut off: gradient norm {own.gradient_norm_:.1e}, {own.n_iter_} steps")

# %%
figure, ax = plt.subplots(figsize=(4.4, 3.4), layout="constrained")
ks = [1, 2, 3]
for offset, (name, model, color) in zip(
    (-0.18, 0.18), [("softmax", softmax, "#0072B2"), ("cut off", own, "#D55E00")], strict=True
):
    error = [100 - 100 * model.top_k_score(X_test, y_test, k=k) for k in ks]
    ax.bar(np.add(ks, offset), error, 0.34, color=color, label=name)
ax.set(xlabel="k", ylabel="top-k error on clean test rows, %", xticks=ks)
ax.legend()
