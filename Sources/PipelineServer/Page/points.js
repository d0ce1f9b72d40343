// Reads the points in canonical messages.

const most = 20_000;

/** Returns the points in a flat list of numbers, according to the letters of `fields`. The list ends before the first point without finite x and y. */
export function points(numbers, fields) {
  const letters = typeof fields === "string" ? fields : "xy";
  const at = (letter) => letters.indexOf(letter);
  const [x, y, z, t, w] = ["x", "y", "z", "t", "w"].map(at);
  const found = [];
  if (!Array.isArray(numbers) || x < 0 || y < 0) return found;
  for (let i = 0; i + letters.length <= numbers.length && found.length < most; i += letters.length) {
    const point = { x: numbers[i + x], y: numbers[i + y] };
    if (!Number.isFinite(point.x) || !Number.isFinite(point.y)) break;
    if (z >= 0) point.z = numbers[i + z];
    if (t >= 0) point.t = numbers[i + t];
    if (w >= 0) point.w = numbers[i + w];
    found.push(point);
  }
  return found;
}

/** Returns the strokes of a message, as one list of points each. */
export function strokes(payload) {
  const all = points(payload?.pts, payload?.fields);
  const counts = Array.isArray(payload?.counts) ? payload.counts : [all.length];
  const lists = [];
  let from = 0;
  for (const count of counts.slice(0, 1000)) {
    if (!Number.isInteger(count) || count < 0) break;
    lists.push(all.slice(from, from + count));
    from += count;
  }
  return lists.filter((list) => list.length > 0);
}

/** Returns the strips of an ink message. */
export function strips(payload) {
  if (!Array.isArray(payload?.strips)) return [];
  const fields = typeof payload.fields === "string" && payload.fields.includes("w") ? payload.fields : "xyw";
  return payload.strips.slice(0, 1000).map((strip) => points(strip, fields)).filter((list) => list.length > 0);
}

/** Returns the 64 cells of a bitmap, row by row. */
export function cells(payload) {
  if (typeof payload?.bits !== "string" || !/^[0-9a-fA-F]{16}$/.test(payload.bits)) return null;
  return [...payload.bits].flatMap((digit) => [8, 4, 2, 1].map((bit) => (parseInt(digit, 16) & bit) !== 0));
}

/** Returns the landmark sets in a message of kind `landmarks`, `hands`, or `results`. */
export function landmarkSets(payload) {
  const sets = payload?.kind === "landmarks" ? [payload] : Array.isArray(payload?.hands) ? payload.hands : [];
  return sets.slice(0, 32).map((set) => ({ set, places: points(set?.pts, set?.fields) })).filter(({ places }) => places.length > 0);
}
