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
    // Piece by piece by hand: a Response takes twice the time.
    const stream = new DecompressionStream("deflate"), writer = stream.writable.getWriter(), pieces = stream.readable.getReader(), letter = new TextDecoder();
    writer.write(bytes).catch(() => {});
    writer.close().catch(() => {});
    let whole = "";
    for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) whole += letter.decode(piece.value, { stream: true });
    return JSON.parse(whole + letter.decode());
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

  // Study -> what came of its sessions: findings and figures.
  async function start(told) {
    for (const [name, estimated] of Object.entries(told)) {
      const index = await load(`${encodeURIComponent(name)}/index.js`, `${name}/index`);
      Object.assign(index, estimated);
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
    return { facts: [], claims: [], tables: [], sides: {}, answers: [], ...own, study, index, i, id, turns, calls: rows, message: (number) => message(calls, number) };
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

  // Every session with its texts in one string, chunk by chunk, for a search; the next ones load meanwhile.
  const folded = new Map(), AHEAD = 8;
  async function foldedTexts(study, chunk) {
    const { place } = studies.get(study), sessions = await load(`${encodeURIComponent(study)}/${chunk}-texts.js`, `${study}/${chunk}/texts`);
    return Object.entries(sessions).map(([id, turns]) => { const text = turns.map((turn) => turn[5]).join("\n"); return [place.get(id), text, Text.fold(text)]; });
  }

  async function* texts(names) {
    const chunks = [...names].flatMap((study) => Array.from({ length: (studies.get(study).chunk.at(-1) ?? -1) + 1 }, (_, chunk) => [study, chunk]));
    const begin = ([study, chunk]) => { const name = `${study}/${chunk}`; if (!folded.has(name)) folded.set(name, foldedTexts(study, chunk)); return folded.get(name); };
    for (let at = 0; at < chunks.length; at += 1) {
      chunks.slice(at, at + AHEAD).forEach(begin);
      try { yield [chunks[at][0], await begin(chunks[at])]; } catch (error) { folded.delete(chunks[at].join("/")); throw error; }
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
