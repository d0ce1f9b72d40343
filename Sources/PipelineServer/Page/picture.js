// Shows a frame in a form that suits its kind: as a drawing, as a ranking, or as text.
import { el } from "./dom.js";
import * as format from "./format.js";
import { drawBitmap, drawInk, drawLandmarks, drawStrokes, drawVector } from "./draw.js";
import { landmarkSets, points, strips, strokes } from "./points.js";
import { ranking } from "./ranking.js";
import { Sheet, bounds, joined, palette, say } from "./sheet.js";

const margin = 28;
const inside = (sheet, pad = margin) => ({ x: pad, y: pad, width: Math.max(1, sheet.width - 2 * pad), height: Math.max(1, sheet.height - 2 * pad) });

/** The maximum number of frames to show together, if each frame is one piece of a stroke. */
const mostPieces = 600;
const isBegin = (frame) => frame.payload?.phase === "begin" || frame.payload?.phase === undefined;

export class Picture {
  /**
   * @param knows What the page knows about nodes and frames. `limits(node)`: the limits of the matcher at a node: `{threshold}`, which
   * is `null` if unknown. `subject(frame)`: the frame that a frame was made from, or `null`; for a recognition, the recognized stroke
   * or hand. `isUp(node, side)`: whether y points up in what a node `takes` or `makes`.
   */
  constructor(store, { limits = () => ({}), subject = () => null, isUp = () => false } = {}) {
    Object.assign(this, { store, limits, subject, isUpAt: isUp, frame: null, key: "", box: null });
    this.sheet = new Sheet("picture", () => this.#draw());
    this.words = el("div", { class: "words" });
    this.legend = el("p", { class: "legend" });
    this.element = el("div", { class: "frame" }, this.sheet.canvas, this.legend, this.words);
  }

  /** Shows a frame, or that there is none. */
  show(frame, { empty = "No frame yet" } = {}) {
    const key = frame ? `${frame.node}\n${frame.kind}` : "";
    if (key !== this.key) { this.key = key; this.box = null; }
    Object.assign(this, { frame, empty });
    const kind = frame?.kind;
    const isDrawn = !frame || Object.hasOwn(drawings, kind);
    const from = isDrawn || frame.payload?.subject ? null : this.subject(frame);
    this.made = isDrawn ? null : frame.payload?.subject ?? from?.payload ?? null;
    this.isUp = Boolean(frame) && (this.made && !from ? this.isUpAt(frame.node, "takes") : this.isUpAt((from ?? frame).node, "makes"));
    this.sheet.canvas.hidden = !isDrawn && !drawings[this.made?.kind];
    this.sheet.canvas.classList.toggle("small", !isDrawn);
    this.words.replaceChildren(...(frame ? wordsOf(frame, this.limits(frame.node)) : []));
    this.legend.replaceChildren(...(this.made ? [] : legendOf(frame)));
    this.sheet.canvas.setAttribute("aria-label", frame ? describe(frame) : empty);
    this.#draw();
  }

  #draw() {
    const context = this.sheet.canvas.hidden ? null : this.sheet.begin();
    if (!context) return;
    const { frame } = this;
    if (!frame) return say(context, this.sheet, this.empty ?? "");
    if (!frame.payload) return say(context, this.sheet, "This kind cannot be drawn");
    if (this.made) drawings[this.made.kind](context, this, { ...frame, payload: this.made });
    else drawings[frame.kind]?.(context, this, frame);
  }

  /** Extends the bounding box by `lists` and returns it. The box covers all frames shown so far, so that movement remains visible. */
  grown(lists) {
    this.box = joined(this.box, bounds(lists));
    return this.box;
  }
}

/** The drawing functions by kind. */
const drawings = {
  stroke(context, { sheet }, { payload }) {
    const lists = strokes(payload);
    if (!lists.length) return say(context, sheet, "An empty stroke");
    drawStrokes(context, inside(sheet), lists);
  },
  points(context, picture, frame) {
    const pieces = picture.store.leadingTo(frame, mostPieces, (one) => one.payload?.phase === "begin");
    const list = (pieces.length ? pieces : [frame]).flatMap((one) => points(one.payload?.pts, one.payload?.fields));
    if (!list.length) return say(context, picture.sheet, "No point");
    const area = inside(picture.sheet);
    const box = picture.grown([list]);
    drawStrokes(context, area, [list], { box });
  },
  ink(context, picture, frame) {
    const pieces = frame.payload.phase ? picture.store.leadingTo(frame, mostPieces, isBegin) : [frame];
    const payloads = (pieces.length ? pieces : [frame]).map((one) => one.payload);
    if (!payloads.some((payload) => strips(payload).length)) return say(context, picture.sheet, "No ink");
    drawInk(context, inside(picture.sheet), payloads);
  },
  bitmap(context, { sheet }, { payload }) {
    const subject = payload.subject?.kind === "stroke" ? strokes(payload.subject) : [];
    const area = inside(sheet, 16);
    if (!subject.length) return drawBitmap(context, area, payload);
    const side = Math.min(area.height, (area.width - 24) * 0.6);
    drawBitmap(context, { ...area, width: side, y: area.y + (area.height - side) / 2, height: side }, payload);
    const rest = { x: area.x + side + 24, y: area.y + area.height * 0.2, width: area.width - side - 32, height: area.height * 0.6 };
    drawStrokes(context, rest, subject, { color: palette().muted, width: 1.5, isPlain: true });
  },
  vector(context, { sheet }, { payload }) {
    if (!Array.isArray(payload.values)) return say(context, sheet, "No numbers");
    drawVector(context, { x: 12, y: 20, width: sheet.width - 28, height: sheet.height - 40 }, payload.values);
  },
  landmarks: drawSets,
  hands: drawSets,
  results: drawSets,
};

