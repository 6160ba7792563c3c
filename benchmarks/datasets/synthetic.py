"""Seeded problems of the shapes that the papers train on (docs/evidence/benchmarks.md)."""

from dataclasses import replace

import numpy as np
from benchopt import BaseDataset

from benchmark_utils.problems import SYNTHETIC, synthetic


class Dataset(BaseDataset):
    """A problem of `SYNTHETIC`; single precision rounds its features."""

    name = "synthetic"
    parameters = {"shape": [name for name in SYNTHETIC if name != "tags"], "dtype": ["float64"]}

    def get_data(self):
        """Return the problem."""
        problem = synthetic(self.shape)
        if self.dtype == "float32":
            problem = replace(problem, X=problem.X.astype(np.float32))
        return {"problem": problem}
