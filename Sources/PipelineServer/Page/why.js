// The explanation of a result: one sentence, its steps through the stages, and the best templates drawn over the compared data.
import { el, icon } from "./dom.js";
import * as format from "./format.js";
import { captionOf } from "./inspector.js";
import { Picture } from "./picture.js";
import { landmarkSets, strokes } from "./points.js";
import { ranking } from "./ranking.js";
import { drawStrokes } from "./draw.js";
import { Sheet, bounds, joined, palette } from "./sheet.js";
import { bonesOf } from "./skeleton.js";
import { ask } from "./source.js";

export class Why {
  /** @param isUp See `Picture`. @param does The actions: `close()`, `learned(node, threshold)`. */
  constructor(store, isUp, does) {
    Object.assign(this, { store, isUp, does, id: null, sheets: [] });
    this.title = el("h2", { tabindex: "-1", text: "Why?" });
    this.body = el("div", { class: "body", "aria-live": "polite" });
    this.element = el("div", { class: "why" },
      el("header", {}, this.title, el("button", { type: "button", class: "plain", "aria-label": "Back (Escape)", title: "Back (Esc)", on: { click: () => does.close() } }, icon("close"))), this.body);
  }

  /** Requests the explanation of a result, or of a frame that is a result, from the server. */
  async show(result) {
    this.id = result.id;
    this.sheets = [];
    this.body.replaceChildren(el("p", { class: "quiet", text: "Processing the input again …" }));
    let answer = null, error = null;
    try { answer = await ask(`/api/why?id=${encodeURIComponent(result.id)}`); } catch (problem) { error = problem.message; }
    if (this.id !== result.id) return;
    if (!answer || answer.possible === false) {
      const frame = answer?.result?.payload ? { kind: result.kind, ...answer.result } : this.store.frameOf(result.id);
      const parts = [el("p", { class: "sentence", text: "This result cannot be explained." }), el("p", { class: "quiet", text: format.name(answer?.reason ?? error, 500) })];
      this.body.replaceChildren(...parts, ...(frame?.payload ? [this.#step({ node: result.node, kind: result.kind, frames: [frame] })] : []));
      return;
    }
    if (Number.isFinite(answer.threshold)) this.does.learned(result.node, answer.threshold);
    this.#answer(answer, result);
  }

  #answer(answer, result) {
    const isKnown = answer.accepted === true || answer.accepted === false;
    const parts = [el("p", { class: `sentence ${isKnown ? (answer.accepted ? "good" : "none") : ""}`, text: format.name(answer.sentence ?? "", 600) }),
      el("p", { class: "caption number", text: captionOf({ kind: result.kind, ...(answer.result ?? result) }) })];
    const candidates = (answer.candidates ?? []).slice(0, 5);
    if (candidates.length) {
      const list = candidates.map((one) => ({ ...one, display_name: one.label + (one.template && one.template !== one.label ? ` (${one.template})` : "") }));
      const overlays = candidates.filter((one) => one.points).map((one) => this.#overlay(one, answer));
      parts.push(el("section", {}, el("h3", { text: "The best templates" }),
        ...(overlays.length ? [el("div", { class: "overlays" }, ...overlays), el("p", { class: "legend" }, el("span", { class: "mark ink" }, "what was compared"), el("span", { class: "mark template" }, "template"))] : []),
        ranking(list, { threshold: answer.threshold, payload: { margin: answer.margin } })));
    }
    if (answer.same === false) parts.push(el("p", { class: "bad", text: "Processing the kept input again gave another result: a stage depends on earlier input, which is no longer kept." }));
    const steps = (answer.steps ?? []).filter((step) => step.frames?.length);
    if (steps.length) parts.push(el("section", {}, el("h3", { text: "Steps" }), el("ol", { class: "steps" }, ...steps.map((step) => el("li", {}, this.#step(step))))));
    this.body.replaceChildren(...parts);
  }

  /** Creates the view of a stage's output. Frames with single points are drawn as connected strokes. */
  #step(step) {
    const frames = step.frames.map((frame, at) => ({ kind: step.kind, node: step.node, ...frame, at_ms: at, id: at, kind: frame.payload?.kind ?? step.kind }));
    const last = frames[frames.length - 1];
    const history = { leadingTo: (frame) => frames.filter((one) => one.stream === frame.stream) };
    const picture = new Picture(history, { isUp: this.isUp });
    picture.show(last);
    this.sheets.push(picture.sheet);
    const number = frames.length > 1 ? ` · ${format.plural(frames.length, "frame")}` : "";
    return el("figure", {}, el("figcaption", {}, el("strong", { text: format.name(step.node, 40) }), el("span", { class: "quiet", text: ` ${format.name(last.kind ?? "", 20)}${number}` })), picture.element);
  }

  /** Creates the view of a template drawn over the data it was compared with. */
  #overlay(candidate, answer) {
    const isUp = Boolean(answer.subject) && this.isUp(answer.subject.node, "makes");
    const sheet = new Sheet("overlay", () => {
      const context = sheet.begin();
      if (!context) return;
      const area = { x: 8, y: 8, width: sheet.width - 16, height: sheet.height - 16 };
      lay(context, area, answer.subject?.payload, candidate.points, isUp);
    });
    this.sheets.push(sheet);
    sheet.canvas.setAttribute("aria-label", `${format.name(candidate.label, 40)} over what was compared`);
    return el("figure", {}, sheet.canvas, el("figcaption", { class: "number" }, el("span", { text: format.name(candidate.label, 16) }), el("span", { class: "quiet", text: ` ${format.score(candidate.score)}` })));
  }
}

/** Draws a template over the compared data. Both are strokes, or landmarks with the same direction of y. */
function lay(context, area, compared, template, isUp) {
  const { ink, left, right } = palette();
  const isStroke = template.kind === "stroke";
  const lines = (payload) => (isStroke ? strokes(payload) : landmarkSets(payload).flatMap(({ set, places }) => bonesOf(set.topology, places.length).map((bone) => [places[bone.from], places[bone.to]])));
  const [a, b] = [evened(lines(compared)), evened(lines(template))];
  const box = joined(bounds(a), bounds(b));
  drawStrokes(context, area, b, { box, isUp, color: isStroke ? left : right, width: 4, isPlain: true, alpha: 0.75 });
  drawStrokes(context, area, a, { box, isUp, color: ink, width: 1.75, isPlain: true });
}

/** Moves strokes so that their center is at 0, and scales them so that the mean distance from it is 1. */
function evened(lists) {
  const all = lists.flat();
  if (!all.length) return lists;
  const mean = (of) => all.reduce((sum, point) => sum + of(point), 0) / all.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const size = mean((point) => Math.hypot(point.x - x, point.y - y)) || 1;
  return lists.map((list) => list.map((point) => ({ x: (point.x - x) / size, y: (point.y - y) / size })));
}
