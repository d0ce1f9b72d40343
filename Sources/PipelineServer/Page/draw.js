// Draws payloads on a sheet. Every function takes a context, an area `{x, y, width, height}`, and the data to draw.
import * as format from "./format.js";
import { cells, landmarkSets, strips } from "./points.js";
import { bonesOf, handSide, namesOf } from "./skeleton.js";
import { bounds, fit, palette } from "./sheet.js";

/** Draws strokes, with a ring at the start, arrowheads along the way, and a dot for every sample. */
export function drawStrokes(context, area, lists, { box = bounds(lists), isUp = false, color = palette().ink, isPlain = false, width = 2.25, alpha = 1 } = {}) {
  if (!box) return;
  const { place } = fit(box, area, { isUp });
  context.globalAlpha = alpha;
  lists.forEach((list, number) => {
    const line = list.map(place);
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = width;
    context.beginPath();
    line.forEach(({ x, y }, at) => (at ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
    if (isPlain) return;
    if (line.length <= 160) for (const { x, y } of line) dot(context, x, y, 2.2);
    arrows(context, line);
    begin(context, line[0], lists.length > 1 ? number + 1 : null);
  });
  context.globalAlpha = 1;
}

function dot(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.fill();
}

/** Draws the start of a stroke as a ring, with the stroke's number if there are several. */
function begin(context, { x, y }, number) {
  const { surface, accent, font } = palette();
  context.fillStyle = surface;
  context.strokeStyle = accent;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, number ? 8 : 5, 0, 7);
  context.fill();
  context.stroke();
  if (!number) return;
  context.fillStyle = accent;
  context.font = `600 10px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(String(number), x, y + 0.5);
}

/** Draws arrowheads in the direction of the stroke, every 70 pixels and at the end. */
function arrows(context, line) {
  context.fillStyle = palette().accent;
  let since = 35;
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [line[i - 1], line[i]];
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    since += length;
    if (length < 0.5 || (since < 70 && i < line.length - 1)) continue;
    since = 0;
    const [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length];
    const size = i === line.length - 1 ? 9 : 6;
    const tip = i === line.length - 1 ? { x: b.x + dx * 3, y: b.y + dy * 3 } : { x: b.x + dx * 2, y: b.y + dy * 2 };
    context.beginPath();
    context.moveTo(tip.x, tip.y);
    context.lineTo(tip.x - dx * size - dy * size * 0.55, tip.y - dy * size + dx * size * 0.55);
    context.lineTo(tip.x - dx * size + dy * size * 0.55, tip.y - dy * size - dx * size * 0.55);
    context.fill();
  }
}

/** Draws ink with its own line widths. */
export function drawInk(context, area, payloads, box) {
  const lists = payloads.flatMap(strips);
  const whole = box ?? bounds(lists);
  if (!whole) return;
  const { scale, place } = fit(whole, area);
  context.strokeStyle = context.fillStyle = palette().ink;
  for (const list of lists) {
    let last = null;
    for (const point of list) {
      const here = { ...place(point), width: Math.max(0.6, (point.w ?? 1) * scale) };
      if (last) {
        context.lineWidth = (here.width + last.width) / 2;
        context.beginPath();
        context.moveTo(last.x, last.y);
        context.lineTo(here.x, here.y);
        context.stroke();
      } else dot(context, here.x, here.y, here.width / 2);
      last = here;
    }
  }
}

/** Draws an 8×8 bitmap. */
export function drawBitmap(context, area, payload) {
  const all = cells(payload);
  if (!all) return;
  const { ink, line } = palette();
  const side = Math.floor(Math.min(area.width, area.height) / 8);
  const left = area.x + (area.width - side * 8) / 2, top = area.y + (area.height - side * 8) / 2;
  all.forEach((isSet, at) => {
    context.fillStyle = isSet ? ink : line;
    context.globalAlpha = isSet ? 1 : 0.45;
    context.beginPath();
    context.roundRect(left + (at % 8) * side + 1.5, top + Math.floor(at / 8) * side + 1.5, side - 3, side - 3, Math.min(3, side / 6));
    context.fill();
  });
  context.globalAlpha = 1;
}

/** Draws a vector, with a bar from the zero line for every number. */
export function drawVector(context, area, values, { color = palette().right } = {}) {
  const numbers = values.slice(0, 4096).map((number) => (Number.isFinite(number) ? number : 0));
  if (!numbers.length) return;
  const { muted, faint, font } = palette();
  const high = Math.max(0, ...numbers), low = Math.min(0, ...numbers);
  const span = high - low || 1;
  const y = (number) => area.y + ((high - number) / span) * area.height;
  const labels = 52, step = (area.width - labels) / numbers.length;
  context.fillStyle = color;
  numbers.forEach((number, at) => {
    const top = Math.min(y(number), y(0));
    context.fillRect(area.x + labels + at * step, top, Math.max(0.7, step - (step > 3 ? 1 : 0)), Math.max(0.7, Math.abs(y(number) - y(0))));
  });
  context.strokeStyle = faint;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(area.x + labels, y(0));
  context.lineTo(area.x + area.width, y(0));
  context.stroke();
  context.fillStyle = muted;
  context.font = `11px ${font}`;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const number of new Set([high, 0, low])) {
    if (number !== 0 && Math.abs(y(number) - y(0)) < 14) continue;
    context.fillText(format.value(number), area.x + labels - 8, y(number));
  }
}

/** Draws hands and bodies, with separate colors for left and right. Landmarks with low confidence are hollow and pale. */
export function drawLandmarks(context, area, payload, { box, isUp = false, aspect = 1 } = {}) {
  const sets = landmarkSets(payload);
  const whole = box ?? bounds(sets.map(({ places }) => places));
  if (!whole) return;
  const { place } = fit(whole, area, { isUp, aspect });
  const drawn = sets.map(({ set, places }) => ({ set, places, here: places.map(place) }));
  const taken = drawn.map(({ here }) => bounds([here]));
  for (const { set, places, here } of drawn) {
    const { muted, ink, surface } = palette();
    const bones = bonesOf(set.topology, places.length);
    const own = handSide(set.handedness);
    const paint = (side) => (side ? palette()[side] : own ? palette()[own] : bones.length ? muted : ink);
    const isSure = (at) => !Array.isArray(set.conf) || !(set.conf[at] < 0.5);
    const sides = new Array(places.length).fill(null);
    for (const bone of bones) if (bone.side) sides[bone.to] = bone.side;
    for (const bone of bones) {
      const sure = isSure(bone.from) && isSure(bone.to);
      context.globalAlpha = sure ? 0.9 : 0.45;
      context.setLineDash(sure ? [] : [4, 5]);
      context.strokeStyle = paint(bone.side);
      context.lineWidth = 3;
      context.beginPath();
      context.moveTo(here[bone.from].x, here[bone.from].y);
      context.lineTo(here[bone.to].x, here[bone.to].y);
      context.stroke();
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
    const radius = places.length > 100 ? 1.2 : places.length > 24 ? 3 : 3.6;
    here.forEach(({ x, y }, at) => {
      context.beginPath();
      context.arc(x, y, radius, 0, 7);
      context.fillStyle = isSure(at) ? paint(sides[at]) : surface;
      context.fill();
      context.strokeStyle = isSure(at) ? surface : paint(sides[at]);
      context.lineWidth = isSure(at) ? 1 : 1.5;
      if (radius > 2) context.stroke();
    });
    caption(context, area, here, captionOf(set), paint(null), taken);
    if (!bones.length) namesOf(set.topology).forEach((name, at) => here[at] && caption(context, area, [here[at]], format.name(name, 24), muted, taken));
  }
}

function captionOf(set) {
  const best = Array.isArray(set.categories) ? set.categories[0] : null;
  const who = [set.handedness, set.track].filter((part) => part !== undefined && part !== null).map((part) => format.name(part, 16)).join(" ");
  return [who, best ? format.name(best.display_name ?? best.name, 24) : ""].filter(Boolean).join(" · ");
}

/** Draws a caption below or above a shape, inside the area, and if possible without overlapping the rectangles in `taken`. */
function caption(context, area, line, words, color, taken) {
  if (!words) return;
  const box = bounds([line]);
  context.font = `600 12px ${palette().font}`;
  context.textAlign = "center";
  context.textBaseline = "top";
  const half = context.measureText(words).width / 2 + 4;
  const x = Math.min(area.x + area.width - half, Math.max(area.x + half, (box.left + box.right) / 2));
  const about = (y) => ({ left: x - half, right: x + half, top: y - 1, bottom: y + 15 });
  const isFree = (y) => y >= area.y && y <= area.y + area.height - 14
    && !taken.some((one) => one.left < x + half && one.right > x - half && one.top < y + 15 && one.bottom > y - 1);
  const below = Math.min(box.bottom + 8, area.y + area.height - 14);
  const y = [below, box.top - 24, below + 17, box.top - 41, below + 34].find(isFree) ?? below;
  taken.push(about(y));
  context.lineWidth = 4;
  context.strokeStyle = palette().surface;
  context.strokeText(words, x, y);
  context.fillStyle = color;
  context.fillText(words, x, y);
}
