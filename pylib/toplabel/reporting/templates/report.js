// Sorting, filtering, and the card of a number. The page is complete without it.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");
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
    const body = table.tBodies[0];
    const column = head.cellIndex;
    const next = { none: "ascending", ascending: "descending", descending: "none" }[head.getAttribute("aria-sort")];
    all("th[aria-sort]", table.tHead).forEach((th) => th.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", next);
    const rows = Array.from(body.rows);
    rows.forEach((row, place) => { row.place = row.place ?? place; });
    const key = (row) => {
      const text = row.cells[column].textContent.trim();
      const rank = text === "" || text.startsWith("–") ? 2 : text.startsWith("(") ? 1 : 0;
      return { text, value: number(text), rank };
    };
    const keyed = rows.map((row) => ({ row, ...key(row) }));
    const numeric = keyed.every((one) => one.rank === 2 || !Number.isNaN(one.value));
    const sign = next === "descending" ? -1 : 1;
    keyed.sort((a, b) => {
      if (next === "none") return a.row.place - b.row.place;
      if (a.rank !== b.rank) return a.rank - b.rank;
      const order = numeric ? a.value - b.value : a.text.localeCompare(b.text, "en", { numeric: true });
      return sign * (order || 0) || a.row.place - b.row.place;
    });
    body.append(...keyed.map((one) => one.row));
  };
  all("th button").forEach((button) => button.addEventListener("click", () => sort(button)));

  // Filtering: every word must occur in a row or in the heading of its table.
  const form = document.querySelector(".filter");
  const tables = all("#tables table[data-find]");
  const measured = (cell) => cell.querySelector("a") !== null || cell.parentElement.id !== "";
  const matches = (cell, verdict) =>
    cell.tagName === "TD" && (verdict === "measured" ? measured(cell) : cell.querySelector(`.v.${verdict}`) !== null);

  const filter = () => {
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = form.elements.verdict.value;
    const active = words.length > 0 || verdict !== "";
    let shown = 0;
    for (const table of tables) {
      const heading = table.dataset.find.toLowerCase();
      let left = 0;
      for (const row of table.tBodies[0].rows) {
        const text = `${heading} ${row.dataset.find ?? ""} ${row.textContent}`.toLowerCase();
        const cells = verdict ? Array.from(row.cells) : [];
        const hit = words.every((word) => text.includes(word)) &&
          (!verdict || cells.some((cell) => matches(cell, verdict)));
        row.hidden = !hit;
        left += hit ? 1 : 0;
        for (const cell of row.cells) {
          const other = hit && verdict && table.classList.contains("grid") && cell.tagName === "TD";
          cell.classList.toggle("dim", Boolean(other) && !matches(cell, verdict));
        }
      }
      table.parentElement.hidden = left === 0;
      const fold = table.closest("details");
      if (fold && !fold.classList.contains("records")) {
        fold.hidden = all("table", fold).every((one) => one.parentElement.hidden);
      }
      if (table.classList.contains("grid")) shown += left;
    }
    for (const section of all("#tables > section.table")) {
      section.hidden = all("table", section).every((one) => one.parentElement.hidden);
    }
    for (const note of all("#tables .note")) note.hidden = active;
    form.querySelector("output").textContent = active ? `${shown} ${shown === 1 ? "row" : "rows"}` : "";
  };
  if (form) {
    form.hidden = false;
    let waiting = 0;
    form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
    form.addEventListener("reset", () => setTimeout(filter));
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  // The record of a number: shown as a card on hover and focus, opened by a click or Enter.
  const card = document.createElement("div");
  card.className = "card";
  card.id = "card";
  card.setAttribute("role", "tooltip");
  card.hidden = true;
  document.body.append(card);
  const recordOf = (link) => document.getElementById(link.hash.slice(1));

  const showCard = (link) => {
    const row = recordOf(link);
    const names = row.closest("table").tHead.rows[0].cells;
    const list = document.createElement("dl");
    for (const cell of row.cells) {
      if (!cell.textContent.trim()) continue;
      const term = document.createElement("dt");
      term.textContent = names[cell.cellIndex].textContent;
      const words = document.createElement("dd");
      words.innerHTML = cell.innerHTML;
      list.append(term, words);
    }
    card.replaceChildren(list);
    card.hidden = false;
    link.setAttribute("aria-describedby", "card");
    const at = link.closest("td").getBoundingClientRect();
    const width = root.clientWidth;
    const left = Math.max(8, Math.min(at.left, width - card.offsetWidth - 8));
    const below = at.bottom + card.offsetHeight + 10 < window.innerHeight;
    const top = below ? at.bottom + 6 : Math.max(4, at.top - card.offsetHeight - 6);
    card.style.left = `${left + window.scrollX}px`;
    card.style.top = `${top + window.scrollY}px`;
  };
  const hideCard = () => {
    card.hidden = true;
    all("[aria-describedby=card]").forEach((link) => link.removeAttribute("aria-describedby"));
  };
  let leaving = 0;
  const hold = () => clearTimeout(leaving);
  const leave = () => { leaving = setTimeout(hideCard, 150); };
  card.addEventListener("pointerenter", hold);
  card.addEventListener("pointerleave", leave);
  for (const link of all(".grid td > a")) {
    link.addEventListener("pointerenter", () => { hold(); showCard(link); });
    link.addEventListener("pointerleave", leave);
    link.addEventListener("focus", () => { hold(); showCard(link); });
    link.addEventListener("blur", leave);
    link.addEventListener("click", hideCard);
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideCard(); });

  // Browsers do not open a fold for a link into it everywhere.
  const openTarget = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = target && target.closest("details");
    if (fold && !fold.open) { fold.open = true; target.scrollIntoView({ block: "center" }); }
  };
  window.addEventListener("hashchange", openTarget);
  openTarget();

  // Records as a file, made of what the page shows.
  const field = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const download = (button) => {
    const table = button.closest("details").querySelector("table");
    const clean = (cell) => field(cell.textContent.trim().replace(/\u2212/g, "-"));
    const lines = Array.from(table.rows, (row) => Array.from(row.cells, clean).join(","));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
    link.download = button.dataset.name;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  all(".tools").forEach((tools) => { tools.hidden = false; });
  all(".download").forEach((button) => button.addEventListener("click", () => download(button)));

  // On a small screen the contents start folded.
  if (window.matchMedia("(max-width: 1079px)").matches) {
    all(".contents details").forEach((fold) => { fold.open = false; });
  }
})();
