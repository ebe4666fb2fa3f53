// What helps to read a debate: changes between attempts, the graph of answers, marks, files to keep.

// The words that were left out of a text and put into it, by their longest common subsequence.
const Diff = (() => {
  const MOST = 1_500_000;
  const parts = (text) => Text.shown(text).match(/\s+|[\p{L}\p{N}_]+|./gsu) ?? [];

  function of(before, after) {
    const [a, b] = [parts(before), parts(after)];
    let from = 0;
    while (from < Math.min(a.length, b.length) && a[from] === b[from]) from += 1;
    let same = 0;
    while (same < Math.min(a.length, b.length) - from && a[a.length - 1 - same] === b[b.length - 1 - same]) same += 1;
    const [n, m] = [a.length - same, b.length - same];
    if ((n - from) * (m - from) > MOST) return null;
    const width = m - from + 1, longest = new Uint16Array((n - from + 1) * width);
    for (let i = n - 1; i >= from; i -= 1) for (let j = m - 1; j >= from; j -= 1) {
      const at = (i - from) * width + (j - from);
      longest[at] = a[i] === b[j] ? longest[at + width + 1] + 1 : Math.max(longest[at + width], longest[at + 1]);
    }
    const runs = [["", a.slice(0, from)]], add = (kind, part) => { if (runs.at(-1)[0] === kind) runs.at(-1)[1].push(part); else runs.push([kind, [part]]); };
    let i = from, j = from;
    while (i < n || j < m) {
      const at = (i - from) * width + (j - from);
      if (i < n && j < m && a[i] === b[j]) { add("", a[i]); i += 1; j += 1; }
      else if (j >= m || (i < n && longest[at + width] >= longest[at + 1])) { add("del", a[i]); i += 1; }
      else { add("ins", b[j]); j += 1; }
    }
    for (const part of a.slice(n)) add("", part);
    return runs.map(([kind, words]) => [kind, words.join("")]);
  }

  function show(before, after) {
    const runs = of(before, after);
    if (!runs) return make("p", { class: "about" }, "The two texts are too long to be compared.");
    return make("div", { class: "text" }, runs.map(([kind, text]) => (kind ? make(kind, {}, text) : text)));
  }

  return { of, show };
})();