function drawSets(context, picture, { payload }) {
  const sets = landmarkSets(payload);
  if (!sets.length) return say(context, picture.sheet, payload.kind === "landmarks" ? "No landmarks" : "No hand in sight");
  const lists = sets.map(({ places }) => places);
  const isNormalized = sets[0].set.space === "normalized";
  const box = isNormalized ? joined({ left: 0, right: 1, top: 0, bottom: 1 }, bounds(lists)) : picture.grown(lists);
  const pad = isNormalized ? 8 : margin;
  if (isNormalized) outline(context, picture.sheet, pad);
  drawLandmarks(context, inside(picture.sheet, pad), payload, { box, isUp: picture.isUp, aspect: isNormalized ? 4 / 3 : 1 });
}

/** Draws the border of the camera's image. */
function outline(context, sheet, pad) {
  const { width, height } = inside(sheet, pad);
  const high = Math.min(height, (width * 3) / 4), wide = (high * 4) / 3;
  context.strokeStyle = palette().line;
  context.lineWidth = 1;
  context.strokeRect((sheet.width - wide) / 2, (sheet.height - high) / 2, wide, high);
}

/** Returns the elements below the drawing. */
function wordsOf(frame, limits) {
  const { payload, kind } = frame;
  if (!payload) return [el("pre", { class: "raw", text: format.name(frame.shown ?? "This frame cannot be shown.", 2000) })];
  if (kind === "recognition") return [ranking(payload.categories ?? [], { ...limits, payload })];
  if (kind === "results") {
    return landmarkSets(payload).filter(({ set }) => Array.isArray(set.categories)).map(({ set }) => el("section", {},
      el("h4", { text: [set.handedness, set.track].filter((part) => part !== undefined).map((part) => format.name(part, 20)).join(" ") || "Hand" }),
      set.categories.length ? ranking(set.categories, { ...limits, payload: set }) : el("p", { class: "quiet", text: "Nothing recognized" })));
  }
  if (Object.hasOwn(drawings, kind)) return [];
  if (kind === "error") {
    return [el("p", { class: "bad", text: format.name(payload.message, 500) }),
      el("p", { class: "quiet", text: `${format.name(payload.code, 80)} at ${format.name(payload.node, 80)}${payload.location ? `, ${format.name(payload.location, 200)}` : ""}` }),
      raw(payload.frame)];
  }
  return [raw(payload)];
}

function raw(payload) {
  return el("pre", { class: "raw", tabindex: "0", text: (JSON.stringify(payload, null, 1) ?? "").slice(0, 4000).replace(/[^\n\P{C}]/gu, "\ufffd") });
}

/** Returns the legend of the colors and marks. */
function legendOf(frame) {
  const mark = (name, words) => el("span", { class: `mark ${name}` }, words);
  const kind = frame?.kind;
  if (["landmarks", "hands", "results"].includes(kind)) return [mark("left", "left"), mark("right", "right"), mark("unsure", "confidence under 0.5")];
  if (kind === "stroke" || kind === "points") return [mark("begin", "begins"), mark("arrow", "direction"), mark("sample", "one dot per sample")];
  return [];
}

/** Returns a description of the frame, for captions and screen readers. */
export function describe(frame) {
  const { payload, kind } = frame;
  const label = payload?.label ? `, labeled ${format.name(payload.label)}` : "";
  if (!payload) return `A frame of kind ${format.name(kind)}`;
  if (kind === "stroke") {
    const lists = strokes(payload);
    return `${format.plural(lists.length, "stroke")}, ${format.plural(lists.flat().length, "point")}${label}`;
  }
  if (kind === "points") return `${format.plural(points(payload.pts, payload.fields).length, "point")}${payload.phase ? `, ${format.name(payload.phase, 12)}` : ""}`;
  if (kind === "ink") return `Ink, ${format.plural(strips(payload).flat().length, "point")}${label}`;
  if (kind === "bitmap") return `A bitmap of 8 × 8 cells${label}`;
  if (kind === "vector") return `${format.plural(payload.values?.length ?? 0, "number")}${label}`;
  if (kind === "landmarks") return `${format.plural(landmarkSets(payload)[0]?.places.length ?? 0, "landmark")}${label}`;
  if (kind === "hands" || kind === "results") return format.plural(landmarkSets(payload).length, "hand") + label;
  if (kind === "recognition") {
    const best = payload.categories?.[0];
    return best ? `${format.name(best.name)}, score ${format.score(best.score)}` : "No category";
  }
  return `A frame of kind ${format.name(kind)}`;
}
