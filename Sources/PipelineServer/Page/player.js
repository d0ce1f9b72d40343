// The playhead: follows a live run, is paused, or plays kept or recorded data at a given speed.

const readAhead = 5000, readBehind = 2000;

export class Player {
  /** @param changed Called when the displayed data has changed. */
  constructor(source, store, changed) {
    Object.assign(this, { source, store, changed });
    this.isFollowing = !source.isRecording;
    this.isPlaying = false;
    this.speed = 1;
    this.id = Infinity;
    this.node = null;
    this.stream = null;
    this.frozen = null;
    this.time = source.isRecording ? source.span().from : null;
    this.#forget();
    if (source.isRecording) this.#loadEvents();
  }

  /** Whether new data may arrive. */
  get isEndless() {
    return !this.source.isRecording && !this.source.isOver;
  }

  /** The time span of the timeline. */
  get window() {
    return this.frozen ?? this.source.span();
  }

  /** The displayed time. */
  get shown() {
    return this.isFollowing ? this.source.now() : this.time;
  }

  /** The displayed moment. If several frames have the same time, the id selects one of them. */
  get moment() {
    return this.isFollowing ? { at_ms: Infinity, id: Infinity } : { at_ms: this.time, id: this.id };
  }

  /** Selects a node and, optionally, a single stream. */
  look(node, stream = null) {
    this.node = node;
    this.stream = stream;
    this.#load(this.shown);
    this.changed();
  }

  /**
   * Pauses playback. While a live run is paused, new frames are ignored, so that the displayed data does not change. The estimated
   * time of the server may lag behind frames that are displayed already; they stay displayed.
   */
  pause(time = this.isFollowing ? Math.max(this.shown, this.store.latest ?? 0) : this.shown, id = this.isFollowing || time !== this.time ? Infinity : this.id) {
    this.isPlaying = false;
    if (this.isFollowing) {
      this.isFollowing = false;
      const span = this.source.span();
      this.frozen = { from: span.from, to: Math.max(span.to, time) };
      this.#forget();
      this.#loadEvents();
    }
    this.#go(time, id);
  }

  play() {
    if (this.isFollowing) return;
    if (this.time >= this.window.to) {
      if (this.isEndless) return this.follow();
      this.time = this.window.from;
    }
    this.isPlaying = true;
    this.changed();
  }

  /** Handles Space: pauses or resumes playback. */
  toggle() {
    if (this.isEndless ? this.isFollowing || this.isPlaying : this.isPlaying) return this.pause();
    if (this.isFollowing) this.pause();
    this.play();
  }

  /** Follows the live run again and fetches the frames that were missed. In a recording, moves to the end. */
  follow() {
    if (this.source.isRecording) { this.isPlaying = false; return this.#go(this.window.to); }
    this.isFollowing = true;
    this.isPlaying = false;
    this.frozen = null;
    this.#forget();
    this.#loadEvents();
    if (this.node) this.#fetch({ nodes: [this.node], limit: 500, only: "frames" }).catch(() => {});
    this.changed();
  }

  seek(time) {
    if (this.isFollowing) this.pause(time); else this.#go(time);
  }

  /** Moves to the next or previous frame of the selected node or, if there is none, to the next or previous result. */
  async step(direction) {
    this.pause();
    await this.loading;
    let item = this.store.step(this.node, this.moment, direction, this.stream);
    // The next frame of a recording may be far away, so search an ever larger time span.
    for (let reach = readAhead; item === null && this.source.isRecording && this.node && reach < 1e9; reach *= 4) {
      const span = this.window, from = direction > 0 ? this.time : this.time - reach;
      await this.#fetch({ nodes: [this.node], from, to: from + reach, limit: 1000, oldest: direction > 0, only: "frames" });
      item = this.store.step(this.node, this.moment, direction, this.stream);
      if (direction > 0 ? from + reach >= span.to : from <= span.from) break;
    }
    if (item !== null) this.#go(item.at_ms, item.id);
  }

  /** Advances the playhead by the elapsed time if playback is running. Returns whether the display moves. */
  tick(passed) {
    if (!this.isPlaying) return this.isFollowing;
    this.time += passed * this.speed;
    this.id = Infinity;
    if (this.time >= this.window.to) {
      this.time = this.window.to;
      if (this.isEndless) this.follow();
      this.isPlaying = false;
    }
    this.#load(this.time);
    this.changed();
    return true;
  }

  /** Discards all data, because a new run has started. */
  reset() {
    this.store.clear();
    this.#forget();
    this.frozen = null;
    this.isFollowing = !this.source.isRecording;
    this.isPlaying = false;
  }

  /** Forgets what is loaded, because the time span has changed. What is being loaded is then ignored. */
  #forget() {
    // The time spans of which all frames are loaded, by node.
    this.covered = new Map();
    this.loading = null;
    // Whether there are more results and drops than the store keeps.
    this.isCut = false;
  }

