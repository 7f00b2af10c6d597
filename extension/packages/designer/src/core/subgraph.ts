import type { Device, GraphView, Group, NodeTiming, NodeView, PortRef, Position } from "../protocol/generated";
import type { CatalogIndex } from "./catalog";
import { isBegun } from "./data";
import { isMany } from "./detail";
import { freePlace, overlap } from "./freeSpot";
import { cardsOf, nodeOf, OUTPUTS, type Slot, topological, type Wire, wiresOf } from "./graph";
import { insideKeys, pathOf } from "./inside";
import { CARD, COLUMN, type Size } from "./layout";
import { freeName, groupsOf, renamedGroup } from "./marks";
import type { Rect } from "./route";
import { derived, findingsAt, severity, timingOf } from "./select";
import { isAway, type Marks, type State } from "./state";

/** What the ids of boxes begin with; no node is called so. */
const BOX = "group:";

/** Where wires enter a box: all those of one source, or a free input. */
export interface Entry {
  readonly slot: Slot;
  readonly source: PortRef | null;
}

/** A collapsed subgraph. */
export interface Box {
  /** Of its card. */
  readonly id: string;
  /** Of its mark. */
  readonly name: string;
  readonly group: Group;
  /** Its nodes, sources first. */
  readonly nodes: readonly NodeView[];
  readonly entries: readonly Entry[];
  /** What is used outside, that of which the picture is shown first; else what its last node gives. */
  readonly exits: readonly PortRef[];
  /** Name of a wire that ends in it to the entry. */
  readonly entryOf: ReadonlyMap<string, number>;
}

/** Its nodes but those that split samples by a condition, or merge them. */
export function operatorsOf(box: Box): readonly NodeView[] {
  return box.nodes.filter((n) => !n.operator.startsWith("_"));
}

const isDraw = (n: NodeView) => n.operator.startsWith("random.");

/** What an inner operator tells of what its box does: 0 for numbers that are drawn, but for its `coin`, 1 for steps of pictures, 2 for others. */
export const rankOf = (n: NodeView, coin = "") =>
  isDraw(n) && n.key !== coin ? 0 : n.output_kinds[0] === "image" ? 1 : 2;

/** Its inner operators but constants, those first that tell what it does. */
export function listedIn(box: Box, coin = ""): readonly NodeView[] {
  const told = operatorsOf(box).filter((n) => n.operator !== "constant");
  return told.sort((a, b) => rankOf(a, coin) - rankOf(b, coin));
}

function boxOf(graph: GraphView, catalog: CatalogIndex | undefined, name: string, group: Group): Box | null {
  const inside = new Set(group.keys);
  const nodes = topological(graph).filter((n) => inside.has(n.key));
  if (nodes.length === 0) return null;
  const entries: Entry[] = [];
  const entryOf = new Map<string, number>();
  const exits: PortRef[] = [];
  const wires = wiresOf(graph);
  const numbers = wires.filter((w) => w.slot.kind === "argument");
  for (const { id, source, slot } of [...wires.filter((w) => w.slot.kind !== "argument"), ...numbers]) {
    const [from, to] = [inside.has(source.node), inside.has(slot.node)];
    if (from && !to && !exits.some((e) => e.node === source.node && e.output === source.output)) exits.push(source);
    if (from || !to) continue;
    const known = entries.findIndex((e) => e.source?.node === source.node && e.source.output === source.output);
    entryOf.set(id, known < 0 ? entries.length : known);
    if (known < 0) entries.push({ slot, source });
  }
  for (const node of nodes) {
    const schema = catalog?.byName.get(node.operator)?.inputs[0];
    if (schema && !schema.optional && !node.inputs[0])
      entries.push({ slot: { kind: "input", node: node.key, input: 0 }, source: null });
  }
  const last = nodes.findLast((n) => n.output_kinds.length > 0);
  if (exits.length === 0 && last) exits.push({ node: last.key, output: 0 });
  // what it makes: the last picture, else the last of all
  const isSeen = (n: NodeView, { node, output }: PortRef) =>
    node === n.key && !/label|scalar/.test(n.output_kinds[output] ?? "");
  const made = nodes.findLast((n) => exits.some((e) => isSeen(n, e))) ?? last;
  exits.sort((a, b) => Number(b.node === made?.key) - Number(a.node === made?.key));
  return { id: BOX + name, name, group, nodes, entries, exits, entryOf };
}

