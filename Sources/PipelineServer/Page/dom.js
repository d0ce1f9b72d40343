// Helpers for elements of the page. External text only becomes text nodes: no string is ever parsed as HTML.

const svgNames = new Set(["svg", "path", "rect", "circle", "g", "text", "title", "line"]);

/**
 * Creates an element. `class`, `text`, `on` (event listeners), and `data` (data attributes) are special. Every other property becomes an
 * attribute; `null` and `false` omit it. String children become text nodes.
 */
export function el(name, properties = {}, ...children) {
  const element = svgNames.has(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "text") element.textContent = value;
    else if (key === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (key === "data") Object.assign(element.dataset, value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Changes a text only if it differs, so that selections and screen readers are not disturbed. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Adds or removes a class, but only if that changes something. */
export function toggle(element, name, on) {
  if (element.classList.contains(name) !== Boolean(on)) element.classList.toggle(name, Boolean(on));
}

export const byID = (id) => document.getElementById(id);

const paths = {
  play: "M5 3.5v9l7.5-4.5z",
  pause: "M4.5 3.5h2.5v9H4.5zM9 3.5h2.5v9H9z",
  back: "M11 3.5v9L4.8 8zM3.5 3.5h1.4v9H3.5z",
  forward: "M5 3.5v9L11.2 8zM11.1 3.5h1.4v9h-1.4z",
  close: "M4 4l8 8M12 4l-8 8",
  theme: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  help: "M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 11.6v.1",
};

/** Creates a small icon in the color of the surrounding text. */
export function icon(name) {
  const isSolid = ["play", "pause", "back", "forward"].includes(name);
  return el("svg", { viewBox: "0 0 16 16", class: isSolid ? "icon solid" : "icon", "aria-hidden": "true" },
    el("path", { d: paths[name] }));
}
