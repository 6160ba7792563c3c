"""Hands the C extension to setuptools; everything else is in pyproject.toml."""

from setuptools import setup

setup(cffi_modules=["pylib/build_native.py:ffi"])
