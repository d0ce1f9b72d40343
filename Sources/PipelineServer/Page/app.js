// Connects the parts of the page: source, store, player, graph, panel, and timeline.
import { byID, el, icon, setText, toggle } from "./dom.js";
import * as format from "./format.js";
import { Graph, speed } from "./graph.js";
import { Help, listen } from "./help.js";
import { Inspector } from "./inspector.js";
import { learn } from "./losses.js";
import { Overview } from "./overview.js";
import { Player } from "./player.js";
import { forgetPalette } from "./sheet.js";
import { LiveSource, RecordingSource, ask } from "./source.js";
import { Store } from "./store.js";
import { Timeline } from "./timeline.js";
import { Why } from "./why.js";

const store = new Store();
const thresholds = new Map();
let wasEmpty = false, state = null, chosen = null, results = null, run = null, link = "connecting", player = null, parts = null, isDirty = true;

/** Returns the threshold for a matcher's scores, from an earlier explanation of a result. */
const limits = (id) => ({ threshold: thresholds.get(id) ?? null });

/** Returns whether y points up in the frames that a node takes or makes. A sink makes none, so those that it takes count. */
function isUp(id, side = "makes") {
  const node = state?.nodes.find((node) => node.id === id);
  return /\by: up\b/.test(node?.[side] ?? node?.takes ?? "");
}

/** Returns the frame that a frame was made from: the nearest one upstream with its stream and timestamp. */
function subject(frame) {
  let above = [frame.node];
  for (let floor = 0; floor < 8 && above.length; floor++) {
    above = [...new Set(state.edges.filter((edge) => above.includes(edge.to) && edge.port !== "errors").map((edge) => edge.from))];
    for (const node of above) {
      const found = store.at(node, { at_ms: frame.at_ms, id: Infinity }, frame.stream);
      if (found?.t_us === frame.t_us && ["stroke", "landmarks", "bitmap"].includes(found.kind)) return found;
    }
  }
  return null;
}

const listener = {
  link(status, seconds) { link = status; showLink(seconds); },
  hello(message) {
    results = message.results ?? results;
    watch();
    if (player?.isFollowing) player.follow();
  },
  state(next) {
    const id = `${next.identity?.started_ms} ${next.identity?.pid}`;
    if (run !== null && run !== id) { player?.reset(); choose(null); }
    run = id;
    state = next;
    learn(next);
    results ??= [...new Set(next.edges.filter((edge) => edge.port !== "errors" && next.nodes.some((node) => node.id === edge.to && node.role === "sink")).map((edge) => edge.from))];
    parts?.graph.update(next);
    watch();
    showState();
  },
  items(list, bytes) {
    // While playback is paused, the displayed data does not change.
    if (!player || (!player.isFollowing && !source.isRecording)) return;
    for (const item of list) store.add(item, bytes ?? 2000);
    store.trim(player.window.from, player.shown);
    isDirty = true;
  },
  notice(message) { notice(format.name(message.message, 300), message.level === "error"); },
};

let source = null;

/** Requests the first state until it succeeds, then starts the page. */
async function begin() {
  let first;
  try {
    first = await ask("/api/state");
  } catch {
    link = "lost";
    showLink(2);
    setText(byID("phase"), "no connection");
    setTimeout(begin, 2000);
    return;
  }
  source = first.identity?.mode === "recording" || first.recording ? new RecordingSource(listener) : new LiveSource(listener);
  if (source.isRecording) source.start(first);
  player = new Player(source, store, () => { isDirty = true; });
  parts = build();
  if (!source.isRecording) source.start(first); else listener.state(first);
  showLink();
}

function build() {
  const does = { close: () => choose(null), why, stream: (name) => player.look(chosen, name) };
  const made = {
    graph: new Graph(byID("graph"), (id) => choose(id === chosen ? null : id)),
    inspector: new Inspector(store, player, { limits, subject, isUp }, does),
    overview: new Overview(store, player, whyOf),
    why: new Why(store, isUp, { close: closeWhy, learned: (node, threshold) => thresholds.set(node, threshold) }),
    timeline: new Timeline(byID("timeline"), player, whyOf),
  };
  byID("panel").replaceChildren(made.overview.element);
  document.body.dataset.kind = source.isRecording ? "recording" : "live";
  byID("live").hidden = source.isRecording;
  return made;
}

/**
 * Requests frames from the server, which then keeps them. For a small graph, requests all nodes, so that a moment can be traced through
 * the graph. For a large graph, requests the chosen node, its neighbors, and the nodes that send to sinks.
 */
