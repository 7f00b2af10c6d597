import { around, cornersOf, cornersUnder, type Point, pathOf, type Rect, STUB } from "./route";

/** A wire that is to be drawn, of a source whose wires may lie on each other; `under`: below all cards; `brief`: only while one of its ends is looked at. */
export interface Run {
  readonly source: string;
  readonly a: Point;
  readonly b: Point;
  readonly under: boolean;
  readonly brief?: boolean;
}

/** How far apart wires of different sources run where there is room, how near to cards they may come and may well, and how far out of all cards a few may and each one more, in px. */
const GAP = 16;
const MARGIN = 4;
const CLEAR = 10;
const OUTSIDE = { x: 16, y: 24, more: 10 } as const;
/**
 * What wires cost that are on each other, beside the px along which they are, one that ends on another's line or runs on
 * a card's edge, those that cross, and a px from where a wire would run by itself.
 */
const COST = { together: 120, touching: 400, edge: 350, behind: 1e4, crossing: 30, aside: 0.5 } as const;
/** How often all wires make room for each other, and into how many places the room of one is divided. */
const PASSES = 3;
const PLACES = 40;

/** A part of a wire, from corner `i` to the next one: along the other axis it reaches from `from` to `to`. */
export interface Part {
  readonly corners: readonly { x: number; y: number }[];
  readonly source: string;
  readonly i: number;
  readonly axis: "x" | "y";
  at: number;
  from: number;
  to: number;
}

const ACROSS = { x: ["y", "width", "height"], y: ["x", "height", "width"] } as const;

function measure(part: Part): Part {
  const [p, q] = part.corners.slice(part.i);
  if (!p || !q) return part;
  const [along] = ACROSS[part.axis];
  part.at = p[part.axis];
  part.from = Math.min(p[along], q[along]);
  part.to = Math.max(p[along], q[along]);
  return part;
}

/** The parts of a wire: it begins and ends level, a curve nearly so. */
function partsOf(points: readonly Point[], source: string): Part[] {
  const [a, b, more] = points;
  const x = a && b ? (a.x + b.x) / 2 : 0;
  const corners = a && b && !more ? [a, { x, y: a.y }, { x, y: b.y }, b] : points;
  return corners
    .slice(1)
    .map((_, i) => measure({ corners, source, i, axis: i % 2 ? "x" : "y", at: 0, from: 0, to: 0 }));
}

/** How near to another of which it keeps so far away where it can. */
function nearness(distance: number, far: number): number {
  return Math.max(0, 1 - distance / far) ** 2;
}

/** What two parts cost that are too near, cross, or of which one turns or ends where the other runs. */
function between(a: Part, b: Part): number {
  const along = Math.min(a.to, b.to) - Math.max(a.from, b.from);
  const apart = Math.abs(a.at - b.at);
  if (a.axis === b.axis)
    return along > -GAP / 2
      ? nearness(apart, GAP) * (COST.together + Math.max(0, along)) + nearness(apart, GAP / 2) * COST.touching
      : 0;
  const over = Math.min(a.at - b.from, b.to - a.at, b.at - a.from, a.to - b.at);
  return (over > 0 ? COST.crossing : 0) + nearness(Math.abs(over), GAP / 2) * COST.touching;
}

/** How long parts lie on others. */
function together(some: readonly Part[], others: readonly Part[]): number {
  let sum = 0;
  for (const { axis, at, from, to } of some)
    sum += Math.max(
      0,
      ...others.map((o) => (o.axis === axis && o.at === at ? Math.min(o.to, to) - Math.max(o.from, from) : 0)),
    );
  return sum;
}

/** What parts cost beside others, or more than `most`. */
function costOf(own: readonly Part[], others: readonly Part[], most = 1e9): number {
  let sum = 0;
  for (const p of own)
    for (const o of others) {
      sum += between(p, o);
      if (sum > most) return sum;
    }
  return sum;
}

/** From where and to where a part reaches along an axis. */
const first = (p: Part, axis: "x" | "y") => (p.axis === axis ? p.at : p.from);
const last = (p: Part, axis: "x" | "y") => (p.axis === axis ? p.at : p.to);

