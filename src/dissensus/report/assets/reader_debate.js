// One debate, or several of a draw side by side: what was said, sent, sent back, tried and found.
const Debate = (() => {
  const path = (study, id, turn) => `#/${encodeURIComponent(study)}/${encodeURIComponent(id)}${turn ? `/${turn}` : ""}`;
  const anchor = (one) => `t${one.turn}-${one.speaker}`;
  const heading = (one) => `Turn ${one.turn}: ${one.speaker}, ${one.role}${one.label ? `, ${one.label}` : ""}`;
  const others = (index, i) => index.draws.get(index.draw[i]).filter((k) => k !== i);
  const titled = (index, i) => index.titles[index.title[i]];

  // The language of the session that is shown, where its draw has one and it is written in Latin letters.
  let language = null;
  const spoken = () => language;
  const leave = () => { language = null; };
  const NOT_LATIN = new Set(["zh", "ja", "ko", "ar", "he", "ru", "el", "hi", "th"]);
  const languageOf = ({ row }) => (/^[a-z]{2,3}$/.test(row.language ?? "") && row.language !== "en" && !NOT_LATIN.has(row.language) ? row.language : null);

  async function show(main, study, ids, query, turn) {
    const index = Data.studies.get(study);
    if (!index) return missing(main, `There is no study ${study} in this run.`);
    const drawn = ids.length === 1 && !index.place.has(ids[0]) ? index.draws.get(ids[0]) : null;
    const places = drawn ? drawn.slice(0, 2) : ids.map((id) => index.place.get(id));
    if (places.includes(undefined)) return missing(main, `The ${study} study has no debate ${ids.join(" and ")}.`);
    const found = await Promise.all(places.map((i) => Data.debate(study, i)));
    language = found.length > 1 ? null : languageOf(found[0]);
    main.replaceChildren(...(found.length > 1 ? pair(found) : single(found[0], query)));
    if (turn) reveal(turn);
  }

  function missing(main, sentence) {
    main.replaceChildren(make("h1", {}, "Not here"), make("p", {}, sentence, " ", make("a", { href: "#/" }, "All sessions")));
  }

  function reveal(turn) {
    const target = document.getElementById(turn) ?? [...document.querySelectorAll("article")].find((one) => one.id.startsWith(`${turn}-`));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView({ block: "start" });
    target.focus({ preventScroll: true });
  }

  function single(found, query) {
    const { index, i, study } = found, word = query.get("q") ?? "";
    return [
      make("h1", {}, make("span", { class: "known" }, `${study} ${found.id}`), make("span", { class: "instead" }, `A debate of the ${study} study`)), make("div", { class: "question" }, word ? marked(titled(index, i), word) : titled(index, i)), options(found),
      outcome(found), links(found), search(found, word), tools(found), below(found),
      ...attempts(found, word), measures(found), about(found), graph(found), claims(found), ...found.tables.filter((one) => one.rows.length).map((one) => fold(one.title, table(one.title, one.columns, one.rows), true, true)), cite(found),
    ].filter(Boolean);
  }

  // What may be answered, in its order.
  function options(found) {
    return found.answers.length > 0 && make("ol", { class: "options" }, found.answers.map((one) => make("li", {}, Text.shown(one))));
  }

  function graph(found) {
    const picture = Graph.show(found, (turn) => path(found.study, found.id, anchor(turn)));
    return picture ? fold("Who answers whom", picture) : "";
  }

  // How it ended; of a lost one why, and what that means for the estimates.
  function outcome({ index, i, calls }) {
    const failure = index.failure[i], repairs = calls.filter((call) => call.attempt > 1).length;
    if (!failure) return make("p", { class: "outcome known" }, `Condition: ${List.arm(index, i)}. How it ended: ${Words.STATUS[index.status[i]]}. ${calls.length ? `${Words.counted(calls.length, "call")}, ${Words.counted(repairs, "repair")}, ${index.tokens[i].toLocaleString("en")} tokens, ${Words.dollars(index.cost[i])}.` : "No call was made here; what was sent and what it cost is not known."}`);
    const last = calls.at(-1), words = last ? tries(last).map(([, said]) => said).filter(Boolean) : [];
    return make("div", { class: "lost" }, make("p", {}, make("strong", {}, `Lost for good: ${failure}.`), ` Condition: ${List.arm(index, i)}. ${Words.counted(calls.length, "call")}, ${Words.counted(new Set(calls.map((call) => call.session)).size, "attempt")} at the session. The tries stand below, with what each was asked.`),
      words.length > 0 && make("p", {}, `The provider's words of the last: “${words.at(-1)}”`),
      make("p", {}, "No estimate and no figure counts it: a comparison within draws leaves out its draw, with its other conditions. What the study found without it:"),
      make("ul", {}, index.findings.map((one) => make("li", {}, one))));
  }

  // Beyond as many other sessions of a draw, their list is folded: the debate would begin a screen later.
  const MANY = 6;
  // On a telephone, what few readers need stands folded.
  const tools = (found) => make("details", { open: matchMedia("(min-width: 40.01rem)").matches, class: "tools" }, make("summary", {}, "Marks and copies"), Files.form(found), found.turns.length > 0 && Marks.form(found));

  // What measures and judges found stands below the debate, which may be long.
  function below(found) {
    const titles = found.tables.filter((one) => one.rows.length).map((one) => one.title);
    const go = (title) => { const part = [...document.querySelectorAll("main details.part")].find((one) => one.querySelector("summary").textContent === title); part.open = true; part.scrollIntoView({ block: "start" }); part.querySelector("summary").focus({ preventScroll: true }); };
    return titles.length > 0 && make("p", { class: "known tools" }, "Below the debate: ", titles.map((title) => [make("button", { type: "button", on: { click: () => go(title) } }, title), " "]));
  }

  function links(found) {
    const { study, index, i, id } = found, same = others(index, i), figures = index.failure[i] ? [] : index.figures.filter((one) => one.targets.includes(id) || one.targets.includes(index.draw[i]));
    const step = (k, title) => (k >= 0 && k < index.id.length ? make("a", { href: path(study, index.id[k]), rel: title === "Next" ? "next" : "prev" }, `${title}: ${index.id[k]}`) : null);
    const drawn = same.map((k) => [make("a", { href: path(study, index.id[k]) }, `${List.arm(index, k)} (${index.id[k]})`), " ", make("a", { href: path(study, [id, index.id[k]].join("+")), "aria-label": Text.shown(`Side by side with ${index.id[k]}`) }, "side by side"), " "]);
    return make("nav", { "aria-label": "Other debates", class: "links known" },
      same.length > MANY ? make("details", {}, make("summary", {}, `Draw ${index.draw[i]}: ${Words.counted(same.length, "other session")}`), make("p", {}, drawn)) : same.length > 0 && make("p", {}, `Draw ${index.draw[i]}: `, drawn),
      figures.length > 0 && make("p", {}, "Where it lies in the figures: ", figures.map((one) => [make("a", { href: `../${encodeURIComponent(study)}/index.html#${encodeURIComponent(`${study}-${one.name}`)}` }, one.title), " "])),
      make("p", {}, step(i - 1, "Previous"), " ", step(i + 1, "Next"), " ", make("a", { href: `#/?study=${encodeURIComponent(study)}` }, `All of ${study}`)));
  }

  function search(found, word) {
    const jump = (step) => { const all = [...document.querySelectorAll("main mark")]; if (!all.length) return; const now = all.findIndex((one) => one.classList.contains("now")), next = all[(now + step + all.length) % all.length]; all[now]?.classList.remove("now"); next.classList.add("now"); for (let at = next; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true; next.scrollIntoView({ block: "center" }); };
    return make("form", { role: "search", class: "find", on: { submit: (event) => { event.preventDefault(); const text = event.target.elements.q.value; location.hash = path(found.study, found.id) + (text ? `?q=${encodeURIComponent(text)}` : ""); } } },
      make("label", {}, "Find in this debate ", make("input", { type: "search", name: "q", value: word })), " ", make("button", { type: "submit" }, "Find"),
      word && [" ", make("button", { type: "button", on: { click: () => jump(-1) } }, "Previous hit"), " ", make("button", { type: "button", on: { click: () => jump(1) } }, "Next hit")],
      " ", make("button", { type: "button", on: { click: () => document.querySelectorAll("main details").forEach((one) => { one.open = true; }) } }, "Open all"), " ", Blind.button());
  }

  const fold = (title, content, open = false, known = false) => make("details", { open, class: known ? "part known" : "part" }, make("summary", {}, title), content);

  function about(found) {
    const facts = [...found.facts, ...Object.entries(found.row), ...Object.entries(found.item)].filter(([, value]) => value !== "" && value !== null);
    return fold("About this debate", make("dl", {}, facts.map(([name, value]) => [make("dt", {}, Words.words(name)), make("dd", {}, Words.list(value))])), false, true);
  }

  // Where the debate lies among those of its condition.
  function measures({ index, i }) {
    const same = index.filters[0]?.codes, rows = index.measures.filter((one) => one.values[i] !== null).map((one) => {
      const own = one.values[i], all = one.values.filter((value, k) => value !== null && (!same || same[k] === same[i]));
      const first = 1 + all.filter((value) => value < own).length, tied = all.filter((value) => value === own).length;
      return [one.title, Words.number(own), tied > 1 ? `${first} to ${first + tied - 1} of ${all.length}, ${tied} tied` : `${first} of ${all.length}`];
    });
    return rows.length ? fold("Measures", table("Measures", ["Measure", "Value", `Place among ${List.arm(index, i)}, from the lowest`], rows, [1, 2]), true, true) : "";
  }

  function attempts(found, word) {
    const sessions = [...new Set(found.calls.map((call) => call.session))];
    const heading = sessions.length > 1 ? [make("h2", {}, "Attempts that failed")] : [];
    return heading.concat(sessions.flatMap((session, k) => {
      const stands = k === sessions.length - 1, own = found.calls.filter((call) => call.session === session);
      const turns = grouped(own).map((calls) => [calls[0].turn, turnOf(found, calls, stands, word)]);
      if (stands) return [make("h2", {}, found.turns.length ? "The debate" : `Attempt ${session}, the last`), ...(own.length ? [] : [make("p", {}, "No call was made.")]), ...debate(found, inOrder([...taken(found, own, word), ...turns]))];
      const last = own.at(-1);
      return [fold(`Attempt ${session} at the session, which failed at turn ${last.turn} (${last.error || last.broken.join("; ") || "a rule of the protocol"}): ${Words.counted(own.length, "call")}`, make("div", {}, inOrder(turns)))];
    }));
  }

  // The speeches with a list of them; what is no speech is folded where it stands.
  function debate(found, nodes) {
    const aside = new Set(found.index.aside), role = (node) => node.dataset.role, runs = [];
    if (!nodes.some((node) => aside.has(role(node)))) return nodes;
    for (const node of nodes) {
      if (!aside.has(role(node))) runs.push(node);
      else if (Array.isArray(runs.at(-1))) runs.at(-1).push(node);
      else runs.push([node]);
    }
    const speeches = nodes.filter((node) => !aside.has(role(node)));
    const contents = make("nav", { "aria-label": "Speeches", class: "speeches" }, make("ol", {}, speeches.map((node) => make("li", {}, make("a", { href: path(found.study, found.id, node.id) }, node.dataset.title)))));
    return [contents, ...runs.map((run) => (Array.isArray(run) ? fold(`${[...new Set(run.map(role))].join(", ")}: ${Words.counted(run.length, "turn")}`, make("div", {}, run)) : run))];
  }

  const inOrder = (turns) => turns.sort(([one], [other]) => one - other).map(([, turn]) => turn);

  // The turns that another session took, or a fork replaced: none was asked for here.
  function taken(found, calls, word) {
    const asked = new Set(calls.map((call) => `${call.turn}/${call.speaker}`));
    return found.turns.filter((one) => !asked.has(`${one.turn}/${one.speaker}`)).map((one) => [one.turn, make("article", { id: anchor(one), tabindex: "-1", "data-role": one.role, "data-title": heading(one) },
      make("h3", {}, make("a", { href: path(found.study, found.id, anchor(one)), class: "self" }, heading(one))),
      make("p", { class: "about known" }, `${one.model}; not asked in this session`), body(one.text, word, true))]);
  }

  function grouped(calls) {
    const found = new Map();
    for (const call of calls) { const key = `${call.turn}/${call.speaker}`; if (!found.has(key)) found.set(key, []); found.get(key).push(call); }
    return [...found.values()];
  }

  function turnOf(found, calls, stands, word) {
    const last = calls.at(-1), said = stands && found.turns.find((one) => one.turn === last.turn && one.speaker === last.speaker), one = said || { ...last, label: "" };
    const sent = calls.slice(0, -1), text = said ? said.text : last.text, side = found.sides[one.speaker];
    return make("article", { id: stands ? anchor(one) : null, tabindex: "-1", "data-role": one.role, "data-title": heading(one), class: side ? `side${[...new Set(Object.values(found.sides))].indexOf(side)}` : null },
      make("h3", {}, stands ? make("a", { href: path(found.study, found.id, anchor(one)), class: "self" }, heading(one)) : heading(one), side && make("span", { class: "badge" }, side)),
      make("p", { class: "about known" }, `${last.model}${last.other ? `, answered by ${last.answered}` : ""}; ${Words.counted(last.received, "token")}; ${last.cost === null ? "" : `${Words.dollars(last.cost)}; `}${last.latency.toFixed(1)} s`, said && !said.compliant && make("strong", {}, "; stands, though it breaks a rule")),
      sent.map((call, k) => rejected(call, calls[k + 1])), last.error ? make("p", { class: "failed" }, `No reply: ${last.error}.`) : body(text, word, Boolean(said)), !said?.compliant && broken(last), faults(last),
      claimed(found, one), asked(found, calls));
  }

  // A reply that ends with JSON is shown as its words and what the JSON says; as it was written, it is folded.
  function body(text, word, said = false) {
    const shown = marked(text || "(no text)", word), [words, json] = split(text);
    if (said) shown.classList.add("said");
    if (json === null) return shown;
    return [words && make("div", { class: "text", lang: Text.tag(words, language), dir: "auto" }, Text.shown(words)), stated(json), make("details", { open: Boolean(word) }, make("summary", {}, "As it was written"), shown)];
  }

  // The words before a JSON object or list at a text's end, and that; null where there is none.
  function split(text) {
    const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1;
    if (!end || !/^\s*(```)?\s*$/.test(text.slice(end))) return [text, null];
    for (const match of [...text.matchAll(/(^|\n)\s*(```\w*\s*)?(?=[[{])/g)].slice(0, 20)) {
      try { return [text.slice(0, match.index).trim(), JSON.parse(text.slice(match.index + match[0].length, end))]; } catch { /* Another may begin it. */ }
    }
    return [text, null];
  }

  function stated(json) {
    const plain = (value) => (value !== null && typeof value === "object" ? Object.entries(value).map(([name, inner]) => (Array.isArray(value) ? plain(inner) : `${Words.words(name)}: ${plain(inner)}`)).join("; ") : String(value));
    // A claim, or what else has a text: its name, its text, and the rest in brackets.
    const item = (one) => {
      if (typeof one?.text !== "string") return plain(one);
      const { id, text, ...rest } = one, more = Object.entries(rest).filter(([, inner]) => inner !== null && String(inner) !== "");
      return `${id ? `${id}: ` : ""}${text}${more.length ? ` (${plain(Object.fromEntries(more))})` : ""}`;
    };
    const value = (one) => (Array.isArray(one) && one.some((inner) => inner !== null && typeof inner === "object") ? make("ul", {}, one.map((inner) => make("li", {}, Text.shown(item(inner))))) : Text.shown(plain(one)));
    const entries = Array.isArray(json) ? [["", json]] : Object.entries(json);
    return make("dl", { class: "stated" }, entries.filter(([, one]) => one !== null && String(one) !== "").map(([name, one]) => [make("dt", {}, Text.shown(Words.words(name))), make("dd", {}, value(one))]));
  }

  const broken = (call) => (call.broken.length ? make("ul", { class: "broken" }, call.broken.map((rule) => make("li", {}, `Breaks a rule: ${rule}`))) : null);
  // Tries that failed, each with the provider's own words.
  function tries(call) {
    return [...call.faults, ...(call.error ? [call.error] : [])].map((fault, k) => [fault, call.said[k] ?? ""]);
  }
  const faults = (call) => (tries(call).length ? make("ul", { class: "broken" }, tries(call).map(([fault, said], k) => make("li", {}, `Try ${k + 1} failed: ${fault}${said ? `, “${said}”` : ""}`))) : null);

  function rejected(call, next) {
    return make("details", { class: "rejected" }, make("summary", {}, `Attempt ${call.attempt} was sent back: ${call.broken.join("; ") || call.error || "not accepted"}`), faults(call), marked(call.text || "(no text)"),
      call.text && next?.text && make("details", {}, make("summary", {}, "What the next attempt changed"), Diff.show(call.text, next.text)));
  }

  // What each call was sent; made when it is opened.
  function asked(found, calls) {
    const held = make("details", { class: "asked known" }, make("summary", {}, `What was sent: ${calls.length > 1 ? Words.counted(calls.length, "call") + ", " : ""}${calls.map((call) => (call.messages ? Words.counted(call.messages.length, "message") : "not known")).join("; ")}`));
    held.addEventListener("toggle", () => { if (held.childElementCount === 1) held.append(...calls.map((call) => request(found, call))); });
    return held;
  }

  function request(found, call) {
    if (!call.messages) return make("p", {}, `Attempt ${call.attempt}: what was sent cannot be rebuilt, since settings, prompts or code have changed since. Its digest: ${call.sha}.`);
    const messages = call.messages.map(found.message), told = make("p", { class: "digest" }, `Request ${call.sha}.`);
    Data.checked(call, messages).then((same) => { if (same !== null) told.append(same ? " Checked: what is shown has this SHA-256, which is the journal's." : " What is shown does not have this SHA-256: do not trust it."); });
    const frame = JSON.parse(call.frame);
    return make("div", {}, make("h4", {}, `Attempt ${call.attempt} (${call.purpose}, ${call.provider}): ${call.sent.toLocaleString("en")} tokens sent`), told,
      make("p", { class: "about" }, `Temperature ${frame.temperature}, at most ${frame.max_tokens} tokens, seed ${frame.seed}${frame.top_p === undefined ? "" : `, top-p ${frame.top_p}`}; finished: ${call.finish || "–"}.`),
      messages.map((one) => make("div", { class: "message" }, make("p", { class: "role" }, one.role), marked(one.content))));
  }

  // What a turn claims and whom it answers.
  function claimed(found, turn) {
    const own = found.claims.filter((one) => one.speaker === turn.speaker && one.place === turn.label), given = found.claims.filter((one) => one.answers.some(([speaker, place]) => speaker === turn.speaker && place === turn.label));
    if (!own.length && !given.length || /^\s*[[{]/.test(turn.text) && turn.role === "offer") return null;
    const link = (one) => [make("a", { href: path(found.study, found.id, `claim-${one.name}`) }, one.name), one.fate ? ` (${one.fate}) ` : " "];
    return make("p", { class: "about" }, own.length > 0 && ["Claims: ", own.map(link)], given.length > 0 && ["Answers: ", given.map(link)]);
  }

  function claims(found) {
    if (!found.claims.length) return "";
    const at = (speaker, place) => found.turns.find((one) => one.speaker === speaker && one.label === place);
    const where = (speaker, place) => { const turn = at(speaker, place); return turn ? make("a", { href: path(found.study, found.id, anchor(turn)) }, `${speaker}, ${place}`) : [speaker, place].filter(Boolean).join(", "); };
    const counts = new Map();
    for (const one of found.claims) counts.set(one.fate || "answered", (counts.get(one.fate || "answered") ?? 0) + 1);
    const list = make("ol", { class: "claims" }, found.claims.map((one) => make("li", { id: `claim-${one.name}`, tabindex: "-1", "data-fate": Text.shown(one.fate || "answered") },
      make("p", {}, make("strong", {}, one.name), " ", where(one.speaker, one.place), one.fate && make("span", { class: "badge" }, one.fate)), make("p", {}, one.text),
      one.answers.length ? make("ul", {}, one.answers.map(([speaker, place, how, said]) => make("li", {}, where(speaker, place), `: ${how}${said ? `. “${said}”` : ""}`))) : make("p", { class: "about" }, "Nobody answers it."))));
    const choose = (event) => { for (const one of list.children) one.hidden = Boolean(event.target.value) && one.dataset.fate !== event.target.value; };
    return fold(`Claims, their answers and their fate (${found.claims.length})`, make("div", {}, make("p", {}, make("label", {}, "Fate ", make("select", { on: { change: choose } }, make("option", { value: "" }, "all"), [...counts].map(([fate, n]) => make("option", { value: Text.shown(fate) }, `${fate} (${n})`))))), list));
  }

  function cite({ study, index, i, id, row }) {
    const line = `dissensus, run ${index.run}, ${study} ${id}, commit ${index.commits[index.commit[i]].slice(0, 12)}, settings ${index.settings[i]}, seed ${row.seed}`;
    return make("footer", { class: "known" }, make("p", { class: "about" }, `Cite as: ${line}.`), make("p", { class: "about" }, "In a terminal: ", make("code", {}, `dissensus read ${id} --run ${index.run} --study ${study} --prompts`)));
  }

  // Turns of the same number and speaker beside each other.
  function pair(found) {
    const [{ index, study, i }] = found, keys = new Map();
    for (const one of found) for (const turn of one.turns) keys.set(`${turn.turn}/${turn.speaker}`, turn);
    const ordered = [...keys.entries()].sort(([, a], [, b]) => a.turn - b.turn), chosen = found.map((one) => one.id);
    const more = index.draws.get(index.draw[i]).filter((k) => !chosen.includes(index.id[k]));
    const cell = (one, key) => { language = languageOf(one); const turn = one.turns.find((own) => `${own.turn}/${own.speaker}` === key); return turn ? [make("p", { class: "about" }, make("a", { href: path(study, one.id, anchor(turn)) }, turn.model), turn.repairs > 0 && `, ${Words.counted(turn.repairs, "repair")}`, !turn.compliant && ", breaks a rule"), body(turn.text, "")] : make("p", { class: "about" }, index.failure[one.i] ? `Lost: ${index.failure[one.i]}` : "No such turn."); };
    const value = (one, measure) => Words.number(measure.values[one.i]);
    return [make("h1", {}, `${study} ${index.draw[i]}: ${found.map((one) => List.arm(index, one.i)).join(" beside ")}`),
      make("p", {}, found.length > 1 && more.length > 0 && ["Instead of the second: ", more.map((k) => [make("a", { href: path(study, `${chosen[0]}+${index.id[k]}`) }, `${List.arm(index, k)} (${index.id[k]})`), " "])]),
      index.measures.length > 0 && table("Measures", ["Measure", ...chosen], index.measures.map((measure) => [measure.title, ...found.map((one) => value(one, measure))]), found.map((_, k) => k + 1)),
      make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Turns side by side" }, make("table", { class: "pair" },
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Turn"), found.map((one) => make("th", { scope: "col" }, make("a", { href: path(study, one.id) }, one.id), ` ${List.arm(index, one.i)}`, make("p", {}, titled(index, one.i)))))),
        make("tbody", {}, ordered.map(([key, turn]) => make("tr", {}, make("th", { scope: "row" }, `${turn.turn} ${turn.speaker}`, make("p", { class: "about" }, turn.role)), found.map((one) => make("td", {}, cell(one, key)))))),
      )), found.some((one) => index.failure[one.i]) && make("p", {}, "A lost debate has no turns; open it to read what was said until then.")].filter(Boolean);
  }

  return { show, spoken, leave };
})();
