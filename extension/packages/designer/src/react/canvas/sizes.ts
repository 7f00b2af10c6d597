import { cardHeight, isWide } from "../../core/cardSize";
import { EDGE, fittingScale } from "../../core/detail";
import { applyEdits } from "../../core/edits";
import { freePlace, overlap } from "../../core/freeSpot";
import { cardsOf, descendants, OUTPUTS, type Wire } from "../../core/graph";
import { insideKeys, pathOf } from "../../core/inside";
import {
  argumentSources,
  CARD,
  COLUMN,
  DENSE,
  isWhole,
  outputsHeight,
  ROW,
  type Size,
  type Way,
  wayInBox,
  wayOf,
  worthIn,
} from "../../core/layout";
import { groupsOf, isFixed, ROOM } from "../../core/marks";
import { around, type Rect } from "../../core/route";
import { derived, operatorOf, previewOf } from "../../core/select";
import type { Session } from "../../core/session";
import { READABLE } from "../../core/sight";
import type { State } from "../../core/state";
import {
  boxesOf,
  boxSize,
  cardOf,
  contracted,
  cornerOf,
  isDense,
  keysOfCard,
  movedNodes,
  narrowed,
  outsideOf,
  placeOf,
  pushed,
  shownCards,
} from "../../core/subgraph";
import type { Edit, GraphView, Position } from "../../protocol/generated";

/** Sizes of all cards, known before they are drawn. */
export function sizesOf(state: State): Map<string, Size> {
  const sizes = new Map<string, Size>();
  const dense = isDense(state);
  for (const node of state.graph?.nodes ?? []) {
    const operator = operatorOf(state, node);
    const height = cardHeight(node, operator, previewOf(state, node.key), dense);
    sizes.set(node.key, { width: isWide(node, dense) ? CARD + COLUMN : CARD, height });
  }
  for (const box of boxesOf(state).values()) sizes.set(box.id, boxSize(box, dense));
  if (state.graph) sizes.set(OUTPUTS, { width: CARD, height: outputsHeight(state.graph, state.positions) });
  return sizes;
}

function pitchOf(state: State) {
  return isDense(state) ? DENSE : undefined;
}

/** Sizes for a layout: that of the outputs, too, is not as the cards happen to stand. */
function layoutSizes(state: State): Map<string, Size> {
  const sizes = sizesOf(state);
  if (state.graph) sizes.set(OUTPUTS, { width: CARD, height: outputsHeight(state.graph, {}) });
  return sizes;
}

/** The state within a subgraph, whose nodes are laid out by themselves. */
function within(state: State, name: string, room: Size): State {
  const inner = { ...state, view: { ...state.view, inside: [...pathOf(state), name] } };
  return { ...inner, positions: { ...state.positions, ...allPlaces(inner, room) } };
}

/** Places of the nodes of a subgraph that stand together, beginning where it does. */
export function together(state: State, name: string, room: Size): Record<string, Position> {
  const inner = within(state, name, room);
  return Object.fromEntries(
    [...(insideKeys(inner) ?? [])].flatMap((key) => {
      const at = inner.positions[key];
      return at ? [[key, at]] : [];
    }),
  );
}

/** Whether nothing stands between some nodes: no way leads out of them and back. */
function isSelfContained(graph: GraphView, keys: readonly string[]): boolean {
  const after = [...descendants(graph, keys)].filter((key) => !keys.includes(key));
  return !keys.some((key) => descendants(graph, after).has(key));
}

/**
 * New places of cards without those that are pinned, about one of these if all are seen larger in the room then; what would
 * be put on one of them goes below it.
 */
function besidePinned(state: State, places: Record<string, Position>, room?: Size): Record<string, Position> {
  const keysOf = (id: string) => keysOfCard(state, id);
  const pinned = shownCards(state).filter((id) =>
    keysOf(id).some((key) => state.positions[key] && isFixed(state, key)),
  );
  if (pinned.length === 0) return places;
  const stay = new Set(pinned.flatMap(keysOf));
  const shifted = (by: Position) => {
    const moved = Object.fromEntries(
      Object.entries(places).flatMap(([key, { x, y }]) => (stay.has(key) ? [] : [[key, { x: x + by.x, y: y + by.y }]])),
    );
    const after = { ...state, positions: { ...state.positions, ...moved } };
    const found = { ...moved, ...pushed(after, pinned, [], sizesOf(after)) };
    const put = { ...after, positions: { ...after.positions, ...found } };
    return { found, scale: room ? scaleIn(room, rectsOf(put, shownCards(put))) : 1 };
  };
  const abouts = pinned.flatMap((id) => {
    const [is, to] = [cornerOf(keysOf(id), state.positions), cornerOf(keysOf(id), places)];
    return room && is && to ? { x: is.x - to.x, y: is.y - to.y } : [];
  });
  return [{ x: 0, y: 0 }, ...abouts].map(shifted).reduce((best, way) => (way.scale > best.scale ? way : best)).found;
}

