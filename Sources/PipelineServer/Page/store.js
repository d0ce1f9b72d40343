// What the page keeps of a run: frames by node, results and drops, bounded in time, in bytes and in number.

const before = (a, b) => a.at_ms - b.at_ms || a.id - b.id;

/** The first place in a sorted list whose item is not before `item`. */
function place(list, item) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(list[middle], item) < 0) low = middle + 1; else high = middle;
  }
  return low;
}

/** Adds an item to a sorted list, most often at its end. Returns whether it was not there. */
function insert(list, item) {
  if (!list.length || before(list[list.length - 1], item) < 0) return list.push(item) > 0;
  const at = place(list, item);
  if (list[at] && before(list[at], item) === 0) return false;
  list.splice(at, 0, item);
  return true;
}

export class Store {
  /** @param limits `ms`: how far back; `bytes`: of all frames; `events`: how many results and drops of each. */
  constructor(limits = {}) {
    this.limits = { ms: 60_000, bytes: 24_000_000, events: 5000, ...limits };
    this.clear();
  }

  clear() {
    this.frames = new Map();
    this.results = [];
    this.drops = [];
    this.bytes = 0;
    this.latest = null;
  }

  /** Takes an item as the server sends it. `bytes` is about how long its text was. O(1) for items that come in order. */
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

  /** Forgets what is before `from`, and then the frames farthest from `time` until the rest fits. */
  trim(from, time) {
    const mark = { at_ms: from, id: -1 };
    for (const list of [this.results, this.drops]) list.splice(0, place(list, mark));
    for (const list of this.frames.values()) this.#remove(list, 0, place(list, mark));
    for (let reach = this.limits.ms / 2; this.bytes > this.limits.bytes && reach > 100; reach /= 2) {
      for (const list of this.frames.values()) {
        this.#remove(list, 0, place(list, { at_ms: time - reach, id: -1 }));
        const end = place(list, { at_ms: time + reach, id: -1 });
        this.#remove(list, end, list.length - end);
      }
    }
  }

  #remove(list, at, length) {
    for (const frame of list.splice(at, length)) this.bytes -= frame.bytes;
  }

  /** The last frame of a node, or result where no node is given, at or before a moment `{at_ms, id}`, of one stream or of any. */
  at(node, moment, stream = null) {
    return this.#near(node, moment, stream, -1);
  }

  /** The next (`direction` 1) or previous (−1) frame of a node or result: seen from the one at a moment. */
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

  /** The frames of the same node and stream that lead up to `frame`, oldest first, at most `most`, until `isFirst` says yes. */
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

  /** Streams that frames of a node belong to, the most recent first, at most 50. */
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
