// The graph: a card for every task with a row for each of its nodes, and edges with the fill levels of their queues.
import { el, setText, toggle } from "./dom.js";
import * as format from "./format.js";
import { layOut } from "./layout.js";
import { drops } from "./losses.js";

const pillLength = 24, arrow = 7;

export class Graph {
  /** @param choose Called with the id of the node that was clicked. */
  constructor(host, choose) {
    this.host = host;
    this.choose = choose;
    this.chosen = null;
    this.state = null;
    this.shape = "";
    this.rows = new Map();
    this.drawn = new Map();
    new ResizeObserver(() => this.#lay()).observe(host);
  }

  /** Shows the counters of a state. The layout changes only if the graph has changed. */
  update(state) {
    this.state = state;
    const shape = JSON.stringify([state.nodes.map((node) => [node.id, node.parent, node.role]), state.edges.map((edge) => [edge.from, edge.to, edge.port, edge.direct])]);
    if (shape !== this.shape) { this.shape = shape; this.#lay(); } else this.#count();
  }

  /** Highlights the chosen node. */
  mark(id) {
    this.chosen = id;
    for (const [node, row] of this.rows) {
      toggle(row.button, "chosen", node === id);
      row.button.setAttribute("aria-pressed", String(node === id));
    }
  }

  /** The ids of the nodes in the order of the graph. */
  get order() { return [...this.rows.keys()]; }

  focus(id) { this.rows.get(id)?.button.scrollIntoView({ block: "nearest", inline: "nearest" }); }

  #lay() {
    if (!this.state || !this.host.clientWidth) return;
    const isDown = matchMedia("(max-width: 760px)").matches;
    const margin = 16;
    const width = this.host.clientWidth - 2 * margin;
    const { cards, links, ...size } = layOut(this.state.nodes, this.state.edges, { width, isDown });
    // A graph that is slightly too large is scaled down; one that is much too large can be scrolled.
    const scale = isDown ? 1 : Math.max(0.75, Math.min(1, width / size.width, (this.host.clientHeight - 2 * margin) / size.height));
    size.width *= scale;
    size.height *= scale;
    const left = margin + Math.max(0, (width - size.width) / 2);
    const top = isDown ? margin : Math.max(margin, (this.host.clientHeight - size.height) / 2.4);
    this.rows.clear();
    this.drawn.clear();
    const sheet = el("svg", { class: "edges", "aria-hidden": "true", width: size.width, height: size.height });
    for (const link of links) sheet.append(this.#edge(link, isDown));
    const plane = el("div", { class: cards.some((card) => card.width < 132) ? "plane narrow" : "plane" }, sheet, ...cards.map((card) => this.#card(card)));
    if (scale < 1) plane.style.transform = `scale(${scale})`;
    plane.style.width = `${size.width}px`;
    plane.style.height = `${size.height}px`;
    plane.style.marginLeft = `${left}px`;
    plane.style.marginTop = `${top}px`;
    plane.style.marginBottom = `${margin}px`;
    this.host.replaceChildren(plane);
    const first = cards.find((card) => card.role === "source");
    if (first && isDown) this.host.scrollLeft = margin + first.x + first.width / 2 - this.host.clientWidth / 2;
    else if (first) this.host.scrollTop = top + (first.y + first.height / 2) * scale - this.host.clientHeight / 2;
    this.#count();
    this.mark(this.chosen);
  }

  #card(card) {
    const element = el("div", { class: `card ${card.role}` }, ...card.rows.map((row) => this.#row(row)));
    element.style.left = `${card.x}px`;
    element.style.top = `${card.y}px`;
    element.style.width = `${card.width}px`;
    element.style.height = `${card.height}px`;
    return element;
  }

  #row({ node, children, height, edge }) {
    const parts = { name: el("span", { class: "name" }), rate: el("span", { class: "rate number" }),
      note: el("span", { class: "note" }), time: el("span", { class: "time number" }) };
    const button = el("button", { class: "node", type: "button", data: { node: node.id }, on: { click: () => this.choose(node.id) } },
      el("span", { class: "line" }, parts.name, parts.rate), el("span", { class: "line" }, parts.note, parts.time));
    this.rows.set(node.id, { ...parts, button });
    const inner = children.map((child) => {
      const childParts = { name: el("span", { class: "name" }), note: el("span", { class: "note" }), time: el("span", { class: "time number" }) };
      const childButton = el("button", { class: "child", type: "button", data: { node: child.id }, on: { click: () => this.choose(child.id) } },
        childParts.name, childParts.note, childParts.time);
      this.rows.set(child.id, { ...childParts, button: childButton, isChild: true });
      return childButton;
    });
    const row = el("div", { class: "row", data: edge ? { edge: edge.id } : {} }, button, ...(inner.length ? [el("div", { class: "children" }, ...inner)] : []));
    row.style.height = `${height}px`;
    return row;
  }

  #edge({ edge, points, isTight }, isDown) {
    const end = points[points.length - 1];
    const hasPill = !edge.direct;
    const back = arrow + (hasPill ? pillLength + 2 : 0);
    const [x, y] = end;
    const stop = isDown ? [x, y - (hasPill ? arrow + 10 : arrow)] : [x - back, y];
    const line = el("path", { class: "line", d: curve([...points.slice(0, -1), stop], isDown) });
    const head = el("path", { class: "head", d: isDown ? `M${x - 4} ${y - 7}h8l-4 6z` : `M${x - 7} ${y - 4}v8l6-4z` });
    const parts = { title: el("title"), group: null, fill: null, words: null };
    const group = el("g", { class: `edge${edge.port === "errors" ? " errors" : ""}${isTight && !isDown ? " tight" : ""}`, data: { edge: edge.id } }, parts.title, line, head);
    if (hasPill) {
      const [left, top] = isDown ? [x - pillLength / 2, y - arrow - 9] : [x - arrow - pillLength - 1, y - 4];
      parts.fill = el("rect", { class: "fill", x: left + 1, y: top + 1, width: 0, height: 6, rx: 2 });
      group.append(el("rect", { class: "pill", x: left, y: top, width: pillLength, height: 8, rx: 3 }), parts.fill);
      parts.words = el("text", isDown ? { class: "words", x: x + pillLength / 2 + 4, y: top + 8 }
        : { class: "words", x: left + pillLength, y: top - 4, "text-anchor": "end" });
    } else {
      parts.words = el("text", isDown ? { class: "words", x: x + 8, y: y - 12 } : { class: "words", x: x - 22, y: y - 6, "text-anchor": "middle" });
    }
    group.append(parts.words);
    parts.group = group;
    this.drawn.set(edge.id, parts);
    return group;
  }

  #count() {
    const isOver = this.state.phase === "ended";
    for (const node of this.state.nodes) {
      const row = this.rows.get(node.id);
      if (!row) continue;
      const dropped = drops(node.dropped);
      setText(row.name, format.name(node.parent ? node.id.replace(`${node.parent}.`, "") : node.id, 40));
      const number = passed(node);
      if (row.rate) setText(row.rate, isOver || !node.rate_1s ? format.short(number) : format.rate(speed(node)));
      const isLosing = node.failed > 0 || dropped.lost > 0 || node.lost > 0;
      setText(row.note, note(node, dropped));
      toggle(row.note, "bad", isLosing);
      setText(row.time, node.service ? format.duration(node.service.p50_s) : "");
      toggle(row.button, "losing", isLosing && (node.rate_1s?.lost > 0 || node.rate_1s?.failed > 0));
      toggle(row.button, "idle", !isOver && node.rate_1s?.[through(node)] === 0);
      row.button.setAttribute("aria-label", label(node, dropped));
    }
    for (const edge of this.state.edges) this.#level(edge);
  }

  #level(edge) {
    const parts = this.drawn.get(edge.id);
    if (!parts) return;
    const dropped = drops(edge.dropped);
    const lost = dropped.lost + (edge.timed_out ?? 0), others = dropped.all - dropped.lost;
    const capacity = edge.policy?.capacity;
    const level = capacity ? Math.min(1, (edge.queued ?? 0) / capacity) : edge.queued > 0 ? 0.5 : 0;
    parts.fill?.setAttribute("width", String(Math.round(level * (pillLength - 2) * 10) / 10));
    const words = lost > 0 ? `−${format.short(lost, 1000)}` : edge.queued > 0 ? format.short(edge.queued, 1000) : "";
    setText(parts.words, words);
    toggle(parts.group, "lossy", lost > 0);
    toggle(parts.group, "losing", edge.rate_1s?.lost > 0);
    toggle(parts.group, "full", level >= 0.9);
    toggle(parts.group, "active", edge.rate_1s?.taken > 0);
    setText(parts.title, `${edge.from} → ${edge.to}: ${edge.direct ? "direct call" : `${format.count(edge.queued)}${capacity ? ` of ${capacity}` : ""} waiting`}`
      + (lost > 0 ? `, ${format.count(lost)} lost` : "") + (others > 0 ? `, ${format.count(others)} dropped` : ""));
  }
}

/** Returns the number of frames that passed a node: those it emitted or, for a sink, received. */
export const passed = (node) => (node.role === "sink" ? node.received ?? node.passed : node.emitted);

/** Returns a rate per second: over the last second or, if that is zero, over the last minute. */
export const rateOf = (node, key) => node.rate_1s?.[key] || node.rate_60s?.[key] || node.rate_1s?.[key];

const through = (node) => (node.role === "sink" ? "received" : "emitted");

/** Returns the number of frames per second that pass a node. */
export const speed = (node) => rateOf(node, through(node));

function note(node, dropped) {
  const parts = [];
  if (node.failed > 0) parts.push(`${format.short(node.failed)} failed`);
  if (node.lost > 0) parts.push(`${format.short(node.lost)} lost`);
  if (dropped.list.length > 0) parts.push(`${format.short(dropped.all)} ${dropped.list.length > 1 ? "dropped" : dropped.list[0][0].replaceAll("_", " ")}`);
  if (parts.length) return parts.join(" · ");
  return node.component && node.component !== node.id && !node.parent ? format.name(node.component, 30) : node.parent ? "" : kindOf(node.makes ?? node.takes);
}

/** Returns the kind of a port: `hands (space: normalized)` is of kind `hands`. */
export const kindOf = (port) => format.name(String(port ?? "").split(" (")[0], 40);

function label(node, dropped) {
  return `${format.name(node.id)}, ${node.role}, ${format.count(passed(node))} frames`
    + (node.rate_1s ? `, ${format.rate(speed(node))}` : "") + (node.service ? `, takes ${format.duration(node.service.p50_s)}` : "")
    + (dropped.all ? `, ${format.plural(dropped.all, "frame")} dropped` : "") + (node.failed ? `, ${format.count(node.failed)} failed` : "");
}

/** Returns a smooth line through points that starts and ends in the direction of the flow. */
function curve(points, isDown) {
  let path = `M${points[0].join(" ")}`;
  for (let i = 1; i < points.length; i++) {
    const [x0, y0] = points[i - 1], [x1, y1] = points[i];
    const half = (isDown ? y1 - y0 : x1 - x0) / 2;
    path += isDown ? `C${x0} ${y0 + half} ${x1} ${y1 - half} ${x1} ${y1}` : `C${x0 + half} ${y0} ${x1 - half} ${y1} ${x1} ${y1}`;
  }
  return path;
}
