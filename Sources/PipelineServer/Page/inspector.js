// The details of one node: its frame at the playhead, and its counters.
import { el, icon, setText } from "./dom.js";
import * as format from "./format.js";
import { kindOf, rateOf } from "./graph.js";
import { drops, isLoss } from "./losses.js";
import { Picture, describe } from "./picture.js";

export class Inspector {
  /**
   * @param knows See `Picture`.
   * @param does The actions of the buttons: `close()`, `why(frame)`, `stream(name)`, `choose(node)`.
   */
  constructor(store, player, knows, does) {
    Object.assign(this, { store, player, does, node: null, frame: null });
    this.picture = new Picture(store, knows);
    this.title = el("h2", { tabindex: "-1" });
    this.kind = el("p", { class: "quiet" });
    this.streams = el("select", { "aria-label": "Stream", on: { change: () => does.stream(this.streams.value || null) } });
    this.caption = el("p", { class: "caption number" });
    this.why = el("button", { type: "button", class: "primary", on: { click: () => this.frame && does.why(this.frame) } }, "Why?");
    this.counters = el("table", { class: "counters" });
    this.element = el("div", { class: "inspector" },
      el("header", {}, el("div", {}, this.title, this.kind), this.why,
        el("button", { type: "button", class: "plain", "aria-label": "Close (Escape)", title: "Close (Esc)", on: { click: does.close } }, icon("close"))),
      this.streams, this.picture.element, this.caption, this.counters);
  }

  /** Shows a node of a state. */
  update(node, state) {
    const isOther = this.node?.id !== node.id;
    this.node = node;
    setText(this.title, format.name(node.id, 60));
    const place = node.place ? ` · ${format.name(format.file(node.place.file), 40)}:${node.place.line}` : "";
    const ports = [node.takes, node.makes].filter(Boolean);
    setText(this.kind, `${format.name(node.component ?? node.role, 40)} · ${ports.length ? ports.map(kindOf).join(" → ") : node.role}${place}`);
    this.kind.title = ports.map((port) => format.name(port, 200)).join(" → ");
    this.#count(node, state);
    if (isOther) { this.frame = undefined; this.look(); }
  }

  /** Shows the frame at the playhead. */
  look() {
    if (!this.node) return;
    const { node, store, player } = this;
    const frame = store.at(node.id, player.moment, player.stream);
    this.#offer(store.streams(node.id));
    if (frame === this.frame) return;
    this.frame = frame;
    this.picture.show(frame, { empty: node.watchable === false ? "The frames of this node cannot be viewed" : player.isFollowing ? "No frame yet" : "No frame at this time" });
    setText(this.caption, frame ? captionOf(frame) : "");
    this.why.hidden = frame?.kind !== "recognition" && frame?.kind !== "results";
  }

  /** Redraws the frame after the colors have changed. */
  redraw() {
    const { frame } = this;
    this.frame = undefined;
    if (frame !== undefined) this.look();
  }

  #offer(streams) {
    const { stream } = this.player;
    if (stream !== null && !streams.includes(stream)) streams.push(stream);
    this.streams.hidden = streams.length < 2;
    const key = streams.slice().sort().join("\n");
    if (key === this.offered) { this.streams.value = stream ?? ""; return; }
    this.offered = key;
    this.streams.replaceChildren(el("option", { value: "", text: `All ${streams.length} streams` }),
      ...streams.slice().sort().map((name) => el("option", { value: name, text: format.name(name, 40) })));
    this.streams.value = stream ?? "";
  }

  #count(node, state) {
    const rows = [];
    const row = (label, value, { key = null, note = "", isBad = false, group = null } = {}) => rows.push({ label, value, key, note, isBad, group });
    const rate = (name) => (node.rate_1s ? format.rate(rateOf(node, name)) : "");
    for (const [key, label] of [["received", "Received"], ["passed", "Passed"], ["absorbed", "Absorbed"], ["emitted", "Emitted"]]) {
      if (Number.isFinite(node[key])) row(label, format.count(node[key]), { key, note: key === "passed" || key === "absorbed" ? "" : rate(key) });
    }
    row("Failed", format.count(node.failed ?? 0), { key: "failed", isBad: node.failed > 0 });
    if (node.lost > 0) row("Lost", format.count(node.lost), { key: "lost", isBad: true });
    for (const [reason, number] of drops(node.dropped).list) {
      row(`Dropped: ${format.name(reason, 40).replaceAll("_", " ")}`, format.count(number), { key: `dropped.${reason}`, isBad: isLoss(reason) });
    }
    for (const [name, number] of Object.entries(node.counts ?? {}).slice(0, 20)) row(format.name(name, 40).replaceAll("_", " "), format.count(number), { key: `counts.${name}` });
    times(row, "Service time", node.service);
    times(row, "Age", node.age);
    if (node.join) row("Joined", format.count(node.join.sets), { note: `${format.count(node.join.used)} of ${format.count(node.join.frames)} frames` });
    for (const edge of state.edges.filter((edge) => edge.to === node.id)) edgeRows(row, edge);
    fill(this.counters, rows);
  }
}

function times(row, label, times) {
  if (!times) return;
  row(label, format.duration(times.p50_s), { note: `p99 ${format.duration(times.p99_s)}` });
}

function edgeRows(row, edge) {
  const { policy } = edge;
  const from = format.name(edge.from, 40) + (edge.port === "errors" ? ".errors" : "");
  if (edge.direct) return row(`From ${from}`, format.count(edge.taken), { group: edge.id, note: "direct call" });
  const full = { wait: "waits when full", drop_oldest: "drops the oldest", drop_newest: "drops the newest" }[policy?.on_full] ?? format.name(policy?.on_full ?? "", 30);
  row(`From ${from}`, `${format.count(edge.queued)} / ${policy?.capacity ? format.count(policy.capacity) : "∞"}`, { group: edge.id, note: full });
  for (const [reason, number] of drops(edge.dropped).list) row(`Dropped: ${format.name(reason, 40).replaceAll("_", " ")}`, format.count(number), { isBad: isLoss(reason) });
  if (edge.timed_out > 0) row("Timed out", format.count(edge.timed_out), { isBad: true });
  times(row, "Wait", edge.wait);
}

/** Fills a table with rows. Existing rows only get new texts. */
export function fill(table, rows) {
  const key = rows.map((row) => row.label).join("\n");
  if (table.dataset.rows !== key) {
    table.dataset.rows = key;
    table.replaceChildren(el("tbody", {}, ...rows.map((row) => el("tr", { class: row.group !== null && row.group !== undefined ? "group" : null },
      el("th", { scope: "row", text: row.label }), el("td", { class: "number", data: row.key ? { counter: row.key } : {} }), el("td", { class: "quiet number" })))));
  }
  rows.forEach((row, at) => {
    const [, value, note] = table.rows[at].cells;
    setText(value, row.value);
    setText(note, row.note ?? "");
    value.classList.toggle("bad", Boolean(row.isBad));
  });
}

/** Returns one line about a frame: stream, number, time, description. */
export function captionOf(frame) {
  const label = frame.payload?.label && frame.kind !== "recognition" ? ` · ${format.name(frame.payload.label, 40)}` : "";
  return `${format.name(frame.stream, 40)} · #${format.count(frame.seq)} · ${format.streamTime(frame.t_us)} · ${frame.kind === "recognition" ? "recognition" : describe(frame)}${describe(frame).includes("labeled") ? "" : label}`;
}
