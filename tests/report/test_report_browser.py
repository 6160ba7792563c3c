"""The pages in headless Chromium, where it is installed: sorting, filtering, the card, no
overflow.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from markup import Site, render
from synthetic import SVG, write_figure_files

CHROMIUM = next(
    (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None
)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--run-all-compositor-stages-before-draw",
    "--virtual-time-budget=60000",
]

pytestmark = pytest.mark.skipif(
    CHROMIUM is None,
    reason="Chromium is not installed (chromium, chromium-browser or google-chrome on the path)",
)

NO_FRAME = "Chromium drew no frame in its time: the machine is too busy"
WATCH = (
    "<script>window.errors = []; addEventListener('error', (e) => errors.push(e.message));</script>"
)
REPORT = """
<script>
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => Array.from(within.querySelectorAll(selector));
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
// Until a condition holds, each time after a frame was drawn: time is virtual, and passes without any.
const until = async (holds) => {
  for (let tries = 0; !holds() && tries < 100; tries++) {
    await Promise.race([new Promise(requestAnimationFrame), wait(100)]);
    await wait(20);
  }
};
(async () => {
  const found = await (async () => { BODY })();
  const pre = document.createElement("pre");
  pre.id = "found";
  pre.textContent = JSON.stringify({ found, errors });
  document.body.append(pre);
})();
</script>
"""


def browse(
    page: str,
    body: str,
    folder: Path,
    width: int = 1400,
    extra: Sequence[str] = (),
    query: str = "",
) -> Any:
    """Run `body` in the page and return what it returns; an error of the page's script fails."""
    script = REPORT.replace("BODY", body)
    text = page.replace("<head>", "<head>" + WATCH).replace("</body>", script + "</body>")
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    command = [
        CHROMIUM,
        *FLAGS,
        *extra,
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={width},900",
    ]
    done = subprocess.run(
        [*command, "--dump-dom", path.as_uri() + query], capture_output=True, check=True
    )
    dom = done.stdout.decode("utf-8")
    answer = re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)
    assert answer, "the page's script did not end"
    result = json.loads(html.unescape(answer[1]))
    assert result["errors"] == []
    return result["found"]


def test_sorting(site: Site, tmp_path: Path) -> None:
    body = """
      const table = $("#tpami2017-table9 .grid");
      const head = table.tHead.rows[0].cells[1];
      const order = () => Array.from(table.tBodies[0].rows, (row) => row.cells[1].textContent.trim().split(" ")[0]);
      const states = [], orders = [order()];
      for (let i = 0; i < 3; i++) {
        $("button", head).click();
        states.push(head.getAttribute("aria-sort"));
        orders.push(order());
      }
      return { states, orders };
    """
    found = browse(site.texts["papers"], body, tmp_path)
    assert found["states"] == ["ascending", "descending", "none"]
    paper, rising, falling, again = found["orders"]
    assert paper == again
    ours = [v for v in paper if not v.startswith("(")]
    others = [v for v in paper if v.startswith("(")]
    assert len(ours) == 3
    assert rising[:3] == sorted(ours, key=float)
    assert falling[:3] == sorted(ours, key=float, reverse=True)
    assert [v.strip("()") for v in rising[3:]] == sorted((v.strip("()") for v in others), key=float)


