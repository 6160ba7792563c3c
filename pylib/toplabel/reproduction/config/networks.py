"""Data sets that are features of a small network: ``network`` in ``config/datasets.yaml``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toplabel.reproduction.config.model import (
    Closed,
    Count,
    Flag,
    Name,
    Number,
    Positive,
    Whole,
    model,
)

_Fraction = Annotated[Number, Field(ge=0, lt=1)]


@model
class Network(Closed):
    """A convolutional network that is trained with softmax on images; its features are the data set
    (docs/torch.md).

    Two convolutions of 3 x 3 with stride 2, a layer of features and a linear classifier, with a
    ReLU between each two. Every draw is a split of its own: other initial weights, another order of
    the batches, other rows.
    """

    images: Name
    """A data set of this file whose rows are square images with one label each, and whose first
    split says what is trained and tested on."""
    classes: Annotated[Whole, Field(ge=2)]
    """How many there are."""
    pairs: Flag = False
    """Whether an input is two images side by side, drawn at random, and its class the pair of
    theirs."""
    draws: Count = 5
    """How many networks are trained, one seed each."""
    n_train: Count | None = None
    """Inputs to train on, drawn for each draw; by default all images, once."""
    n_test: Count | None = None
    """The same to test on."""
    channels: Annotated[tuple[Count, ...], Field(min_length=2, max_length=2)] = (8, 16)
    """Of the convolutions."""
    width: Count = 64
    """Features."""
    epochs: Count = Field()
    """Passes over the training inputs with softmax."""
    rate: Positive = 0.05
    """The learning rate then."""
    fine_tuning_rate: Positive = 0.005
    """The learning rate of the fine-tuning, the same for each loss."""
    batch: Count = 64
    """Inputs of a step."""
    momentum: _Fraction = 0.9
    weight_decay: Annotated[Number, Field(ge=0)] = 5e-4
    """Of the weights; biases have none."""

    def __post_init__(self) -> None:
        if self.pairs and (self.n_train is None or self.n_test is None):
            raise ValueError("pairs needs n_train and n_test")

    @property
    def splits(self) -> list[str]:
        """Names of the draws."""
        return [f"d{draw}" for draw in range(self.draws)]
