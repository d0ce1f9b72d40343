// Formats numbers, times, and names for display.

const hidden = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Returns an external name with at most `most` characters. Invisible characters and those that change the writing direction are replaced
 * with a visible mark.
 */
export function name(text, most = 60) {
  const whole = String(text ?? "").slice(0, 4 * most).replace(hidden, "\ufffd");
  return whole.length > most ? whole.slice(0, most - 1) + "…" : whole;
}

/** Returns the last component of a path. */
export const file = (path) => String(path ?? "").split("/").pop();

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** Returns a count with separators: 12,345. */
export const count = (number) => (Number.isFinite(number) ? whole.format(number) : "–");

const units = ["k", "M", "G", "T"];

/** Returns a count, in short form (12.3k) if it is at least `from`. */
export function short(number, from = 10_000) {
  if (!Number.isFinite(number)) return "–";
  if (Math.abs(number) < from) return whole.format(number);
  // Rounded first, because 999,950 becomes 1M, not 1000k.
  const rounded = Number(number.toPrecision(3));
  const power = Math.min(Math.max(Math.floor(Math.log10(Math.abs(rounded)) / 3), 1), units.length);
  return (rounded / 1000 ** power).toLocaleString("en-US", { maximumSignificantDigits: 3, minimumSignificantDigits: 3 }).replace(/\.0+$/, "") + units[power - 1];
}

/** Returns a rate in frames per second. */
export function rate(number) {
  if (!Number.isFinite(number)) return "–";
  if (number === 0) return "0/s";
  if (number < 0.05) return "<0.1/s";
  return (number < 9.95 ? number.toFixed(1) : short(Math.round(number))) + "/s";
}

/** Returns a duration with at most three digits. The argument is in seconds. */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds === 0) return "0 s";
  const size = Math.abs(seconds);
  if (size < 0.9995e-3) return `${digits(seconds * 1e6)} µs`;
  if (size < 0.9995) return `${digits(seconds * 1e3)} ms`;
  return size < 120 ? `${digits(seconds)} s` : `${whole.format(seconds / 60)} min`;
}

const digits = (number) => (Math.abs(number) < 10 ? number.toFixed(1) : whole.format(number));

/** Returns an elapsed time: 1:02:03. */
export function elapsed(seconds) {
  const all = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60].map((part) => String(part).padStart(2, "0"));
  return (parts[0] === "00" ? parts.slice(1) : parts).join(":");
}

/** Returns the time of a frame in its stream. */
export const streamTime = (us) => (Number.isFinite(us) ? `${(us / 1e6).toFixed(3)} s` : "–");

/** Returns a score between 0 and 1. */
export const score = (number) => (Number.isFinite(number) ? number.toFixed(3) : "–");

/** Returns a coordinate or another number of a payload. */
export function value(number) {
  if (!Number.isFinite(number)) return "–";
  return Math.abs(number) >= 1000 ? whole.format(number) : Number(number.toPrecision(4)).toString();
}

/** Returns a count with its noun: `1 frame`, `2 frames`. */
export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

/** Returns a time of day with tenths of a second. */
export function clock(ms) {
  const date = new Date(ms);
  const two = (number) => String(number).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${Math.floor(date.getMilliseconds() / 100)}`;
}