def test_filtering(site: Site, tmp_path: Path) -> None:
    body = """
      const form = $(".filter");
      const shown = () => $$("#tables .grid tbody tr").filter((row) => row.offsetParent !== null);
      const apply = async (text, verdict) => {
        form.elements.text.value = text;
        form.elements.verdict.value = verdict;
        form.dispatchEvent(new Event("input"));
        await wait(300);
        return { rows: shown().map((row) => row.textContent), said: $("output", form).textContent };
      };
      const all = shown().length;
      const options = Array.from(form.elements.verdict.options, (option) => option.value);
      const off = await apply("", "off");
      const letter = await apply("letter top-1", "measured");
      const address = location.search;
      const none = await apply("no such thing", "");
      form.reset();
      await wait(300);
      const cleared = location.search;
      return { visible: !form.hidden, all, options, off, letter, none, after: shown().length, address, cleared };
    """
    found = browse(site.texts["papers"], body, tmp_path)
    assert found["visible"]
    assert found["all"] == found["after"] > 50
    assert found["off"]["rows"]
    assert all("off" in row for row in found["off"]["rows"])
    rows = len(found["letter"]["rows"])
    assert re.fullmatch(rf"\d+ cells in {rows} rows", found["letter"]["said"])
    assert 0 < len(found["letter"]["rows"]) < found["all"]
    assert (found["address"], found["cleared"]) == ("?show=measured&find=letter+top-1", "")
    assert found["none"]["rows"] == []
    assert found["none"]["said"] == "Nothing on this page has all of this."
    shown = {cls for v in site["papers"].all("span", "v") if v.inside("td") for cls in v.classes}
    assert set(found["options"]) == {"", "measured"} | (shown - {"v"})


def test_searching_all_pages(site: Site, tmp_path: Path) -> None:
    body = """
      const form = $(".search");
      const ask = (text) => {
        form.elements.text.value = text;
        form.dispatchEvent(new Event("input"));
        return {
          hits: $$("#hits li").filter((one) => one.offsetParent !== null)
            .map((one) => [one.textContent, $("a", one).getAttribute("href")]),
          said: $("output", form).textContent,
        };
      };
      const table = ask("Table 7"), figure = ask("rings");
      const inside = ask("emotions rf-pct"), method = ask("svm_multi"), beginning = ask("fig");
      const none = ask("no such thing"), empty = ask("");
      ask("rings");
      let gone = "";
      $("#hits").addEventListener("click", (event) => {
        event.preventDefault();
        gone = event.target.getAttribute("href");
      });
      form.requestSubmit();
      const words = {};
      for (const word of ["truncated", "entropy", "hinge", "F1", "rank loss", "certificate", "why", "table07"])
        words[word] = ask(word).hits.length;
      return { table, figure, inside, method, beginning, none, empty, gone, words };
    """
    found = browse(site.texts["index"], body, tmp_path)
    name, address = found["table"]["hits"][0]
    assert "TPAMI 2017, Table 7" in name
    assert address.endswith("#tpami2017-table7")
    assert min(found["words"].values()) > 0
    assert found["figure"]["hits"][0][1].endswith("#figure-rings")
    assert "#figure-" in found["beginning"]["hits"][0][1]  # not of Pubfig83
    assert found["gone"] == found["figure"]["hits"][0][1]
    assert any("table" in name for name, _ in found["inside"]["hits"])
    assert any("method" in name for name, _ in found["method"]["hits"])
    assert found["none"] == {"hits": [], "said": "0 hits"}
    assert found["empty"] == {"hits": [], "said": ""}


@pytest.mark.parametrize(("kind", "name"), [("method", "LRML"), ("data set", "Yeast")])
def test_a_method_or_data_set_that_is_found_fills_the_filter(
    site: Site, tmp_path: Path, kind: str, name: str
) -> None:
    (hit,) = [
        hit
        for hit in site.by_id("hits").all("li")
        if hit.all("a")[0].text == name and hit.attributes["data-find"].startswith(kind)
    ]
    address = urlsplit(hit.all("a")[0].attributes["href"])
    body = """
      const shown = $$("#tables .grid tbody tr").filter((row) => row.offsetParent !== null);
      return {
        filter: $(".filter").elements.text.value, show: $(".filter").elements.verdict.value,
        rows: shown.map((row) => `${row.closest("table").caption.textContent} ${row.cells[0].textContent}`),
      };
    """
    page = site.texts[address.path.removesuffix(".html")]
    found = browse(page, body, tmp_path, query=f"?{address.query}&show=measured")
    assert (found["filter"], found["show"]) == (name, "measured")
    assert found["rows"]
    assert all(name in row for row in found["rows"])


