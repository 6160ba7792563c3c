"""Hands setuptools the C extensions, and the version, which the C header states; all else is in
pyproject.toml.
"""

import os
import re
import shutil
import sys
import sysconfig
from pathlib import Path

import cffi  # noqa: F401  without it setuptools passes over cffi_modules, and builds no extension
from setuptools import setup
from setuptools.command.build_ext import build_ext

HEADER = Path(__file__).resolve().parent / "csrc" / "include" / "toplabel.h"
VERSION = re.search(r'#define TL_VERSION "(.+)"', HEADER.read_text(encoding="utf-8"))


class BuildExtension(build_ext):
    """Says in one line what is missing where there is no C compiler."""

    def run(self) -> None:
        words = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()
        if sys.platform != "win32" and not shutil.which(words[0]):
            sys.exit(
                f"Error: no C compiler ({words[0]}): install gcc (apt-get install gcc), or the wheel,"
                " which needs none"
            )
        super().run()


setup(
    version=VERSION[1],
    cffi_modules=["pylib/build_native.py:ffi", "pylib/build_native.py:sorting"],
    cmdclass={"build_ext": BuildExtension},
    # The extension keeps to the limited API: one wheel for this and all later versions of Python.
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
