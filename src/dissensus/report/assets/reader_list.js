// The list of sessions: filters, search, sorting, pages.
const List = (() => {
  const PAGE = 100;

  // Rows that pass every filter of the address.
  function chosen(query) {
    const names = query.get("study") ? [query.get("study")] : [...Data.studies.keys()];
    const status = Words.STATUS.indexOf(query.get("status") ?? ""), model = query.get("model") ?? "";
    const found = [];
    for (const name of names) {
      const index = Data.studies.get(name);
      if (!index) continue;
      const filters = index.filters.filter((one) => query.get(one.name)).map((one) => [one.codes, one.values.indexOf(query.get(one.name))]);
      const ranges = index.measures.map((one, k) => [one.values, bound(query, `from${k}`), bound(query, `to${k}`)]).filter(([, from, to]) => query.get("study") && (from !== null || to !== null));
      const casts = index.casts.map((cast) => !model || cast.split(", ").includes(model));
      for (let i = 0; i < index.id.length; i += 1) {
        if (status >= 0 && index.status[i] !== status) continue;
        if (!casts[index.cast[i]] || !filters.every(([codes, code]) => codes[i] === code)) continue;
        if (!ranges.every(([values, from, to]) => values[i] !== null && (from === null || values[i] >= from) && (to === null || values[i] <= to))) continue;
        found.push([name, i]);
      }
    }
    return found;
  }

  const bound = (query, name) => (query.get(name) && Number.isFinite(Number(query.get(name))) ? Number(query.get(name)) : null);
  const columns = (query) => (query.get("study") ? Data.studies.get(query.get("study"))?.measures ?? [] : []);

  // What a row says in a column, to sort by and to show.
  function value([name, i], column, hits) {
    const index = Data.studies.get(name);
    if (column === "hits") return hits?.get(`${name}/${i}`)?.n ?? 0;
    if (column === "debate") return index.id[i];
    if (column === "condition") return arm(index, i);
    if (column === "title") return index.titles[index.title[i]];
    if (column === "cast") return index.casts[index.cast[i]];
    if (column === "ended") return index.status[i];
    if (column === "cost") return index.cost[i];
    return index.measures[Number(column)]?.values[i] ?? null;
  }

  const arm = (index, i) => index.filters[0]?.values[index.filters[0].codes[i]] ?? "";

  function sorted(rows, query, hits) {
    const column = query.get("sort");
    if (!column) return rows;
    const down = query.get("down") ? -1 : 1, held = rows.map((row) => [value(row, column, hits), row]);
    held.sort(([a], [b]) => (a === null ? 1 : b === null ? -1 : typeof a === "number" ? (a - b) * down : a.localeCompare(b) * down));
    return held.map(([, row]) => row);
  }

  const SNIPPET = 60;
  function count(folded, needle) {
    let n = 0, first = -1;
    for (let at = folded.indexOf(needle); at >= 0; at = folded.indexOf(needle, at + needle.length)) { if (first < 0) first = at; n += 1; }
    return [n, first];
  }

  // Counts of a word in a session's name, in what is debated and in every text, with its first place in the texts.
  async function search(word, studies, say) {
    const needle = Text.fold(word.trim()), found = new Map(), titles = new Map();
    // Many sessions have one motion or question.
    const titled = (study, i) => {
      const index = Data.studies.get(study), key = `${study}/${index.title[i]}`;
      if (!titles.has(key)) titles.set(key, count(Text.fold(index.titles[index.title[i]]), needle)[0]);
      return titles.get(key);
    };
    const named = (study, i) => count(Text.fold(Data.studies.get(study).id[i]), needle)[0];
    let seen = 0, told = performance.now();
    for await (const [study, sessions] of Data.texts(studies)) {
      for (const [i, text, folded] of sessions) {
        const [said, first] = count(folded, needle), n = said + titled(study, i) + named(study, i);
        if (n) found.set(`${study}/${i}`, { n, snippet: said ? `${first > SNIPPET ? "…" : ""}${text.slice(Math.max(0, first - SNIPPET), first + needle.length + SNIPPET)}…` : "" });
      }
      seen += sessions.length;
      if (performance.now() - told > 200) { say(`Searched ${seen.toLocaleString("en")} sessions`); told = performance.now(); await new Promise((go) => setTimeout(go)); }
    }
    return found;
  }

  let asked = 0;
  async function show(main, query, go) {
    const mine = (asked += 1), word = query.get("q") ?? "", rows = chosen(query), total = [...Data.studies.values()].reduce((n, one) => n + one.id.length, 0);
    const place = make("div", { id: "rows" });
    main.replaceChildren(make("h1", {}, query.get("study") ? `Sessions of the ${query.get("study")} study` : "Sessions"), about(query), form(query, go), place);
    let hits = null, kept = rows;
    if (word.trim()) {
      const say = (text) => { if (mine === asked) place.replaceChildren(make("p", {}, text)); };
      say("Searching all texts");
      hits = await search(word, new Set(rows.map(([name]) => name)), say);
      if (mine !== asked) return;
      kept = rows.filter(([name, i]) => hits.has(`${name}/${i}`));
    }
    draw(place, sorted(kept, query, hits), total, query, go, hits, rows);
  }

  function about(query) {
    const index = Data.studies.get(query.get("study"));
    if (index) return make("div", {}, make("p", {}, index.question), first(query.get("study"), index));
    return make("ul", { class: "studies" }, [...Data.studies.entries()].map(([name, one]) =>
      make("li", {}, make("a", { href: `#/?study=${encodeURIComponent(name)}` }, name), `: ${Words.counted(one.id.length, "session")}. ${one.question}`, first(name, one))));
  }

  // Debates to begin with, by the study's first measure, and one by chance.
  function first(name, index) {
    const measure = index.measures[0], link = (i, title) => [" ", make("a", { href: `#/${encodeURIComponent(name)}/${encodeURIComponent(index.id[i])}` }, `${title} (${index.id[i]})`), ";"];
    const ranked = (measure?.values ?? []).map((value, i) => [value, i]).filter(([value]) => value !== null).sort(([a], [b]) => a - b);
    const spread = [...index.draws.values()].map((own) => own.filter((i) => measure?.values[i] !== null && measure?.values[i] !== undefined).sort((a, b) => measure.values[a] - measure.values[b])).filter((own) => own.length > 1);
    spread.sort((a, b) => measure.values[b.at(-1)] - measure.values[b[0]] - measure.values[a.at(-1)] + measure.values[a[0]]);
    const most = index.measures.filter((one) => one.most && one.values.some((value) => value > 0)), top = (one) => one.values.indexOf(one.values.reduce((best, value) => (value !== null && (best === null || value > best) ? value : best), null));
    const lost = index.status.indexOf(3);
    return make("p", { class: "about" }, "Start here: ", ranked.length > 0 && [`by ${measure.title},`, link(ranked[ranked.length >> 1][1], "the median"), link(ranked.at(-1)[1], "the highest"), link(ranked[0][1], "the lowest")],
      spread.length > 0 && [" ", make("a", { href: `#/${encodeURIComponent(name)}/${[spread[0][0], spread[0].at(-1)].map((i) => encodeURIComponent(index.id[i])).join("+")}` }, `the two of a draw that differ most (${index.draw[spread[0][0]]})`), ";"],
      most.map((one) => link(top(one), one.most)), lost >= 0 && link(lost, "one that was lost"), " ", make("button", { type: "button", on: { click: () => { location.hash = `#/${encodeURIComponent(name)}/${encodeURIComponent(index.id[Math.floor(Math.random() * index.id.length)])}`; } } }, "one by chance"));
  }

  function form(query, go) {
    const set = (name, text) => { const next = new URLSearchParams(query); next.delete("page"); if (name === "study") for (const key of [...next.keys()]) if (key !== "q") next.delete(key); if (text) next.set(name, text); else next.delete(name); go(next); };
    const select = (name, title, values) => make("label", {}, `${title} `, make("select", { name, on: { change: (event) => set(name, event.target.value) } },
      make("option", { value: "" }, "all"), values.map((one) => make("option", { value: one, selected: query.get(name) === one }, one || "–"))));
    const index = Data.studies.get(query.get("study"));
    const models = [...new Set((index ? [index] : [...Data.studies.values()]).flatMap((one) => one.casts.flatMap((cast) => cast.split(", "))))].sort();
    const range = (one, k) => ["from", "to"].map((end) => make("label", {}, end === "from" ? `${one.title} from ` : " to ", make("input", { type: "number", step: "any", name: `${end}${k}`, value: query.get(`${end}${k}`) ?? "", on: { change: (event) => set(`${end}${k}`, event.target.value) } })));
    return make("form", { "aria-label": "Filters", on: { submit: (event) => event.preventDefault() } },
      make("p", { class: "filters" }, select("study", "Study", [...Data.studies.keys()]), select("status", "How it ended", Words.STATUS), select("model", "Model", models),
        (index?.filters ?? []).map((one) => select(one.name, Words.words(one.name), one.values)),
        [...query.keys()].some((key) => key !== "study") && make("button", { type: "button", on: { click: () => go(new URLSearchParams(query.get("study") ? { study: query.get("study") } : {})) } }, "Clear")),
      index && index.measures.length > 0 && make("details", { open: [...query.keys()].some((key) => /^(from|to)\d/.test(key)) }, make("summary", {}, "Range of a measure"), make("p", { class: "filters" }, index.measures.map(range))));
  }

  function draw(place, rows, total, query, go, hits, before) {
    const first = PAGE * (Math.max(1, Number(query.get("page")) || 1) - 1), seen = rows.slice(first, first + PAGE), measures = columns(query), priced = rows.some(([name, i]) => Data.studies.get(name).cost[i]);
    const heads = [["debate", "Session"], ["condition", "Condition"], ["title", "What is debated"], ["ended", "How it ended"], ...(hits ? [["hits", "Hits"]] : []), ...measures.map((one, k) => [String(k), one.title]), ["cast", "Models"], ...(priced ? [["cost", "Cost"]] : [])];
    const head = ([column, title]) => {
      const now = query.get("sort") === column, sort = () => { const next = new URLSearchParams(query); next.delete("page"); next.set("sort", column); if (now && !query.get("down")) next.set("down", "1"); else next.delete("down"); go(next); };
      return make("th", { scope: "col", "aria-sort": now ? (query.get("down") ? "descending" : "ascending") : "none" }, make("button", { type: "button", id: `sort-${column}`, on: { click: sort } }, title, now && (query.get("down") ? " ↓" : " ↑")));
    };
    const tail = query.get("q") ? `?q=${encodeURIComponent(query.get("q"))}` : "";
    const cells = ([name, i]) => {
      const index = Data.studies.get(name), hit = hits?.get(`${name}/${i}`);
      return [make("a", { href: `#/${encodeURIComponent(name)}/${encodeURIComponent(index.id[i])}${tail}` }, query.get("study") ? index.id[i] : `${name} ${index.id[i]}`), arm(index, i),
        hit ? [marked(index.titles[index.title[i]], query.get("q")), hit.snippet && marked(hit.snippet, query.get("q"))] : index.titles[index.title[i]], index.status[i] === 3 ? `lost: ${index.failure[i]}` : Words.STATUS[index.status[i]],
        ...(hits ? [hit.n.toLocaleString("en")] : []), ...measures.map((one) => Words.number(one.values[i])), index.casts[index.cast[i]], ...(priced ? [Words.dollars(index.cost[i])] : [])];
    };
    const turn = (step, title) => make("button", { type: "button", id: `page-${title}`, on: { click: () => { const next = new URLSearchParams(query); next.set("page", first / PAGE + 1 + step); go(next); } } }, title);
    const said = `${rows.length.toLocaleString("en")} of ${total.toLocaleString("en")} sessions${rows.length > PAGE ? `; ${first + 1} to ${first + seen.length} are shown` : ""}.`;
    place.replaceChildren(make("p", { id: "count", role: "status" }, said), hits ? shares(hits, rows, before) : "",
      make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Sessions" }, make("table", { class: "list" }, make("thead", {}, make("tr", {}, heads.map(head))), make("tbody", {}, seen.map((row) => make("tr", {}, cells(row).map((cell) => make("td", {}, cell))))))),
      make("p", {}, first > 0 && turn(-1, "Previous"), " ", first + PAGE < rows.length && turn(1, "Next")));
  }

  // In how many sessions of each condition the word stands, and how often.
  function shares(hits, rows, before) {
    const found = new Map();
    for (const [name, i] of before) { const key = `${name}, ${arm(Data.studies.get(name), i)}`; if (!found.has(key)) found.set(key, [0, 0, 0]); found.get(key)[1] += 1; }
    for (const [name, i] of rows) { const own = found.get(`${name}, ${arm(Data.studies.get(name), i)}`); own[0] += 1; own[2] += hits.get(`${name}/${i}`).n; }
    const some = [...found].filter(([, [n]]) => n);
    return some.length ? table("Hits by condition", ["Condition", "Sessions", "Share of the condition", "Hits"], some.map(([key, [n, all, sum]]) => [key, n, `${((100 * n) / all).toFixed(0)}%`, sum]), [1, 2, 3]) : "";
  }

  return { show, chosen, arm };
})();