def test_a_filter_opens_the_folds_of_its_hits(site: Site, tmp_path: Path) -> None:
    body = """
      const form = $(".filter");
      const folds = $$("#tables details").filter((fold) => $("table.grid", fold));
      const open = () => folds.filter((fold) => fold.open).length;
      const apply = async (text) => {
        form.elements.text.value = text;
        form.dispatchEvent(new Event("input"));
        await wait(300);
        return { open: open(), seen: $$("#tables .grid tbody tr").some((row) => row.checkVisibility()) };
      };
      return { folds: folds.length, before: open(), hit: await apply("coco"), after: await apply("") };
    """
    found = browse(site.texts["published"], body, tmp_path)
    assert found["before"] == found["after"]["open"] == 0
    assert 0 < found["hit"]["open"] < found["folds"]
    assert found["hit"]["seen"]


def test_a_table_is_one_stop_of_the_tab_key(site: Site, tmp_path: Path) -> None:
    """Arrow keys, Home and End move in it; what was focused last is its stop."""
    body = """
      const table = $("#tpami2017-table5 .grid");
      const stops = () => $$("[tabindex='0'], button:not([tabindex]), a:not([tabindex])", table);
      const where = () => {
        const cell = document.activeElement.closest("th, td");
        return [cell.parentElement.rowIndex, cell.cellIndex];
      };
      const press = (key) => {
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        return where();
      };
      const stopsOf = (one) => $$("tbody a, thead button", one).filter((e) => e.tabIndex === 0);
      const links = $$("main table").map((one) => stopsOf(one).length);
      const first = stops().length;
      stops()[0].focus();
      const path = ["ArrowRight", "ArrowDown", "End", "ArrowDown", "Home", "ArrowUp"].map(press);
      return { links, first, path, width: table.rows[0].cells.length, last: stops().length };
    """
    found = browse(site.texts["papers"], body, tmp_path)
    assert max(found["links"]) == found["first"] == found["last"] == 1
    right, down, end, below, home, up = found["path"]
    assert right == [0, 1]
    assert down[0] > 0
    assert down[1] == 1
    assert end == [down[0], found["width"] - 1]
    assert below[0] > end[0]
    assert below[1] == end[1]
    assert home == [below[0], 1]  # the name of a row is no stop
    assert up == down


def test_what_is_far_from_the_window_is_not_laid_out(site: Site, tmp_path: Path) -> None:
    """Of a long page with all folds open the browser lays out what is near; the rest when it comes
    near.
    """
    body = """
      $$("details").forEach((fold) => { fold.open = true; });
      const frames = $$("#tables .scroll");
      const laid = () => frames.filter((one) => $("td", one).checkVisibility({ contentVisibilityAuto: true }));
      await until(() => laid().length > 0);
      const first = laid().length, last = frames.at(-1);
      const before = laid().includes(last);
      last.scrollIntoView();
      await until(() => laid().includes(last));
      return { frames: frames.length, first, before, after: laid().includes(last) };
    """
    found = browse(site.texts["papers"], body, tmp_path)
    if found["first"] == 0:
        pytest.skip(NO_FRAME)
    assert found["first"] < found["frames"] / 2
    assert not found["before"]
    assert found["after"]


def test_heads_of_columns_stay_in_sight(site: Site, tmp_path: Path) -> None:
    body = """
      const table = $("#tpami2017-table5 .grid");
      await wait(100);
      const heads = table.tHead.rows[0].cells;
      const last = table.tBodies[0].lastElementChild;
      last.scrollIntoView({ block: "start" });
      await until(() => $("#tpami2017-table5 .fits"));
      last.scrollIntoView({ block: "start" });
      await until(() => table.closest(".scroll").getBoundingClientRect().top < 0);
      const top = heads[1].getBoundingClientRect().top, bar = $(".filter").getBoundingClientRect().bottom;
      const fits = $("#tpami2017-table5 .fits") !== null;
      return { top, bar, fits, frame: table.closest(".scroll").getBoundingClientRect().top };
    """
    found = browse(site.texts["papers"], body, tmp_path)
    if not found["fits"]:
        pytest.skip(NO_FRAME)
    assert found["top"] >= found["bar"] - 1
    assert found["top"] < 300
    assert found["frame"] < 0