/** The subgraph that is entered. */
export const enteredBox = derived(
  (s) => [s.graph, s.marks, s.opening, pathOf(s)],
  (state): Box | null => {
    const name = pathOf(state).at(-1) ?? "";
    const mark = state.marks[name];
    return state.graph && mark?.type === "group" ? boxOf(state.graph, state.opening?.catalog, name, mark) : null;
  },
);

/** The collapsed subgraphs by the ids of their cards: those in none that is collapsed and not entered. */
export const boxesOf = derived(
  (s) => [s.graph, s.marks, s.opening, pathOf(s)],
  (state): ReadonlyMap<string, Box> => {
    const { graph, marks, opening } = state;
    const found = new Map<string, Box>();
    const [path, scope, taken] = [pathOf(state), insideKeys(state), new Set<string>()];
    for (const [name, group] of graph ? [...groupsOf(marks)].reverse() : []) {
      if (!group.collapsed || path.includes(name)) continue;
      if (group.keys.some((key) => taken.has(key) || (scope && !scope.has(key)))) continue;
      const box = graph && boxOf(graph, opening?.catalog, name, group);
      if (box) found.set(box.id, box);
      for (const { key } of box?.nodes ?? []) taken.add(key);
    }
    return found;
  },
);

const hosts = derived(
  (s) => [boxesOf(s)],
  (state): ReadonlyMap<string, string> =>
    new Map([...boxesOf(state).values()].flatMap((box) => box.nodes.map((n) => [n.key, box.id] as const))),
);

/** The card on which a node is: its own, or the box that holds it. */
export function cardOf(state: State, key: string): string {
  return hosts(state).get(key) ?? key;
}

/** The nodes that a card stands for. */
export function keysOfCard(state: State, id: string): readonly string[] {
  return (
    boxesOf(state)
      .get(id)
      ?.nodes.map((n) => n.key) ?? [id]
  );
}

const NONE: readonly string[] = [];

/** Where a card stands beside what is entered. */
interface Beside extends Position {
  readonly side: "left" | "right";
}

const NOWHERE: ReadonlyMap<string, Beside> = new Map();
/** Between what is entered and what it is wired to. */
const BESIDE = 36;

/** Nodes to which those of the entered subgraph are wired, and where they are shown: sources left of it. */
export const outsideOf = derived(
  (s) => [s.graph, s.positions, s.marks, boxesOf(s), insideKeys(s)],
  (state): ReadonlyMap<string, Beside> => {
    const { graph, positions } = state;
    const scope = insideKeys(state);
    if (!graph || !scope) return NOWHERE;
    const ends = wiresOf(graph).flatMap(({ source, slot }) => {
      const [from, to] = [scope.has(source.node), scope.has(slot.node)];
      return from === to ? [] : [from ? ([slot.node, "right"] as const) : ([source.node, "left"] as const)];
    });
    const sides = new Map(ends);
    const widthOf = (key: string) => (cardOf(state, key) !== key || nodeOf(graph, key)?.wide ? CARD + COLUMN : CARD);
    const rights = [...scope].flatMap((key) => {
      const at = positions[key];
      return at ? at.x + widthOf(key) : [];
    });
    const { x, y } = cornerOf([...scope], positions) ?? { x: 0, y: 0 };
    const edges = { left: x - BESIDE, right: Math.max(x, ...rights) + BESIDE };
    const rows = { left: 0, right: 0 };
    const beside = [...sides].map(([key, side]) => {
      const width = widthOf(key);
      const row = rows[side]++;
      return { key, side, width, x: side === "left" ? -width : 0, y: y + 204 * row };
    });
    // notes lie about the cards
    const notes = Object.values(state.marks).flatMap((mark) => (mark.type === "note" ? mark : []));
    for (const side of ["left", "right"] as const)
      for (let again = true; again; ) {
        const covered = (note: Rect) =>
          beside.some((b) => b.side === side && overlap(note, { ...b, x: b.x + edges[side], height: 204 }) > 0);
        const note = notes.find(covered);
        again = note !== undefined;
        if (note) edges[side] = side === "left" ? note.x - BESIDE : note.x + note.width + BESIDE;
      }
    return new Map(beside.map(({ key, side, x, y }) => [key, { x: x + edges[side], y, side }]));
  },
);

/** Ids of the cards that are drawn. */
export const shownCards = derived(
  (s) => [s.graph, boxesOf(s), insideKeys(s), outsideOf(s)],
  (state): readonly string[] => {
    if (!state.graph) return NONE;
    const [scope, outside] = [insideKeys(state), outsideOf(state)];
    const keys = cardsOf(state.graph).filter((key) => !scope || scope.has(key) || outside.has(key));
    return [...new Set(keys.map((key) => cardOf(state, key)))];
  },
);

