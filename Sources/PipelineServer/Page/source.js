// The sources of frames: a live run over a WebSocket, or a recording over HTTP. Both have `isRecording`, `start()`, `now()`, `span()`,
// `watch()`, and `range()`. `range()` returns the items of a query, oldest first, and whether there are more than the server sends at
// once: `{items, isPart}`.

/** Sends one request to the server. Throws an error with the server's message. */
export async function ask(path, options = {}) {
  const response = await fetch(path, { cache: "no-store", ...options });
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Error(answer?.error?.message ?? `the server answered ${response.status}`);
  return answer;
}

/** Returns the path and parameters of a request to `/api/kept`. */
export function keptPath({ nodes = [], from, to, limit, oldest = false, only = null }) {
  const query = new URLSearchParams();
  for (const node of nodes) query.append("node", node);
  if (Number.isFinite(from)) query.set("from_ms", String(Math.floor(from)));
  if (Number.isFinite(to)) query.set("to_ms", String(Math.ceil(to)));
  if (limit) query.set("limit", String(limit));
  if (oldest) query.set("keep", "oldest");
  if (only) query.set(only, "1");
  return `/api/kept?${query}`;
}

/** Asks the server for kept items. */
async function kept(query) {
  const { items, truncated } = await ask(keptPath(query));
  return { items: items ?? [], isPart: truncated === true };
}

/** A live run. Calls its listener's `link(status, seconds)`, `hello(message)`, `state(state)`, `items(list, bytes)`, and `notice(message)`. */
export class LiveSource {
  isRecording = false;
  #listener; #socket = null; #watched = []; #rate = 15; #retry = 0; #timer = null; #heard = 0; #offset = 0; #polled = 0; #isOver = false; #end = null;

  constructor(listener) {
    this.#listener = listener;
    document.addEventListener("visibilitychange", () => this.#subscribe());
    setInterval(() => this.#watchdog(), 2000);
  }

  /** Returns the server's current time, in milliseconds. */
  now() { return this.#end ?? Date.now() + this.#offset; }

  get isOver() { return this.#isOver; }

  /** Returns the time span for which data is available. */
  span() { return { from: this.now() - 60_000, to: this.now() }; }

  /** Selects the nodes to watch, and the number of frames per second to receive from each. */
  watch(nodes, rate) {
    if (nodes.join("\n") === this.#watched.join("\n")) return;
    this.#watched = [...nodes];
    this.#rate = rate;
    this.#subscribe();
  }

  range(query) { return kept(query); }

  /** Processes the first state and opens the socket. */
  start(state) {
    if (state) this.#take(state);
    this.#open();
  }

  #take(state) {
    if (Number.isFinite(state.time_ms)) this.#offset = state.time_ms - Date.now();
    this.#listener.state(state);
    if (state.phase === "ended") return this.#over();
    this.#isOver = false;
    this.#end = null;
  }

  #open() {
    clearTimeout(this.#timer);
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/live`);
    this.#socket = socket;
    this.#heard = performance.now();
    socket.onopen = () => this.#subscribe();
    socket.onmessage = (event) => { if (this.#socket === socket) this.#receive(event.data); };
    socket.onclose = () => { if (this.#socket === socket) this.#closed(); };
  }

  #receive(text) {
    this.#heard = performance.now();
    let message;
    try { message = JSON.parse(text); } catch { return; }
    if (message?.op === "hello") {
      this.#retry = 0;
      if (Number.isFinite(message.time_ms)) this.#offset = message.time_ms - Date.now();
      if (!this.#isOver) this.#listener.link("live");
      this.#listener.hello(message);
    } else if (message?.op === "state") this.#take(message);
    else if (message?.op === "ended") this.#over();
    else if (message?.op === "notice") this.#listener.notice?.(message);
    else if (message?.op) this.#listener.items([message], text.length);
  }

  /** Handles a closed connection. Without a WebSocket, the page polls the server over HTTP. */
  async #closed() {
    this.#socket = null;
    let state = null;
    try { state = await ask("/api/state"); } catch { /* The server is not reachable. */ }
    const wasOver = this.#isOver;
    if (state) this.#take(state);
    if (wasOver && !this.#isOver) { this.#retry = 0; return this.#open(); }
    this.#retry += 1;
    // The state of an ended run does not change, so only check now and then whether a new run has started at this address.
    if (this.#isOver) { this.#timer = setTimeout(() => this.#closed(), 4000); return; }
    if (state && this.#retry > 1) return this.#poll();
    const wait = state ? 100 : Math.min(8000, 500 * 2 ** (this.#retry - 1));
    if (!state) this.#listener.link("lost", Math.ceil(wait / 1000));
    this.#timer = setTimeout(() => this.#open(), wait);
  }

  /** Stops the clock of a run that has ended. */
  #over() {
    if (this.#isOver) return;
    this.#end = this.now();
    this.#isOver = true;
    this.#listener.link("ended");
  }

  async #poll(times = 0) {
    this.#listener.link("polling");
    try {
      const state = await ask("/api/state");
      this.#take(state);
      const from = this.#polled || this.now() - 60_000;
      const { items } = await this.range({ nodes: this.#watched, from: from + 1, limit: 1000, only: this.#watched.length ? null : "events" });
      for (const item of items) this.#polled = Math.max(this.#polled, item.at_ms);
      if (items.length) this.#listener.items(items);
      if (this.#isOver) return this.#closed();
    } catch { return this.#closed(); }
    // Tries to open the WebSocket again every half minute.
    this.#timer = times >= 15 ? setTimeout(() => this.#open(), 2000) : setTimeout(() => this.#poll(times + 1), 2000);
  }

  /** Reconnects if the server has sent nothing for some seconds, even if the browser still reports the connection as open. */
  #watchdog() {
    const isSilent = performance.now() - this.#heard > (document.hidden ? 20_000 : 6000);
    if (this.#socket && isSilent && !this.#isOver) {
      const socket = this.#socket;
      this.#socket = null;
      socket.close();
      this.#closed();
    }
  }

  /** Subscribes to frames and states. A hidden page requests no frames, and states less often. */
  #subscribe() {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const isHidden = document.hidden;
    this.#socket.send(JSON.stringify({ op: "watch", nodes: isHidden ? [] : this.#watched, rate: this.#rate }));
    this.#socket.send(JSON.stringify({ op: "state", every_ms: isHidden ? 5000 : 500 }));
  }
}

/** A recording, all of which is available at any time. `at_ms` is relative to the start of the recording. */
export class RecordingSource {
  isRecording = true;
  #listener; #span;

  constructor(listener) { this.#listener = listener; }

  now() { return this.#span.to; }
  span() { return this.#span; }
  watch() {}
  range(query) { return kept(query); }

  start(state) {
    this.#span = { from: state.recording?.from_ms ?? 0, to: state.recording?.to_ms ?? 0 };
    this.#listener.link("recording");
    this.#listener.hello({ results: null });
    this.#listener.state(state);
  }
}
