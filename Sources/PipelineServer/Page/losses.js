// Distinguishes drops that are losses from drops on purpose.

let reasons = new Set();

/** Takes the reasons that count as losses from a state of the run. */
export function learn(state) { reasons = new Set(state.loss_reasons); }

export const isLoss = (reason) => reasons.has(reason);

/** Returns the drops of a node or an edge: the total, the losses, and the reasons sorted by count, highest first. */
export function drops(dropped) {
  const list = Object.entries(dropped ?? {}).filter(([, number]) => number > 0).sort((a, b) => b[1] - a[1]);
  const sum = (part) => part.reduce((all, [, number]) => all + number, 0);
  return { list, all: sum(list), lost: sum(list.filter(([reason]) => isLoss(reason))) };
}
