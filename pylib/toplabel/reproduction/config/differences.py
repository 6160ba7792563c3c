"""Until its users have moved: `toplabel.reproduction.config.notes`."""

from toplabel.reproduction.config.notes import Evidence as Cells
from toplabel.reproduction.config.notes import Reason

__all__ = ["Cells", "Reason"]