/** Whether a part is so near to what lies between `low` and `high` that it may cost something. */
const isNear = (p: Part, axis: "x" | "y", low: number, high: number) =>
  first(p, axis) < high + GAP && last(p, axis) > low - GAP;

/** From where to where parts reach along an axis. */
function reachOf(parts: readonly Part[], axis: "x" | "y"): readonly [number, number] {
  return [Math.min(...parts.map((p) => first(p, axis))), Math.max(...parts.map((p) => last(p, axis)))];
}

/** Whether a part runs behind a card, or too near to it. */
function covers(card: Rect, { axis, at, from, to }: Part): boolean {
  const [along, across, long] = ACROSS[axis];
  return (
    at > card[axis] - MARGIN &&
    at < card[axis] + card[across] + MARGIN &&
    to > card[along] - MARGIN &&
    from < card[along] + card[long] + MARGIN
  );
}

/** How much room wires of so many sources take before and behind all cards. */
function beyondOf(parts: readonly Part[], all: Rect) {
  const room = (axis: "x" | "y", is: (at: number) => boolean) =>
    Math.max(
      OUTSIDE[axis],
      OUTSIDE.more * new Set(parts.flatMap((p) => (p.axis === axis && is(p.at) ? p.source : []))).size,
    );
  const both = (axis: "x" | "y", end: number) =>
    [room(axis, (at) => at < all[axis]), room(axis, (at) => at > end)] as const;
  return { x: both("x", all.x + all.width), y: both("y", all.y + all.height) };
}

/** From where to where what lies on one line may be moved, and where the cards beside it end and begin; `beyond`: all cards. */
function roomOf(line: readonly Part[], cards: readonly Rect[], all: Rect, beyond: ReturnType<typeof beyondOf>) {
  const { axis = "x", at = 0 } = line[0] ?? {};
  const [along, across, long] = ACROSS[axis];
  const from = Math.min(...line.map((p) => p.from)) - MARGIN;
  const to = Math.max(...line.map((p) => p.to)) + MARGIN;
  // above all cards a sentence may lie
  let low = all[axis] - (axis === "x" ? beyond.x[0] : 0);
  let high = all[axis] + all[across] + beyond[axis][1];
  let [end, begin] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const card of cards) {
    if (card[along] >= to || card[along] + card[long] <= from) continue;
    if (card[axis] + card[across] <= at) end = Math.max(end, card[axis] + card[across]);
    else if (card[axis] >= at) begin = Math.min(begin, card[axis]);
  }
  low = Math.max(low, end + MARGIN);
  high = Math.min(high, begin - MARGIN);
  return { low: Math.min(low, at), high: Math.max(high, at), end, begin };
}

/** Parts that may move, those of one source that lie on each other together. */
function linesOf(parts: readonly Part[]): Part[][] {
  const lines: Part[][] = [];
  for (const part of parts) {
    if (part.i === 0 || part.i === part.corners.length - 2) continue;
    const { axis, at, from, to, source } = part;
    const touches = (o: Part) => o.axis === axis && o.at === at && o.from <= to && o.to >= from && o.source === source;
    const joined = lines.filter((line) => line.some(touches));
    for (const line of joined) lines.splice(lines.indexOf(line), 1);
    lines.push([part, ...joined.flat()]);
  }
  return lines;
}

/** The ways of wires, each where few others are, and their parts. */
function found(runs: Iterable<Run>, cards: readonly Rect[], beside: readonly Part[] = []) {
  const ways = new Map<Run, readonly Point[]>();
  const parts = [...beside];
  for (const run of runs) {
    const { a, b, under, source } = run;
    const [low, high] = [Math.min(a.x, b.x) - STUB, Math.max(a.x, b.x) + STUB];
    const others = parts.filter((p) => p.source !== source && isNear(p, "x", low, high));
    const own = parts.filter((p) => p.source === source);
    const crowd = (corners: readonly Point[], most: number) => {
      const now = partsOf(corners, source);
      // what runs along the source's other wires is there already
      const saved = together(now, own);
      return costOf(now, others, most + saved) - saved;
    };
    const passes = [...ways.values()].some((way) => {
      const [from, to] = [way[0] ?? a, way.at(-1) ?? b];
      return from.x === a.x && from.y === b.y && to.x === b.x && to.y === a.y;
    });
    const corners = (under ? cornersUnder : cornersOf)(a, b, cards, crowd, passes, run.brief).map((p) => ({ ...p }));
    ways.set(run, corners);
    parts.push(...partsOf(corners, source));
  }
  return { ways, parts };
}