def test_a_number_opens_its_card(site: Site, tmp_path: Path) -> None:
    """A dialog with the record and the command; Escape closes it, and the focus is back."""
    body = """
      const link = $("#tpami2017-table7 .grid td > a");
      const card = $("dialog");
      link.focus();
      const followed = link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
      const shown = { open: card.open, text: card.textContent, inside: card.contains(document.activeElement) };
      $("button", card).click();
      const closed = { open: card.open, back: document.activeElement === link };
      link.click();
      $("a", card).click();
      await wait(100);
      const row = document.getElementById(link.hash.slice(1));
      return { followed, shown, closed, last: card.open, record: row.closest("details").open };
    """
    found = browse(site.texts["papers"], body, tmp_path)
    assert not found["followed"]
    assert found["shown"]["open"]
    assert found["shown"]["inside"]
    command = "snakemake --cores 1 --config budget="
    for word in ("Published", "Difference", "Relative gap", "Seconds", "evaluation.csv", command):
        assert word in found["shown"]["text"]
    assert found["closed"] == {"open": False, "back": True}
    assert not found["last"]
    assert found["record"]


#: Ways to run a script in an SVG file, as lists of vectors name them.
VECTORS = (
    "<script>parent.hit = 1; alert(1)</script>",
    "<SCRIPT>alert(1)</SCRIPT>",
    '<script href="data:text/javascript,alert(1)"/>',
    '<a href="javascript:alert(1)"><text>x</text></a>',
    '<a><animate attributeName="href" values="javascript:alert(1)"/><text>x</text></a>',
    '<set attributeName="onmouseover" to="alert(1)"/>',
    '<animate onbegin="alert(1)" attributeName="x" dur="1s"/>',
    '<rect onload="alert(1)" onclick="alert(1)" width="9" height="9"/>',
    '<image href="x" onerror="alert(1)"/>',
    '<image href="http://203.0.113.1/x.png"/>',
    '<use href="data:image/svg+xml;base64,PHN2Zy8+#x"/>',
    '<style>* { fill: u\\72l(http://203.0.113.1/x) } @import "http://203.0.113.1/x";</style>',
    '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)">'
    '<iframe src="javascript:alert(1)"/><form action="http://203.0.113.1/"><input/></form>'
    '<object data="javascript:alert(1)"/><embed src="javascript:alert(1)"/></body></foreignObject>',
    "<g>" * 20_000 + "</g>" * 20_000,
)


def test_nothing_in_a_figure_runs(small_results: Path, tmp_path: Path) -> None:
    """It stands as an image, in which no script runs and nothing is loaded."""
    for number, vector in enumerate(VECTORS):
        svg = SVG.replace("</svg>", f"{vector}</svg>")
        write_figure_files(small_results, f"evil{number}", svg, title="Evil", alt="An evil figure")
    site = render(small_results)
    images = [image for figure in site["figures"].all("figure") for image in figure.all("img")]
    assert len(images) == len(VECTORS)
    assert all(one.attributes["src"].startswith("data:image/svg+xml;base64,") for one in images)
    body = """
      const images = $$("figure img");
      for (const image of images) {
        image.scrollIntoView();
        await until(() => image.complete);
        image.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
        image.click();
      }
      await wait(200);
      const asked = performance.getEntriesByType("resource").filter((one) => !one.name.startsWith("data:"));
      return { said, hit: window.hit ?? 0, asked: asked.map((one) => one.name), images: images.length };
    """
    alert = "<head><script>said = []; alert = (word) => said.push(word);</script>"
    found = browse(site.texts["figures"].replace("<head>", alert), body, tmp_path)
    assert found == {"said": [], "hit": 0, "asked": [], "images": len(VECTORS)}


