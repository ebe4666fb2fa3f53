// The data: scripts beside the page that call one function with deflated JSON, loaded when needed.
const Data = (() => {
  const waiting = new Map(), kept = new Map(), studies = new Map();
  const COLUMNS = ["turn", "speaker", "role", "label", "model", "text", "repairs", "compliant"];
  const CALL = ["session", "turn", "speaker", "attempt", "role", "purpose", "provider", "model", "answered", "other", "sent", "received", "cost", "latency", "finish", "error", "faults", "said", "sha", "accepted", "broken", "text", "messages", "frame"];
  //: Chunks that are kept inflated; more would fill the memory.
  const MOST = 8;

  // What every data script calls.
  window.dissensus = (name, text) => { waiting.get(name)?.(text); };

  async function inflate(text) {
    const letters = atob(text), bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  async function load(file, name) {
    const packed = await new Promise((done, failed) => {
      const made = document.createElement("script");
      made.src = file;
      waiting.set(name, done);
      made.onerror = () => failed(new Error(`${file} is not there; make the reader again.`));
      made.onload = () => made.remove();
      document.head.append(made);
    });
    waiting.delete(name);
    return inflate(packed);
  }

  function cached(file, name) {
    if (!kept.has(name)) kept.set(name, load(file, name));
    const found = kept.get(name);
    kept.delete(name);
    kept.set(name, found);
    if (kept.size > MOST) kept.delete(kept.keys().next().value);
    return found;
  }

  async function start(names) {
    for (const name of names) {
      const index = await load(`${encodeURIComponent(name)}/index.js`, `${name}/index`);
      index.place = new Map(index.id.map((id, i) => [id, i]));
      index.draws = new Map();
      index.draw.forEach((draw, i) => {
        if (!index.draws.has(draw)) index.draws.set(draw, []);
        index.draws.get(draw).push(i);
      });
      studies.set(name, index);
    }
  }

  const part = (study, chunk, kind) =>
    cached(`${encodeURIComponent(study)}/${chunk}-${kind}.js`, `${study}/${chunk}/${kind}`);
  const named = (names, values) => Object.fromEntries(names.map((name, i) => [name, values[i]]));

  async function debate(study, i) {
    const index = studies.get(study), chunk = index.chunk[i], id = index.id[i];
    const [texts, calls] = await Promise.all(["texts", "calls"].map((kind) => part(study, chunk, kind)));
    const turns = texts[id].map((turn) => named(COLUMNS, turn));
    const own = calls.sessions[id], said = new Map(turns.map((one) => [`${one.turn}/${one.speaker}`, one.text]));
    const rows = own.calls.map((call) => {
      const one = named(CALL, call);
      if (one.text === null) one.text = said.get(`${one.turn}/${one.speaker}`);
      return one;
    });
    return { facts: [], claims: [], tables: [], sides: {}, ...own, study, index, i, id, turns, calls: rows, message: (number) => message(calls, number) };
  }

  function message(calls, number) {
    const [role, ...runs] = calls.messages[number], lines = [];
    for (let at = 0; at < runs.length; at += 2) {
      for (let n = runs[at]; n < runs[at] + runs[at + 1]; n += 1) lines.push(calls.lines[n]);
    }
    return { role, content: lines.join("\n") };
  }

  // Whether what is shown has the SHA-256 of the journal; null where the browser cannot tell.
  async function checked(call, messages) {
    if (!globalThis.crypto?.subtle) return null;
    const told = messages.map(({ role, content }) => `{"content": ${JSON.stringify(content)}, "role": ${JSON.stringify(role)}}`);
    const text = call.frame.replace('"messages": []', () => `"messages": [${told.join(", ")}]`);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("") === call.sha;
  }

  // Every session with its texts in one string, chunk by chunk, for a search.
  const folded = new Map();
  async function* texts(names) {
    for (const study of names) {
      const index = studies.get(study);
      for (let chunk = 0; chunk <= (index.chunk.at(-1) ?? -1); chunk += 1) {
        const name = `${study}/${chunk}`;
        if (!folded.has(name)) {
          const found = await load(`${encodeURIComponent(study)}/${chunk}-texts.js`, `${name}/texts`);
          folded.set(name, Object.entries(found).map(([id, turns]) => [index.place.get(id), turns.map((turn) => turn[5]).join("\n")]).map(([i, text]) => [i, text, Text.fold(text)]));
        }
        yield [study, folded.get(name)];
      }
    }
  }

  // In how many debates of each condition a piece of text stands, of those in the same file as one debate.
  async function shared(found, pieces) {
    const { study, index, i } = found, chunk = await part(study, index.chunk[i], "texts"), counts = new Map(), sizes = {};
    for (const [id, turns] of Object.entries(chunk)) {
      const arm = List.arm(index, index.place.get(id));
      if (!turns.length) continue;
      sizes[arm] = (sizes[arm] ?? 0) + 1;
      for (const piece of new Set(turns.flatMap((turn) => [...pieces(turn[5])]))) {
        if (!counts.has(piece)) counts.set(piece, {});
        counts.get(piece)[arm] = (counts.get(piece)[arm] ?? 0) + 1;
      }
    }
    return { counts, sizes };
  }

  return { start, studies, debate, checked, texts, shared };
})();
