
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

  // A table or a figure that goes on beyond its frame says so above it.
  const frames = [...document.querySelectorAll(".table .wide, .pan")].map((frame) => {
    const cue = document.createElement("p");
    cue.className = "cue";
    frame.before(cue);
    return [frame, cue];
  });
  const cut = () => {
    for (const [frame, cue] of frames) {
      const wider = frame.scrollWidth > frame.clientWidth + 1, longer = frame.scrollHeight > frame.clientHeight + 1;
      cue.classList.toggle("on", wider || longer);
      cue.textContent = `Scroll for more ${wider ? "→" : ""}${longer ? "↓" : ""}`;
    }
  };
  document.querySelectorAll("details").forEach((one) => one.addEventListener("toggle", cut));
  addEventListener("resize", cut);
  cut();

  // Marks of a figure say their values: where a pointer is near, and one after the other by arrows.
  const NEAR = 9;
  for (const picture of document.querySelectorAll(".picture:has(> svg)")) {
    const marks = [...picture.querySelectorAll(".says > title")].map((title) => {
      const mark = [title.parentNode, title.textContent];
      title.remove();
      return mark;
    });
    if (!marks.length) continue;
    const tip = document.createElement("p");
    tip.className = "tip";
    tip.setAttribute("role", "status");
    picture.append(tip);
    picture.tabIndex = 0;
    picture.setAttribute("role", "group");
    picture.setAttribute("aria-label", `Figure with ${marks.length} values; arrow keys read them`);
    let shown = -1;
    const show = (place) => {
      if (place === shown) return;
      marks[shown]?.[0].classList.remove("on");
      shown = place;
      tip.textContent = marks[place]?.[1] ?? "";
      if (place < 0) return;
      const own = marks[place][0], box = own.getBoundingClientRect(), frame = picture.getBoundingClientRect();
      own.classList.add("on");
      const half = tip.offsetWidth / 2, middle = (box.left + box.right) / 2 - frame.left;
      tip.style.left = `${Math.max(half, Math.min(frame.width - half, middle))}px`;
      tip.style.top = `${box.top - frame.top}px`;
    };
    const beyond = (low, at, high) => Math.max(low - at, 0, at - high);
    picture.addEventListener("pointermove", ({ clientX, clientY }) => {
      let [best, least, smallest] = [-1, NEAR, Infinity];
      marks.forEach(([own], place) => {
        const box = own.getBoundingClientRect(), area = box.width * box.height;
        const far = Math.hypot(beyond(box.left, clientX, box.right), beyond(box.top, clientY, box.bottom));
        if (far < least || (far === least && area < smallest)) [best, least, smallest] = [place, far, area];
      });
      show(best);
    });
    picture.addEventListener("pointerleave", () => show(-1));
    picture.addEventListener("blur", () => show(-1));
    picture.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") show(-1);
      if (event.key === "Enter" && shown >= 0) {
        const box = marks[shown][0].getBoundingClientRect(), [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        const at = (link) => { const { left, right, top, bottom } = link.getBoundingClientRect(); return left <= x && x <= right && top <= y && y <= bottom; };
        [...picture.querySelectorAll(":scope > a")].find(at)?.click();
      }
      if (!step) return;
      event.preventDefault();
      let next = shown < 0 && step < 0 ? 0 : shown;
      // An interval says what its mark says.
      do next = (next + step + marks.length) % marks.length; while (marks[next][1] === tip.textContent && next !== shown);
      show(next);
    });
  }

  function unfold() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folded = target?.closest("details");
    if (!folded || folded.open) return;
    folded.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", unfold);
  addEventListener("beforeprint", () => document.querySelectorAll("details:not(.table details)").forEach((one) => { one.open = true; }));
  unfold();
})();
