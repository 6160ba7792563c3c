"""
Features in float32, mapped from a file
=======================================

Features may be float32 and stay in their file: ``numpy.load`` with ``mmap_mode="r"`` reads nothing,
and the training reads a window at a time. Dual variables and the certificate are float64 all the
same.
"""

# %%
# A file of 10 MB.
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import toplabel

rng = np.random.default_rng(0)
X = rng.normal(size=(8000, 300)).astype(np.float32) / np.sqrt(300, dtype=np.float32)
y = np.argmax(X @ rng.normal(size=(300, 8)) + 0.5 * rng.gumbel(size=(8000, 8)), axis=1)
folder = tempfile.TemporaryDirectory()
file = Path(folder.name) / "features.npy"
np.save(file, X)
mapped = np.load(file, mmap_mode="r")

# %%
# Three ways to hold the same numbers. The mapped rows are shuffled within windows of 2,000.
ways = {
    "float64": {"X": X.astype(np.float64)},
    "float32": {"X": X},
    "float32, mapped from a file": {"X": mapped, "window": 2000},
}
histories = {}
for name, options in ways.items():
    history = []
    solution = toplabel.solve(
        y=y, loss="lr_multi", C=1.0, tol=1e-6, eval_every=1, callback=history.append, **options
    )
    histories[name] = [(r.epoch, r.relative_gap) for r in history if r.epoch]
    checked = toplabel.certify(options["X"], y, solution).relative_gap
    print(f"{name}: primal {solution.primal:.9f}, gap {checked:.1e}, computed again in float64")
del mapped, ways, options  # Windows removes no file that is mapped
folder.cleanup()

# %%
figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
styles = [("#000000", "o-"), ("#0072B2", "s--"), ("#D55E00", "^:")]
for (name, points), (color, style) in zip(histories.items(), styles, strict=True):
    axes.semilogy(*np.transpose(points), style, color=color, label=name)
axes.set(xlabel="passes over the data", ylabel="relative duality gap")
axes.legend()
axes.grid(alpha=0.3)
