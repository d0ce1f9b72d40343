// Computes the positions of a graph's nodes in layers with few crossings, sources first and sinks last. Stages that call each other
// directly share a card, because they share a task.

const rowHeight = 50, childHeight = 22;

/** Puts a stage that is called directly by exactly one other stage into that stage's card. Returns the cards in graph order. */
function makeCards(nodes, edges) {
  const cards = [], of = new Map();
  for (const node of nodes.filter((node) => !node.parent)) {
    const incoming = edges.filter((edge) => edge.to === node.id);
    const [edge] = incoming;
    const above = edge && of.get(edge.from);
    const fits = incoming.length === 1 && edge.direct && node.role === "stage" && edge.port !== "errors"
      && above?.role === "stage" && above.rows[above.rows.length - 1].node.id === edge.from;
    const card = fits ? above : { rows: [], role: node.role };
    if (!fits) cards.push(card);
    const children = nodes.filter((child) => child.parent === node.id);
    card.rows.push({ node, children, edge: fits ? edge : null });
    of.set(node.id, card);
  }
  for (const card of cards) {
    let top = 0;
    for (const row of card.rows) {
      row.top = top;
      row.height = rowHeight + row.children.length * childHeight + (row.children.length ? 8 : 0);
      top += row.height;
    }
    card.height = top;
  }
  return { cards, of };
}

/** Computes the layer of each card: one more than the highest layer of its upstream cards. Sinks are in the last layer. */
function rank(cards, links) {
  for (const card of cards) card.layer = 0;
  // An edge leads from an earlier card to a later one. The number of rounds is bounded even if a graph violates this.
  for (let round = 0; round < cards.length; round++) {
    let isChanged = false;
    for (const { from, to } of links) {
      if (from !== to && to.layer <= from.layer && from.layer < cards.length) { to.layer = from.layer + 1; isChanged = true; }
    }
    if (!isChanged) break;
  }
  const last = Math.max(0, ...cards.map((card) => card.layer));
  for (const card of cards) if (card.role === "sink") card.layer = Math.max(last, 1);
}

/** Returns the cards by layer, with a bend in every layer that an edge passes between its ends, in an order with few crossings. */
function arrange(cards, links) {
  const layers = [];
  const put = (item) => (layers[item.layer] ??= []).push(item);
  for (const card of cards) { card.above = []; card.below = []; put(card); }
  for (const link of links) {
    link.bends = [];
    let from = link.from;
    for (let layer = from.layer + 1; layer < link.to.layer; layer++) {
      const bend = { layer, above: [], below: [], isBend: true, rows: [], height: 8 };
      put(bend);
      link.bends.push(bend);
      from.below.push(bend); bend.above.push(from);
      from = bend;
    }
    from.below.push(link.to); link.to.above.push(from);
  }
  for (let layer = 0; layer < layers.length; layer++) layers[layer] ??= [];
  const number = () => layers.forEach((layer) => layer.forEach((item, at) => { item.order = at; }));
  number();
  for (let sweep = 0; sweep < 8; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const layer of isDown ? layers : [...layers].reverse()) {
      const key = new Map(layer.map((item) => {
        const near = isDown ? item.above : item.below;
        return [item, near.length ? near.reduce((sum, other) => sum + other.order, 0) / near.length : item.order];
      }));
      layer.sort((a, b) => key.get(a) - key.get(b) || a.order - b.order);
      layer.forEach((item, at) => { item.order = at; });
    }
  }
  return layers;
}

/** Moves items toward their neighbors, without overlaps. `extent` returns the size of an item across the flow. */
function settle(layers, extent, gap) {
  for (const layer of layers) {
    let at = 0;
    for (const item of layer) { item.at = at; at += extent(item) + gap; }
  }
  const middle = (item) => item.at + extent(item) / 2;
  for (let round = 0; round < 24; round++) {
    for (const layer of round % 2 ? [...layers].reverse() : layers) {
      for (const item of layer) {
        const near = [...item.above, ...item.below];
        if (near.length) item.at += (near.reduce((sum, other) => sum + middle(other), 0) / near.length - middle(item)) * 0.7;
      }
      for (let i = 1; i < layer.length; i++) layer[i].at = Math.max(layer[i].at, layer[i - 1].at + extent(layer[i - 1]) + gap);
      for (let i = layer.length - 2; i >= 0; i--) {
        const room = layer[i + 1].at - gap - extent(layer[i]);
        if (layer[i].at > room) layer[i].at = room;
      }
    }
  }
  const least = Math.min(...layers.flat().map((item) => item.at));
  for (const item of layers.flat()) item.at = Math.round(item.at - least);
  return Math.max(...layers.flat().map((item) => item.at + extent(item)));
}