/** Places for all cards that fill the room; those of an open subgraph stand together, those that are pinned stay. */
export function layoutOf(state: State, room: Size): Record<string, Position> {
  const places = allPlaces(state, room);
  const at = state.positions[OUTPUTS];
  if (at && !places[OUTPUTS]) {
    // while nothing is returned it stands where it is, but not on other cards
    const sizes = layoutSizes(state);
    const size = { width: CARD, height: ROW };
    const taken = Object.entries(places).map(([key, place]) => ({ ...size, ...sizes.get(key), ...place }));
    const covered = taken.some((rect) => overlap(rect, { ...size, ...sizes.get(OUTPUTS), ...at }) > 0);
    if (covered) places[OUTPUTS] = { x: Math.max(...taken.map((r) => r.x + r.width)) + COLUMN - CARD, y: at.y };
  }
  return besidePinned(state, places, room);
}

function allPlaces(state: State, room: Size): Record<string, Position> {
  if (!state.graph) return {};
  const pitch = pitchOf(state);
  const placed = [...boxesOf(state).values()].every((box) => box.nodes.every((n) => state.positions[n.key]));
  const sizes = layoutSizes(state);
  if (!placed) {
    const { positions } = wayInBox(state.graph, sizes, room, pitch);
    // what is in a box is seen by itself, as whole cards where it is not much
    const inside = [...boxesOf(state).values()].map((box) => together({ ...state, positions }, box.name, room));
    return inside.length > 0
      ? allPlaces({ ...state, positions: Object.assign(positions, ...inside) }, room)
      : positions;
  }
  const shut = new Set(boxesOf(state).keys());
  const { graph } = state;
  const open = groupsOf(state.marks).filter(([, group]) => group.subgraph && isSelfContained(graph, group.keys));
  const folded = open.map(([name, group]) => [name, { ...group, collapsed: true }]);
  const closed: State = { ...state, marks: { ...state.marks, ...Object.fromEntries(folded) } };
  const blocks = [...boxesOf(closed).values()].flatMap((box) => {
    if (shut.has(box.id)) return [];
    const inner = within(state, box.name, room);
    const own = around(
      rectsOf(
        inner,
        shownCards(inner).filter((id) => !outsideOf(inner).has(id)),
      ),
    );
    sizes.set(box.id, { width: own.width, height: own.height + ROOM.below, head: ROOM.top });
    return [{ box, inner, own }];
  });
  const cards = wayInBox(contracted(closed, state.graph), sizes, room, pitch).positions;
  const places = movedNodes(state, cards);
  for (const { box, inner, own } of blocks) {
    const to = cards[box.id];
    for (const { key } of box.nodes) {
      const at = inner.positions[key];
      if (to && at) places[key] = { x: at.x + to.x - own.x, y: at.y + to.y - own.y };
    }
    delete places[box.id];
  }
  const scope = insideKeys(state);
  const [was, is] = [cornerOf([...(scope ?? [])], state.positions), cornerOf([...(scope ?? [])], places)];
  if (!scope || !was || !is) return places;
  // The box stays where it is.
  const kept = Object.entries(places).filter(([key]) => scope.has(key));
  return Object.fromEntries(kept.map(([key, p]) => [key, { x: p.x + was.x - is.x, y: p.y + was.y - is.y }]));
}

/** Places for the selected cards alone, from where the first of them are; for all cards where fewer than two are selected. */
export function layoutOfSelected(state: State, room: Size): Record<string, Position> {
  const chosen = new Set(state.view.selection.map((key) => cardOf(state, key)));
  const cards = shownCards(state).filter((id) => chosen.has(id) && id !== OUTPUTS && !outsideOf(state).has(id));
  const { graph } = state;
  if (!graph || cards.length < 2) return layoutOf(state, room);
  const sizes = sizesOf(state);
  const whole = contracted(state, graph);
  const numbers = argumentSources(whole);
  // also without what they feed they stand below: of those that nothing feeds here the last one is the first row
  const nodes = [...whole.nodes].sort((a, b) => Number(numbers.has(b.key)) - Number(numbers.has(a.key)));
  const part = narrowed({ ...whole, nodes }, new Set(cards));
  const places = Object.entries(wayInBox(part, sizes, room, pitchOf(state)).positions);
  const [was, is] = [
    around(rectsOf(state, cards)),
    around(places.map(([key, at]) => ({ width: CARD, height: ROW, ...sizes.get(key), ...at }))),
  ];
  const others = rectsOf(
    state,
    shownCards(state).filter((id) => !cards.includes(id)),
  );
  const free = others.every((rect) => overlap(rect, { ...is, x: was.x, y: was.y }) === 0);
  const { x, y } = free ? was : freePlace(was, others, is);
  const cardsAt = Object.fromEntries(places.map(([key, at]) => [key, { x: at.x + x - is.x, y: at.y + y - is.y }]));
  return besidePinned(state, movedNodes(state, cardsAt));
}

