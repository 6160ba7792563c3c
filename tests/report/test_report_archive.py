"""The report as one file: whole, small, without paths of the machine and without links that lead
nowhere.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from markup import Site

from toplabel._core.files import FileError
from toplabel.reproduction.report import archive


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/srv/raw/data", "data"),
        ('"/home/me/x y"', '"x y"'),
        ("looked in /tmp/a/b, /mnt/c: no file", "looked in b, c: no file"),
        ("https://example.org/data/x.csv", "https://example.org/data/x.csv"),
        ("results/tmp/x and a/b, 1/2, ±/data", "results/tmp/x and a/b, 1/2, ±data"),
        ("../results/srv/x.csv", "../results/srv/x.csv"),
        ("/gpfs/alice/raw, /lustre/home1/b/raw, /workspace/x/y", "raw, raw, y"),
        ("/scratch2/me/raw and /datasets", "raw and /datasets"),
    ],
)
def test_paths_of_a_machine_keep_their_last_part(text: str, left: str) -> None:
    assert archive.without_paths(text) == left


def test_the_archive_is_the_report(
    small_results: Path, tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = json.loads((small_results / "run.json").read_text(encoding="utf-8"))
    run["config"]["mirrors"] = ["/home/me/mirror"]
    run["nodes"] = ["a-host"]
    run["command"] = "snakemake --configfile /tmp/mine.yaml"
    (small_results / "run.json").write_text(json.dumps(run), encoding="utf-8")
    paths = [tmp_path / "one.zip", tmp_path / "two.zip"]
    for path in paths:
        archive.write_archive(small_results, path, repository)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with zipfile.ZipFile(paths[0]) as found:
        names = {name.removeprefix("toplabel-report/") for name in found.namelist()}
        found.extractall(tmp_path / "there")
    assert {"index.html", "toplabel.pdf", "data/comparison.csv", "data/report.json"} <= names
    assert "ro-crate-metadata.json" in names
    folder = tmp_path / "there/toplabel-report"
    said = json.loads((folder / "data/report.json").read_text(encoding="utf-8"))["run"]
    assert (said["config"]["mirrors"], said["command"]) == (
        ["mirror"],
        "snakemake --configfile mine.yaml",
    )
    assert said["nodes"] == []
    for page in Site(folder).pages.values():
        for link in page.all("a"):
            address = link.attributes["href"]
            if address.startswith(("#", "http", "data:")):
                continue
            assert (folder / urlsplit(address).path).is_file(), address
    monkeypatch.setattr(archive, "LARGEST", 1000)
    with pytest.raises(FileError, match=r"two.zip: [\d,]+ bytes, more than 1,000$"):
        archive.write_archive(small_results, paths[1], repository)
