"""Until its users have moved: `toplabel.reproduction.config.notes`."""

from toplabel.reproduction.config.notes import Claim, Selector

__all__ = ["Claim", "Selector"]