/** Cards that are seen smaller have their pictures, but hardly more: the program makes room for them. */
export const SMALL = 0.65;

/** Places for all cards of a graph that has none; `folds`: in the room of the program, `more` px high, too, which is folded for that. */
export function firstPlaces(
  state: State,
  room: Size,
  more: number,
): { positions: Record<string, Position>; folds: boolean } {
  const ways = [room, { ...room, height: room.height + more }].map((box) => {
    const positions = layoutOf(state, box);
    return { positions, scale: scaleIn(box, rectsOf({ ...state, positions }, shownCards(state))) };
  });
  const [now, then] = ways as [(typeof ways)[0], (typeof ways)[0]];
  const folds = now.scale < SMALL && then.scale > GAIN * now.scale;
  return { positions: (folds ? then : now).positions, folds };
}

/** What another layout must gain in a room of another height, so that cards do not move for little. */
const GAIN = 1.15;

/**
 * The places of this room for cards that have those of another one; null if they are to stay.
 *
 * They stay where somebody has moved one of them, and where a file says where they stand; with `least`, also where they
 * are seen so large, or little larger in other places.
 */
export function reflowed(
  state: State,
  room: Size,
  least = 2,
  put: Session["put"] = {},
): Record<string, Position> | null {
  const { graph, positions } = state;
  if (!graph || state.confirmed?.document) return null;
  const now = wayNow(state, graph);
  // since they were laid out, an edit may have left a card behind that nothing uses
  if (!now && !stand(state, graph, put)) return null;
  const places = layoutOf(state, room);
  if (Object.entries(places).every(([key, { x, y }]) => x === positions[key]?.x && y === positions[key]?.y))
    return null;
  if (least >= 1) return places;
  if (!now || fittingScale(now.extent.width, now.extent.height, room) >= least) return null;
  const best = wayInBox(contracted(state, graph), layoutSizes(state), room, pitchOf(state));
  // What is seen whole anyway flows as lines of text do.
  const flows = isWhole(room, best) || best.turns < now.turns;
  return flows || worthIn(room, best) > GAIN * worthIn(room, now) ? places : null;
}

function isAt(a: Position | undefined, b: Position | undefined): boolean {
  return a?.x === b?.x && a?.y === b?.y;
}

/** The way in which the cards stand; undefined if somebody has moved one. */
function wayNow(state: State, graph: GraphView): Way | undefined {
  const at = Object.fromEntries(shownCards(state).map((id) => [id, placeOf(state, id)]));
  return wayOf(contracted(state, graph), layoutSizes(state), at, pitchOf(state));
}

/** Whether all cards of a graph that are not pinned stand where they were put. */
function stand(state: State, graph: GraphView, put: Session["put"]): boolean {
  const { positions } = state;
  return cardsOf(graph).every((key) => isFixed(state, key) || isAt(put[key], positions[key]));
}

/** Whether the cards of a graph stand where the layout, or an edit, has put them: nobody has moved one that is not pinned. */
export function isLaid(state: State, graph: GraphView, put: Session["put"] = {}): boolean {
  if (state.view.inside.length > 0) return false;
  if (graph.nodes.length < 2 || stand(state, graph, put)) return true;
  return !!wayNow(state, graph);
}

/** Places of all cards after some edits, if nobody has moved a card, but for one that the edits take into the graph. */
export function relaid(state: State, edits: readonly Edit[], room: Size, loose = ""): Record<string, Position> {
  const { graph, opening } = state;
  if (!graph || !opening) return {};
  const others = { ...graph, nodes: graph.nodes.filter((n) => n.key !== loose) };
  if (!isLaid(state, others) && !isLaid(state, graph)) return {};
  return layoutOf({ ...state, graph: applyEdits(graph, edits, opening.catalog) }, room);
}

/** What stays free below a card that has grown. */
const BELOW = 12;

/** The heights of the cards that are shown, which change with what is known of their data. */
export const heightsOf = derived(
  (s) => [s.graph, s.positions, s.marks, s.previews, s.opening, s.view.inside],
  (state): ReadonlyMap<string, number> => {
    const sizes = sizesOf(state);
    const cards = shownCards(state).filter((id) => !outsideOf(state).has(id) && placeOf(state, id));
    return new Map(cards.map((id) => [id, sizes.get(id)?.height ?? ROW]));
  },
);

