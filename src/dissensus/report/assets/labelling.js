// A person reads one text after the other and gives each a label; only the table that is saved leaves the page.
const Labelling = (() => {
  // What a spreadsheet takes for a formula gets an apostrophe before it.
  const cell = (text) => `"${(/^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text).replaceAll('"', '""')}"`;

  // Up to the last label: the order is random, and so is what comes first in it.
  function table(ids, labels) {
    const last = ids.findLastIndex((id) => id in labels);
    const rows = ids.slice(0, last + 1).map((id) => `${id},${id in labels ? cell(labels[id]) : ""}`);
    return `${["id,label", ...rows].join("\n")}\n`;
  }

  // Labels outlast the window where the browser keeps them for a file.
  const kept = (name) => ({
    read: (ids) => { try { const found = JSON.parse(localStorage.getItem(name)) ?? {}; return Object.fromEntries(ids.filter((id) => typeof found[id] === "string").map((id) => [id, found[id]])); } catch { return {}; } },
    write: (labels) => { try { localStorage.setItem(name, JSON.stringify(labels)); } catch { /* they stay in the window */ } },
  });

  function save(text) {
    const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    make("a", { href: address, download: "labels.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  function start(name, question, scale, texts) {
    const ids = texts.map(([id]) => id), keep = kept(name), labels = keep.read(ids), said = document.getElementById("said");
    let at = Math.max(0, ids.findIndex((id) => !(id in labels)));

    const go = (to) => { at = Math.min(Math.max(to, 0), ids.length - 1); show(); document.querySelector("h1").focus(); };
    const give = (label) => { labels[ids[at]] = label; keep.write(labels); count(); };
    const count = () => { said.textContent = `${Object.keys(labels).length} of ${ids.length} have a label.`; };

    function show() {
      const choices = scale.map((label, place) => make("label", {}, make("input", { type: "radio", name: "label", value: label, checked: labels[ids[at]] === label, on: { change: () => give(label) } }), " ", label, place < 9 ? [" ", make("kbd", { "aria-hidden": "true" }, String(place + 1))] : null));
      document.getElementById("main").replaceChildren(
        make("h1", { tabindex: "-1" }, `Text ${at + 1} of ${ids.length}`),
        make("div", { class: "text", tabindex: "0", role: "region", "aria-label": "What is labelled" }, texts[at][1]),
        make("fieldset", {}, make("legend", {}, question), choices),
        make("p", { class: "steps" },
          make("button", { type: "button", disabled: at === 0, on: { click: () => go(at - 1) } }, "Back"),
          make("button", { type: "button", disabled: at === ids.length - 1, on: { click: () => go(at + 1) } }, "Next"),
          make("button", { type: "button", on: { click: () => save(table(ids, labels)) } }, "Save the table")));
      count();
    }

    document.addEventListener("keydown", (event) => {
      const place = Number(event.key) - 1;
      if (event.ctrlKey || event.altKey || event.metaKey || !(place in scale)) return;
      give(scale[place]);
      show();
    });
    show();
  }

  return { start, table };
})();