function watch() {
  if (!state || !source) return;
  const known = state.nodes.filter((node) => node.watchable !== false).map((node) => node.id);
  const beside = state.edges.flatMap((edge) => (edge.from === chosen ? [edge.to] : edge.to === chosen ? [edge.from] : []));
  const wanted = new Set([chosen, ...beside, ...(results ?? [])]);
  const nodes = known.length <= 12 ? known : known.filter((id) => wanted.has(id));
  source.watch(nodes, nodes.length <= 5 ? 30 : 15);
}

function choose(id) {
  if (!parts) return;
  chosen = id;
  parts.graph.mark(id);
  player.look(id, null);
  watch();
  showPanel(id ? parts.inspector.element : parts.overview.element, id !== null);
  showState();
  if (id) { parts.inspector.look(); parts.graph.focus(id); }
}

function showPanel(element, isOpen) {
  const panel = byID("panel");
  if (panel.firstChild !== element) { panel.replaceChildren(element); panel.scrollTop = 0; }
  if (isOpen) document.body.dataset.open = ""; else delete document.body.dataset.open;
}

/** Moves to a result's time and shows the explanation of the result. */
function whyOf(result) {
  player.pause(result.at_ms, result.id);
  if (chosen !== result.node && state.nodes.some((node) => node.id === result.node)) choose(result.node);
  why(result);
}

function why(result) {
  player.pause(result.at_ms, result.id);
  parts.timeline.marked = result.id;
  showPanel(parts.why.element, true);
  parts.why.show(result);
  parts.why.title.focus({ preventScroll: true });
}

function closeWhy() {
  parts.why.id = null;
  parts.timeline.marked = null;
  isDirty = true;
  showPanel(chosen ? parts.inspector.element : parts.overview.element, chosen !== null);
}

function showState() {
  if (!state || !parts) return;
  const identity = state.identity ?? {};
  const title = format.name(identity.name ?? "Pipeline", 60);
  setText(byID("name"), title);
  document.title = `${title} – Pipeline`;
  setText(byID("file"), [format.file(identity.file), identity.mode].filter(Boolean).map((part) => format.name(part, 60)).join(" · "));
  setText(byID("uptime"), source.isRecording ? format.elapsed((source.span().to - source.span().from) / 1000) : format.elapsed(identity.uptime_s ?? 0));
  const sum = (list, of) => (list.some((node) => Number.isFinite(of(node))) ? list.reduce((all, node) => all + (of(node) ?? 0), 0) : null);
  const isOver = state.phase === "ended";
  const sources = state.nodes.filter((node) => node.role === "source"), ends = state.nodes.filter((node) => results?.includes(node.id));
  setText(byID("rate-in"), isOver ? format.short(sum(sources, (node) => node.emitted)) : format.rate(sum(sources, speed)));
  setText(byID("rate-out"), isOver ? format.short(sum(ends, (node) => node.emitted)) : format.rate(sum(ends, speed)));
  setText(byID("lost"), format.count(state.losses ?? 0));
  toggle(byID("lost"), "bad", state.losses > 0);
  setText(byID("uptime").previousSibling, source.isRecording ? "Length" : "Up");
  const node = state.nodes.find((node) => node.id === chosen);
  if (node) parts.inspector.update(node, state); else if (chosen) choose(null);
  parts.overview.update(state);
  showPhase();
  showWaiting();
  isDirty = true;
}

/** Shows which sources a run is waiting for if it has not received a frame yet. */
function showWaiting() {
  const isEmpty = state.phase !== "ended" && !source.isRecording && state.nodes.every((node) => !node.received && !node.emitted);
  const sources = state.nodes.filter((node) => node.role === "source").map((node) => format.name(node.id, 30));
  if (isEmpty && link === "live") notice(`No frame has come yet. Waiting for ${sources.slice(0, 4).join(", ")}${sources.length > 4 ? " …" : ""}.`);
  else if (wasEmpty) showLink();
  wasEmpty = isEmpty;
}

function showPhase() {
  const name = link === "lost" ? "lost" : link === "connecting" ? "connecting" : link === "recording" ? "recording" : state?.phase ?? link;
  const words = { lost: "connection lost", ended: "run ended" }[name] ?? name;
  byID("phase").dataset.state = name;
  setText(byID("phase"), words);
}

function showLink(seconds) {
  document.body.dataset.link = link;
  showPhase();
  const words = {
    lost: `The connection is lost. Trying again${seconds ? ` in ${format.plural(seconds, "second")}` : ""} …`,
    polling: "No WebSocket: something between the browser and the pipeline blocks it. The page polls every two seconds instead.",
    ended: "The run has ended. You can still view the kept data. A new run appears here automatically.",
  }[link];
  notice(words, link === "lost");
}

