// The panel shown while no node is chosen: the latest results, streams, sockets, failures.
import { el, setText } from "./dom.js";
import * as format from "./format.js";
import { fill } from "./inspector.js";

const most = 40;

export class Overview {
  /** @param choose Called with the result that was clicked. */
  constructor(store, player, choose) {
    Object.assign(this, { store, player, choose, rows: new Map() });
    this.results = el("ol", { class: "results" });
    this.empty = el("p", { class: "quiet" });
    this.more = el("div");
    this.facts = el("table", { class: "counters" });
    this.element = el("div", { class: "overview" }, section("Results", this.empty, this.results), this.more, section("This run", this.facts));
  }

  /** Shows the content of a state. */
  update(state) {
    const identity = state.identity ?? {};
    const rows = [["Configuration", format.name(format.file(identity.file) || "–", 40)], ["Mode", format.name(identity.mode ?? "–", 20)],
      ["Digest", format.name(identity.configuration ?? "–", 200).replace("sha256:", "").slice(0, 12)], ["Program", format.name(identity.program ?? "–", 40)],
      ["Process", identity.pid ? String(identity.pid) : "–"], ["Viewers", format.count(state.viewers)]];
    fill(this.facts, rows.map(([label, value]) => ({ label, value })));
    this.more.replaceChildren(...lists(state).filter(([, list]) => list.length).map(([title, list]) => section(title,
      el("ul", { class: "list" }, ...list.map(([name, note, isBad]) => el("li", { class: title === "Streams" ? null : isBad ? "tall bad" : "tall" }, el("span", { class: "name", text: name }), el("span", { class: "quiet number", text: note })))))));
  }

  /** Shows the results up to the playhead, newest first. */
  look() {
    const { at_ms, id } = this.player.moment;
    const list = this.store.results.filter((result) => result.at_ms < at_ms || (result.at_ms === at_ms && result.id <= id)).slice(-most).reverse();
    const words = this.player.isCut ? "There are too many results and drops: not all of them are shown."
      : list.length ? "" : "No results yet. Choose a node in the graph to see its frames.";
    setText(this.empty, words);
    this.empty.hidden = !words;
    const buttons = list.map((result) => this.rows.get(result.id) ?? this.#row(result));
    this.rows = new Map(list.map((result, at) => [result.id, buttons[at]]));
    if (buttons.some((button, at) => this.results.children[at] !== button) || this.results.children.length !== buttons.length) this.results.replaceChildren(...buttons);
  }

  #row(result) {
    const state = result.accepted === false ? "none" : result.accepted ? "good" : "other";
    return el("li", {}, el("button", { type: "button", class: `result ${state}`, title: "Why?", data: { result: String(result.id) }, on: { click: () => this.choose(result) } },
      el("span", { class: "spot", "aria-hidden": "true" }), el("span", { class: "name", text: format.name(result.label ?? `${result.kind} #${result.seq}`, 40) }),
      el("span", { class: "number", text: Number.isFinite(result.score) && state !== "none" ? format.score(result.score) : "" }),
      el("span", { class: "quiet stream", text: format.name(result.stream, 30) }), el("span", { class: "quiet number", text: format.streamTime(result.t_us) })));
  }
}

const section = (title, ...children) => el("section", {}, el("h3", { text: title }), ...children);

function lists(state) {
  return [
    ["Failures", (state.failures ?? []).slice(0, 20).map((failure) => [`${format.name(failure.node, 40)}: ${format.name(failure.message, 300)}`, format.name(failure.code, 60), true])],
    ["Sockets", (state.sockets ?? []).slice(0, 20).map((socket) => [`${format.name(socket.node, 40)} ${(socket.endpoints ?? []).slice(0, 8).map(address).join(", ")}`,
      Object.entries(socket.counts ?? {}).map(([name, number]) => `${format.name(name, 30)} ${format.count(number)}`).join(" · ")])],
    ["Streams", (state.streams ?? []).slice(0, 20).map((stream) => [format.name(stream.name, 60), `#${format.count(stream.seq)} · ${format.streamTime(stream.t_us)}`])],
  ];
}

/** Returns an endpoint of a socket as text: its address and the number of its peers. */
const address = ({ endpoint, bound, peers }) => `${bound ? "at" : "to"} ${format.name(endpoint, 80)} (${format.plural(peers, "peer")})`;
