// Addresses: #/ and #/?study=..&q=.. the list; #/study/session/turn?q=.. a debate; #/study/a+b a pair.
const Reader = (() => {
  let drawn = "";

  function route() {
    const [way, tail = ""] = location.hash.replace(/^#\/?/, "").split("?");
    const parts = way.split("/").filter(Boolean).map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
    return { parts, query: new URLSearchParams(tail) };
  }

  // What has the focus, to have it again when the list is drawn anew.
  function kept(main) {
    const { id, name } = main.contains(document.activeElement) ? document.activeElement : {};
    return id ? `#${CSS.escape(id)}` : name ? `[name="${CSS.escape(name)}"]` : "";
  }

  // The search of all sessions keeps the filters of the list.
  function searched(event) {
    event.preventDefault();
    const { parts, query } = route(), next = parts.length < 2 ? query : new URLSearchParams(), word = event.target.elements.q.value;
    next.delete("page");
    if (word) next.set("q", word); else next.delete("q");
    const to = `#/${[...next].length ? `?${next}` : ""}`;
    if (location.hash === to || (!location.hash && to === "#/")) return;
    location.hash = to;
  }

  async function show(moved) {
    const { parts, query } = route(), main = document.getElementById("main"), debate = `${parts.slice(0, 2).join("/")}?${query}`;
    const said = document.getElementById("said");
    try {
      if (parts.length < 2) {
        if (parts.length === 1 && !query.get("study")) query.set("study", parts[0]);
        drawn = "";
        Debate.leave();
        const held = kept(main);
        document.getElementById("search").elements.q.value = query.get("q") ?? "";
        await List.show(main, query, (next) => { history.replaceState(null, "", `#/${[...next].length ? `?${next}` : ""}`); show(false); });
        if (held) (main.querySelector(held) ?? main).focus({ preventScroll: true });
      } else if (drawn !== debate || !parts[2] || !document.getElementById(parts[2])) {
        await Debate.show(main, parts[0], parts[1].split("+"), query, parts[2]);
        drawn = debate;
        if (!parts[2]) scrollTo(0, 0);
      } else {
        const target = document.getElementById(parts[2]);
        for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
        target.scrollIntoView({ block: "start" });
        target.focus({ preventScroll: true });
      }
    } catch (error) {
      main.replaceChildren(make("h1", {}, "This cannot be shown"), make("p", { role: "alert" }, error.message), make("p", {}, make("a", { href: "#/" }, "All sessions")));
    }
    document.title = Text.shown(`${main.querySelector("h1")?.innerText ?? "Debates"} – dissensus`);
    if (moved) { said.textContent = main.querySelector("h1")?.innerText ?? ""; if (!parts[2]) main.focus({ preventScroll: true }); }
  }

  async function start(run, told) {
    try {
      await Data.start(told);
    } catch (error) {
      document.getElementById("main").replaceChildren(make("h1", {}, "Debates"), make("p", { role: "alert" }, `${error.message} snakemake results/${run}/reader/index.html makes it.`));
      return;
    }
    addEventListener("hashchange", () => show(true));
    document.getElementById("search").addEventListener("submit", searched);
    await show(false);
  }

  return { start };
})();
