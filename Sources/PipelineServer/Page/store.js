// The data of a run that the page keeps: frames by node, results, and drops, limited in time, bytes, and number.

const before = (a, b) => a.at_ms - b.at_ms || a.id - b.id;

/** Returns the index of the first item in a sorted list that is not before `item`. */
function place(list, item) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(list[middle], item) < 0) low = middle + 1; else high = middle;
  }
  return low;
}

/** Inserts an item into a sorted list, usually at the end. Returns whether the item is new. */
function insert(list, item) {
  if (!list.length || before(list[list.length - 1], item) < 0) return list.push(item) > 0;
  const at = place(list, item);
  if (list[at] && before(list[at], item) === 0) return false;
  list.splice(at, 0, item);
  return true;
}

export class Store {
  /**
   * @param limits The limits: `bytes`, the size of all frames; `events`, the number of results and of drops.
   */
  constructor(limits = {}) {
    this.limits = { bytes: 24_000_000, events: 50_000, ...limits };
    this.clear();
  }

  clear() {
    this.frames = new Map();
    this.results = [];
    this.drops = [];
    this.bytes = 0;
    this.latest = null;
  }

  /** The number of results or drops that can be added before others are removed. */
  get room() {
    return this.limits.events - Math.max(this.results.length, this.drops.length);
  }

  /** Adds an item in the server's format. `bytes` is the approximate length of its text. O(1) for items that arrive in order. */
  add(item, bytes = 300) {
    if (!Number.isFinite(item?.at_ms) || !Number.isFinite(item.id)) return;
    if (item.op === "frame") {
      const list = this.frames.get(item.node) ?? [];
      this.frames.set(item.node, list);
      item.bytes = bytes;
      if (insert(list, item)) this.bytes += bytes;
    } else if (item.op === "result") insert(this.results, item);
    else if (item.op === "drop") insert(this.drops, item);
    else return;
    this.latest = Math.max(this.latest ?? item.at_ms, item.at_ms);
    for (const list of [this.results, this.drops]) if (list.length > this.limits.events) list.splice(0, list.length >> 3);
  }

  /**
   * Removes all items before `from`. If the remaining frames are too large, also removes frames, those farthest from `time` first.
   * Returns the time span of which no frame was removed.
   */
  trim(from, time) {
    const mark = { at_ms: from, id: -1 };
    for (const list of [this.results, this.drops]) list.splice(0, place(list, mark));
    for (const list of this.frames.values()) this.#remove(list, 0, place(list, mark));
    let whole = Infinity;
    for (let reach = Math.max(time - from, (this.latest ?? time) - time) / 2; this.bytes > this.limits.bytes && reach > 100; reach /= 2) {
      whole = reach;
      for (const list of this.frames.values()) {
        this.#remove(list, 0, place(list, { at_ms: time - reach, id: -1 }));
        const end = place(list, { at_ms: time + reach, id: -1 });
        this.#remove(list, end, list.length - end);
      }
    }
    return { from: time - whole, to: time + whole };
  }

  #remove(list, at, length) {
    for (const frame of list.splice(at, length)) this.bytes -= frame.bytes;
  }

  /**
   * Returns the last frame of a node (without a node, the last result) at or before a moment `{at_ms, id}`. If `stream` is given, only
   * that stream is considered.
   */
  at(node, moment, stream = null) {
    return this.#near(node, moment, stream, -1);
  }

  /** Returns the frame or result after (`direction` 1) or before (−1) the one at a moment. */
  step(node, moment, direction, stream = null) {
    const here = direction < 0 ? this.at(node, moment, stream) : moment;
    return here && this.#near(node, { at_ms: here.at_ms, id: direction < 0 ? here.id - 1 : here.id }, stream, direction);
  }

  #near(node, moment, stream, direction) {
    const list = (node ? this.frames.get(node) : this.results) ?? [];
    const after = place(list, { at_ms: moment.at_ms, id: moment.id + 0.5 });
    for (let at = direction < 0 ? after - 1 : after; at >= 0 && at < list.length; at += direction) {
      if (stream === null || list[at].stream === stream) return list[at];
    }
    return null;
  }

  /**
   * Returns the frames of the same node and stream that lead up to `frame`, oldest first. The list starts at the latest frame for which
   * `isFirst` returns true and has at most `most` frames.
   */
  leadingTo(frame, most, isFirst) {
    const list = this.frames.get(frame.node) ?? [];
    const found = [];
    for (let at = place(list, frame); at >= 0 && found.length < most; at--) {
      if (list[at]?.stream !== frame.stream) continue;
      found.push(list[at]);
      if (isFirst(list[at])) break;
    }
    return found.reverse();
  }

  /** Returns the streams of a node's frames, most recent first, at most 50. */
  streams(node) {
    const list = this.frames.get(node) ?? [];
    const found = new Set();
    for (let at = list.length - 1; at >= 0 && found.size < 50; at--) found.add(list[at].stream);
    return [...found];
  }

  frameOf(id) {
    for (const list of this.frames.values()) {
      const frame = list.find((item) => item.id === id);
      if (frame) return frame;
    }
    return null;
  }
}
