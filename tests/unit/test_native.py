"""The compiled extension and the package are of one version."""

import tomllib
from pathlib import Path

import toplabel
from toplabel._lib import ffi, lib

ROOT = Path(__file__).resolve().parents[2]


def test_versions_agree():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert declared["project"]["version"] == toplabel.__version__
    assert ffi.string(lib.tl_version()).decode() == toplabel.__version__