/** New places of cards on which others lie since they have grown; `before` has the heights that these had. */
export function givenWay(state: State, before: ReadonlyMap<string, number>): Record<string, Position> {
  const sizes = sizesOf(state);
  const cards = [...heightsOf(state)]
    .map(([id, height]) => ({ id, ...(placeOf(state, id) ?? { x: 0, y: 0 }), ...sizes.get(id), height }))
    .sort((a, b) => a.y - b.y);
  const tops = new Map(cards.map(({ id, y }) => [id, y]));
  const found: Record<string, Position> = {};
  for (const [i, { id, x, y, width = CARD }] of cards.entries()) {
    const above = cards.slice(0, i).filter((c) => c.x < x + width && x < c.x + (c.width ?? CARD));
    const ends = above.flatMap((c) => (c.y + (before.get(c.id) ?? 0) <= y ? (tops.get(c.id) ?? 0) + c.height : []));
    const end = Math.max(...ends);
    if (end <= y || keysOfCard(state, id).some((key) => isFixed(state, key))) continue;
    found[id] = { x, y: end + BELOW };
    tops.set(id, end + BELOW);
  }
  return movedNodes(state, found);
}

/** How large cards are shown when all of them are in the room. */
function scaleIn(room: Size, rects: readonly Rect[]): number {
  const { width, height } = around(rects);
  return fittingScale(width, height, room);
}

/** A free place right of a card, or in the next row where all cards are seen larger then: at its beginning, or at `x`. */
export function placeBehind(state: State, at: Position, room: Size, x?: number): Position {
  const taken = cardRects(state, OUTPUTS);
  const left = x ?? Math.min(at.x, ...taken.map((r) => r.x));
  const right = freePlace({ x: at.x + COLUMN, y: at.y }, taken);
  const below = freePlace({ x: left, y: at.y + ROW }, taken);
  const scale = (place: Position) => scaleIn(room, [...taken, { ...place, width: CARD, height: ROW - EDGE }]);
  return scale(below) > scale(right) ? below : right;
}

/**
 * Places after edits that bring a card to a place of its own: there, or as the layout has them where cards could not be
 * read otherwise. Those that somebody has moved stay: where cards were put last says which these are.
 */
export function readable(
  state: State,
  edits: readonly Edit[],
  positions: Readonly<Record<string, Position>>,
  { room, put }: Pick<Session, "room" | "put">,
): Readonly<Record<string, Position>> {
  const { graph, opening } = state;
  if (!graph || !opening) return positions;
  const after = { ...state, graph: applyEdits(graph, edits, opening.catalog) };
  const placed = { ...after, positions: { ...state.positions, ...positions } };
  const scale = scaleIn(room, rectsOf(placed, shownCards(placed)));
  return scale < READABLE && isLaid(state, graph, put) ? layoutOf(after, room) : positions;
}

/** Places for a card that comes into a wire between cards that stay where somebody put them: those right of it make room. */
export function placesIn(state: State, card: string, { source }: Pick<Wire, "source">): Record<string, Position> {
  const from = cardOf(state, source.node);
  const [start] = rectsOf(state, [from]);
  const width = sizesOf(state).get(card)?.width ?? CARD;
  if (!start) return {};
  const at = { x: start.x + start.width + COLUMN - CARD, y: start.y };
  const needed = { ...at, width: width + COLUMN - CARD, height: start.height };
  const others = shownCards(state).flatMap((key) => {
    const [rect] = rectsOf(state, [key]);
    return rect && rect.x > start.x && key !== card ? [{ key, rect }] : [];
  });
  const first = Math.min(...others.flatMap(({ rect }) => (overlap(rect, needed) > 0 ? rect.x : [])));
  const by = needed.x + needed.width - first;
  const moved = others.filter(({ rect }) => rect.x >= first);
  return { [card]: at, ...Object.fromEntries(moved.map(({ key, rect }) => [key, { x: rect.x + by, y: rect.y }])) };
}

/** Where the cards are, all but one if that is named. */
export function cardRects(state: State, except = ""): Rect[] {
  return rectsOf(
    state,
    shownCards(state).filter((key) => key !== except),
  );
}

export function rectsOf(state: State, cards: readonly string[]): Rect[] {
  const sizes = sizesOf(state);
  return cards.flatMap((key) => {
    const at = placeOf(state, key);
    const size = sizes.get(key);
    return at && size ? [{ ...at, ...size }] : [];
  });
}
