
// The map and the four charts, drawn by Plotly from plain values. They know nothing of the page.
"use strict";
const Charts = (() => {
  const INK = "#222222", GREY = "#767676", FAINT = "#e4e4e4";
  // Each with a contrast of 4.5 or more to white, so that white numbers can stand on it.
  const PALETTE = ["#1f5a96", "#a8480f", "#2a7548", "#8e3b8a", "#746000", "#b0305c",
    "#00707d", "#6b4c9a", "#7d4a2f", "#467000", "#c2271e", "#4a5f78"];
  const SIDES = ["#0b3c6f", "#bd6500"];
  const HATCH = { shape: "/", fillmode: "overlay", solidity: 0.2, size: 6, fgcolor: "#ffffff", fgopacity: 0.9 };
  const SYMBOLS = ["circle", "diamond"];
  const FAMILY = 'system-ui, "Liberation Sans", "Noto Sans CJK SC", sans-serif';
  const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", $: "&#36;" };

  // Plotly takes its texts for HTML, and what stands between dollars for TeX.
  const plain = (text) => text.replace(/[&<>$]/g, (mark) => ENTITIES[mark]);

  function cut(text, most) {
    const letters = Array.from(text);
    if (letters.length <= most) return plain(text);
    const kept = letters.slice(0, most - 1).join("").trimEnd();
    // Whole words, where that is more than half of it.
    const words = letters[most - 1] === " " ? kept : kept.replace(/\s+\S*$/, "");
    return plain(`${words.length > most / 2 ? words : kept}…`);
  }

  const narrow = (width) => width < 420;

  function show(element, traces, layout, buttons, on) {
    const whole = {
      font: { family: FAMILY, size: 12, color: INK }, showlegend: false, hovermode: "closest",
      paper_bgcolor: "#ffffff", plot_bgcolor: "#ffffff", dragmode: false, ...layout,
    };
    const config = {
      displaylogo: false, modeBarButtons: [buttons], displayModeBar: "hover",
      toImageButtonOptions: { format: "svg", filename: element.id },
    };
    if (element.drawn) {
      Plotly.react(element, traces, whole, config);
      return;
    }
    element.drawn = true;
    Plotly.newPlot(element, traces, whole, config);
    for (const [event, act] of Object.entries(on)) element.on(`plotly_${event}`, act);
  }

  // Points of one place, set round it like the seeds of a sunflower; in pixels.
  function seeds(points) {
    const taken = new Map();
    return points.map((point) => {
      const place = `${point.x} ${point.y}`, nth = taken.get(place) ?? 0;
      taken.set(place, nth + 1);
      const radius = 4 * Math.sqrt(nth), angle = nth * 2.39996;
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    });
  }

  // Moves badges apart until none covers another, or for so many rounds.
  function apart(badges, gap) {
    for (let round = 0; round < 60; round += 1) {
      let moved = false;
      badges.forEach((one, i) => badges.slice(i + 1).forEach((other) => {
        const dx = other.px - one.px, dy = other.py - one.py;
        if (Math.abs(dx) >= gap || Math.abs(dy) >= gap) return;
        const step = (gap - Math.abs(dy)) / 2 + 0.5, up = dy < 0 ? 1 : -1;
        one.py += up * step;
        other.py -= up * step;
        moved = true;
      }));
      if (!moved) return;
    }
  }

  function scale(values, pixels) {
    const low = Math.min(...values), high = Math.max(...values), room = high - low || 1;
    // Room for seeds and badges at the edges.
    const unit = room / Math.max(pixels - 60, 1);
    return { range: [low - 30 * unit, high + 30 * unit], unit };
  }

  /* points: {x, y, side, colour, faded, id}; badges: {x, y, text, colour, faded}. */
  function map(element, width, points, badges, pick, hover) {
    const height = element.clientHeight, margin = { l: 4, r: 4, t: 30, b: 4 };
    const x = scale(points.map((p) => p.x), width - 8), y = scale(points.map((p) => p.y), height - 34);
    const moved = seeds(points);
    const size = points.length > 1500 ? 6 : 8;
    const traces = SYMBOLS.map((symbol, side) => {
      const own = points.map((_, i) => i).filter((i) => points[i].side === side);
      return {
        type: "scatter", mode: "markers", hoverinfo: "none", cliponaxis: false,
        x: own.map((i) => points[i].x + moved[i][0] * x.unit),
        y: own.map((i) => points[i].y + moved[i][1] * y.unit),
        customdata: own.map((i) => points[i].id),
        marker: {
          symbol, size: side ? size + 1 : size, color: own.map((i) => points[i].colour),
          opacity: own.map((i) => (points[i].faded ? 0.12 : 0.85)),
          line: { width: 0.7, color: "#ffffff" },
        },
      };
    });
    const placed = badges.map((b) => ({ ...b, px: b.x / x.unit, py: b.y / y.unit }));
    apart(placed, 20);
    const axis = { showgrid: false, zeroline: false, showticklabels: false, ticks: "" };
    show(element, traces, {
      width, height, margin, dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
      xaxis: { ...axis, range: x.range }, yaxis: { ...axis, range: y.range },
      annotations: placed.map((b) => ({
        x: b.x, y: b.y, yshift: b.py - b.y / y.unit, xshift: b.px - b.x / x.unit, text: b.text,
        showarrow: false, font: { color: "#ffffff", size: 11 }, bgcolor: b.colour,
        bordercolor: "#ffffff", borderwidth: 1, borderpad: 2, opacity: b.faded ? 0.3 : 1,
        captureevents: true, name: String(b.id),
      })),
    }, ["zoomIn2d", "zoomOut2d", "pan2d", "resetScale2d", "toImage"], {
      click: (event) => pick(event.points[0].customdata),
      clickannotation: (event) => pick(null, Number(event.annotation.name)),
      hover: (event) => hover(event.points[0].customdata, event.event),
      unhover: () => hover(null),
    });
  }

  // A chart with a row for each cluster. rows: {number, name, id, ...}.
  function rowChart(element, width, rows, traces, layout, right, pick) {
    const small = narrow(width);
    const left = small ? 124 : 196;
    show(element, traces, {
      width, height: rows.length * 23 + (layout.bottom ?? 44) + 26,
      margin: { l: left, r: right.length ? 62 : 14, t: 26, b: layout.bottom ?? 44 },
      xaxis: {
        fixedrange: true, gridcolor: FAINT, zeroline: false, linecolor: GREY, ticks: "outside",
        tickcolor: GREY, ticklen: 4, ...layout.xaxis,
      },
      yaxis: {
        fixedrange: true, range: [rows.length + 0.5, 0.5], showgrid: false, zeroline: false,
        tickvals: rows.map((_, i) => i + 1), ticks: "",
        ticktext: rows.map((row) => `${row.number} ${cut(row.name, small ? 13 : 24)}`),
      },
      shapes: layout.shapes ?? [], barmode: "stack", bargap: 0.3,
      annotations: right.map((text, i) => ({
        xref: "paper", x: 1, xanchor: "left", xshift: 8, y: i + 1, yanchor: "middle", text,
        showarrow: false, font: { size: 11 },
      })),
    }, ["toImage"], { click: (event) => pick(element.rows[event.points[0].y - 1]) });
    element.rows = rows.map((row) => row.id);
  }

  const vertical = (x, dash) => ({
    type: "line", x0: x, x1: x, yref: "paper", y0: 0, y1: 1, layer: "below",
    line: { color: GREY, width: 1, dash },
  });
  const percents = (title) => ({ range: [-0.02, 1.02], tickformat: ".0%", dtick: 0.25, title: { text: title } });
  const places = (rows) => rows.map((_, i) => i + 1);

  function survival(element, width, rows, overall, pick) {
    const limit = (row, name) => Math.abs((row[name] ?? row.survives) - row.survives);
    rowChart(element, width, rows, [{
      type: "scatter", mode: "markers", hoverinfo: "none", x: rows.map((row) => row.survives),
      y: places(rows), marker: { color: SIDES[0], size: 8 },
      error_x: {
        type: "data", symmetric: false, array: rows.map((row) => limit(row, "survives_high")),
        arrayminus: rows.map((row) => limit(row, "survives_low")), color: SIDES[0], thickness: 1.3,
        width: 3,
      },
    }], {
      xaxis: percents("Claims that survive"),
      shapes: overall === null ? [] : [vertical(overall, "dot")],
    }, [], pick);
  }

  function lift(element, width, rows, level, pick) {
    const most = Math.max(0.1, ...rows.map((row) => Math.abs(row.lift ?? 0))) * 1.15;
    const sure = (row) => row.p_adjusted !== null && row.p_adjusted < level;
    rowChart(element, width, rows, [{
      type: "scatter", mode: "markers", hoverinfo: "none", x: rows.map((row) => row.lift),
      y: places(rows),
      marker: {
        size: 9, color: rows.map((row) => (sure(row) ? SIDES[0] : "#ffffff")),
        line: { color: SIDES[0], width: 1.5 },
      },
    }], {
      xaxis: { range: [-most, most], tickformat: ".0%", nticks: 5, title: { text: "Lift of the win share" } },
      shapes: [vertical(0), ...rows.map((row, i) => ({
        type: "line", x0: 0, x1: row.lift ?? 0, y0: i + 1, y1: i + 1, layer: "below",
        line: { color: SIDES[0], width: 2 },
      }))],
    }, rows.map((row) => plain(row.p)), pick);
  }

  // counts: for each row the number of claims of each speaker.
  function speakers(element, width, rows, names, counts, pick) {
    const most = Math.max(1, ...counts.flat()), small = narrow(width);
    const cells = counts.flatMap((row, i) => row.map((n, j) => ({ n, x: j, y: i + 1 })));
    rowChart(element, width, rows, [{
      type: "scatter", mode: "markers+text", hoverinfo: "none", cliponaxis: false,
      x: cells.map((cell) => cell.x), y: cells.map((cell) => cell.y),
      text: cells.map((cell) => (cell.n ? String(cell.n) : "")), textfont: { size: 11, color: INK },
      marker: {
        symbol: "square", size: 21, color: cells.map((cell) => cell.n), cmin: 0, cmax: most,
        colorscale: [[0, "#f5f7fa"], [1, "#86b0dc"]],
      },
    }], {
      bottom: small ? 124 : 112,
      xaxis: {
        range: [-0.6, names.length - 0.4], tickvals: names.map((_, i) => i), tickangle: small ? -60 : -35,
        ticktext: names.map((name) => cut(name, small ? 17 : 22)), showgrid: false, ticks: "", showline: false,
      },
    }, [], pick);
  }

  // counts: for each row the number of claims of each side.
  function sides(element, width, rows, names, counts, pick) {
    const total = (i) => counts[i].reduce((sum, n) => sum + n, 0) || 1;
    rowChart(element, width, rows, names.map((_, side) => ({
      type: "bar", orientation: "h", hoverinfo: "none", y: places(rows),
      x: counts.map((row, i) => row[side] / total(i)),
      marker: { color: SIDES[side], pattern: side ? HATCH : {} },
    })), {
      xaxis: percents("Share of the claims"), shapes: [{ ...vertical(0.5, "dot"), layer: "above" }],
    }, counts.map((row) => row.join(" : ")), pick);
  }

  return { PALETTE, SIDES, GREY, map, survival, lift, speakers, sides };
})();
