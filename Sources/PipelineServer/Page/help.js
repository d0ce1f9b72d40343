// The keyboard shortcuts, and the overlay that lists them.
import { byID, el } from "./dom.js";

const keys = [
  ["Space", "Pause, or play the kept data"], ["← →", "The node's previous or next frame; without a node, the previous or next result"],
  ["Shift ← →", "One second back or forward"], ["Home End", "To the beginning or the end"], ["L", "Back to live"],
  ["↑ ↓", "The previous or next node"], ["[ ]", "Slower or faster"], ["W", "Why? Explains the result at the playhead"],
  ["T", "Light or dark"], ["Esc", "Close the panel"], ["?", "This help"],
];

export class Help {
  constructor() {
    this.dialog = byID("keys");
    const close = el("button", { type: "button", class: "primary", on: { click: () => this.dialog.close() } }, "Close");
    this.dialog.append(el("h2", { id: "keys-title", text: "Keys" }),
      el("dl", {}, ...keys.flatMap(([key, words]) => [el("dt", {}, ...key.split(" ").map((one) => el("kbd", { text: one }))), el("dd", { text: words })])),
      el("p", { class: "quiet", text: "An edge shows how full its queue is. It is red if frames were lost. A ring marks the start of a stroke." }), close);
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
  }

  toggle() {
    if (this.dialog.open) this.dialog.close(); else this.dialog.showModal();
  }
}

/** Calls the action for each key that is pressed, unless the user is typing. `does` contains the actions by key. */
export function listen(does) {
  // A button clicked with the mouse loses focus, so that Space acts on the page again.
  document.addEventListener("click", (event) => {
    if (event.detail > 0) event.target.closest?.("button")?.blur();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    if (target instanceof HTMLSelectElement || target instanceof HTMLInputElement) return;
    // A focused button handles these keys itself.
    if ((key === " " || key === "Enter") && target instanceof HTMLButtonElement) return;
    if (document.querySelector("dialog[open]") && key !== "?") return;
    const action = does[(event.shiftKey && key.startsWith("Arrow") ? "Shift+" : "") + (key.length === 1 ? key.toLowerCase() : key)];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