function notice(words, isBad = false) {
  const element = byID("notice");
  element.hidden = !words;
  setText(element, words ?? "");
  toggle(element, "bad", isBad);
}

/** Draws changes once per animation frame. The timeline of a live run moves ten times per second. */
let last = performance.now(), drawn = 0;
function loop(now) {
  requestAnimationFrame(loop);
  if (!parts) return;
  const isMoving = player.tick(now - last);
  last = now;
  if (!isDirty && !(isMoving && now - drawn > 100)) return;
  isDirty = false;
  drawn = now;
  if (chosen) parts.inspector.look(); else parts.overview.look();
  parts.timeline.draw();
  showTransport();
}

function showTransport() {
  const isMoving = (player.isFollowing && player.isEndless) || player.isPlaying;
  const play = byID("play");
  if (play.dataset.icon !== String(isMoving)) {
    play.dataset.icon = String(isMoving);
    play.replaceChildren(icon(isMoving ? "pause" : "play"));
    play.setAttribute("aria-label", isMoving ? "Pause (Space)" : "Play (Space)");
    play.title = isMoving ? "Pause (Space)" : "Play (Space)";
  }
  byID("live").setAttribute("aria-pressed", String(player.isFollowing && link !== "ended"));
  byID("live").disabled = link === "ended";
  const { from, to } = player.window;
  setText(byID("time"), source.isRecording ? `${((player.shown - from) / 1000).toFixed(2)} s` : player.isFollowing ? (link === "ended" ? "end" : "now") : `−${((to - player.shown) / 1000).toFixed(2)} s`);
}

function moveNode(direction) {
  const { order } = parts.graph;
  if (!order.length) return;
  const at = order.indexOf(chosen);
  choose(order[at < 0 ? (direction > 0 ? 0 : order.length - 1) : (at + direction + order.length) % order.length]);
}

function changeSpeed(direction) {
  const speed = byID("speed");
  speed.selectedIndex = Math.min(speed.options.length - 1, Math.max(0, speed.selectedIndex + direction));
  player.speed = Number(speed.value);
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  forgetPalette();
  parts?.inspector.redraw();
  for (const sheet of parts?.why.sheets ?? []) sheet.redraw();
  isDirty = true;
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const saved = (() => { try { return localStorage.getItem("theme"); } catch { return null; } })();
setTheme(saved ?? (prefersDark.matches ? "dark" : "light"));
prefersDark.addEventListener("change", () => setTheme(prefersDark.matches ? "dark" : "light"));
function switchTheme() {
  const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try { localStorage.setItem("theme", name); } catch { /* The theme is not remembered then. */ }
  setTheme(name);
}

const help = new Help();
for (const [id, name, action] of [["theme", "theme", switchTheme], ["help", "help", () => help.toggle()], ["back", "back", () => player?.step(-1)],
  ["play", "pause", () => player?.toggle()], ["forward", "forward", () => player?.step(1)], ["live", null, () => player?.follow()]]) {
  if (name) byID(id).replaceChildren(icon(name));
  byID(id).addEventListener("click", action);
}
byID("speed").addEventListener("change", () => { if (player) player.speed = Number(byID("speed").value); });
const withPlayer = (action) => () => { if (parts) action(); };
listen({
  " ": withPlayer(() => player.toggle()), ArrowLeft: withPlayer(() => player.step(-1)), ArrowRight: withPlayer(() => player.step(1)),
  "Shift+ArrowLeft": withPlayer(() => player.seek(player.shown - 1000)), "Shift+ArrowRight": withPlayer(() => player.seek(player.shown + 1000)),
  Home: withPlayer(() => player.seek(player.window.from)), End: withPlayer(() => player.follow()), l: withPlayer(() => player.follow()),
  ArrowUp: withPlayer(() => moveNode(-1)), ArrowDown: withPlayer(() => moveNode(1)), "[": withPlayer(() => changeSpeed(-1)), "]": withPlayer(() => changeSpeed(1)),
  w: withPlayer(() => { const result = store.results.filter((one) => one.at_ms <= player.shown && (!chosen || one.node === chosen || !results?.includes(chosen))).pop(); if (result) whyOf(result); }),
  t: switchTheme, "?": () => help.toggle(),
  Escape: withPlayer(() => (parts.why.id !== null ? closeWhy() : choose(null))),
});
byID("graph").append(el("p", { class: "empty", text: "Connecting …" }));
begin();
requestAnimationFrame(loop);
