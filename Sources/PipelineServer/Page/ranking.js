// Lists categories, best first, with their scores and the threshold.
import { el } from "./dom.js";
import * as format from "./format.js";

const none = (category) => category?.name === "None" || category?.label === "None";

/**
 * Creates a list of candidates with bars. `threshold` is the lowest score that counts as a match, if known. If a candidate has a
 * `distance` and a `limit`, it is a match only if its distance does not exceed its limit.
 */
export function ranking(list, { threshold = null, payload = null, most = 8 } = {}) {
  const rows = list.slice(0, most).map((candidate, at) => {
    const title = candidate.display_name ?? candidate.label ?? candidate.name;
    const hasLimit = Number.isFinite(candidate.limit) && Number.isFinite(candidate.distance);
    const isUnder = none(candidate) || candidate.score < (threshold ?? 0) || (hasLimit && candidate.distance > candidate.limit);
    const fill = el("span", { class: "fill" });
    fill.style.width = `${Math.round(1000 * Math.min(1, Math.max(0, candidate.score ?? 0))) / 10}%`;
    const track = el("span", { class: "track" }, fill);
    if (threshold > 0) {
      const mark = el("span", { class: "limit", title: `threshold ${format.score(threshold)}` });
      mark.style.left = `${Math.min(1, threshold) * 100}%`;
      track.append(mark);
    }
    return el("li", { class: isUnder ? "under" : "match" },
      el("span", { class: "rank number", text: String(at + 1) }), el("span", { class: "name", text: format.name(title, 40) }),
      el("span", { class: "number", text: format.score(candidate.score) }), track,
      hasLimit ? el("span", { class: "note quiet number", text: `distance ${format.value(candidate.distance)} of at most ${format.value(candidate.limit)}` }) : null);
  });
  const facts = [];
  if (threshold > 0) facts.push(`threshold ${format.score(threshold)}`);
  if (Number.isFinite(payload?.margin)) facts.push(`margin ${format.score(payload.margin)}`);
  if (Number.isFinite(payload?.confidence)) facts.push(`confidence ${format.score(payload.confidence)}`);
  if (payload?.matcher) facts.push(format.name(payload.matcher, 30));
  if (payload?.label) {
    const best = list[0]?.name;
    facts.push(`label ${format.name(payload.label, 40)}\u00a0${best === payload.label ? "✓" : "✗"}`);
  }
  return el("div", { class: "ranking" }, el("ol", {}, ...rows),
    ...(list.length > most ? [el("p", { class: "quiet", text: `and ${format.count(list.length - most)} more` })] : []),
    ...(facts.length ? [el("p", { class: "quiet", text: facts.join(" · ") })] : []));
}
