// A canvas with the resolution of the screen, the colors of the theme, and the mapping of points to the canvas.
import { el } from "./dom.js";

let colors = null;

/** Returns the colors of the theme. They are read from the style sheet once. */
export function palette() {
  if (colors) return colors;
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  colors = { ink: of("ink"), muted: of("muted"), line: of("line"), faint: of("faint"), accent: of("accent"), good: of("good"), bad: of("bad"),
    left: of("left"), right: of("right"), surface: of("surface"), font: style.getPropertyValue("--font").trim() };
  return colors;
}

export const forgetPalette = () => { colors = null; };

export class Sheet {
  /** @param redraw Called with the sheet when it must be redrawn. */
  constructor(name, redraw) {
    this.canvas = el("canvas", { class: name, role: "img" });
    this.redraw = redraw;
    this.width = this.height = 0;
    new ResizeObserver(() => this.#fit()).observe(this.canvas);
  }

  #fit() {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = Math.min(3, devicePixelRatio || 1);
    if (!clientWidth || !clientHeight) return;
    this.width = clientWidth;
    this.height = clientHeight;
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    this.redraw(this);
  }

  /** Returns a cleared context in CSS pixels, or `null` if the canvas has no size yet. */
  begin() {
    if (!this.width) return null;
    const context = this.canvas.getContext("2d");
    context.setTransform(this.canvas.width / this.width, 0, 0, this.canvas.height / this.height, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.lineCap = context.lineJoin = "round";
    context.globalAlpha = 1;
    context.setLineDash([]);
    return context;
  }
}

/** Returns the bounding box of lists of points `{x, y}`, or `null` if there are no points. */
export function bounds(lists) {
  let box = null;
  for (const list of lists) {
    for (const { x, y } of list) {
      box ??= { left: x, right: x, top: y, bottom: y };
      box.left = Math.min(box.left, x); box.right = Math.max(box.right, x);
      box.top = Math.min(box.top, y); box.bottom = Math.max(box.bottom, y);
    }
  }
  return box;
}

export const joined = (a, b) => (!a ? b : !b ? a : { left: Math.min(a.left, b.left), right: Math.max(a.right, b.right),
  top: Math.min(a.top, b.top), bottom: Math.max(a.bottom, b.bottom) });

/**
 * Returns the mapping of a box to an area of the sheet. `aspect` is the width of one unit of x in units of y; with 1, both axes
 * have the same scale.
 */
export function fit(box, { x, y, width, height }, { isUp = false, aspect = 1 } = {}) {
  const wide = Math.max((box.right - box.left) * aspect, 1e-9), high = Math.max(box.bottom - box.top, 1e-9);
  const scale = Math.min(width / wide, height / high, wide < 1e-6 && high < 1e-6 ? 1 : Infinity);
  const left = x + width / 2 - ((box.left + box.right) / 2) * aspect * scale;
  const middle = y + height / 2, center = (box.top + box.bottom) / 2;
  return { scale, place: (point) => ({ x: left + point.x * aspect * scale, y: middle + (point.y - center) * scale * (isUp ? -1 : 1) }) };
}

/** Writes a text in the middle of an empty sheet. */
export function say(context, sheet, words) {
  context.fillStyle = palette().muted;
  context.font = `13px ${palette().font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(words, sheet.width / 2, sheet.height / 2);
}
