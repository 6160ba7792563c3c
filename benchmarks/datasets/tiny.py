"""The synthetic problems in tiny sizes: they show that everything runs, and nothing of speed."""

from benchopt import BaseDataset

from benchmark_utils.problems import SYNTHETIC, synthetic


class Dataset(BaseDataset):
    """A tiny problem of `SYNTHETIC`."""

    name = "tiny"
    parameters = {"shape": [name for name in SYNTHETIC if name != "tags"]}
    test_parameters = {"shape": ["a"]}

    def get_data(self):
        """Return the problem."""
        return {"problem": synthetic(self.shape, quick=True)}
