"""What a run needs that may not be there."""

from __future__ import annotations

from importlib.util import find_spec


def lacking_torch() -> str:
    """Return why no network can be trained; empty where PyTorch is installed."""
    there = find_spec("torch") is not None
    return "" if there else "PyTorch is not installed: pip install 'toplabel[torch]'"