  #go(time, id = Infinity) {
    const { from, to } = this.window;
    this.time = Math.min(to, Math.max(from, time));
    this.id = id;
    this.#load(this.time);
    this.changed();
  }

  /** Loads the frames around a time if they are missing. */
  #load(time) {
    if (this.isFollowing || !this.node || this.loading) return;
    const missing = this.source.isRecording ? this.#missingAhead(time) : this.#missingBefore(time);
    if (!missing) return;
    const { node, covered } = this, { isRecording } = this.source, { from, to, had } = missing;
    this.loading = this.source.range({ nodes: [node], from, to, limit: 2000, oldest: isRecording, only: "frames" })
      .then(({ items, isPart }) => {
        if (covered !== this.covered) return;
        const span = { from: Math.min(from, had?.from ?? from), to: Math.max(to, had?.to ?? to) };
        if (isPart && items.length) {
          if (isRecording) span.to = items[items.length - 1].at_ms; else span.from = items[0].at_ms;
        }
        covered.set(node, span);
        this.#take(items);
        this.loading = null;
        const isFurther = isRecording ? span.to > from : span.from < to;
        if (isPart && isFurther || node !== this.node) this.#load(this.time);
        this.changed();
      }, () => { if (covered === this.covered) this.loading = null; });
  }

  /** Returns the time span of a recording to load next, so that the frames around a time are there and those soon after it. */
  #missingAhead(time) {
    const span = this.window, had = this.covered.get(this.node);
    const isNear = had && time >= had.from && time - readBehind <= had.to;
    if (isNear && (had.to >= span.to || time < had.to - readAhead / 4)) return null;
    const from = isNear ? had.to : Math.max(span.from, time - readBehind);
    return { from, to: Math.min(span.to, Math.max(time, from) + readAhead * Math.max(1, this.speed)), had: isNear ? had : null };
  }

  /** Returns the time span of a paused run to load next. The newest frames are loaded first. */
  #missingBefore(time) {
    const span = this.window, had = this.covered.get(this.node);
    if (!had) return { ...span, had: null };
    return time <= had.from && had.from > span.from ? { from: span.from, to: had.from, had } : null;
  }

  async #fetch(query) {
    const { covered } = this, { items } = await this.source.range(query);
    if (covered === this.covered) this.#take(items);
  }

  /** Loads the results and drops of the time span, the oldest first, until all are there or the store is full. */
  async #loadEvents() {
    const { covered } = this, { to } = this.window;
    let { from } = this.window;
    for (;;) {
      const limit = Math.min(5000, this.store.room);
      if (limit <= 0) { this.isCut = true; return; }
      const part = await this.source.range({ from, to, limit, oldest: true, only: "events" }).catch(() => null);
      if (!part || covered !== this.covered) return;
      this.#take(part.items);
      if (!part.isPart || !part.items.length) return;
      // Ask again for the last millisecond, which may have more. If it fills a whole answer, its rest is left out.
      const last = part.items[part.items.length - 1].at_ms;
      if (last <= from) this.isCut = true;
      from = Math.max(last, Math.floor(from) + 1);
    }
  }

  #take(items) {
    for (const item of items) this.store.add(item, 40 + 12 * size(item.payload));
    const { from, to } = this.store.trim(this.window.from, this.shown);
    for (const span of this.covered.values()) {
      span.from = Math.max(span.from, from);
      span.to = Math.min(span.to, to);
    }
    this.changed();
  }
}

/** Returns the approximate number of values in a payload. */
function size(payload) {
  if (!payload || typeof payload !== "object") return 1;
  let sum = 0;
  for (const value of Object.values(payload)) sum += Array.isArray(value) && typeof value[0] === "number" ? value.length : size(value);
  return sum + 1;
}