def browse_framed(page: str, body: str, folder: Path, width: int) -> Any:
    """Like `browse`, in a frame of this width, since a window has a least width of its own; `page`
    is its document.
    """
    framed = html.escape(page, quote=True)
    outer = (
        "<!doctype html><html><head></head><body style='margin:0'>"
        f"<iframe srcdoc=\"{framed}\" style='border:0;width:{width}px;height:900px'></iframe></body></html>"
    )
    loading = """
      const frame = $("iframe");
      const loaded = () => frame.contentDocument.readyState === "complete" && $("#main", frame.contentDocument);
      while (!loaded()) await wait(20);
      const page = frame.contentDocument;
    """
    return browse(outer, loading + body, folder, width=max(width, 600))


@pytest.mark.parametrize("width", [380, 1400])
@pytest.mark.parametrize(
    "name", ["index", "papers", "multilabel", "figures", "data", "published", "run"]
)
def test_nothing_overflows(site: Site, tmp_path: Path, name: str, width: int) -> None:
    body = """
      $$("details", page).forEach((fold) => { fold.open = true; });
      const room = page.documentElement.clientWidth;
      const seen = $$("body *", page).filter((e) =>
        !e.parentElement.closest(".scroll") && !e.closest(".hidden, .skip"));
      const over = seen.filter((e) => e.getBoundingClientRect().right > room + 1);
      return {
        seen: seen.length,
        excess: page.documentElement.scrollWidth - room,
        over: over.map((e) => e.outerHTML.slice(0, 80)),
      };
    """
    found = browse_framed(site.texts[name], body, tmp_path, width)
    assert found["seen"] > 30
    assert found["excess"] <= 0
    assert found["over"] == []


def test_every_page_runs_without_an_error(results: Path, site: Site, tmp_path: Path) -> None:
    """Each file as it lies on the disk; the console stays empty, and nothing is asked of a
    network.
    """
    for name in site.texts:
        url = (results.parent / f"reports/{name}.html").as_uri()
        command = [
            CHROMIUM,
            *FLAGS,
            "--enable-logging=stderr",
            f"--user-data-dir={tmp_path / name}",
        ]
        done = subprocess.run([*command, "--dump-dom", url], capture_output=True, check=True)
        said = done.stderr.decode("utf-8", "replace").splitlines()
        assert [line for line in said if "CONSOLE" in line] == []
        assert b'class="js"' in done.stdout  # the page's script ran


def test_the_rest_works_by_keyboard(site: Site, tmp_path: Path) -> None:
    """Sorting by a button that says its state, and a link past the contents."""
    body = """
      const first = document.querySelector("a, button, input");
      const button = $("#tables .grid th button");
      button.focus();
      button.click();
      return {
        skip: first.getAttribute("href"),
        focused: document.activeElement === button,
        sorted: button.closest("th").getAttribute("aria-sort"),
      };
    """
    found = browse(site.texts["papers"], body, tmp_path)
    assert found == {
        "skip": "#main",
        "focused": True,
        "sorted": "ascending",
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "papers", "figures", "data", "run"])
def test_axe_finds_nothing(site: Site, tmp_path: Path, name: str, scheme: str) -> None:
    """All rules of axe-core, contrast among them; what it cannot decide is not counted."""
    axe = pytest.importorskip(
        "axe_core_python", reason="axe-core-python is not installed: make setup brings it"
    )
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
    found = browse(page, body, tmp_path, extra=[setting])
    assert found["dark"] == (scheme == "dark")
    assert found["passed"] > 20
    assert found["violations"] == []
