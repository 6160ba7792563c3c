"""Seeds that depend on names, never on the order of execution."""

from __future__ import annotations

import hashlib


def seed_of(*parts: object) -> int:
    """Return a seed in [0, 2**63) that is a function of the parts' text alone.

    Parameters
    ----------
    *parts : object
        For example data set, method, split and grid index. Their ``str`` is what counts.

    Returns
    -------
    int
    """
    text = "\x1f".join(str(part) for part in parts)
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return int.from_bytes(digest[:8], "little") >> 1