/**
 * Computes the layout of a graph. With `isDown`, the layers are arranged from top to bottom, as on a phone.
 * Returns `{cards, links, width, height}`: a card has `x`, `y`, `width`, `height`, and `rows`; a link has `edge` and `points`.
 */
export function layOut(nodes, edges, { width, isDown }) {
  const { cards, of } = makeCards(nodes, edges);
  const links = edges.filter((edge) => of.get(edge.from) && of.get(edge.to) && of.get(edge.from) !== of.get(edge.to))
    .map((edge) => ({ edge, from: of.get(edge.from), to: of.get(edge.to) }));
  if (!cards.length) return { cards, links, width: 0, height: 0 };
  rank(cards, links);
  const layers = arrange(cards, links);
  const most = Math.max(...layers.map((layer) => layer.length - 0.8 * layer.filter((item) => item.isBend).length));
  const clamp = (least, number, greatest) => Math.round(Math.min(greatest, Math.max(least, number)));
  const gap = isDown ? 12 : 20;
  // If the flow is horizontal, a card is as tall as its rows. If it is vertical, all cards have the same width.
  const cardWidth = isDown ? clamp(104, (width - gap * (most - 1)) / most, 240)
    : clamp(138, (width - 44 * (layers.length - 1)) / layers.length, 184);
  const extent = isDown ? (item) => (item.isBend ? 8 : cardWidth) : (item) => item.height;
  const across = settle(layers, extent, gap);
  const between = isDown ? 44 : clamp(44, (width - cardWidth * layers.length) / Math.max(1, layers.length - 1), 112);
  let along = 0;
  for (const layer of layers) {
    const thick = isDown ? Math.max(...layer.map((item) => item.height)) : cardWidth;
    for (const item of layer) {
      item.width = isDown && item.isBend ? 8 : cardWidth;
      [item.x, item.y] = isDown ? [item.at, along] : [along, item.at];
      item.thick = thick;
    }
    along += thick + between;
  }
  for (const card of cards) joints(card, links, isDown);
  for (const link of links) {
    const bends = link.bends.flatMap((bend) => isDown
      ? [[bend.x + 4, bend.y], [bend.x + 4, bend.y + bend.thick]] : [[bend.x, bend.y + 4], [bend.x + cardWidth, bend.y + 4]]);
    link.points = [link.start, ...bends, link.end];
  }
  along -= between;
  return { cards, links, width: isDown ? across : along, height: isDown ? along : across };
}

/** Computes the points at which edges leave and reach a card: at the row of their node, spread out if there are several edges. */
function joints(card, links, isDown) {
  // In a vertical layout, all edges of a card share its top and bottom sides.
  const groups = isDown ? [{ top: 0, ids: card.rows.map((row) => row.node.id) }]
    : card.rows.map((row) => ({ top: row.top, ids: [row.node.id] }));
  for (const { top, ids } of groups) {
    for (const [side, end] of [["from", "start"], ["to", "end"]]) {
      const list = links.filter((link) => ids.includes(link.edge[side]))
        .sort((a, b) => neighbor(a, side).at - neighbor(b, side).at);
      const length = isDown ? card.width : rowHeight;
      const spread = side === "from" && !isDown ? 0 : Math.min(26, (length - 10) / Math.max(1, list.length));
      list.forEach((link, at) => {
        const offset = (at - (list.length - 1) / 2) * spread;
        link.isTight ||= side === "to" && spread < 22;
        link[end] = isDown
          ? [card.x + card.width / 2 + offset, side === "from" ? card.y + card.height : card.y]
          : [side === "from" ? card.x + card.width : card.x, card.y + top + rowHeight / 2 + offset];
      });
    }
  }
}

const neighbor = (link, side) => (side === "from" ? link.bends[0] ?? link.to : link.bends[link.bends.length - 1] ?? link.from);
