// The timeline: results at the top, drops at the bottom, and the playhead. For the keyboard and for screen readers, it is a slider.
import { el } from "./dom.js";
import * as format from "./format.js";
import { isLoss } from "./losses.js";
import { Sheet, palette } from "./sheet.js";

const gutter = 12, axis = 18;

export class Timeline {
  /** @param chosen Called with the result that was clicked. */
  constructor(host, player, chosen) {
    Object.assign(this, { host, player, chosen, marked: null, hits: [] });
    this.sheet = new Sheet("line", () => this.draw());
    this.slider = el("div", { class: "slider", role: "slider", tabindex: "0", "aria-label": "Time", "aria-orientation": "horizontal" }, this.sheet.canvas);
    this.sheet.canvas.setAttribute("aria-hidden", "true");
    host.append(this.slider);
    let isDragged = false;
    this.slider.addEventListener("pointerdown", (event) => {
      const hit = this.#hit(event);
      if (hit) return this.chosen(hit);
      isDragged = true;
      this.slider.setPointerCapture(event.pointerId);
      this.player.seek(this.#time(event));
    });
    this.slider.addEventListener("pointermove", (event) => {
      if (isDragged) this.player.seek(this.#time(event));
      else this.slider.classList.toggle("over", Boolean(this.#hit(event)));
    });
    for (const name of ["pointerup", "pointercancel"]) this.slider.addEventListener(name, () => { isDragged = false; });
  }

  #scale() {
    const { from, to } = this.player.window;
    const wide = Math.max(1, this.sheet.width - 2 * gutter);
    return { from, to, x: (time) => gutter + ((time - from) / Math.max(1, to - from)) * wide, time: (x) => from + ((x - gutter) / wide) * (to - from) };
  }

  #time(event) {
    return this.#scale().time(event.clientX - this.sheet.canvas.getBoundingClientRect().left);
  }

  #hit(event) {
    const box = this.sheet.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const reach = event.pointerType === "touch" ? 14 : 7;
    let best = null;
    for (const hit of this.hits) {
      const far = Math.hypot(hit.x - x, hit.y - y);
      if (far <= reach && far <= (best?.far ?? Infinity)) best = { far, result: hit.result };
    }
    return best?.result ?? null;
  }

  draw() {
    const context = this.sheet.begin();
    const { player } = this;
    const shown = player.shown;
    if (!context || shown === null) return;
    const scale = this.#scale();
    const { store } = player;
    const { width, height } = this.sheet;
    const bottom = height - axis;
    const colors = palette();
    context.font = `11px ${colors.font}`;
    this.#ticks(context, scale, bottom);
    this.#drops(context, scale, store.drops, bottom);
    this.#results(context, scale, store.results, bottom);
    if (!store.results.length && !store.drops.length) {
      context.fillStyle = colors.muted;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillText("Results and drops appear here", width / 2, bottom / 2);
    }
    const x = Math.min(width - gutter, Math.max(gutter, scale.x(shown)));
    context.fillStyle = colors.accent;
    context.fillRect(x - 1, 0, 2, bottom);
    context.beginPath();
    context.roundRect(x - 5, 0, 10, 8, 3);
    context.fill();
    this.#say(scale, shown);
  }

  #say(scale, shown) {
    const words = player => player.source.isRecording ? format.elapsed((shown - scale.from) / 1000)
      : player.isFollowing ? "now" : `${((scale.to - shown) / 1000).toFixed(1)} seconds before ${format.clock(scale.to)}`;
    for (const [key, value] of [["aria-valuemin", "0"], ["aria-valuemax", String(Math.round(scale.to - scale.from))],
      ["aria-valuenow", String(Math.round(shown - scale.from))], ["aria-valuetext", words(this.player)]]) this.slider.setAttribute(key, value);
  }