/** Whether so many cards are drawn that they show no more than name and picture. */
export const isDense = derived(
  (s) => [shownCards(s)],
  (state) => isMany(shownCards(state).filter((id) => id !== OUTPUTS).length),
);

/** The upper left corner of nodes; a box stands there. */
export function cornerOf(keys: readonly string[], at: Readonly<Record<string, Position>>): Position | null {
  const places = keys.flatMap((key) => at[key] ?? []);
  if (places.length === 0) return null;
  return { x: Math.min(...places.map((p) => p.x)), y: Math.min(...places.map((p) => p.y)) };
}

/** Where a card stands. */
export function placeOf(state: State, id: string): Position | null {
  const box = boxesOf(state).get(id);
  if (box) return cornerOf(keysOfCard(state, id), state.positions);
  return outsideOf(state).get(id) ?? state.positions[id] ?? null;
}

/** New places of nodes whose cards were put elsewhere: those of a box move with it. */
export function movedNodes(state: State, cards: Readonly<Record<string, Position>>): Record<string, Position> {
  const found: Record<string, Position> = {};
  for (const [id, to] of Object.entries(cards)) {
    const from = boxesOf(state).has(id) ? placeOf(state, id) : null;
    for (const key of keysOfCard(state, id)) {
      const old = from && state.positions[key];
      found[key] = old ? { x: Math.round(to.x + old.x - from.x), y: Math.round(to.y + old.y - from.y) } : to;
    }
  }
  return found;
}

/** Rows of a box below its picture: entries and exits beyond the first, exposed arguments. */
export function boxRows(box: Box): number {
  return Math.max(0, box.entries.length - 1) + Math.max(0, box.exits.length - 1) + exposedOf(box).length;
}

export function boxSize(box: Box, dense = false): Size {
  return { width: CARD + COLUMN, height: dense ? 163 : 28 + 132 + 3 + 20 * boxRows(box) + 22 };
}

/** Arguments on the box, of nodes that it still has. */
export function exposedOf(box: Box): readonly (readonly [string, string])[] {
  return box.group.exposed.filter(([key]) => box.nodes.some((n) => n.key === key));
}

/** What says from where a random number is drawn. */
const SPANS = ["range", "values", "probability", "mean", "stddev"];

/** The arguments by which the work of a box is set: those on the box, then what its random numbers are drawn from, but for its `coin`. */
export function offeredOf(box: Box, coin = ""): readonly (readonly [string, string])[] {
  const drawn = box.nodes
    .filter((n) => isDraw(n) && n.key !== coin)
    .flatMap((n) => SPANS.filter((name) => name in n.arguments).map((name) => [n.key, name] as const));
  return [...exposedOf(box), ...drawn.filter(([key, name]) => !isExposed(box, key, name))];
}

/** How an argument of an inner node is called on its box. */
export function labelOf(node: NodeView, argument: string): string {
  return isDraw(node) ? node.key : argument;
}

/** Where a wire begins and ends on the canvas: cards, and handles there. A handle of a box names the node within. */
export function endsOf(state: State, wire: Wire, handleOf: (slot: Slot) => string) {
  const [source, target] = [cardOf(state, wire.source.node), cardOf(state, wire.slot.node)];
  const entry = boxesOf(state).get(target)?.entries[boxesOf(state).get(target)?.entryOf.get(wire.id) ?? -1];
  return {
    source,
    target,
    sourceHandle: `${source === wire.source.node ? "" : `${wire.source.node}/`}out:${wire.source.output ?? 0}`,
    targetHandle: entry ? `${entry.slot.node}/${handleOf(entry.slot)}` : handleOf(wire.slot),
  };
}

/** The graph that is laid out: that of the entered subgraph; each box is a node. */
export function contracted(state: State, whole: GraphView): GraphView {
  const boxes = boxesOf(state);
  const graph = narrowed(whole, insideKeys(state));
  if (boxes.size === 0) return graph;
  const moved = (ref: PortRef): PortRef => {
    const box = boxes.get(cardOf(state, ref.node));
    if (!box) return ref;
    const output = box.exits.findIndex((e) => e.node === ref.node && e.output === ref.output);
    return { node: box.id, output: Math.max(0, output) };
  };
  const seen = new Set<string>();
  const nodes = graph.nodes.flatMap((node): NodeView[] => {
    const box = boxes.get(cardOf(state, node.key));
    if (!box) {
      const wired = Object.entries(node.argument_inputs).map(([name, ref]) => [name, moved(ref)] as const);
      const inputs = node.inputs.map((ref) => (ref ? moved(ref) : null));
      return [{ ...node, inputs, argument_inputs: Object.fromEntries(wired) }];
    }
    if (seen.has(box.id)) return [];
    seen.add(box.id);
    const inputs = box.entries.flatMap(({ source }) => (source ? [moved(source)] : []));
    return [{ ...node, key: box.id, inputs, argument_inputs: {} }];
  });
  return { ...graph, nodes, outputs: graph.outputs.map(moved) };
}