// Who answers whom: speakers as lanes, turns in their order, a curve for every claim that is answered.
const Graph = (() => {
  const SPACE = "http://www.w3.org/2000/svg", STEP = 92, LANE = 52, LEFT = 128, TOP = 34;
  const LOOKS = [["#b2182b", ""], ["#2166ac", "9 4"], ["#1b7837", "2 4"], ["#7b3294", "12 3 2 3"], ["#8a5a00", "5 2"], ["#444444", "1 6"]];

  function draw(tag, attributes, ...children) {
    const made = document.createElementNS(SPACE, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children.map((one) => (one instanceof Node ? one : Text.shown(one))));
    return made;
  }

  // Claims that are answered in a turn that is known.
  function edges(found) {
    const at = new Map(found.turns.map((one) => [`${one.speaker}/${one.label}`, one]));
    return found.claims.flatMap((claim) => claim.answers.map(([speaker, place, how]) => ({ claim, how, from: at.get(`${speaker}/${place}`), to: at.get(`${claim.speaker}/${claim.place}`) }))).filter((one) => one.from && one.to);
  }

  function show(found, href) {
    const all = edges(found);
    if (!all.length) return null;
    const shown = found.turns.filter((turn) => all.some((one) => one.from === turn || one.to === turn));
    const lanes = [...new Set(shown.map((one) => one.speaker))], labels = [...new Set(shown.map((one) => one.label))], kinds = [...new Set(all.map((one) => one.how))];
    const x = (turn) => LEFT + labels.indexOf(turn.label) * STEP, y = (turn) => TOP + lanes.indexOf(turn.speaker) * LANE;
    const look = (how) => LOOKS[Math.min(kinds.indexOf(how), LOOKS.length - 1)];
    const counts = new Map();
    for (const one of all) { const key = [one.from.turn, one.from.speaker, one.to.turn, one.to.speaker, one.how].join("/"); counts.set(key, { ...one, n: (counts.get(key)?.n ?? 0) + 1 }); }
    const curves = [...counts.values()].map(({ from, to, how, n }, k) => {
      const [colour, dashes] = look(how), [a, b, c, d] = [x(from), y(from), x(to), y(to)], bend = 0.16 + 0.07 * (k % 4);
      // Bent to one side, so that answers along one line do not cover each other.
      return draw("path", { d: `M${a} ${b} Q${(a + c) / 2 - (d - b) * bend} ${(b + d) / 2 + (c - a) * bend} ${c} ${d}`, fill: "none", stroke: colour, "stroke-dasharray": dashes, "stroke-width": 1 + Math.min(n, 4) * 0.6 }, draw("title", {}, `${from.speaker}, ${from.label}: ${how} ${to.speaker}, ${to.label}${n > 1 ? ` (${n} times)` : ""}`));
    });
    const discs = shown.map((turn) => draw("a", { href: href(turn), "aria-label": Text.shown(`${turn.speaker}, ${turn.label}`) }, draw("circle", { cx: x(turn), cy: y(turn), r: 9 })));
    const names = lanes.map((name, k) => draw("text", { x: 4, y: TOP + k * LANE + 4 }, name.length > 15 ? `${name.slice(0, 14)}…` : name));
    const heads = labels.map((name, k) => draw("text", { x: LEFT + k * STEP, y: 14, "text-anchor": "middle" }, name));
    const width = LEFT + labels.length * STEP, height = TOP + lanes.length * LANE;
    const counted = kinds.map((how) => `${how} ${all.filter((one) => one.how === how).length}`).join(", ");
    const words = Text.shown(`Who answers whom: ${lanes.length} speakers in ${labels.length} rounds, ${all.length} answers (${counted}); the table below has the same`);
    const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": words }, ...curves, ...discs, ...names, ...heads);
    const legend = make("ul", { class: "legend" }, kinds.map((how) => make("li", {}, draw("svg", { width: 34, height: 10, "aria-hidden": "true" }, draw("line", { x1: 0, x2: 34, y1: 5, y2: 5, stroke: look(how)[0], "stroke-dasharray": look(how)[1], "stroke-width": 2 })), ` ${how}`)));
    const rows = all.map(({ claim, how, from, to }) => [make("a", { href: href(from) }, `${from.speaker}, ${from.label}`), how, make("a", { href: href(to) }, `${to.speaker}, ${to.label}`), claim.text]);
    return make("div", {}, make("p", { class: "about" }, "A disc is a turn and leads to it; a curve goes from an answer to the claim that it answers, the wider the more often."), make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Graph of answers" }, picture), legend,
      make("details", {}, make("summary", {}, `The same as a table (${Words.counted(rows.length, "answer")})`), table("Answers", ["Who", "How", "Whom", "The claim"], rows)));
  }

  return { edges, show };
})();

