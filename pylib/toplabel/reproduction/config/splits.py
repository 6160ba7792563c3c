"""Until its users have moved: `toplabel.reproduction.config.entry`."""

from toplabel.reproduction.config.entry import Split

__all__ = ["Split"]
