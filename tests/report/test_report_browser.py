"""The pages in headless Chromium, where it is installed: sorting, filtering, no overflow, axe-core."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from markup import Site

CHROMIUM = next(
    (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None
)
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--virtual-time-budget=60000",
]
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

WATCH = (
    "<script>window.errors = []; addEventListener('error', (e) => errors.push(e.message));</script>"
)
SCRIPT = """
<script>
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => Array.from(within.querySelectorAll(selector));
(async () => {
  const found = await (async () => { BODY })();
  const pre = document.createElement("pre");
  pre.id = "found";
  pre.textContent = JSON.stringify({ found, errors });
  document.body.append(pre);
})();
</script>
"""


def browse(page: str, body: str, folder: Path, width: int = 1400, more: Sequence[str] = ()) -> Any:
    """Run `body` in a page and return what it returns; an error of the page's script fails."""
    text = page.replace("<head>", "<head>" + WATCH)
    text = text.replace("</body>", SCRIPT.replace("BODY", body) + "</body>")
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    profile = f"--user-data-dir={folder / 'profile'}"
    command = [CHROMIUM, *FLAGS, *more, profile, f"--window-size={width},900", "--dump-dom"]
    done = subprocess.run([*command, path.as_uri()], capture_output=True, check=True)
    answer = re.search(r'<pre id="found">(.*?)</pre>', done.stdout.decode("utf-8"), re.DOTALL)
    assert answer, "the page's script did not end"
    result = json.loads(html.unescape(answer[1]))
    assert result["errors"] == []
    return result["found"]


def test_a_column_sorts_up_down_and_back(site: Site, tmp_path: Path) -> None:
    body = """
      const table = $("#tables .grid");
      const order = () => Array.from(table.tBodies[0].rows, (row) => parseFloat(row.cells[1].textContent));
      const orders = [order()];
      for (let i = 0; i < 3; i++) { $("button", table.tHead.rows[0].cells[1]).click(); orders.push(order()); }
      return orders;
    """
    paper, rising, falling, again = browse(site.texts["multiclass"], body, tmp_path)
    ours = [number for number in paper if number is not None]  # without the one in parentheses
    assert rising[: len(ours)] == sorted(ours)
    assert falling[: len(ours)] == sorted(ours, reverse=True)
    assert again == paper


def test_the_filter_shows_rows_by_words_and_verdict(site: Site, tmp_path: Path) -> None:
    body = """
      const form = $(".filter");
      const ask = (text, verdict) => {
        form.elements.text.value = text;
        form.elements.verdict.value = verdict;
        form.dispatchEvent(new Event("input"));
        return $$("#tables .grid tbody tr").filter((row) => !row.hidden).map((row) => row.cells[0].textContent);
      };
      const rows = [ask("letter svm", ""), ask("letter top-1 LR", ""), ask("", "off"), ask("no such thing", "")];
      return [...rows, location.search, form.hidden];
    """
    words, across, off, nothing, address, hidden = browse(site.texts["multiclass"], body, tmp_path)
    assert words == ["SVMMulti"]
    assert across == ["LRMulti"]  # top-1 stands in the head of the table
    assert off == ["LRMulti", "top-3 Enttr"]
    assert nothing == []
    assert address == "?find=no+such+thing"
    assert not hidden


def test_a_link_to_a_record_opens_its_fold(site: Site, tmp_path: Path) -> None:
    body = """
      const link = $("#tables .grid td > a");
      location.hash = link.hash;
      await new Promise((done) => setTimeout(done, 200));
      return $(link.hash).closest("details").open;
    """
    assert browse(site.texts["multiclass"], body, tmp_path)


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_overflows(site: Site, tmp_path: Path, width: int) -> None:
    """In a frame of this width, since a window has a least width of its own."""
    texts = json.dumps(list(site.texts.values())).replace("</", "<\\/")
    body = f"""
      const found = [];
      for (const text of {texts}) {{
        const frame = document.createElement("iframe");
        frame.style = "border: 0; width: {width}px; height: 900px";
        const loaded = new Promise((done) => {{ frame.onload = done; }});
        frame.srcdoc = text;
        document.body.append(frame);
        await loaded;
        const page = frame.contentDocument;
        $$("details", page).forEach((fold) => {{ fold.open = true; }});
        const room = page.documentElement.clientWidth;
        if (page.documentElement.scrollWidth > room) found.push(page.title);
        frame.remove();
      }}
      return found;
    """
    assert browse("<html><head></head><body></body></html>", body, tmp_path) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "multiclass", "data"])
def test_axe_finds_nothing(site: Site, tmp_path: Path, name: str, scheme: str) -> None:
    """All rules of axe-core, contrast among them; what it cannot decide is not counted."""
    axe = pytest.importorskip("axe_core_python", reason="make setup brings axe-core-python")
    source = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    page = site.texts[name].replace("</body>", f"<script>{source}</script></body>")
    body = """
      $$("details").forEach((fold) => { fold.open = true; });
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      const found = await axe.run(document, { resultTypes: ["violations"] });
      const said = (rule) => `${rule.id}: ${rule.nodes.length} x ${rule.nodes[0].html.slice(0, 200)}`;
      return { dark, passed: found.passes.length, violations: found.violations.map(said) };
    """
    setting = "--blink-settings=preferredColorScheme=" + {"dark": "0", "light": "1"}[scheme]
    found = browse(page, body, tmp_path, more=[setting])
    assert found["dark"] == (scheme == "dark")
    assert found["passed"] > 20
    assert found["violations"] == []