/** Some of the nodes, with the wires among them. */
export function narrowed(graph: GraphView, keys: ReadonlySet<string> | null): GraphView {
  if (!keys) return graph;
  const nodes = graph.nodes.flatMap((node): NodeView[] => {
    const wired = Object.entries(node.argument_inputs).filter(([, ref]) => keys.has(ref.node));
    const inputs = node.inputs.map((ref) => (ref && keys.has(ref.node) ? ref : null));
    return keys.has(node.key) ? [{ ...node, inputs, argument_inputs: Object.fromEntries(wired) }] : [];
  });
  return { ...graph, nodes, outputs: [] };
}

/** What a box costs in the last run; operators that were measured together count once. */
export function costOf(state: State, box: Box): { readonly milliseconds: number; readonly share: number } | undefined {
  const timings = new Set(box.nodes.flatMap((n): readonly NodeTiming[] => [timingOf(state, n.key) ?? []].flat()));
  if (isAway(state) || timings.size === 0) return undefined;
  const sum = (of: (t: NodeTiming) => number) => [...timings].reduce((all, t) => all + of(t), 0);
  return { milliseconds: sum((t) => t.milliseconds), share: sum((t) => t.share) };
}

/** Where nodes run, or that they run on several devices. */
export function deviceOf(nodes: readonly NodeView[]): Device {
  const [first, ...others] = nodes.map((n) => n.device);
  return others.some((device) => device !== first) ? "mixed" : (first ?? "cpu");
}

/** The first of its nodes that has an error, sooner one that failed than one to which something is not given yet. */
export function failingIn(state: State, box: Box): string | undefined {
  const wrong = box.nodes.flatMap((n) => findingsAt(state, n.key).filter((d) => severity(d) === "error"));
  return (wrong.find((d) => !isBegun(d)) ?? wrong[0])?.node;
}

/** The box whose nodes are exactly what is selected. */
export function selectedBox(state: State): Box | undefined {
  const { selection } = state.view;
  if (selection.length === 0) return undefined;
  const box = boxesOf(state).get(cardOf(state, selection[0] ?? ""));
  return box && box.nodes.length === selection.length && selection.every((k) => cardOf(state, k) === box.id)
    ? box
    : undefined;
}

/** The expanded subgraph whose nodes are selected: with or without what applies it to a part of the samples. */
export const expandedBox = derived(
  (s) => [s.graph, s.marks, s.opening, s.confirmed, s.view.selection],
  (state): Box | null => {
    const { graph, marks, opening, confirmed } = state;
    const { selection } = state.view;
    for (const [name, group] of graph && selection.length > 1 ? groupsOf(marks) : []) {
      if (!group.subgraph || group.collapsed || !selection.every((key) => group.keys.includes(key))) continue;
      const box = graph && boxOf(graph, opening?.catalog, name, group);
      const own = box ? operatorsOf(box).filter(({ key }) => key !== confirmed?.coins[name]) : [];
      if (own.every(({ key }) => selection.includes(key))) return box;
    }
    return null;
  },
);

/** The group whose nodes are what is selected, or of a single node the innermost that it is in, with its name. */
function groupOf(state: State): readonly [string, Group] | undefined {
  const box = selectedBox(state);
  if (box) return [box.name, box.group];
  const { selection } = state.view;
  return groupsOf(state.marks).find(([name, { keys }]) => {
    const there = selection.length === 1 || keys.filter((k) => nodeOf(state.graph, k)).length === selection.length;
    return there && selection.every((k) => keys.includes(k)) && !pathOf(state).includes(name);
  });
}

