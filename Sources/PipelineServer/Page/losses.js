// Which drops are losses, and which are on purpose.

/** The reasons of the engine that mean a loss; what a server says of others is added. */
const reasons = new Set(["edge_full", "drop_oldest", "drop_newest", "late", "disorder", "cancelled", "lost", "no_peer", "busy", "timeout",
  "interrupted_stroke"]);

export function learn(more) {
  for (const reason of more ?? []) reasons.add(reason);
}

export const isLoss = (reason) => reasons.has(reason);

/** The drops of a node or an edge: all, lost ones, and the reasons with the greatest first. */
export function drops(dropped) {
  const list = Object.entries(dropped ?? {}).filter(([, number]) => number > 0).sort((a, b) => b[1] - a[1]);
  const sum = (part) => part.reduce((all, [, number]) => all + number, 0);
  return { list, all: sum(list), lost: sum(list.filter(([reason]) => isLoss(reason))) };
}
