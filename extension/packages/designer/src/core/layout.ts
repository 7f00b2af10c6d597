import type { GraphView, NodeView, Position } from "../protocol/generated";
import { OUTPUTS, topological } from "./graph";
import type { Rect } from "./route";

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

type Height = (key: string) => number;

/** The floor on which the next card of each column stands, in px. */
class Floor {
  readonly positions: Record<string, Position> = {};
  private readonly bottoms: number[];
  private readonly gaps: number[];

  constructor(
    readonly columns: number,
    private readonly height: Height,
  ) {
    this.bottoms = Array.from({ length: columns }, () => TOP - GAP);
    this.gaps = Array.from({ length: columns }, () => GAP);
  }

  /** The first free height of a column. */
  top(column: number): number {
    return (this.bottoms[column] ?? 0) + (this.gaps[column] ?? GAP);
  }

  /** The first height that is free in all of these columns. */
  topOf(columns: readonly number[]): number {
    return Math.max(TOP, ...columns.map((c) => this.top(c)));
  }

  put(key: string, column: number, y: number, gap = GAP): void {
    this.positions[key] = { x: SIDE + column * COLUMN, y };
    // Rows keep the height of a card with one argument, so that neighbours line up.
    const row = gap === GAP && this.height(key) > 120 ? Math.max(this.height(key), ROW - GAP) : this.height(key);
    this.bottoms[column] = Math.max(this.bottoms[column] ?? 0, y + row);
    this.gaps[column] = gap;
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
  const columns = Math.max(2, 1 + Math.floor((width - SIDE - CARD) / COLUMN));
  const floor = new Floor(columns, (key) => sizes.get(key)?.height ?? ROW - GAP);
  const bands = 1 + Math.floor(Math.max(0, ...[...main.values()].map((c) => c.column)) / columns);
  for (let band = 0; band < bands; band += 1) {
    const members = [...main]
      .filter(([, c]) => Math.floor(c.column / columns) === band)
      .map(([key, c]) => ({ key, column: c.column % columns, lane: c.lane }));
    placeBand(members, floor, band > 0);
    placeSmall(members, small, floor);
  }
  return floor.positions;
}

/** How large the cards are shown when all of them are in the box; 1 at most. */
export function fittingScale(width: number, height: number, box: Size): number {
  // Wires run up to 20 px outside of the cards.
  if (width + 24 <= box.width && height + 24 <= box.height) return 1;
  return Math.min(1, Math.max(0.15, Math.min(box.width / (width + 56), box.height / (height + 40))));
}

/** Rows as long as the box at 100 %; longer ones where the whole graph is then seen larger. */
export function layoutInBox(graph: GraphView, sizes: ReadonlyMap<string, Size>, box: Size): Record<string, Position> {
  let best: Record<string, Position> = {};
  let bestScale = 0;
  for (const stretch of [1, 1.25, 1.5, 2, 2.5, 3, 4]) {
    const at = layoutGraph(graph, sizes, box.width * stretch);
    const far = (side: "x" | "y", size: (key: string) => number) =>
      Math.max(0, ...Object.entries(at).map(([key, p]) => p[side] + size(key)));
    const width = far("x", (key) => sizes.get(key)?.width ?? CARD) - SIDE;
    const height = far("y", (key) => sizes.get(key)?.height ?? ROW - GAP) - TOP;
    const scale = fittingScale(width, height, box);
    if (scale > bestScale * 1.08) {
      best = at;
      bestScale = scale;
    }
    if (scale === 1) break;
  }
  return best;
}

interface Member {
  readonly key: string;
  column: number;
  readonly lane: number;
}

/** Lanes of a band from the top; a short band stands at the right, near the end of the row above, if it can. */
function placeBand(members: readonly Member[], floor: Floor, continues: boolean): void {
  const used = Math.max(0, ...members.map((m) => m.column + 1));
  const spare = floor.columns - used;
  const range = (from: number) => Array.from({ length: used }, (_, i) => from + i);
  const gain = floor.topOf(range(0)) - floor.topOf(range(spare));
  if (spare > 0 && (gain > 0 || (continues && gain === 0))) for (const m of members) m.column += spare;
  const lanes = [...new Set(members.map((m) => m.lane))].sort((a, b) => a - b);
  for (const lane of lanes) {
    const row = members.filter((m) => m.lane === lane);
    const y = floor.topOf(row.map((m) => m.column));
    for (const m of row) floor.put(m.key, m.column, y);
  }
}

/** What a column farther from its target costs, in px of height. */
const DISTANCE = 60;

/** Argument sources stand under their target's row, left of it: in the next column, or where there is room. */
function placeSmall(members: readonly Member[], small: ReadonlyMap<string, string>, floor: Floor): void {
  for (const [key, feeds] of small) {
    const target = members.find((m) => m.key === feeds);
    if (!target) continue;
    const beside = Math.max(0, target.column - 1);
    const y = (column: number) => Math.max(floor.top(column), floor.positions[feeds]?.y ?? TOP);
    const cost = (column: number) => y(column) + DISTANCE * (beside - column);
    let column = beside;
    for (let other = beside - 1; other >= 0; other -= 1) if (cost(other) < cost(column)) column = other;
    floor.put(key, column, y(column), 14);
  }
}

/** A free place for a new card at or below a wanted point. */
export function freePlace(
  wanted: Position,
  taken: readonly Rect[],
  size: Size = { width: CARD, height: 171 },
): Position {
  const at = { x: Math.round(wanted.x / 4) * 4, y: Math.round(wanted.y / 4) * 4 };
  const hit = () =>
    taken.find(
      (t) =>
        at.x < t.x + t.width + 8 &&
        at.x + size.width + 8 > t.x &&
        at.y < t.y + t.height + 12 &&
        at.y + size.height + 12 > t.y,
    );
  for (let i = 0; i < 40; i += 1) {
    const below = hit();
    if (!below) break;
    at.y = below.y + below.height + 16;
  }
  return at;
}
