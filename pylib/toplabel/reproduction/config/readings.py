"""Until its users have moved: `toplabel.reproduction.config.notes`."""

from toplabel.reproduction.config.notes import Choice, Reading

__all__ = ["Choice", "Reading"]
