// The playhead: follows a run, stands still, or plays what is kept or recorded, at a speed.

const readAhead = 5000, readBehind = 2000;

export class Player {
  /** @param changed Called when something that is shown has changed. */
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
    this.covered = new Map();
    this.loading = null;
    if (source.isRecording) this.#loadEvents();
  }

  /** Whether something new may come. */
  get isEndless() {
    return !this.source.isRecording && !this.source.isOver;
  }

  /** What the timeline spans. */
  get window() {
    return this.frozen ?? this.source.span();
  }

  /** The time that is shown. */
  get shown() {
    return this.isFollowing ? this.source.now() : this.time;
  }

  /** The moment that is shown: of several frames of one time, the one that was stepped to. */
  get moment() {
    return this.isFollowing ? { at_ms: Infinity, id: Infinity } : { at_ms: this.time, id: this.id };
  }

  /** Looks at another node, or at all streams or one. */
  look(node, stream = null) {
    this.node = node;
    this.stream = stream;
    this.#load(this.shown);
    this.changed();
  }

  /** Stands still. A run's new frames are not taken while it does: what is shown stays. */
  pause(time = this.shown, id = this.isFollowing || time !== this.time ? Infinity : this.id) {
    this.isPlaying = false;
    if (this.isFollowing) {
      this.isFollowing = false;
      this.frozen = this.source.span();
      this.covered.clear();
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

  /** Space: pauses what moves, plays what stands. */
  toggle() {
    if (this.isEndless ? this.isFollowing || this.isPlaying : this.isPlaying) return this.pause();
    if (this.isFollowing) this.pause();
    this.play();
  }

  /** Back to what happens now. What was missed meanwhile is fetched. */
  follow() {
    if (this.source.isRecording) { this.isPlaying = false; return this.#go(this.window.to); }
    this.isFollowing = true;
    this.isPlaying = false;
    this.frozen = null;
    this.covered.clear();
    this.#loadEvents();
    if (this.node) this.#fetch({ nodes: [this.node], limit: 500, only: "frames" }).catch(() => {});
    this.changed();
  }

  seek(time) {
    if (this.isFollowing) this.pause(time); else this.#go(time);
  }

  /** To the next or previous frame of the node, or result where no node is looked at. */
  async step(direction) {
    this.pause();
    await this.loading;
    let item = this.store.step(this.node, this.moment, direction, this.stream);
    // A recording may have long stretches without a frame.
    for (let reach = readAhead; item === null && this.source.isRecording && this.node && reach < 1e9; reach *= 4) {
      const span = this.window, from = direction > 0 ? this.time : this.time - reach;
      await this.#fetch({ nodes: [this.node], from, to: from + reach, limit: 1000, oldest: direction > 0 });
      item = this.store.step(this.node, this.moment, direction, this.stream);
      if (direction > 0 ? from + reach >= span.to : from <= span.from) break;
    }
    if (item !== null) this.#go(item.at_ms, item.id);
  }

  /** Moves the playhead of what is playing by the time that has passed. Returns whether it moves. */
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

  /** Forgets all, when another run has begun. */
  reset() {
    this.store.clear();
    this.covered.clear();
    this.frozen = null;
    this.isFollowing = !this.source.isRecording;
    this.isPlaying = false;
  }

  #go(time, id = Infinity) {
    const { from, to } = this.window;
    this.time = Math.min(to, Math.max(from, time));
    this.id = id;
    this.#load(this.time);
    this.changed();
  }

  /** Sees to it that the frames about a time are there. */
  #load(time) {
    if (this.isFollowing || !this.node || this.loading) return;
    const had = this.covered.get(this.node), span = this.window;
    const isIn = had && time >= had.from && time <= had.to;
    if (isIn && (had.to >= span.to || time < had.to - readAhead / 4)) return;
    const node = this.node;
    const from = !this.source.isRecording ? span.from : isIn ? had.to : Math.max(span.from, time - readBehind);
    const to = this.source.isRecording ? Math.min(span.to, Math.max(time, from) + readAhead * Math.max(1, this.speed)) : span.to;
    this.loading = this.#fetch({ nodes: [node], from, to, limit: 2000, oldest: this.source.isRecording, only: "frames" })
      .then((items) => {
        const last = items.length >= 2000 ? items[items.length - 1].at_ms : to;
        this.covered.set(node, { from: isIn ? had.from : from, to: last });
        this.loading = null;
        if (node !== this.node) this.#load(this.time);
        this.changed();
      }, () => { this.loading = null; });
  }

  async #fetch(query) {
    const items = await this.source.range(query);
    this.#take(items);
    return items;
  }

  #loadEvents() {
    const { from, to } = this.window;
    this.source.range({ from, to, limit: 5000, only: "events" }).then((items) => this.#take(items), () => {});
  }

  #take(items) {
    for (const item of items) this.store.add(item, 40 + 12 * size(item.payload));
    this.store.trim(this.window.from, this.shown);
    this.changed();
  }
}

/** About how many numbers a payload has. */
function size(payload) {
  if (!payload || typeof payload !== "object") return 1;
  let sum = 0;
  for (const value of Object.values(payload)) sum += Array.isArray(value) && typeof value[0] === "number" ? value.length : size(value);
  return sum + 1;
}
