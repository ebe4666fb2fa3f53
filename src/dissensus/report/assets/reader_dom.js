// Texts of models are data: they reach the page as text nodes only, and what has no shape is shown.
const Text = (() => {
  // What no reader sees, from dissensus/text/seen.py, and halves of pairs.
  const UNSEEN = /[%UNSEEN%]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;
  const shown = (text) => String(text ?? "").replace(/\r\n?/g, "\n").replace(UNSEEN, (one) => `[U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
  // Of the same length, so that places in it are places in the text.
  const fold = (text) => {
    const found = text.replace(/[\uff01-\uff5e]/g, (one) => String.fromCharCode(one.charCodeAt(0) - 0xfee0)).replace(/\u3000/g, " ");
    const low = found.toLowerCase();
    return low.length === text.length ? low : [...found].map((one) => (one.toLowerCase().length === one.length ? one.toLowerCase() : one)).join("");
  };
  // What HTML calls the language of a text that is mostly in another writing than the page: the one
  // that is written so most often. Of a text in Latin letters it is what its session is said to be in.
  const WRITINGS = [["Hiragana", "ja"], ["Katakana", "ja"], ["Hangul", "ko"], ["Han", "zh"], ["Arabic", "ar"], ["Hebrew", "he"], ["Cyrillic", "ru"], ["Greek", "el"], ["Devanagari", "hi"], ["Thai", "th"]].map(([name, tag]) => [new RegExp(`\\p{Script=${name}}`, "gu"), tag]);
  const number = (text, letters) => text.match(letters)?.length ?? 0;
  const tag = (text, spoken = null) => {
    const some = text.slice(0, 2000), latin = number(some, /\p{Script=Latin}/gu);
    if (!/[^\u0000-\u036f\u2000-\u2bff]/.test(some)) return spoken;
    // A Han character is a word, some five letters.
    const [most, found] = WRITINGS.map(([letters, one]) => [number(some, letters) * (one === "zh" ? 5 : one === "ja" ? 10 : 1), one]).sort(([a], [b]) => b - a)[0];
    return most > latin ? found : spoken;
  };
  return { shown, fold, tag };
})();

// An element; children are elements or texts.
function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else if (name in made && typeof value === "boolean") made[name] = value;
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  const said = children.length === 1 && typeof children[0] === "string" && !made.lang ? Text.tag(children[0]) : null;
  if (said) { made.lang = said; made.dir = "auto"; }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    made.append(child instanceof Node ? child : Text.shown(child));
  }
  return made;
}

// A text with each place of a word marked.
function marked(text, word) {
  const held = make("div", { class: "text" }), needle = Text.fold(Text.shown(word ?? "").trim());
  const whole = Text.shown(text), folded = Text.fold(whole), tag = Text.tag(whole, Debate.spoken());
  if (tag) { held.lang = tag; held.dir = "auto"; }
  let from = 0;
  if (needle) {
    for (let at = folded.indexOf(needle); at >= 0; at = folded.indexOf(needle, from)) {
      held.append(whole.slice(from, at), make("mark", {}, whole.slice(at, at + needle.length)));
      from = at + needle.length;
    }
  }
  held.append(whole.slice(from));
  return held;
}

function table(title, columns, rows, numeric = []) {
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": Text.shown(title) }, make("table", {},
    make("caption", {}, title),
    make("thead", {}, make("tr", {}, columns.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, rows.map((row) => make("tr", {}, row.map((cell, i) => make("td", numeric.includes(i) ? { class: "r" } : {}, cell)))))));
}

const Words = (() => {
  const STATUS = ["complete", "repaired", "run again", "lost"];
  const number = (value, digits = 3) => (value === null || value === undefined ? "–" : Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(digits)).replace("-", "−");
  const dollars = (value) => (value === null || value === undefined ? "no price" : `$${value.toFixed(value < 0.01 ? 5 : 3)}`);
  const counted = (n, name) => `${n.toLocaleString("en")} ${name}${n === 1 ? "" : "s"}`;
  const words = (name) => name.replace(/_/g, " ");
  const list = (value) => (Array.isArray(value) ? value.map(list).join("; ") : value === null || value === "" ? "–" : String(value));
  return { STATUS, number, dollars, counted, words, list };
})();