  #ticks(context, { from, to, x }, bottom) {
    const colors = palette();
    const isRecording = this.player.source.isRecording;
    const most = Math.max(2, this.sheet.width / 110);
    const step = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600].find((step) => (to - from) / 1000 / step <= most) ?? 86_400;
    context.strokeStyle = colors.line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(gutter, bottom + 0.5);
    context.lineTo(this.sheet.width - gutter, bottom + 0.5);
    context.stroke();
    context.fillStyle = colors.muted;
    context.textBaseline = "middle";
    for (let second = 0; second * 1000 <= to - from; second += step) {
      const at = isRecording ? x(from + second * 1000) : x(to - second * 1000);
      context.fillStyle = colors.line;
      context.fillRect(Math.round(at), bottom, 1, 4);
      context.fillStyle = colors.muted;
      const words = isRecording ? format.elapsed(second) : second ? `−${second} s` : this.player.frozen ? "paused" : this.player.source.isOver ? "end" : "now";
      const isFirst = at < gutter + 20, isLast = at > this.sheet.width - gutter - 20;
      context.textAlign = isFirst ? "left" : isLast ? "right" : "center";
      context.fillText(words, isFirst ? gutter : isLast ? this.sheet.width - gutter : at, bottom + 11);
    }
  }

  #results(context, scale, results, bottom) {
    const colors = palette();
    const lane = Math.round((bottom - 12) * 0.56);
    const inSight = results.filter((result) => result.at_ms >= scale.from && result.at_ms <= scale.to);
    // If the results are closer together than the width of their dots, they are drawn as thin lines.
    const isDense = inSight.length > this.sheet.width / 5;
    this.hits = [];
    const lines = new Map();
    let free = -Infinity;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    for (const result of inSight) {
      const x = scale.x(result.at_ms);
      const isNone = result.accepted === false;
      const isMarked = this.marked === result.id;
      const color = isNone ? isDense ? colors.faint : colors.surface : result.accepted ? colors.good : colors.muted;
      // The results are in order of time. One line per pixel and color is enough, so that thousands of results are drawn quickly.
      if (isDense && !isMarked && lines.get(color) === Math.round(x)) continue;
      lines.set(color, Math.round(x));
      this.hits.push({ x, y: lane, result });
      context.fillStyle = color;
      if (isDense && !isMarked) {
        context.globalAlpha = 0.6;
        context.fillRect(x - 0.5, lane - 6, 1, 12);
        context.globalAlpha = 1;
      } else {
        context.beginPath();
        context.arc(x, lane, isMarked ? 6 : 4, 0, 7);
        context.fill();
        context.strokeStyle = isMarked ? colors.accent : isNone ? colors.muted : colors.surface;
        context.lineWidth = isMarked ? 2.5 : isNone ? 1.5 : 1;
        context.stroke();
      }
      const words = format.name(result.label ?? "", 16);
      const half = words ? context.measureText(words).width / 2 + 4 : 0;
      // Move a name near the border inside.
      const middle = Math.min(this.sheet.width - gutter - half - 2, Math.max(gutter + half - 4, x));
      if (!words || middle - half < free || x < gutter || x > this.sheet.width - gutter) continue;
      free = middle + half;
      context.fillStyle = isNone ? colors.muted : colors.ink;
      context.fillText(words, middle, lane - 9);
    }
  }

  /** Draws drops as bars in columns of three pixels. More drops make a bar taller, and losses are red. */
  #drops(context, scale, drops, bottom) {
    for (const isLost of [false, true]) {
      context.fillStyle = isLost ? palette().bad : palette().faint;
      this.#bars(context, scale, drops.filter((drop) => isLoss(drop.why) === isLost), bottom);
    }
  }

  #bars(context, scale, drops, bottom) {
    const bars = new Map();
    for (const drop of drops) {
      const x = Math.round(scale.x(drop.at_ms) / 3) * 3;
      if (x >= gutter - 2 && x <= this.sheet.width - gutter + 2) bars.set(x, (bars.get(x) ?? 0) + (drop.count ?? 1));
    }
    const most = bottom * 0.32;
    for (const [x, number] of bars) {
      const high = Math.min(most, 5 + 3 * Math.log2(number));
      context.fillRect(x - 1, bottom - high, 2, high);
    }
  }
}
