"""Published sets, from data/raw or a mirror."""

from benchopt import BaseDataset

from benchmark_utils.published_sets import PUBLISHED, Unavailable, load


class Dataset(BaseDataset):
    """The training part of a registered set."""

    name = "published"
    parameters = {"set": list(PUBLISHED)}

    def get_data(self):
        """Return the problem; None where its files are missing."""
        try:
            return {"problem": load(self.set)}
        except Unavailable as error:
            print(f"{self.set}: {error}")
            return {"problem": None}
