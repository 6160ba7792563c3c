"""Small networks of images, their features as data sets, and their fine-tuning. All but this needs PyTorch."""

from __future__ import annotations

from dataclasses import dataclass

from toplabel.reproduction.config.entry import Network


@dataclass(frozen=True)
class NetworkTask:
    """The network of a draw, by all that it depends on: the data set and the draw, and the seed of the run."""

    dataset: str
    draw: str
    network: Network
    seed: int

    @property
    def name(self) -> str:
        """Data set and draw, as "digits_network/d0"."""
        return f"{self.dataset}/{self.draw}"


@dataclass(frozen=True)
class FineTuneTask(NetworkTask):
    """The test metrics of a draw after fine-tuning, by the loss of the library and all else they need.

    0 epochs are the network as it was. `metrics` are the names of what is measured, `budget` is the
    name of the budget.
    """

    method: str
    loss: str
    k: int
    gamma: float
    epochs: int
    metrics: tuple[str, ...]
    budget: str


@dataclass(frozen=True)
class FeaturesTask:
    """The features of the networks of all draws as a data set, by all that they depend on."""

    dataset: str
    network: Network
    seed: int
    not_comparable: str = ""
