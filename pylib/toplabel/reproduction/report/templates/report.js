// Sorting and filtering of tables, and folds that open for a link into them. The page is complete without it.
(() => {
  "use strict";
  document.documentElement.classList.add("js");
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));

  // The number that a cell begins with, real minus signs and thin spaces undone; NaN when there is none.
  const number = (text) => {
    const plain = text.replace(/\u2212/g, "-").replace(/\u202f/g, "").replace(/^\(/, "");
    return /^[-+]?[\d.]/.test(plain) ? parseFloat(plain) : NaN;
  };

  // Sorting: ascending, descending, then the order of the paper again. Numbers of ours come first, then
  // the published ones in parentheses, then empty cells, whichever way the sorting goes.
  const sort = (button) => {
    const head = button.closest("th");
    const table = head.closest("table");
    const next = { none: "ascending", ascending: "descending", descending: "none" }[head.getAttribute("aria-sort")];
    all("th[aria-sort]", table.tHead).forEach((th) => th.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", next);
    const rows = Array.from(table.tBodies[0].rows, (row, place) => {
      row.place = row.place ?? place;
      const text = row.cells[head.cellIndex].textContent.trim();
      const rank = text === "" || text.startsWith("–") ? 2 : text.startsWith("(") ? 1 : 0;
      return { row, text, value: number(text), rank };
    });
    const numeric = rows.every((one) => one.rank === 2 || !Number.isNaN(one.value));
    const sign = next === "descending" ? -1 : 1;
    rows.sort((a, b) => {
      if (next === "none") return a.row.place - b.row.place;
      if (a.rank !== b.rank) return a.rank - b.rank;
      const order = numeric ? a.value - b.value : a.text.localeCompare(b.text, "en", { numeric: true });
      return sign * (order || 0) || a.row.place - b.row.place;
    });
    table.tBodies[0].append(...rows.map((one) => one.row));
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("th button");
    if (button) sort(button);
  });

  // Filtering: every word must occur in a row, in the head of its table or in the words that find the
  // table; the address says what was asked.
  const form = document.querySelector(".filter");
  const matches = (cell, verdict) => (verdict === "measured"
    ? cell.querySelector("a") !== null
    : cell.querySelector(".v")?.classList.contains(verdict) === true);
  const filter = () => {
    const asked = form.elements.text.value.trim();
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = form.elements.verdict.value;
    const active = words.length > 0 || verdict !== "";
    let found = 0;
    for (const table of all("#tables table[data-find]")) {
      const grid = table.classList.contains("grid");
      const heads = `${table.dataset.find} ${table.tHead?.textContent ?? ""}`;
      let left = 0;
      for (const row of table.tBodies[0].rows) {
        const text = `${heads} ${row.textContent}`.toLowerCase();
        const cells = Array.from(row.cells).slice(1);
        row.hidden = !(words.every((word) => text.includes(word)) &&
          (!verdict || cells.some((cell) => matches(cell, verdict))));
        left += row.hidden ? 0 : 1;
        if (grid) cells.forEach((cell) => cell.classList.toggle("dim", verdict !== "" && !matches(cell, verdict)));
      }
      table.parentElement.hidden = left === 0;
      found += left;
    }
    for (const section of all("#tables > section.table")) {
      const tables = all("table", section);
      section.hidden = active && tables.length > 0 && tables.every((one) => one.parentElement.hidden);
    }
    form.querySelector("output").textContent = !active ? "" : found ? `${found} rows` : "Nothing on this page has all of this.";
    const address = new URL(location.href);
    for (const [name, value] of [["find", asked], ["show", verdict]]) {
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    }
    if (address.href !== location.href) history.replaceState(null, "", address);
  };
  if (form) {
    form.hidden = false;
    form.addEventListener("input", filter);
    form.addEventListener("reset", () => setTimeout(filter));
    form.addEventListener("submit", (event) => event.preventDefault());
    const asked = new URLSearchParams(location.search);
    form.elements.text.value = asked.get("find") ?? "";
    for (const one of form.elements.verdict.options) one.selected = one.value === (asked.get("show") ?? "");
    if (asked.has("find") || asked.has("show")) filter();
  }

  // Browsers do not open a fold for a link into it everywhere.
  const openTarget = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (target) target.scrollIntoView({ block: "center" });
  };
  window.addEventListener("hashchange", openTarget);
  openTarget();

  // A frame that its table fits needs no scrolling of its own: the heads then stick to the window.
  const fit = new ResizeObserver((entries) => setTimeout(() => {
    for (const { target } of entries) {
      const fits = target.scrollWidth <= target.clientWidth + 1;
      target.classList.toggle("fits", fits);
      if (fits) target.removeAttribute("tabindex");
      else target.tabIndex = 0;
    }
  }));
  all(".scroll").forEach((frame) => fit.observe(frame));

  // On a small screen the contents start folded.
  if (window.matchMedia("(max-width: 1079px)").matches) {
    all(".contents details").forEach((fold) => { fold.open = false; });
  }
})();
