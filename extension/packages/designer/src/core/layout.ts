import type { GraphView, NodeView, Position } from "../protocol/generated";
import { OUTPUTS, topological } from "./graph";

export const COLUMN = 184;
export const ROW = 204;
export const CARD = 148;
const GAP = 33;
const SIDE = 20;
const TOP = 14;

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Cell {
  column: number;
  lane: number;
}

/** Nodes without inputs of their own that feed arguments only: they sit under what they feed. */
function argumentSources(graph: GraphView): Map<string, string> {
  const feeds = new Map<string, string>();
  const other = new Set(graph.outputs.map((r) => r.node));
  for (const node of graph.nodes) {
    for (const ref of node.inputs) if (ref) other.add(ref.node);
    for (const ref of Object.values(node.argument_inputs)) if (!feeds.has(ref.node)) feeds.set(ref.node, node.key);
  }
  for (const node of graph.nodes) {
    const fed = node.inputs.some((r) => r !== null) || Object.keys(node.argument_inputs).length > 0;
    if (other.has(node.key) || fed) feeds.delete(node.key);
  }
  return feeds;
}

/** Column = longest way from a source, lane = 0 for the longest chain, then the first free one. */
function cells(graph: GraphView, small: ReadonlyMap<string, string>): Map<string, Cell> {
  const placed = new Map<string, Cell>();
  const main = topological(graph).filter((n) => !small.has(n.key));
  const parents = (n: NodeView) =>
    [...n.inputs, ...Object.values(n.argument_inputs)].filter((r) => r !== null && !small.has(r.node));
  for (const node of main) {
    const column = parents(node).reduce((c, r) => Math.max(c, (placed.get(r?.node ?? "")?.column ?? -1) + 1), 0);
    placed.set(node.key, { column, lane: -1 });
  }
  const last = Math.max(-1, ...[...placed.values()].map((c) => c.column));
  if (graph.outputs.length > 0) placed.set(OUTPUTS, { column: last + 1, lane: -1 });
  pullSources(graph, placed, main);
  assignLanes(graph, placed, main);
  return placed;
}

/** A source that joins late stands just before what it feeds, so that its wire is short. */
function pullSources(graph: GraphView, placed: Map<string, Cell>, main: readonly NodeView[]): void {
  for (const node of [...main].reverse()) {
    const cell = placed.get(node.key);
    if (!cell || node.inputs.some((r) => r !== null)) continue;
    const users = graph.nodes.filter((n) =>
      [...n.inputs, ...Object.values(n.argument_inputs)].some((r) => r?.node === node.key),
    );
    const columns = users.map((n) => placed.get(n.key)?.column).filter((c): c is number => c !== undefined);
    if (columns.length > 0) cell.column = Math.max(cell.column, Math.min(...columns) - 1);
  }
}

function assignLanes(graph: GraphView, placed: Map<string, Cell>, main: readonly NodeView[]): void {
  const taken = new Set<string>();
  const byKey = new Map(main.map((n) => [n.key, n]));
  const put = (key: string, wanted: number) => {
    const cell = placed.get(key);
    if (!cell || cell.lane >= 0) return;
    let lane = Math.max(0, wanted);
    while (taken.has(`${cell.column},${lane}`)) lane += 1;
    cell.lane = lane;
    taken.add(`${cell.column},${lane}`);
  };
  // Walk back from each output along first inputs: the first output's chain gets lane 0, the next one lane 1 ...
  const chain = (from: string, lane: number) => {
    const node = byKey.get(from);
    const first = node?.inputs.find((r) => r !== null && placed.get(r.node)?.lane === -1);
    put(from, lane);
    if (first) chain(first.node, lane);
  };
  put(OUTPUTS, 0);
  graph.outputs.forEach((ref, i) => {
    chain(ref.node, i);
  });
  for (const node of [...main].reverse()) {
    const above = node.inputs.find((r) => r !== null);
    const lane = above ? (placed.get(above.node)?.lane ?? 0) : 0;
    chain(node.key, Math.max(0, lane));
  }
}

/** Positions of all cards in a left-to-right grid that continues below when a row does not fit `width`. */
export function layoutGraph(
  graph: GraphView,
  sizes: ReadonlyMap<string, Size>,
  width: number,
): Record<string, Position> {
  const small = argumentSources(graph);
  const main = cells(graph, small);
  const columns = Math.max(2, 1 + Math.floor((width - SIDE - CARD - 4) / COLUMN));
  const height = (key: string) => sizes.get(key)?.height ?? 171;
  const positions: Record<string, Position> = {};
  const bands = 1 + Math.floor(Math.max(0, ...[...main.values()].map((c) => c.column)) / columns);
  let top = TOP;
  for (let band = 0; band < bands; band += 1) {
    const members = [...main].filter(([, c]) => Math.floor(c.column / columns) === band);
    const lanes = Math.max(0, ...members.map(([, c]) => c.lane + 1));
    const bottoms: number[] = Array.from({ length: columns }, () => top);
    for (let lane = 0; lane < lanes; lane += 1) {
      const inLane = members.filter(([, c]) => c.lane === lane);
      for (const [key, cell] of inLane) {
        const column = cell.column % columns;
        positions[key] = { x: SIDE + column * COLUMN, y: top };
        bottoms[column] = top + height(key);
      }
      const tallest = Math.max(0, ...inLane.map(([key]) => height(key) + GAP));
      if (inLane.length > 0) top += Math.max(hasTall(inLane, height) ? ROW : 0, tallest);
    }
    top = placeSmall(members, small, columns, { bottoms, positions, height, top });
  }
  return positions;
}

function hasTall(lane: readonly (readonly [string, Cell])[], height: (key: string) => number): boolean {
  return lane.some(([key]) => height(key) > 120);
}

interface Floor {
  readonly bottoms: number[];
  readonly positions: Record<string, Position>;
  readonly height: (key: string) => number;
  readonly top: number;
}

/** Argument sources stand one row under what they feed, one column to the left where that is possible. */
function placeSmall(
  members: readonly (readonly [string, Cell])[],
  small: ReadonlyMap<string, string>,
  columns: number,
  floor: Floor,
): number {
  let top = floor.top;
  const used = new Map<number, number>();
  for (const [key, feeds] of small) {
    const target = members.find(([member]) => member === feeds);
    if (!target) continue;
    const own = target[1].column % columns;
    const column = Math.max(0, own - 1);
    const lowest = Math.max(floor.bottoms[column] ?? 0, (floor.positions[feeds]?.y ?? 0) + ROW - GAP) + GAP;
    const y = used.get(column) ?? Math.max(lowest, TOP);
    floor.positions[key] = { x: SIDE + column * COLUMN, y };
    used.set(column, y + floor.height(key) + 14);
    top = Math.max(top, y + floor.height(key) + GAP);
  }
  return top;
}

/** A free place for a new card near a wanted point, on the grid of 8 px. */
export function freePlace(wanted: Position, taken: readonly Position[], size: Size = { width: CARD, height: 171 }): Position {
  const at = { x: Math.round(wanted.x / 4) * 4, y: Math.round(wanted.y / 4) * 4 };
  const hits = (p: Position) =>
    taken.some((t) => Math.abs(t.x - p.x) < size.width + 8 && Math.abs(t.y - p.y) < size.height * 0.8);
  for (let i = 0; i < 40 && hits(at); i += 1) at.y += 24;
  return at;
}
