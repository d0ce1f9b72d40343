// Numbers, times and names as people read them.

const hidden = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A name from outside: at most `most` characters, and what no reader sees or what turns the direction of writing is shown as a mark. */
export function name(text, most = 60) {
  const whole = String(text ?? "").slice(0, 4 * most).replace(hidden, "\ufffd");
  return whole.length > most ? whole.slice(0, most - 1) + "…" : whole;
}

/** The last part of a path. */
export const file = (path) => String(path ?? "").split("/").pop();

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A count with separators: 12,345. */
export const count = (number) => (Number.isFinite(number) ? whole.format(number) : "–");

/** A count where there is little room: 12.3k; `from` says from which number on thousands are enough. */
export function short(number, from = 10_000) {
  if (!Number.isFinite(number)) return "–";
  if (Math.abs(number) < from) return whole.format(number);
  if (Math.abs(number) < 1_000_000) return (number / 1000).toPrecision(3).replace(/\.0+$/, "") + "k";
  return Math.abs(number) < 1e9 ? (number / 1e6).toPrecision(3) + "M" : (number / 1e9).toPrecision(3) + "G";
}

/** Frames a second. */
export function rate(number) {
  if (!Number.isFinite(number)) return "–";
  if (number === 0) return "0/s";
  if (number < 0.05) return "<0.1/s";
  return (number < 9.95 ? number.toFixed(1) : short(Math.round(number))) + "/s";
}

/** A duration given in seconds, with three digits. */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds === 0) return "0 s";
  const size = Math.abs(seconds);
  if (size < 0.9995e-3) return `${digits(seconds * 1e6)} µs`;
  if (size < 0.9995) return `${digits(seconds * 1e3)} ms`;
  return size < 120 ? `${digits(seconds)} s` : `${whole.format(seconds / 60)} min`;
}

const digits = (number) => (Math.abs(number) < 10 ? number.toFixed(1) : whole.format(number));

/** How long something has run: 1:02:03. */
export function elapsed(seconds) {
  const all = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60].map((part) => String(part).padStart(2, "0"));
  return (parts[0] === "00" ? parts.slice(1) : parts).join(":");
}

/** The time of a frame in its stream. */
export const streamTime = (us) => (Number.isFinite(us) ? `${(us / 1e6).toFixed(3)} s` : "–");

/** A score between 0 and 1. */
export const score = (number) => (Number.isFinite(number) ? number.toFixed(3) : "–");

/** A coordinate or another number of a payload. */
export function value(number) {
  if (!Number.isFinite(number)) return "–";
  return Math.abs(number) >= 1000 ? whole.format(number) : Number(number.toPrecision(4)).toString();
}

/** `1 frame`, `2 frames`. */
export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

/** A time of day to the tenth of a second. */
export function clock(ms) {
  const date = new Date(ms);
  const two = (number) => String(number).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${Math.floor(date.getMilliseconds() / 100)}`;
}
