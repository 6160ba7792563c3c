"""Until its users have moved: `toplabel.reproduction.config.competitors`."""

from toplabel.reproduction.config.competitors import COMPETITORS as BASELINES

__all__ = ["BASELINES"]
