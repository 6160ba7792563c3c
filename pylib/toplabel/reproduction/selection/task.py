"""What a job of selection works on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from toplabel.reproduction.config.method import Method
from toplabel.reproduction.config.protocols import Budget, Protocol
from toplabel.reproduction.config.run import Settings

_K = re.compile(r"(?:^top|_at_)([0-9]+)$")  # of a metric's name


@dataclass(frozen=True)
class Task:
    """A method on a data set, and all that its models depend on besides the data.

    `settings` has the seed, tolerances and epochs; `split` is what is worked on, empty for all;
    `C_scale` is what of the rows the grid of C is divided by, ``"mean_squared_norm"`` or nothing.
    """

    dataset: str
    method: Method
    protocol: Protocol
    budget: Budget
    settings: Settings
    split: str = ""
    C_scale: str | None = None

    @property
    def names(self) -> tuple[object, ...]:
        """What the seeds of its models depend on."""
        return self.settings.seed, self.dataset, self.method.name, self.split

    def metrics(self, n_classes: int) -> list[str]:
        """Return the protocol's metrics that mean something for m classes: those of k < m."""
        ks = {name: _K.search(name) for name in self.protocol.metrics}
        return [name for name, k in ks.items() if not k or int(k[1]) < n_classes]
