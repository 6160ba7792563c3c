"""The raw files in data/embedded are what SOURCES.csv and the registry say."""

from __future__ import annotations

import csv
import hashlib
import lzma
from pathlib import Path

import pytest

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data.fetch import fetch
from toplabel.reproduction.data.locate import SHIPPED, mirror_folders

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / SHIPPED
REGISTRY = load_registry(ROOT / "config/datasets.yaml")


def sources():
    with (FOLDER / "SOURCES.csv").open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_every_file_has_its_row_and_its_licence():
    rows = sources()
    named = {f"{row['set']}/{row['file']}" for row in rows}
    assert named == {path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/*.xz")}
    licences = {path.name for path in (FOLDER / "licences").iterdir()}
    assert licences == {"CC-BY-4.0.txt", "GPL-3.0.txt", "LGPL-3.0.txt"}
    assert all(row["doi"] for row in rows if row["licence"] == "CC BY 4.0")
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 2_000_000


@pytest.mark.parametrize("row", sources(), ids=lambda row: row["file"])
def test_sums_and_addresses_are_those_of_the_registry(row):
    stored = (FOLDER / row["set"] / row["file"]).read_bytes()
    content = lzma.decompress(stored)
    registered = [
        file
        for entry in REGISTRY.values()
        for file in entry.files
        if (entry.folder, f"{file.name}.xz") == (row["set"], row["file"])
    ]
    sums = hashlib.sha256(stored).hexdigest(), hashlib.sha256(content).hexdigest()
    assert sums == (row["sha256_stored"], row["sha256_original"])
    assert {(file.sha256, file.size, file.url) for file in registered} == {
        (row["sha256_original"], len(content), row["address"])
    }


@pytest.mark.parametrize(
    "name", ["letter", "letter_raw", "landsat", "optdigits", "emotions", "medical", "enron"]
)
def test_a_shipped_set_needs_neither_mirror_nor_network(name, tmp_path, monkeypatch):
    monkeypatch.delenv("TOPLABEL_MIRROR", raising=False)
    entry = REGISTRY[name]
    paths = fetch(entry, tmp_path, mirror_folders([], ROOT), network=False)
    assert [path.name for path in paths] == [file.name for file in entry.files]