// Words of a text that stand elsewhere too: in a speaker's earlier turns, in those of its side, in other debates.
const Marks = (() => {
  const RUN = 6;
  const KINDS = [["own", "words that the speaker has said before"], ["side", "words that others of its side have said before"], ["shared", "words that other debates of this condition share"]];
  const tokens = (text) => [...Text.fold(Text.shown(text)).matchAll(/\p{Script=Han}|[\p{L}\p{N}]+/gu)].map((one) => [one[0], one.index, one.index + one[0].length]);
  const runs = (found) => found.slice(RUN - 1).map((_, k) => found.slice(k, k + RUN).map(([word]) => word).join(" "));

  // Which of a text's runs of six words hold for a test, as places from and to, joined where they overlap.
  function places(text, test) {
    const found = tokens(text), held = [];
    runs(found).forEach((run, k) => {
      if (!test(run)) return;
      const [from, to] = [found[k][1], found[k + RUN - 1][2]];
      if (held.length && from <= held.at(-1)[1]) held.at(-1)[1] = to;
      else held.push([from, to]);
    });
    return held;
  }

  async function tests(kind, found) {
    const before = (turn, of) => new Set(found.turns.filter((one) => one.turn < turn.turn && of(one)).flatMap((one) => runs(tokens(one.text))));
    if (kind !== "shared") {
      const side = (one) => found.sides[one.speaker];
      return (turn) => { const said = before(turn, (one) => (kind === "own" ? one.speaker === turn.speaker : one.speaker !== turn.speaker && side(one) && side(one) === side(turn))); return [(run) => said.has(run), null]; };
    }
    const { counts, sizes } = await Data.shared(found, (text) => new Set(runs(tokens(text))));
    const arms = Object.entries(sizes), own = List.arm(found.index, found.i), often = (run) => (counts.get(run)?.[own] ?? 0) >= 2;
    const told = (run) => arms.map(([arm, n]) => `${((100 * (counts.get(run)?.[arm] ?? 0)) / n).toFixed(0)}% of ${n} ${arm}`).join(", ");
    return () => [often, told];
  }

  async function apply(found, kind, on) {
    const test = on ? await tests(kind, found) : null;
    for (const turn of found.turns) {
      const place = document.querySelector(`#${CSS.escape(`t${turn.turn}-${turn.speaker}`)} .text.said`);
      if (!place) continue;
      const marks = JSON.parse(place.dataset.marks ?? "{}");
      if (on) { const [holds, told] = test(turn); marks[kind] = places(turn.text, holds).map(([from, to]) => [from, to, told ? told(runs(tokens(turn.text.slice(from, to)))[0] ?? "") : ""]); } else delete marks[kind];
      place.dataset.marks = JSON.stringify(marks);
      draw(place, Text.shown(turn.text), marks);
    }
  }

  // The text anew, cut at every end of a mark.
  function draw(place, text, marks) {
    const cuts = [...new Set([0, text.length, ...Object.values(marks).flat().flatMap(([from, to]) => [from, to])])].sort((a, b) => a - b);
    place.replaceChildren(...cuts.slice(1).map((to, k) => {
      const from = cuts[k], kinds = Object.keys(marks).filter((kind) => marks[kind].some(([a, b]) => a <= from && to <= b));
      if (!kinds.length) return document.createTextNode(text.slice(from, to));
      const told = kinds.flatMap((kind) => marks[kind].filter(([a, b]) => a <= from && to <= b).map(([, , said]) => said || KINDS.find(([name]) => name === kind)[1]));
      return make("span", { class: kinds.map((kind) => `mark-${kind}`).join(" "), title: Text.shown(told.join("; ")) }, text.slice(from, to));
    }));
  }

  const form = (found) => make("fieldset", { class: "marks" }, make("legend", {}, `Mark runs of ${RUN} words, or of ${RUN} Chinese characters`),
    KINDS.filter(([kind]) => kind !== "side" || Object.keys(found.sides).length).map(([kind, title]) => make("label", {}, make("input", { type: "checkbox", name: `mark-${kind}`, on: { change: (event) => apply(found, kind, event.target.checked) } }), " ", make("span", { class: `mark-${kind}` }, title))));

  return { form, places, runs, tokens };
})();

// A debate as a file to keep.
const Files = (() => {
  const head = ({ study, id, index, i }) => `${study} ${id}: ${index.titles[index.title[i]].replace(/\s+/g, " ")}`;
  const note = ({ index }) => (index.simulated ? "Simulated models: no sentence here is a language model's." : "");
  // What a model says must not become a heading, a link or a line of its own.
  const quoted = (text) => text.split(/\r\n|\r|\n/).map((line) => `    ${line}`).join("\n");
  const made = {
    md: (found) => [`# ${head(found)}`, note(found), ...found.turns.flatMap((one) => [`## Turn ${one.turn}: ${one.speaker}, ${one.role} (${one.model})`, quoted(one.text)])].filter(Boolean).join("\n\n"),
    txt: (found) => [head(found), note(found), ...found.turns.map((one) => `[${one.turn}] ${one.speaker}, ${one.role} (${one.model})\n${quoted(one.text)}`)].filter(Boolean).join("\n\n"),
    json: ({ study, id, index, row, item, turns, calls, claims, facts }) => JSON.stringify({ run: index.run, study, session_id: id, simulated: index.simulated, row, item, facts, turns, calls: calls.map(({ messages, frame, ...call }) => call), claims }, null, 2),
  };

  function save(found, kind) {
    const address = URL.createObjectURL(new Blob([`${made[kind](found)}\n`], { type: "text/plain" }));
    make("a", { href: address, download: Text.shown(`${found.study}-${found.id}.${kind}`) }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  const form = (found) => make("p", { class: "keep" }, "Keep this debate as ", Object.entries({ md: "Markdown", txt: "text", json: "JSON" }).map(([kind, title]) => [make("button", { type: "button", on: { click: () => save(found, kind) } }, title), " "]));

  return { form, made };
})();

// Reading without the model, the condition, the truth and the measures in sight, until they are asked for.
const Blind = (() => {
  function toggle(event) {
    const on = document.body.classList.toggle("blind");
    event.currentTarget.setAttribute("aria-pressed", String(on));
    document.title = Text.shown(`${document.querySelector("h1").innerText} – dissensus`);
  }
  const button = () => make("button", { type: "button", accesskey: "b", "aria-pressed": String(document.body.classList.contains("blind")), on: { click: toggle } }, "Read blind");
  return { button };
})();
