
// The page of the map: what is chosen, the list and the panel of clusters, and when to draw.
// Texts of others reach the page by textContent alone.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { values, claims, clusters, motions } = data;
  const all = claims.text.map((_, i) => i);
  const chosen = { motion: -1, colour: "cluster", only: null, cluster: -1, claim: -1, word: "" };
  // More claims of a search than anybody reads.
  const MOST = 200;
  const fold = (text) => text.normalize("NFKC").toLowerCase();
  const folded = claims.text.map(fold);
  const COLOURS = {
    cluster: "Cluster", side: "Side", winner: "Outcome of its debate", speaker: "Speaker", fate: "Survival",
  };
  const FATES = { survives: "#1b7340", contested: "#8a6200", demolished: "#b2182b" };
  const OUTCOMES = { proposition: Charts.SIDES[0], opposition: Charts.SIDES[1] };
  const find = (id) => document.getElementById(id);

  function element(tag, text, attributes = {}) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  const percent = (n, of) => (of ? `${Math.round((100 * n) / of)}%` : "–");
  const value = (column, i) => values[column][claims[column][i]];
  const shown = () => all.filter((i) => (chosen.motion < 0 || claims.motion_id[i] === chosen.motion) && folded[i].includes(chosen.word));
  const of = (cluster, among = shown()) => among.filter((i) => claims.cluster[i] === cluster);
  const debates = (own) => new Set(own.map((i) => claims.session_id[i])).size;
  const words = (text) => text.replaceAll("_", "-");

  function tally(column, own) {
    const counts = values[column].map(() => 0);
    for (const i of own) counts[claims[column][i]] += 1;
    return counts;
  }

  function colourOf(kind, place) {
    if (place < 0) return Charts.GREY;
    if (kind === "side") return Charts.SIDES[place];
    if (kind === "winner") return OUTCOMES[values.winner[place]] ?? Charts.GREY;
    if (kind === "fate") return FATES[values.fate[place]] ?? Charts.GREY;
    if (kind === "cluster") return clusters[place].colour;
    return Charts.PALETTE[place % Charts.PALETTE.length];
  }

  // Clusters with claims among those shown.
  function present() {
    const there = new Set(shown().map((i) => claims.cluster[i]));
    return clusters.map((_, i) => i).filter((i) => there.has(i));
  }

  function isFaded(i) {
    if (chosen.cluster >= 0 && claims.cluster[i] !== chosen.cluster) return true;
    return chosen.only !== null && claims[chosen.colour][i] !== chosen.only;
  }

  function middle(numbers) {
    const sorted = [...numbers].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)];
  }

  function drawMap(width) {
    const own = shown();
    if (!own.length) return;
    const points = own.map((i) => ({
      x: claims.x[i], y: claims.y[i], side: claims.side[i], id: i, faded: isFaded(i),
      colour: colourOf(chosen.colour, claims[chosen.colour][i]),
    }));
    const badges = present().map((cluster) => {
      const members = of(cluster, own);
      return {
        x: middle(members.map((i) => claims.x[i])), y: middle(members.map((i) => claims.y[i])),
        id: cluster, text: String(clusters[cluster].number), faded: chosen.cluster >= 0 && chosen.cluster !== cluster,
        colour: chosen.colour === "cluster" ? colourOf("cluster", cluster) : "#444444",
      };
    });
    Charts.map(find("map"), width ?? find("map").clientWidth, points, badges, (i, cluster) => {
      const picked = i === null ? cluster : claims.cluster[i];
      choose(picked, picked < 0 ? i : -1);
    }, showTip);
  }

  function drawCharts(width) {
    const own = shown();
    const rows = present().map((i) => ({ ...clusters[i], id: i, number: clusters[i].number }));
    const survived = values.fate.indexOf("survives");
    const overall = own.length ? (tally("fate", own)[survived] ?? 0) / own.length : null;
    const counts = (column) => rows.map((row) => tally(column, of(row.id, own)));
    const charts = {
      survival: (e, w) => Charts.survival(e, w, rows, overall, choose),
      lift: (e, w) => Charts.lift(e, w, rows, 1 - data.confidence, choose),
      speakers: (e, w) => Charts.speakers(e, w, rows, values.speaker, counts("speaker"), choose),
      sides: (e, w) => Charts.sides(e, w, rows, values.side, counts("side"), choose),
    };
    for (const [name, draw] of Object.entries(charts)) draw(find(name), width ?? find(name).clientWidth);
  }

  // width: of each drawing, for print; as wide as its place where none is given.
  function draw(width) {
    drawMap(width);
    if (present().length) drawCharts(width);
  }

  function about(i) {
    const winner = value("winner", i);
    const end = winner === "contested" ? "debate contested" : `${winner} wins`;
    const says = [value("speaker", i), value("side", i), words(value("kind", i)), value("fate", i), end];
    return `${says.join(" · ")} · `;
  }

  // A claim and what became of it, with the place in its debate.
  function claimParts(i) {
    const [session, claim] = [value("session_id", i), claims.claim_id[i]], line = element("div", about(i), { class: "about" });
    const href = `../reader/index.html#/union/${encodeURIComponent(session)}/${encodeURIComponent(`claim-${claim}`)}`;
    line.append(element("a", `${session}, claim ${claim}`, { href }));
    return [element("p", claims.text[i], { dir: "auto" }), line];
  }

  function claimList(own, title) {
    const list = element("ul", undefined, { class: "claims", tabindex: 0, "aria-label": title });
    for (const i of own) {
      const item = element("li");
      item.append(...claimParts(i));
      list.append(item);
    }
    return list;
  }

  function showTip(i, event) {
    const tip = find("tip");
    tip.hidden = i === null;
    if (i === null) return;
    const cluster = claims.cluster[i];
    const where = cluster < 0 ? "In no cluster" : `${clusters[cluster].number} ${clusters[cluster].name}`;
    tip.replaceChildren(...claimParts(i), element("div", where, { class: "about" }));
    const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    const below = event.clientY + 14, above = event.clientY - tip.offsetHeight - 10;
    tip.style.left = `${Math.max(left, 4)}px`;
    tip.style.top = `${below + tip.offsetHeight < innerHeight ? below : Math.max(above, 4)}px`;
  }

  function badge(cluster) {
    const made = element("span", String(clusters[cluster].number), { class: "badge" });
    made.style.background = colourOf("cluster", cluster);
    return made;
  }

  function fillLegend() {
    const own = shown(), kind = chosen.colour;
    const symbols = values.side.map((side, i) => `${"●◆"[i] ?? "●"} ${side}`);
    const parts = [element("span", symbols.join("   "), { class: "key" })];
    if (kind === "cluster") {
      const text = `grey: in no cluster (${of(-1, own).length}); colours: see the list`;
      parts.push(element("span", text, { class: "key" }));
    } else {
      tally(kind, own).forEach((n, place) => {
        const made = element("button", undefined, { type: "button", "aria-pressed": chosen.only === place });
        const swatch = element("span", undefined, { class: "swatch" });
        swatch.style.background = colourOf(kind, place);
        made.append(swatch, element("span", `${values[kind][place]} (${n})`));
        made.addEventListener("click", () => {
          chosen.only = chosen.only === place ? null : place;
          fillLegend();
          find("legend").querySelectorAll("button")[place].focus();
          drawMap();
        });
        parts.push(made);
      });
    }
    find("legend").replaceChildren(...parts);
  }

  function fillList() {
    const own = shown();
    const list = element("ul");
    for (const cluster of present()) {
      const made = element("button", undefined, { type: "button", "data-cluster": cluster });
      const n = of(cluster, own).length;
      const count = element("span", String(n), { class: "n" });
      count.append(element("span", n === 1 ? " claim" : " claims", { class: "unseen" }));
      made.append(badge(cluster), element("span", clusters[cluster].name, { dir: "auto" }), count);
      made.addEventListener("click", () => choose(cluster));
      const item = element("li");
      item.append(made);
      list.append(item);
    }
    const none = element("p", "No cluster was found among these claims.", { class: "note" });
    const found = chosen.word ? [element("h3", `${counted(own.length, "claim")} with these words${own.length > MOST ? `, the first ${MOST}` : ""}`), claimList(own.slice(0, MOST), "Claims that were searched for")] : [];
    find("list").replaceChildren(present().length ? list : none, ...found);
  }

  function pairs(entries) {
    const list = element("dl");
    for (const [name, text] of entries) list.append(element("dt", name, { dir: "auto" }), element("dd", text));
    return list;
  }

  function countsOf(own) {
    const shares = (column) => tally(column, own)
      .map((n, place) => [values[column][place], `${n} (${percent(n, own.length)})`, n])
      .filter((entry) => entry[2]);
    const fates = shares("fate").map(([name, text]) => [`… ${name}`, text]);
    const sides = shares("side").map(([name, text]) => [`… of the ${name}`, text]);
    const speakers = shares("speaker").map(([name, text]) => [`… by ${name}`, text]);
    return [["Claims", String(own.length)], ...fates, ...sides, ...speakers,
      ["Debates with one of them", String(debates(own))]];
  }

  function fillPanel() {
    const { cluster, claim } = chosen, one = cluster >= 0 || claim >= 0;
    find("list").hidden = one;
    find("cluster").hidden = find("back").hidden = !one;
    if (cluster < 0) {
      find("panel-title").textContent = one ? "A claim in no cluster" : "Clusters";
      find("cluster").replaceChildren(...(one ? claimParts(claim) : []));
      return;
    }
    const own = of(cluster), { name, description, example, facts } = clusters[cluster];
    find("panel-title").replaceChildren(badge(cluster), " ", element("bdi", name));
    const said = description ? [element("p", description, { dir: "auto" })] : [];
    find("cluster").replaceChildren(
      ...said, element("blockquote", example, { dir: "auto" }), pairs(countsOf(own)),
      element("h3", "Estimates"), pairs(facts),
      element("h3", counted(own.length, "claim")), claimList(own, "Claims of the cluster"),
    );
  }

  function choose(cluster, claim = -1) {
    const before = chosen.cluster;
    Object.assign(chosen, { cluster, claim });
    fillPanel();
    drawMap();
    const next = cluster >= 0 || claim >= 0 ? find("panel-title") : find("list").querySelector(`[data-cluster="${before}"]`);
    next?.focus({ preventScroll: true });
    if (cluster >= 0 || claim >= 0) find("panel").scrollIntoView({ block: "nearest" });
  }

  function fillCaptions() {
    const level = Math.round(100 * data.confidence);
    const few = Number((1 - data.confidence).toFixed(6));
    const captions = {
      survival: ["Survival", `Share with its ${level}% interval; dotted: all claims shown.`],
      lift: ["Win lift", `Over the base rate of the sides; at the right p, adjusted by Holm; filled: p < ${few}.`],
      speakers: ["Speakers", "Claims of each speaker."],
      sides: ["Sides", `Claims of the ${values.side[0] ?? "–"} (left), and of the ${values.side[1] ?? "–"} (right, hatched).`],
    };
    for (const [name, [title, text]] of Object.entries(captions)) {
      find(`${name}-title`).replaceChildren(title, element("span", text));
    }
  }

  function fill() {
    const own = shown();
    find("shown").textContent = `Shown: ${counted(own.length, "claim")} in ${counted(debates(own), "debate")}, `
      + `${counted(present().length, "cluster")}.`;
    document.querySelector(".charts").hidden = !present().length;
    const there = new Set(present());
    document.querySelectorAll("#table_clusters tbody tr").forEach((row, cluster) => { row.hidden = !there.has(cluster); });
    fillLegend();
    fillList();
    fillPanel();
    draw();
  }

  function options(select, entries, act) {
    for (const [key, text] of entries) select.append(element("option", text, { value: key }));
    select.addEventListener("change", () => act(select.value));
  }

  function start() {
    find("application").hidden = false;
    find("no-script").remove();
    const motion = [["-1", "All motions"], ...motions.map((text, i) => [String(i), text])];
    options(find("motion"), motions.length > 1 ? motion : motion.slice(1), (key) => {
      Object.assign(chosen, { motion: Number(key), cluster: -1, claim: -1, only: null });
      fill();
    });
    options(find("colour"), Object.entries(COLOURS), (key) => {
      Object.assign(chosen, { colour: key, only: null });
      fillLegend();
      drawMap();
    });
    find("word").addEventListener("input", () => {
      Object.assign(chosen, { word: fold(find("word").value.trim()), cluster: -1, claim: -1 });
      fill();
    });
    find("controls").addEventListener("submit", (event) => event.preventDefault());
    find("back").addEventListener("click", () => choose(-1));
    find("panel").addEventListener("keydown", (event) => {
      if (event.key === "Escape" && (chosen.cluster >= 0 || chosen.claim >= 0)) choose(-1);
    });
    addEventListener("scroll", () => showTip(null), { passive: true });
    fillCaptions();
    fill();
    let width = innerWidth;
    addEventListener("resize", () => {
      if (innerWidth !== width) draw();
      width = innerWidth;
    });
    // As wide as A4 within its margins.
    addEventListener("beforeprint", () => draw(660));
    addEventListener("afterprint", () => draw());
  }

  start();
})();
