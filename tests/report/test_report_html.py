"""The form of the pages: whole, linked, readable by everyone, and safe."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pandas as pd
from markup import Site
from sample_run import RUN, Sample, dataset


def test_every_link_leads_somewhere(whole: Sample, site: Site, repository: Path) -> None:
    for name, page in site.pages.items():
        ids = [e.attributes["id"] for e in page.all() if "id" in e.attributes]
        assert len(ids) == len(set(ids))
        for link in page.all("a"):
            address = link.attributes["href"]
            if address.startswith("https://"):
                continue
            file, _, anchor = address.partition("#")
            target = file.removesuffix(".html") or name
            if target in site.pages and (not file or file.endswith(".html")):
                known = {e.attributes.get("id") for e in site[target].all()}
                assert not anchor or anchor in known, address
            else:
                is_of_checkout = file.startswith("../docs/")
                folder = repository / "reports" if is_of_checkout else whole.reports
                assert (folder / file).is_file(), address


def test_headings_go_down_by_one(site: Site) -> None:
    for page in site.pages.values():
        levels = [int(e.tag[1]) for e in page.all() if re.fullmatch(r"h[1-6]", e.tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(b - a <= 1 for a, b in pairwise(levels))


def test_pictures_have_alternatives_and_tables_have_captions(site: Site) -> None:
    assert all(image.attributes["alt"] for image in site.all("img"))
    assert all(table.all("caption")[0].text for table in site.all("table"))
    assert all(head.attributes.get("scope") for head in site.all("th"))
    assert all(frame.attributes["aria-label"] for frame in site.all("div", "scroll"))


def test_a_page_needs_nothing_but_itself(site: Site) -> None:
    for text in site.texts.values():
        assert 'lang="en"' in text
        assert "default-src 'none'" in text
        assert not re.search(r'(?:src|href)="(?:http:|//)', text)
        assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest", text)


def test_the_same_run_gives_the_same_bytes(whole: Sample, sample: Sample) -> None:
    sample.write()
    for path in whole.reports.rglob("*"):
        if path.is_file():
            again = sample.reports / path.relative_to(whole.reports)
            assert again.read_bytes() == path.read_bytes(), path.name


def test_pages_and_data_of_an_earlier_report_go(sample: Sample) -> None:
    sample.write()
    (sample.reports / "notes.html").write_text("<p>Of the user's own.</p>", encoding="utf-8")
    config = RUN["config"] | {"studies": ["multiclass/letter"]}
    sample.write(run=RUN | {"config": config}, shown=())
    assert not (sample.reports / "own.html").exists()
    assert not list((sample.reports / "data/figures").iterdir())
    assert (sample.reports / "notes.html").exists()


def test_data_is_never_markup(sample: Sample) -> None:
    evil = '<script>alert(1)</script> #panic("x") *b* $x$ @ref \\ ` [ ] {'
    sets = [dataset("letter", title=evil, licence=evil), dataset("own", title="文字")]
    site = sample.write(datasets=pd.DataFrame(sets))
    assert "<script>alert" not in site.markup
    assert evil in site["data"].text
    assert (sample.reports / "toplabel.pdf").read_bytes().startswith(b"%PDF-")
