
// Pages of results: tables sort by a click on a column and show where they go on, and a link into
// a folded appendix opens it.
"use strict";
(() => {
  const number = (text) => {
    const found = text.replace(/[−–]/g, "-").replace(/,/g, "").match(/-?\d+(\.\d+)?/);
    return found ? Number(found[0]) : null;
  };

  function compare(one, other) {
    const [a, b] = [number(one), number(other)];
    if (a !== null && b !== null && a !== b) return a - b;
    return one.localeCompare(other);
  }

  function sort(table, column, button) {
    const head = button.closest("th"), down = head.getAttribute("aria-sort") === "ascending";
    for (const cell of table.tHead.rows[0].cells) cell.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0], rows = [...body.rows];
    rows.sort((a, b) => compare(a.cells[column].textContent, b.cells[column].textContent));
    body.append(...(down ? rows.reverse() : rows));
  }

  for (const table of document.querySelectorAll(".table table")) {
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      if (!cell.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = cell.textContent;
      cell.setAttribute("aria-sort", "none");
      cell.replaceChildren(button);
      button.addEventListener("click", () => sort(table, column, button));
    });
  }

  // A table that goes on beyond its frame says so above it.
  const frames = [...document.querySelectorAll(".table .wide")].map((frame) => {
    const cue = document.createElement("p");
    cue.className = "cue";
    frame.before(cue);
    return [frame, cue];
  });
  const cut = () => {
    for (const [frame, cue] of frames) {
      const wider = frame.scrollWidth > frame.clientWidth + 1, longer = frame.scrollHeight > frame.clientHeight + 1;
      cue.classList.toggle("on", wider || longer);
      cue.textContent = wider && longer ? "Scroll: more columns → and rows ↓" : wider ? "Scroll: more columns →" : "Scroll: more rows ↓";
    }
  };
  document.querySelectorAll("details").forEach((one) => one.addEventListener("toggle", cut));
  addEventListener("resize", cut);
  cut();

  function unfold() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folded = target?.closest("details");
    if (!folded || folded.open) return;
    folded.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", unfold);
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  unfold();
})();
