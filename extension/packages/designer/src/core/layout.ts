import type { GraphView, NodeView, Position } from "../protocol/generated";
import { aside, folded } from "./blocks";
import { EDGE, fittingScale, WIDTHS } from "./detail";
import { cardsOf, descendants, nodeOf, OUTPUTS, SPLIT, topological, wiresFrom, wiresOf } from "./graph";
import {
  CARD,
  type Cell,
  COLUMN,
  columnsIn,
  DENSE,
  endOf,
  Floor,
  type Height,
  type Pitch,
  PORT,
  ROW,
  SIDE,
  type Size,
  SMALL_GAP,
  type Span,
  TOP,
  WIDE,
} from "./grid";
import { isTall, outputsHeight } from "./outputs";
import { widened } from "./widen";

export { CARD, COLUMN, DENSE, PORT, ROW, type Size } from "./grid";
export { outputRows, outputsHeight } from "./outputs";

/** Nodes without inputs of their own that feed arguments only: they sit under what they feed. */
export function argumentSources(graph: GraphView): Map<string, string> {
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

/** The nodes, or the outputs, that a node feeds. */
function usersOf(graph: GraphView, key: string): Set<string> {
  return new Set(
    wiresFrom(graph)
      .get(key)
      ?.map(({ slot }) => slot.node),
  );
}

/** Where of two steps that share a number, such as a picture's and that of its boxes, the earlier one begins: with the other. */
function abreast(graph: GraphView, small: ReadonlyMap<string, string>, placed: ReadonlyMap<string, Cell>) {
  const least = new Map<string, number>();
  for (const key of small.keys()) {
    const [a, b, ...others] = [...usersOf(graph, key)].sort(
      (p, q) => (placed.get(p)?.column ?? 0) - (placed.get(q)?.column ?? 0),
    );
    if (a && b && others.length === 0 && !descendants(graph, [a]).has(b)) least.set(a, placed.get(b)?.column ?? 0);
  }
  return least;
}

/** Column = longest way from a source, lane = 0 for the longest chain, then the first free one. */
function cells(graph: GraphView, small: ReadonlyMap<string, string>, span: Span): Map<string, Cell> {
  const placed = new Map<string, Cell>();
  const main = topological(graph).filter((n) => !small.has(n.key));
  const parents = (n: NodeView) =>
    [...n.inputs, ...Object.values(n.argument_inputs)].filter((r) => r !== null && !small.has(r.node));
  const put = (least: ReadonlyMap<string, number>) => {
    for (const node of main) {
      const column = endOf(parents(node).flatMap((r) => placed.get(r?.node ?? "") ?? []));
      const cell = { column: Math.max(column, least.get(node.key) ?? 0), lane: -1, span: span(node.key) };
      placed.set(node.key, cell);
    }
  };
  put(new Map());
  put(abreast(graph, small, placed));
  if (graph.outputs.length > 0) placed.set(OUTPUTS, { column: endOf(placed.values()), lane: -1, span: 1 });
  pullSources(graph, placed, main);
  assignLanes(graph, placed, main);
  return placed;
}

/** A source that joins late stands just before what it feeds, so that its wire is short, and so does what it alone feeds. */
function pullSources(graph: GraphView, placed: Map<string, Cell>, main: readonly NodeView[]): void {
  const isShared = (key: string) => {
    const users = usersOf(graph, key);
    // a number goes along
    return (users.size > 1 && nodeOf(graph, key)?.output_kinds[0] !== "scalar") || users.has(OUTPUTS);
  };
  for (const node of [...main].reverse()) {
    const cell = placed.get(node.key);
    if (!cell || node.inputs.some((r) => r !== null && isShared(r.node))) continue;
    const users = [...usersOf(graph, node.key)].filter((key) => key !== OUTPUTS);
    const columns = users.map((key) => placed.get(key)?.column).filter((c): c is number => c !== undefined);
    if (columns.length > 0) cell.column = Math.max(cell.column, Math.min(...columns) - cell.span);
  }
}

function assignLanes(graph: GraphView, placed: Map<string, Cell>, main: readonly NodeView[]): void {
  const taken = new Set<string>();
  const byKey = new Map(main.map((n) => [n.key, n]));
  const put = (key: string, wanted: number) => {
    const cell = placed.get(key);
    if (!cell || cell.lane >= 0) return;
    let lane = Math.max(0, wanted);
    while (columnsIn(cell).some((column) => taken.has(`${column},${lane}`))) lane += 1;
    cell.lane = lane;
    for (const column of columnsIn(cell)) taken.add(`${column},${lane}`);
  };
  // Among branches numbers take the lanes that pictures leave: those of a branch are in line with what ends it.
  let all = !main.some((n) => n.operator === SPLIT);
  const isNext = (key: string) => all || byKey.get(key)?.output_kinds[0] !== "scalar";
  // Walk back from each output along first inputs: the first output's chain gets lane 0, the next one lane 1 ...
  const chain = (from: string, lane: number) => {
    const node = byKey.get(from);
    const first = node?.inputs.find((r) => r !== null && placed.get(r.node)?.lane === -1 && isNext(r.node));
    put(from, lane);
    if (!first) return;
    chain(first.node, lane);
    // the wire between them is straight
    const [begin, end] = [placed.get(first.node), placed.get(from)];
    if (!begin || !end || begin.lane !== end.lane) return;
    for (let column = begin.column + begin.span; column < end.column; column += 1) taken.add(`${column},${end.lane}`);
  };
  put(OUTPUTS, 0);
  graph.outputs.forEach((ref, i) => {
    chain(ref.node, i);
  });
  for (; ; all = true) {
    for (const node of [...main].reverse()) {
      if (!isNext(node.key)) continue;
      const above = node.inputs.find((r) => r !== null);
      chain(node.key, above ? Math.max(0, placed.get(above.node)?.lane ?? 0) : 0);
      // What joins here stands in the order in which it does.
      const own = placed.get(node.key)?.lane ?? 0;
      node.inputs.forEach((ref, i) => {
        if (ref && byKey.has(ref.node) && isNext(ref.node)) chain(ref.node, own + i);
      });
    }
    if (all) return;
  }
}

/**
 * What a source of arguments costs: for each column between its place and the one beside its target, for each px above or
 * below the line that it is to stand on, and for each px by which it makes the whole higher. A second row costs those
 * beside it less than two columns; far ones may stand in any column.
 */
const COSTS = {
  close: { across: 200, aside: 0.1, growth: 0 },
  medium: { across: 200, aside: 0.3, growth: 1 },
  beside: { across: 400, aside: 0.3, growth: 5 },
  near: { across: 200, aside: 0.3, growth: 5 },
  far: { across: 30, aside: 0.3, growth: 1 },
} as const;
/** What its target's own column costs beside the one before that: more than the one before it, as its wire would come back around the target. */
const NEAREST = 1.5;
type Stray = keyof typeof COSTS;
const STRAYS = Object.keys(COSTS) as readonly Stray[];

interface Plan {
  readonly graph: GraphView;
  readonly small: ReadonlyMap<string, string>;
  readonly height: Height;
  readonly span: Span;
  readonly head: Height;
  readonly pitch: Pitch;
  readonly stray: Stray;
}

/** The columns with which rows of cards begin: a short branch stands in one row, with its `if` and what ends that; no row ends with an `if`. */
function bandsOf(graph: GraphView, grid: ReadonlyMap<string, Cell>, columns: number): number[] {
  const column = (node: NodeView) => grid.get(node.key)?.column ?? 0;
  const of = (node: NodeView) => node.argument_inputs.predicate?.node;
  const spans = graph.nodes
    .filter((n) => n.operator === SPLIT && of(n))
    .flatMap((from) =>
      graph.nodes
        .filter((to) => to.operator !== SPLIT && of(to) === of(from))
        .map((to) => [column(from), column(to)] as const),
    );
  const last = Math.max(0, ...[...grid.values()].map((c) => c.column));
  const starts = [0];
  for (let start = 0; start + columns <= last; starts.push(start)) {
    const least = start;
    const short = (from: number, to: number) => to - from <= columns / 3 || from === start - 1;
    const inside = () => spans.find(([from, to]) => from > least && from < start && to >= start && short(from, to));
    start += columns;
    for (let span = inside(); span; span = inside()) start = span[0];
  }
  return starts;
}

/** Cards of a grid, row by row; what does not fit into `columns` continues below. */
function placed(plan: Plan, grid: ReadonlyMap<string, Cell>, columns: number): Floor {
  const floor = new Floor(columns, plan.height, plan.pitch);
  const starts = bandsOf(plan.graph, grid, columns);
  const members: Member[][] = starts.map(() => []);
  for (const [key, c] of grid) {
    const band = starts.filter((column) => column <= c.column).length - 1;
    members[band]?.push({ ...c, key, column: c.column - (starts[band] ?? 0) });
  }
  members.forEach((band, i) => {
    placeBand(band, floor, plan, i > 0);
    placeSmall(band, plan, floor);
  });
  return floor;
}

function planOf(graph: GraphView, sizes: ReadonlyMap<string, Size>, pitch: Pitch): Plan {
  const span = (key: string) => Math.ceil(((sizes.get(key)?.width ?? CARD) + COLUMN - CARD) / COLUMN);
  const height = (key: string) => sizes.get(key)?.height ?? pitch.row;
  const head = (key: string) => sizes.get(key)?.head ?? 0;
  return { graph, small: argumentSources(graph), height, span, head, pitch, stray: "close" };
}

function columnsOf(width: number): number {
  return Math.max(2, 1 + Math.floor((width - 2 * EDGE - CARD) / COLUMN));
}

/** Positions of all cards in a left-to-right grid that continues below when a row does not fit `width`. */
export function layoutGraph(graph: GraphView, sizes: ReadonlyMap<string, Size>, width: number) {
  const plan = planOf(graph, sizes, WIDE);
  return placed(plan, cells(graph, plan.small, plan.span), columnsOf(width)).positions;
}

/** What a row longer than the box, or a fold, must gain, so that small changes do not turn the layout over; a chain that is not one line; and cards that do not show all that they have. */
const COST = { change: 1.08, turn: 1.1, small: 1.05 } as const;
/** How many turns of a chain count as much as a number's wire that comes back around what it feeds. */
const ROUND = 2.4;
/** Cards that are seen smaller may have their numbers farther away; and how much smaller they may be for these to stand close. */
const FAR = 0.65;
const LITTLE = 0.01;
/** What a break of several branches must gain, and of more than a few, which lead back to the left, `many` times that for each doubling of rows; beyond `most` it gains nothing. */
const BREAK = { cost: 1.15, few: 4, many: 1.6, most: 0.88 } as const;
/** The most rows into which a chain is broken, columns that are all tried, and blocks of branches side by side. */
const MOST = { rows: 40, columns: 40, blocks: 20 } as const;

/** What stays free between cards above each other at least. */
const APART = 12;
/** How much higher than a card beside it one begins whose first row is on that one's line: its name has room where it is small, too. */
const LIFT = 40;

export interface Way {
  readonly positions: Record<string, Position>;
  readonly extent: Size;
  /** How often several branches are broken, or what counts as much, as to stand side by side. */
  readonly breaks: number;
  /** Whether a chain turns: a half if before the outputs alone; more where a number's wire comes back. */
  readonly turns: number;
}

/** The ways in which a graph can be laid out, from the plain ones to folded ones. */
class Ways {
  private readonly grid: ReadonlyMap<string, Cell>;
  private readonly plan: Plan;
  private readonly length: number;
  private readonly lanes: number;
  readonly isChain: boolean;

  constructor(
    private readonly graph: GraphView,
    private readonly sizes: ReadonlyMap<string, Size>,
    pitch: Pitch,
  ) {
    this.plan = planOf(graph, sizes, pitch);
    this.grid = cells(graph, this.plan.small, this.plan.span);
    const cellsOf = [...this.grid.values()];
    this.length = Math.max(1, endOf(cellsOf));
    this.lanes = 1 + Math.max(0, ...cellsOf.map((c) => c.lane));
    this.isChain = this.lanes === 1;
  }

  /** In rows of so many columns. */
  inRows(columns: number, stray: Stray): Way {
    return this.way(this.grid, columns, stray);
  }

  /** In 2, 3, 4 ... columns, and in 1, 2, 3 ... rows that are as short as they can be. */
  *broken(stray: Stray): Generator<Way> {
    const counts = Array.from({ length: MOST.columns }, (_, i) => Math.min(i + 2, this.length));
    const shortest = Array.from({ length: MOST.rows }, (_, i) => Math.ceil(this.length / (i + 1)));
    for (const columns of new Set([...counts, ...shortest])) if (columns > 1) yield this.inRows(columns, stray);
  }

  /** Whose last card is in that column: gaps that were made wider may look like one more, or two. */
  *likely(columns: number): Generator<Way> {
    for (let count = columns; count > Math.max(0, columns - 3); count -= 1)
      for (const stray of STRAYS) {
        yield this.inRows(count, stray);
        if (count === columns) yield* this.folded(stray);
      }
  }

  /** With the branches in 2, 3 ... blocks side by side, and with what computes numbers left of all but what is read. */
  *folded(stray: Stray): Generator<Way> {
    const beside = aside(this.graph, this.grid);
    if (beside) yield this.way(beside, endOf(beside.values()), stray);
    const inner = wiresOf(this.graph).filter(({ source, slot }) => this.grid.has(source.node) && slot.node !== OUTPUTS);
    for (let blocks = 2; blocks <= MOST.blocks && this.lanes >= 2 * blocks; blocks += 1) {
      const rows = Math.ceil(this.lanes / blocks);
      const blockOf = (key: string) => Math.floor((this.grid.get(key)?.lane ?? 0) / rows);
      // What a block takes from one right of it would run back through both.
      if (inner.some(({ source, slot }) => blockOf(source.node) > blockOf(slot.node))) continue;
      const grid = folded(this.grid, rows);
      yield this.way(grid, endOf(grid.values()), stray);
    }
  }

  private way(grid: ReadonlyMap<string, Cell>, columns: number, stray: Stray): Way {
    const { positions } = placed({ ...this.plan, stray }, grid, columns);
    // A card as tall as its branches begins above them: the first row, too, is on its branch's line.
    const outputs = positions[OUTPUTS];
    if (outputs && isTall(this.graph, positions)) {
      const above = Object.entries(positions).map(([key, { x, y }]) =>
        y < outputs.y && x <= outputs.x && x + this.plan.span(key) * COLUMN > outputs.x
          ? y + this.plan.height(key)
          : Number.NEGATIVE_INFINITY,
      );
      positions[OUTPUTS] = {
        ...outputs,
        y: Math.max(outputs.y - LIFT, Math.min(outputs.y, Math.max(...above) + APART)),
      };
    }
    const bands = Math.ceil(this.length / columns);
    // Blocks side by side cost as much: wires to one run along another.
    const cost = this.lanes > BREAK.few ? BREAK.many * Math.log2(bands) : bands - 1;
    const breaks = grid !== this.grid ? 1 : this.isChain ? 0 : cost;
    const rows = bands > 1 ? (this.length > columns + 1 ? 1 : 0.5) : 0;
    // turning at each second card instead is no better
    const round = [...this.plan.small].some(
      ([key, to]) => columns < 3 || (positions[key]?.x ?? 0) >= (positions[to]?.x ?? 0),
    );
    const turns = this.isChain ? rows + (round ? ROUND : 0) : 0;
    return { positions, extent: extentOf(this.graph, this.sizes, this.plan, positions), breaks, turns };
  }
}

function extentOf(
  graph: GraphView,
  sizes: ReadonlyMap<string, Size>,
  plan: Plan,
  positions: Readonly<Record<string, Position>>,
): Size {
  const far = (side: "x" | "y", size: (key: string) => number) =>
    Math.max(0, ...Object.entries(positions).map(([key, p]) => p[side] + size(key)));
  return {
    width: far("x", (key) => sizes.get(key)?.width ?? CARD) - SIDE,
    height: far("y", (key) => (key === OUTPUTS ? outputsHeight(graph, positions) : plan.height(key))) - TOP,
  };
}

/** How well a way fills a box: how large its cards are shown, less what breaks cost. */
export function worthIn(box: Size, { extent, breaks, turns }: Way): number {
  const fits = fittingScale(extent.width, extent.height, box);
  const scale = CARD * fits < WIDTHS.full ? fits / COST.small : fits;
  return breaks > 0 ? Math.min(scale, BREAK.most) / BREAK.cost ** breaks : scale / COST.turn ** turns;
}

/** Whether all cards are seen in full size. */
export function isWhole(box: Size, { extent, breaks }: Way): boolean {
  return breaks === 0 && fittingScale(extent.width, extent.height, box) === 1;
}

/** A way with room for the wires between its columns. */
function roomy(graph: GraphView, sizes: ReadonlyMap<string, Size>, way: Way): Way {
  const positions = widened(graph, sizes, way.positions);
  const right = (at: Way["positions"]) => Math.max(0, ...Object.values(at).map((p) => p.x));
  const width = way.extent.width + right(positions) - right(way.positions);
  return { ...way, positions, extent: { ...way.extent, width } };
}

/** Rows as long as the box at 100 %; longer ones, or branches side by side, where the whole graph is then seen larger. */
export function wayInBox(graph: GraphView, sizes: ReadonlyMap<string, Size>, box: Size, pitch = WIDE): Way {
  return roomy(graph, sizes, largestIn(graph, sizes, box, pitch));
}

function largestIn(graph: GraphView, sizes: ReadonlyMap<string, Size>, box: Size, pitch: Pitch): Way {
  const ways = new Ways(graph, sizes, pitch);
  const worth = (way: Way) => worthIn(box, way);
  const largest = (some: Iterable<Way>, first: Way) => {
    const best = [...some].reduce((a, b) => (worth(b) > worth(a) ? b : a), first);
    return worth(best) > (ways.isChain ? 1 : COST.change) * worth(first) ? best : first;
  };
  const scale = ({ extent }: Way) => fittingScale(extent.width, extent.height, box);
  const best = (stray: Stray) => {
    const plain = ways.inRows(columnsOf(box.width), stray);
    if (!ways.isChain && isWhole(box, plain)) return plain;
    return largest(ways.folded(stray), largest(ways.broken(stray), plain));
  };
  const near = best("near");
  const far = scale(near) < FAR ? largest(ways.broken("far"), near) : near;
  const large = scale(far) > scale(near) ? far : near;
  if (pitch === DENSE) return large;
  const holds = (way: Way) => Math.min(worth(way) - worth(large), scale(way) - scale(large)) > -LITTLE;
  return STRAYS.slice(0, 3).map(best).find(holds) ?? large;
}

/** The way in which `wayInBox` would place cards so in some box; undefined if somebody has moved one. */
export function wayOf(
  graph: GraphView,
  sizes: ReadonlyMap<string, Size>,
  positions: Readonly<Record<string, Position | null>>,
  pitch = WIDE,
): Way | undefined {
  const ways = new Ways(graph, sizes, pitch);
  const right = Math.max(0, ...cardsOf(graph).map((key) => positions[key]?.x ?? 0));
  const all = (way: Way, holds: (at: Position, is: Position) => boolean) =>
    Object.entries(way.positions).every(([key, at]) => holds(at, positions[key] ?? { x: 0, y: 0 }));
  const columns = 1 + Math.round((right - SIDE) / COLUMN);
  for (const way of ways.likely(columns)) {
    if (!all(way, (at, is) => at.x <= is.x && at.y === is.y)) continue;
    const found = roomy(graph, sizes, way);
    if (all(found, (at, is) => at.x === is.x)) return found;
  }
  return undefined;
}

type Member = Cell & { readonly key: string };

/**
 * Lanes of a band from the top; a short band stands at the right, near the end of the row above, if it can. Of many
 * cards that are spread, those alone are on one line of which each is the first input of the next one.
 */
function placeBand(members: readonly Member[], floor: Floor, plan: Plan, continues: boolean): void {
  const { graph, pitch, stray } = plan;
  const used = endOf(members);
  const spare = floor.columns - used;
  const range = (from: number) => Array.from({ length: used }, (_, i) => from + i);
  const gain = floor.topOf(range(0)) - floor.topOf(range(spare));
  if (spare > 0 && (gain > 0 || (continues && gain === 0))) for (const m of members) m.column += spare;
  const rows: Member[][] = [];
  for (const m of [...members].sort((a, b) => a.lane - b.lane || a.column - b.column)) {
    const row = rows.at(-1);
    const before = row?.at(-1);
    const follows = !(stray === "far" && pitch === DENSE) || before?.key === nodeOf(graph, m.key)?.inputs[0]?.node;
    if (follows && before?.lane === m.lane) row?.push(m);
    else rows.push([m]);
  }
  for (const row of rows) {
    const y = floor.topOf(row.flatMap(columnsIn)) + Math.max(...row.map((m) => plan.head(m.key)));
    for (const m of row) floor.put(m.key, m.column, y, undefined, m.span);
    // what runs straight between them
    for (const m of row)
      for (const ref of nodeOf(graph, m.key)?.inputs ?? []) {
        const from = row.find((other) => other.key === ref?.node);
        for (let column = from ? endOf([from]) : m.column; column < m.column; column += 1)
          floor.pass(column, y, y + 2 * PORT);
      }
  }
}

/** What stays free between a row and the small cards below it: a wire. */
const LANE = 20;

/** Argument sources stand under their target's row, left of it or below it, or where there is room near to that. */
function placeSmall(members: readonly Member[], { graph, small, stray, pitch }: Plan, floor: Floor): void {
  const fed = [...small].flatMap(([key, feeds]) => {
    const target = members.find((m) => m.key === feeds);
    // of many cards, which hide wires, they stand on the line of their row where there is nothing left of it
    const line = members.filter((m) => m.lane === target?.lane).map((m) => m.column);
    const to = [...usersOf(graph, key)].flatMap((user) => floor.positions[user] ?? []);
    return target ? [{ key, feeds, target, to, left: pitch === DENSE ? Math.min(...line) : 0 }] : [];
  });
  for (const { key, feeds, target, left } of fed.sort((a, b) => Number(b.left > 0) - Number(a.left > 0))) {
    const beside = Math.max(0, target.column - 1);
    const row = members.filter((m) => m.lane === target.lane && m.column >= beside && m.key !== OUTPUTS);
    const below = Math.max(...row.map((m) => (floor.positions[m.key]?.y ?? TOP) + floor.height(m.key))) + LANE;
    // Beside the target where its row has no other card, so that what feeds it stands together.
    const free = target.column > 0 && !members.some((m) => m.lane === target.lane && columnsIn(m).includes(beside));
    const top = floor.positions[feeds]?.y ?? TOP;
    const wanted = free ? top : below;
    const height = floor.height(key);
    const { across, aside, growth } = COSTS[stray];
    const step = pitch === DENSE ? Math.min(60, across) : across;
    const end = floor.end();
    let [column, y, least] = [beside, wanted, 1e9];
    for (let c = stray === "far" ? floor.columns - 1 : target.column; c >= 0; c -= 1)
      for (const from of c < left ? [top] : [wanted, top - ROW / 2]) {
        const place = floor.free(c, from, height + SMALL_GAP);
        const cost =
          step * (c > beside ? NEAREST + c - target.column : beside - c) +
          aside * Math.abs(place - (c < left ? top : wanted)) +
          growth * Math.max(0, place + height - end);
        if (cost < least) [column, y, least] = [c, place, cost];
      }
    floor.put(key, column, y, SMALL_GAP);
  }
  // The first to come have taken the best places: two change theirs where they are then nearer to what they feed.
  const far = ({ to }: (typeof fed)[0], at: Position) =>
    to.reduce((sum, { x, y }) => sum + (at.x + COLUMN - x) ** 2 + ((at.y - y) / 4) ** 2, 0);
  for (const p of fed)
    for (const q of fed) {
      const [a, b] = [floor.positions[p.key], floor.positions[q.key]];
      if (a && b && floor.height(p.key) === floor.height(q.key) && far(p, b) + far(q, a) < far(p, a) + far(q, b))
        floor.swap(p.key, q.key);
    }
  floor.align(
    fed.map(({ key }) => key),
    stray !== "near",
  );
}
