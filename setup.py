"""Hands setuptools the C extension, and the version, which the C header states; all else is in
pyproject.toml.
"""

import re
from pathlib import Path

from setuptools import setup

HEADER = Path(__file__).resolve().parent / "csrc" / "include" / "toplabel.h"
VERSION = re.search(r'#define TL_VERSION "(.+)"', HEADER.read_text(encoding="utf-8"))

setup(
    version=VERSION[1],
    cffi_modules=["pylib/build_native.py:ffi"],
    # The extension keeps to the limited API: one wheel for this and all later versions of Python.
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
