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
  document.addEventListener("click", (event) => {
    const button = event.target.closest("th button");
    if (button) sort(button);
  });

  // A table is one stop of the tab key; arrow keys move in it. What was focused last is the stop.
  const stops = (table) => all("thead button, tbody a", table);
  const stop = (table, one) => {
    all("[tabindex='0']", table).forEach((other) => { other.tabIndex = -1; });
    one.tabIndex = 0;
  };
  const home = (table) => {
    const found = stops(table);
    found.forEach((one, place) => { one.tabIndex = place ? -1 : 0; });
  };
  all("main table").forEach(home);
  const inTable = (target) => target.closest("main table") && target.matches("thead button, tbody a");
  const along = (row, from, step) => {
    for (let i = from; i >= 0 && i < row.cells.length; i += step) {
      const found = row.cells[i].querySelector("a, button");
      if (found) return found;
    }
    return null;
  };
  const neighbour = (cell, key) => {
    const row = cell.parentElement;
    const table = row.closest("table");
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const step = key === "ArrowLeft" ? -1 : 1;
      return along(row, cell.cellIndex + step, step);
    }
    if (key === "Home") return along(row, 0, 1);
    if (key === "End") return along(row, row.cells.length - 1, -1);
    const rows = Array.from(table.rows).filter((one) => !one.hidden);
    const step = key === "ArrowUp" ? -1 : 1;
    for (let i = rows.indexOf(row) + step; i >= 0 && i < rows.length; i += step) {
      const found = rows[i].cells[cell.cellIndex]?.querySelector("a, button");
      if (found) return found;
    }
    return null;
  };
  document.addEventListener("keydown", (event) => {
    if (!/^(Arrow|Home$|End$)/.test(event.key) || !inTable(event.target) || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    neighbour(event.target.closest("th, td"), event.key)?.focus();
  });
  document.addEventListener("focusin", (event) => {
    if (inTable(event.target)) stop(event.target.closest("table"), event.target);
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
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) fit.observe(target);
      else fit.unobserve(target);
    }
  }, { rootMargin: "200px" });
  all(".scroll").forEach((frame) => near.observe(frame));

  // Filtering: every word must occur in a row or in the heading of its table.
  const form = document.querySelector(".filter");
  const tables = all("#tables table[data-find]");
  const measured = (cell) => cell.querySelector("a") !== null || cell.parentElement.id !== "";
  const matches = (cell, verdict) =>
    cell.tagName === "TD" && (verdict === "measured" ? measured(cell) : cell.querySelector(".v")?.classList.contains(verdict) === true);
  const several = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  const filter = () => {
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = form.elements.verdict?.value ?? "";
    const active = words.length > 0 || verdict !== "";
    let rows = 0, found = 0;
    for (const table of tables) {
      const grid = table.classList.contains("grid");
      const heading = table.dataset.find.toLowerCase();
      let left = 0;
      for (const row of table.tBodies[0].rows) {
        const cells = Array.from(row.cells);
        const shown = cells.map((cell) => cell.textContent).join(" ");
        const text = `${heading} ${row.dataset.find ?? ""} ${shown}`.toLowerCase();
        const hit = words.every((word) => text.includes(word)) &&
          (!verdict || cells.some((cell) => matches(cell, verdict)));
        row.hidden = !hit;
        left += hit ? 1 : 0;
        if (!grid) continue;
        for (const cell of cells) {
          const asked = hit && verdict && cell.tagName === "TD";
          const one = Boolean(asked) && matches(cell, verdict);
          cell.classList.toggle("dim", Boolean(asked) && !one);
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
    // The search of the front page leads here with the words of a method or data set.
    const asked = new URLSearchParams(location.search).get("find");
    if (asked) { form.elements.text.value = asked; filter(); }
  }

  // Searching all pages: every word must occur, hits that are named so come first; Enter goes to the first.
  const search = document.querySelector(".search");
  const MOST = 12;
  const find = () => {
    const typed = search.elements.text.value.trim().toLowerCase();
    const words = typed.split(/\s+/).filter(Boolean);
    const list = search.querySelector("#hits");
    const has = (text) => words.length > 0 && words.every((word) => text.toLowerCase().includes(word));
    const rank = (one) => {
      const name = one.firstElementChild.textContent.toLowerCase();
      if (words.length && name === typed) return 3;
      return has(name) ? 2 : has(`${one.textContent} ${one.dataset.find}`) ? 1 : 0;
    };
    const entries = Array.from(list.children, (one) => ({ one, rank: rank(one) }));
    const hits = entries.filter((entry) => entry.rank).sort((a, b) => b.rank - a.rank || a.one.place - b.one.place);
    const shown = hits.slice(0, MOST).map((entry) => entry.one);
    for (const { one } of entries) one.hidden = !shown.includes(one);
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

  // The record of a number: a card beside its column under a pointer that rests, and on focus; under a finger, a
  // sheet at the foot of the window. A click or Enter leads to the record.
  const card = document.createElement("div");
  card.className = "card";
  card.id = "card";
  card.hidden = true;
  document.body.append(card);
  const numberAt = (target) => target instanceof Element ? target.closest(".grid td > a") : null;
  const made = (name, ...children) => {
    const element = document.createElement(name);
    element.append(...children);
    return element;
  };

  const fill = (link) => {
    const row = document.getElementById(link.hash.slice(1));
    const names = row.closest("table").tHead.rows[0].cells;
    const value = (name) => row.cells[Array.from(names).findIndex((head) => head.textContent.trim() === name)].textContent.trim();
    const list = made("dl");
    for (const cell of row.cells) {
      if (!cell.textContent.trim()) continue;
      const words = made("dd");
      words.append(...cell.cloneNode(true).childNodes);
      list.append(made("dt", names[cell.cellIndex].textContent.trim()), words);
    }
    const command = `snakemake --cores 1 --config budget=${value("Budget")} results/${value("File")}`;
    list.append(made("dt", "Computed by"), made("dd", made("code", command)));
    card.replaceChildren(list);
  };
  const showCard = (link) => {
    fill(link);
    card.classList.remove("sheet");
    card.setAttribute("role", "tooltip");
    card.hidden = false;
    link.setAttribute("aria-describedby", "card");
    place(link);
  };
  const place = (link) => {
    const at = link.closest("td").getBoundingClientRect();
    const room = root.clientWidth - card.offsetWidth - 8;
    const left = at.right + 8 <= room ? at.right + 8 : Math.max(8, at.left - card.offsetWidth - 8);
    const top = Math.max(4, Math.min(at.top, window.innerHeight - card.offsetHeight - 4));
    card.style.left = `${left}px`;
    card.style.top = `${top}px`;
  };
  let shownFor = null;
  const showSheet = (link) => {
    fill(link);
    const record = made("a", "Its record");
    record.href = link.hash;
    const close = made("button", "Close");
    close.type = "button";
    close.addEventListener("click", () => { hideCard(); link.focus({ preventScroll: true }); hideCard(); });
    card.prepend(made("p", record, close));
    card.removeAttribute("style");
    card.classList.add("sheet");
    card.setAttribute("role", "dialog");
    card.setAttribute("aria-label", "The record of a number");
    card.hidden = false;
    shownFor = link;
    close.focus({ preventScroll: true });
  };
  const hideCard = () => {
    card.hidden = true;
    shownFor = null;
    all("[aria-describedby=card]").forEach((link) => link.removeAttribute("aria-describedby"));
  };
  const touched = (event) =>
    event.pointerType ? event.pointerType === "touch" : window.matchMedia("(hover: none)").matches && event.detail > 0;
  let resting = 0;
  document.addEventListener("pointerover", (event) => {
    const link = event.pointerType === "touch" ? null : numberAt(event.target);
    if (link) { clearTimeout(resting); resting = setTimeout(() => showCard(link), 300); }
  });
  document.addEventListener("pointerout", (event) => {
    if (numberAt(event.target)) { clearTimeout(resting); if (!shownFor) hideCard(); }
  });
  document.addEventListener("focusin", (event) => {
    const link = numberAt(event.target);
    if (link?.matches(":focus-visible")) showCard(link);
  });
  document.addEventListener("focusout", (event) => { if (numberAt(event.target) && !shownFor) hideCard(); });
  document.addEventListener("scroll", () => {
    if (shownFor || card.hidden) return;
    const link = numberAt(document.activeElement);
    if (link?.getAttribute("aria-describedby")) place(link);
    else hideCard();
  }, { passive: true });
  document.addEventListener("click", (event) => {
    const link = numberAt(event.target);
    clearTimeout(resting);
    if (link && touched(event)) { event.preventDefault(); showSheet(link); }
    else if (link || event.target.closest(".sheet a") || !event.target.closest(".sheet")) hideCard();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const link = shownFor;
    hideCard();
    if (link) { link.focus({ preventScroll: true }); hideCard(); }
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

  // Records as a file, made of what the page shows.
  const field = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const download = (button) => {
    const table = button.closest("details").querySelector("table");
    const clean = (cell) => field(cell.textContent.trim().replace(/\u2212/g, "-").replace(/\u202f/g, ""));
    const lines = Array.from(table.rows, (row) => Array.from(row.cells, clean).join(","));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
    link.download = button.dataset.name;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  all(".tools").forEach((tools) => { tools.hidden = false; });
  all(".download").forEach((button) => button.addEventListener("click", () => download(button)));

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