/** What of wires runs up or down, before they make room for each other. */
export function uprights(runs: Iterable<Run>, cards: readonly Rect[]) {
  return found(runs, cards).parts.filter((p) => p.axis === "x" && p.from < p.to);
}

export interface Routed {
  readonly paths: ReadonlyMap<Run, string>;
  readonly parts: readonly Part[];
}

/** The paths of wires: each finds its way, and then they make room for each other, and for those that stay where they are. */
export function settled(runs: Iterable<Run>, cards: readonly Rect[], beside?: readonly Part[]): Routed {
  const all = around(cards);
  const { ways, parts } = found(runs, cards, beside);
  const bent = new Set(ways.values());
  const beyond = beyondOf(parts, all);
  const lines = linesOf(parts.filter((p) => bent.has(p.corners))).map((line) => {
    const { at: from = 0, axis = "x", source = "" } = line[0] ?? {};
    // beside all cards near to them, where no other one is
    const [left, right] = [all.x, all.x + all.width];
    const wish = axis === "y" || (from >= left && from <= right) ? from : from < left ? left - CLEAR : right + CLEAR;
    const [along] = ACROSS[axis];
    const { low, high, end, begin } = roomOf(line, cards, all, beyond);
    const own = parts.filter((p) => line.some((l) => l.corners === p.corners && Math.abs(l.i - p.i) < 2));
    const others = parts.filter((p) => p.source !== source);
    // what is beside it grows and shrinks
    const sides = own.filter((p) => p.axis !== axis && p.i > 0 && p.i < p.corners.length - 2);
    const at = () => line[0]?.at ?? 0;
    const put = (to: number) => {
      for (const { corners, i } of line) for (const corner of corners.slice(i, i + 2)) corner[axis] = to;
      own.forEach(measure);
      // clear of ports, too, which are not theirs
      const tight = nearness(to - end, CLEAR) + nearness(begin - to, beside ? 2 * CLEAR : CLEAR);
      const behind = sides.some((p) => cards.some((card) => covers(card, p)));
      return COST.aside * Math.abs(to - wish) + COST.edge * tight + (behind ? COST.behind : 0);
    };
    const cost = (to: number, some: readonly Part[], most = 1e9) => {
      const alone = put(to);
      return alone + costOf(own, some, most - alone);
    };
    // what it may meet on all of its ways
    const near = () => {
      const [least, most] = reachOf(own, axis);
      const [begin, end] = reachOf(own, along);
      return others.filter(
        (p) => isNear(p, axis, Math.min(least, low), Math.max(most, high)) && isNear(p, along, begin, end),
      );
    };
    return { axis, low, high, at, put, cost, near };
  });
  for (let pass = 0; pass < PASSES; pass += 1) {
    for (const { low, high, at, put, cost, near } of lines) {
      const others = near();
      let best = at();
      let least = cost(best, others);
      for (let to = Math.ceil(low); to <= high; to += Math.max(1, Math.round((high - low) / PLACES))) {
        const now = cost(to, others, least);
        if (now < least) [best, least] = [to, now];
      }
      put(best);
    }
    // two that stand in each other's way change places
    lines.forEach((p, i) => {
      for (const q of lines.slice(i + 1)) {
        const [a, b] = [p.at(), q.at()];
        if (p.axis !== q.axis || a === b || Math.abs(a - b) > 2 * GAP) continue;
        if (b < p.low || b > p.high || a < q.low || a > q.high) continue;
        const [near, other] = [p.near(), q.near()];
        const both = () => p.cost(p.at(), near) + q.cost(q.at(), other);
        const before = both();
        p.put(b);
        q.put(a);
        if (both() < before) continue;
        p.put(a);
        q.put(b);
      }
    });
  }
  return { parts, paths: new Map([...ways].map(([run, corners]) => [run, pathOf(corners)])) };
}

export function routed(runs: Iterable<Run>, cards: readonly Rect[]): ReadonlyMap<Run, string> {
  return settled(runs, cards).paths;
}