/** New places of the cards on which others were put: where there is room below. */
export function pushed(
  state: State,
  kept: readonly string[],
  frames: readonly Rect[],
  sizes: ReadonlyMap<string, Size>,
): Record<string, Position> {
  const cards = shownCards(state).flatMap((id) => {
    const [at, size] = [outsideOf(state).has(id) ? null : placeOf(state, id), sizes.get(id)];
    return at && size ? [{ id, rect: { ...at, ...size } }] : [];
  });
  const others = cards.filter(({ id }) => !kept.includes(id));
  const fixed = [...frames, ...cards.flatMap(({ id, rect }) => (kept.includes(id) ? rect : []))];
  const free = others.filter(({ rect }) => !fixed.some((f) => overlap(f, rect) > 0));
  const taken = [...fixed, ...free.map((c) => c.rect)];
  const found: Record<string, Position> = {};
  for (const { id, rect } of others.filter((c) => !free.includes(c))) {
    found[id] = freePlace(rect, taken, rect);
    taken.push({ ...rect, ...found[id] });
  }
  return movedNodes(state, found);
}

/** A free name of a function. */
function freeTitle({ graph, marks }: State, base = "subgraph"): string {
  const there = groupsOf(marks).filter(([, { keys }]) => keys.some((key) => nodeOf(graph, key)));
  const titles = new Set(there.map(([, { title }]) => title));
  let n = 1;
  while (titles.has(n === 1 ? base : `${base} ${n}`)) n += 1;
  return n === 1 ? base : `${base} ${n}`;
}

/** The groups that are whole in what is selected; not those that are entered. */
export function selectedGroups(state: State): Group[] {
  const { selection } = state.view;
  return groupsOf(state.marks).flatMap(([name, group]) => {
    const keys = group.keys.filter((key) => nodeOf(state.graph, key));
    const whole = keys.length > 0 && keys.every((key) => selection.includes(key)) && !pathOf(state).includes(name);
    return whole ? { ...group, keys } : [];
  });
}

/** Groups around copies of their nodes. */
export function copiedGroups(state: State, groups: readonly Group[], names: ReadonlyMap<string, string>): Marks {
  const made: Record<string, Group> = {};
  for (const group of groups) {
    const marks = { ...state.marks, ...made };
    const base = group.title.replace(/[ _]\d+$/, "");
    const title = group.subgraph ? freeTitle({ ...state, marks }, base) : group.title;
    made[freeName(marks, "group")] = { ...renamedGroup(group, (key) => names.get(key) ?? key), title };
  }
  return made;
}

/** Collapse the group of what is selected, or what is selected into a new one; or expand it. */
export function collapseMarks(state: State, grouped: (state: State) => Marks): Marks {
  const known = groupOf(state);
  if (known) return { [known[0]]: { ...known[1], subgraph: true, collapsed: !known[1].collapsed } };
  const made = Object.entries(grouped(state)).map(([name, mark]) => {
    const fresh = mark?.type === "group" && !(name in state.marks);
    return [name, fresh ? { ...mark, title: freeTitle(state), subgraph: true, collapsed: true } : mark] as const;
  });
  return Object.fromEntries(made);
}

/** The innermost subgraph that a node is in. */
export function subgraphOf(state: State, node: string): Pick<Box, "name" | "group"> | undefined {
  const [name = "", group] = groupsOf(state.marks).find(([, g]) => g.subgraph && g.keys.includes(node)) ?? [];
  return group && { name, group };
}

/** Whether the box of a subgraph shows an argument. */
export function isExposed({ group }: Pick<Box, "group">, key: string, argument: string): boolean {
  return group.exposed.some(([k, a]) => k === key && a === argument);
}

/** Show an argument of an inner node on the box, or no longer. */
export function exposeMarks(box: Pick<Box, "name" | "group">, key: string, argument: string): Marks {
  const exposed = isExposed(box, key, argument)
    ? box.group.exposed.filter(([k, a]) => k !== key || a !== argument)
    : [...box.group.exposed, [key, argument] as const];
  return { [box.name]: { ...box.group, exposed } };
}

/** Whether a wire is not drawn: it is within a box, or both of its ends are outside of what is entered. */
export function isHidden(state: State, { source, slot }: Wire): boolean {
  const [card, scope] = [cardOf(state, source.node), insideKeys(state)];
  if (scope && !scope.has(source.node) && !scope.has(slot.node)) return true;
  return card !== source.node && card === cardOf(state, slot.node);
}

/** What a wire that is dropped on an entry would be put into. */
export function entryName(state: State, { slot }: Entry): string {
  if (slot.kind === "argument") return `${slot.node}.${slot.argument}`;
  const kinds = nodeOf(state.graph, slot.node)?.inputs.length ?? 0;
  return slot.kind === "input" && kinds > 1 ? `${slot.node} ${slot.input + 1}` : slot.node;
}
