// Sorting, filtering, searching, and the card of a number. The page is complete without it.
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

  // A table is one stop of the tab key; arrow keys, Home and End move in it. What was focused last is the stop.
  const stops = (table) => all("thead button, tbody a", table).filter((one) => !one.closest("tr").hidden);
  const home = (table) => stops(table).forEach((one, place) => { one.tabIndex = place ? -1 : 0; });
  all("main table").forEach(home);
  const inTable = (target) => target.closest("main table") && target.matches("thead button, tbody a");
  const neighbour = (from, key) => {
    const at = (one) => ({ row: one.closest("tr"), column: one.closest("th, td").cellIndex });
    const here = at(from);
    const found = stops(from.closest("table"));
    const back = key === "ArrowLeft" || key === "ArrowUp";
    const inRow = found.filter((one) => at(one).row === here.row);
    if (key === "Home") return inRow[0];
    if (key === "End") return inRow.at(-1);
    const line = key.endsWith("t") ? inRow : found.filter((one) => at(one).column === here.column);
    return line[line.indexOf(from) + (back ? -1 : 1)];
  };
  document.addEventListener("keydown", (event) => {
    if (!/^(Arrow|Home$|End$)/.test(event.key) || !inTable(event.target) || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    neighbour(event.target, event.key)?.focus();
  });
  document.addEventListener("focusin", ({ target }) => {
    if (!inTable(target)) return;
    all("[tabindex='0']", target.closest("table")).forEach((other) => { other.tabIndex = -1; });
    target.tabIndex = 0;
  });

  // A frame that its table fits needs no scrolling of its own: the heads then stick to the window.
  // Later: what changes a size while sizes are told is an error.
  const fit = new ResizeObserver((entries) => setTimeout(() => {
    for (const { target } of entries) {
      const fits = target.scrollWidth <= target.clientWidth + 1;
      target.classList.toggle("fits", fits);
      if (fits) target.removeAttribute("tabindex");
      else target.tabIndex = 0;
    }
  }));
  // Only what is near the window is measured, or the browser would lay out all of it.
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) fit[isIntersecting ? "observe" : "unobserve"](target);
  }, { rootMargin: "200px" });
  all(".scroll").forEach((frame) => near.observe(frame));

  // Filtering: every word must occur in a row or in the heading of its table; the address says what was asked.
  const form = document.querySelector(".filter");
  const several = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  const matches = (cell, verdict) => cell.tagName === "TD" && (verdict === "measured"
    ? cell.querySelector("a") !== null
    : cell.querySelector(".v")?.classList.contains(verdict) === true);
  const filter = () => {
    const asked = form.elements.text.value.trim();
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = form.elements.verdict?.value ?? "";
    const active = words.length > 0 || verdict !== "";
    let rows = 0, found = 0;
    for (const table of all("#tables table[data-find]")) {
      const grid = table.classList.contains("grid");
      let left = 0;
      for (const row of table.tBodies[0].rows) {
        const cells = Array.from(row.cells);
        const shown = cells.map((cell) => cell.textContent).join(" ");
        const text = `${table.dataset.find} ${row.dataset.find ?? ""} ${shown}`.toLowerCase();
        const hit = words.every((word) => text.includes(word)) &&
          (!verdict || cells.some((cell) => matches(cell, verdict)));
        row.hidden = !hit;
        left += hit ? 1 : 0;
        for (const cell of grid ? cells : []) {
          const one = hit && verdict !== "" && matches(cell, verdict);
          cell.classList.toggle("dim", hit && verdict !== "" && cell.tagName === "TD" && !one);
          found += one ? 1 : 0;
        }
      }
      table.parentElement.hidden = left === 0;
      home(table);
      if (grid) rows += left;
    }
    // Folds that hold hits open, and close again without a filter.
    for (const fold of all("#tables details:not(.records)").filter((one) => one.querySelector("table"))) {
      const hit = all("table", fold).some((one) => !one.parentElement.hidden);
      fold.hidden = !hit;
      if (active && hit && !fold.open) { fold.open = true; fold.dataset.opened = "true"; }
      if (!active && fold.dataset.opened) { fold.open = false; delete fold.dataset.opened; }
    }
    for (const section of all("#tables > section.table")) {
      section.hidden = all("table", section).every((one) => one.parentElement.hidden);
    }
    for (const note of all("#tables .note")) note.hidden = active;
    const said = verdict ? `${several(found, "cell")} in ${several(rows, "row")}` : several(rows, "row");
    form.querySelector("output").textContent = !active ? "" : rows ? said : "Nothing on this page has all of this.";
    const address = new URL(location.href);
    for (const [name, value] of [["find", asked], ["show", verdict]]) {
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    }
    if (address.href !== location.href) history.replaceState(null, "", address);
  };
  if (form) {
    form.hidden = false;
    let waiting = 0;
    form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
    form.addEventListener("reset", () => setTimeout(filter));
    form.addEventListener("submit", (event) => event.preventDefault());
    // Heads stick below the filter, which has two lines where the window is narrow.
    const makeRoom = () => root.style.setProperty("--top", `${form.offsetHeight}px`);
    new ResizeObserver(() => setTimeout(makeRoom)).observe(form);
    const asked = new URLSearchParams(location.search);
    form.elements.text.value = asked.get("find") ?? "";
    for (const one of form.elements.verdict?.options ?? []) one.selected = one.value === (asked.get("show") ?? "");
    if (asked.has("find") || asked.has("show")) filter();
  }

  // Searching all pages: every word must occur. What is named so comes first, whole words before
  // beginnings of words, and these before other parts; Enter goes to the first.
  const search = document.querySelector(".search");
  const MOST = 12;
  const whole = (text) => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim()} `;
  const find = () => {
    const typed = whole(search.elements.text.value);
    const words = typed.trim().split(" ").filter(Boolean);
    const list = search.querySelector("#hits");
    const hits = Array.from(list.children, (one) => {
      const name = whole(one.firstElementChild.textContent);
      const text = whole(`${one.textContent} ${one.dataset.find}`);
      const has = (place, before, after) => words.every((word) => place.includes(before + word + after));
      const named = [name === typed, name.includes(typed), has(name, " ", " ")];
      const ranks = [...named, has(text, " ", " "), has(text, " ", ""), has(text, "", "")];
      one.hidden = true;
      return { one, rank: words.length ? ranks.indexOf(true) : -1 };
    }).filter((hit) => hit.rank >= 0).sort((a, b) => a.rank - b.rank || a.one.place - b.one.place);
    const shown = hits.slice(0, MOST).map((hit) => hit.one);
    for (const one of shown) one.hidden = false;
    list.prepend(...shown);
    list.hidden = shown.length === 0;
    const said = hits.length > MOST ? `${MOST} of ${hits.length} hits` : several(hits.length, "hit");
    search.querySelector("output").textContent = words.length ? said : "";
  };
  if (search) {
    search.hidden = false;
    all("#hits > li", search).forEach((one, place) => { one.place = place; });
    search.addEventListener("input", find);
    search.addEventListener("submit", (event) => {
      event.preventDefault();
      search.querySelector("#hits > li:not([hidden]) a")?.click();
    });
  }

  // The record of a number, in a dialog; without the script its link leads to the record.
  const made = (name, ...children) => {
    const element = document.createElement(name);
    element.append(...children);
    return element;
  };
  const card = made("dialog");
  card.className = "card";
  card.setAttribute("aria-label", "The record of a number");
  document.body.append(card);
  const show = (link) => {
    const row = document.getElementById(link.hash.slice(1));
    const names = Array.from(row.closest("table").tHead.rows[0].cells, (head) => head.textContent.trim());
    const value = (name) => row.cells[names.indexOf(name)].textContent.trim();
    const list = made("dl");
    for (const cell of row.cells) {
      if (!cell.textContent.trim()) continue;
      list.append(made("dt", names[cell.cellIndex]), made("dd", ...cell.cloneNode(true).childNodes));
    }
    const command = `snakemake --cores 1 --config budget=${value("Budget")} results/${value("File")}`;
    list.append(made("dt", "Computed by"), made("dd", made("code", command)));
    const record = made("a", "Its record");
    record.href = link.hash;
    const close = made("button", "Close");
    close.type = "button";
    card.replaceChildren(made("p", record, close), list);
    card.showModal();
  };
  card.addEventListener("click", (event) => {
    if (event.target === card || event.target.closest("a, button")) card.close();
  });
  document.addEventListener("click", (event) => {
    const head = event.target.closest("th button");
    if (head) sort(head);
    const link = event.target.closest(".grid td > a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(link);
  });

  // Browsers do not open a fold for a link into it everywhere.
  const openTarget = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = target && target.closest("details");
    if (!fold || fold.open) return;
    fold.open = true;
    const show = () => target.scrollIntoView({ block: "center" });
    show();
    setTimeout(show, 100); // tables on the way had no height of their own before they were near
  };
  window.addEventListener("hashchange", openTarget);
  openTarget();

  for (const button of all(".copy")) {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent);
      button.textContent = "Copied";
    });
  }

  // On a small screen the contents start folded.
  if (window.matchMedia("(max-width: 1079px)").matches) {
    all(".contents details").forEach((fold) => { fold.open = false; });
  }
})();
