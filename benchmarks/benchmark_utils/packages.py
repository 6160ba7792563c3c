"""Solvers of others that may be missing, and the versions of all."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import importlib
import importlib.metadata
from collections.abc import Iterator

#: Import name and distribution of the solvers that may be missing.
OPTIONAL = {"spams": "spams-bin", "snapml": "snapml"}


def missing(module: str) -> str:
    """Say why an optional package cannot be used; empty when it can."""
    try:
        with _same_arithmetic():
            importlib.import_module(module)
    except Exception as error:  # a wheel for another processor may fail with any exception
        return f"{OPTIONAL[module]} is not installed or does not load: {error}"
    return ""


@contextlib.contextmanager
def _same_arithmetic() -> Iterator[None]:
    """Undo what a library does to the processor's floating-point modes as it is loaded.

    Snap ML is linked with -ffast-math, which flushes subnormal numbers to zero in the whole
    process: that would change the numbers of all others, and their speed.
    """
    path = ctypes.util.find_library("m")
    try:
        libm = ctypes.CDLL(path) if path else None
        modes = ctypes.create_string_buffer(512)  # larger than any fenv_t
        saved = libm is not None and libm.fegetenv(modes) == 0
    except (OSError, AttributeError):
        saved = False
    yield
    if saved:
        libm.fesetenv(modes)


def versions() -> dict[str, str]:
    """Return versions of the packages that are compared, those installed."""
    found = {}
    for name in ("toplabel", "numpy", "scipy", "scikit-learn", *OPTIONAL.values()):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found
