/** How a wire runs: a curve between neighbours, right angles with rounded corners for longer and backward ways. */

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Whether it is a note, which does not lead a wire that is below all cards farther down. */
  readonly note?: boolean;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What is around all of them. */
export function around(rects: readonly Rect[]): Rect {
  const x = Math.min(...rects.map((r) => r.x));
  const y = Math.min(...rects.map((r) => r.y));
  const width = Math.max(...rects.map((r) => r.x + r.width)) - x;
  return { x, y, width, height: Math.max(...rects.map((r) => r.y + r.height)) - y };
}

const RADIUS = 9;
/** How far wires run level from a card before they turn. */
export const STUB = 18;
const CLEAR = 12;
/** The stub of a wire between neighbours that passes another one. */
const NEAR = 10;
/** Height from which on a wire to a neighbour is not a curve. */
const STEEP = 110;

export function bezier(a: Point, b: Point): string {
  const pull = Math.max(18, Math.abs(b.x - a.x) * 0.5);
  return `M${a.x} ${a.y}C${a.x + pull} ${a.y} ${b.x - pull} ${b.y} ${b.x} ${b.y}`;
}

function curvePoint(a: Point, b: Point, t: number): Point {
  const pull = Math.max(18, Math.abs(b.x - a.x) * 0.5);
  const u = 1 - t;
  const w = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t] as const;
  return {
    x: w[0] * a.x + w[1] * (a.x + pull) + w[2] * (b.x - pull) + w[3] * b.x,
    y: w[0] * a.y + w[1] * a.y + w[2] * b.y + w[3] * b.y,
  };
}

/** How far from its middle a wire is not to be covered, in px. */
const BREADTH = 4;

/** Thin boxes along a path of absolute lines and curves. */
export function boxesAlong(path: string): Rect[] {
  const boxes: Rect[] = [];
  let here: Point = { x: 0, y: 0 };
  const to = (next: Point) => {
    const [x, y] = [Math.min(here.x, next.x) - BREADTH, Math.min(here.y, next.y) - BREADTH];
    const [width, height] = [Math.abs(here.x - next.x) + 2 * BREADTH, Math.abs(here.y - next.y) + 2 * BREADTH];
    boxes.push({ x, y, width, height });
    here = next;
  };
  for (const [, does, rest = ""] of path.matchAll(/([MLQCHV])([^MLQCHV]*)/g)) {
    const n = (rest.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
    const [x = here.x, y = here.y] = does === "H" ? [n[0]] : does === "V" ? [here.x, n[0]] : n.slice(-2);
    const from = here;
    if (does === "M") here = { x, y };
    else if (does === "C") for (const t of [0.2, 0.4, 0.6, 0.8, 1]) to(curvePoint(from, { x, y }, t));
    else to({ x, y });
  }
  return boxes;
}

/** How near a wire may come to cards, in px. */
const MARGIN = 7;

function segmentHits(a: Point, b: Point, r: Rect, m: number): boolean {
  const left = Math.min(a.x, b.x);
  const top = Math.min(a.y, b.y);
  return (
    left < r.x + r.width + m && Math.max(a.x, b.x) > r.x - m && top < r.y + r.height + m && Math.max(a.y, b.y) > r.y - m
  );
}

/** How often a card counts that a way runs over. */
const OVER = 4;

/** The straight parts of a way. */
function sides(points: readonly Point[]) {
  return points.slice(1).map((b, i) => [points[i] ?? b, b] as const);
}

/** How many cards a way comes too near to; one that it runs over counts more. */
function hits(points: readonly Point[], rects: readonly Rect[]): number {
  let count = 0;
  for (const [a, b] of sides(points))
    for (const r of rects) if (segmentHits(a, b, r, MARGIN)) count += segmentHits(a, b, r, 0) ? OVER : 1;
  return count;
}

function size(p: Point, q: Point): number {
  return Math.abs(p.x - q.x) + Math.abs(p.y - q.y);
}

function length(points: readonly Point[]): number {
  return sides(points).reduce((sum, [a, b]) => sum + size(a, b), 0);
}

/**
 * What is drawn of a wire that is not drawn whole: a ring at its end says that it goes elsewhere. Half-way between cards, where
 * trunks turn, it has ended.
 */
export function stub(x: number, y: number, way: 1 | -1, length = 9, r = 3): string {
  return `M${x} ${y}h${way * length}a${r} ${r} 0 1 0 ${2 * way * r} 0a${r} ${r} 0 1 0 ${-2 * way * r} 0`;
}

/** A path through right angles with rounded corners. */
export function rounded(points: readonly Point[]): string {
  const [first] = points;
  if (!first) return "";
  const turns = sides(points).map(([before, here], i) => {
    const after = points[i + 2];
    if (!after) return `L${here.x} ${here.y}`;
    const r = Math.min(RADIUS, size(before, here) / 2, size(here, after) / 2);
    const toward = (p: Point) => `${here.x + Math.sign(p.x - here.x) * r} ${here.y + Math.sign(p.y - here.y) * r}`;
    return `L${toward(before)}Q${here.x} ${here.y} ${toward(after)}`;
  });
  return `M${first.x} ${first.y}${turns.join("")}`;
}

/** Where between two ends, or how near to that, a way may run beside cards; not above all of them, where a sentence may lie. */
function candidates(axis: "x" | "y", a: Point, b: Point, rects: readonly Rect[]): number[] {
  const least = Math.min(...rects.map((r) => r[axis]));
  const size = axis === "x" ? "width" : "height";
  const lanes = rects.flatMap((r) => [r[axis] - CLEAR, r[axis] + r[size] + CLEAR]).filter((at) => at > least);
  const middle = (a[axis] + b[axis]) / 2;
  return [...new Set([middle, ...lanes])].sort((p, q) => Math.abs(p - middle) - Math.abs(q - middle)).slice(0, 60);
}

/** Ways over no card that turn aside, or turn elsewhere than beside the cards at their ends. */
function* detours(a: Point, b: Point, first: number, last: number, rects: readonly Rect[]): Generator<Point[]> {
  const lanes = candidates("y", a, b, rects);
  for (const x of candidates("x", a, b, rects)) {
    const legs = (end: Point, side: number) =>
      [[end, { x, y: end.y }], ...lanes.map((y) => [end, { x: side, y: end.y }, { x: side, y }, { x, y }])].filter(
        (leg) => hits(leg, rects) < OVER,
      );
    const ends = legs(b, last);
    for (const begin of legs(a, first)) for (const end of ends) yield [...begin, ...end.toReversed()];
  }
}

/** The path through the corners of a wire; a curve where there are none. */
export function pathOf(points: readonly Point[]): string {
  const [a, b] = points;
  return a && b && points.length === 2 ? bezier(a, b) : rounded(points);
}

/** What corners cost beside their length, or more than `most`. */
type Cost = (points: readonly Point[], most: number) => number;
const FREE: Cost = () => 0;

/** The corners of a wire that would cross the whole graph: below all cards, unless one stands in the way there. */
export function cornersUnder(a: Point, b: Point, rects: readonly Rect[], cost = FREE): readonly Point[] {
  const lane = Math.max(a.y, b.y, ...rects.flatMap((r) => (r.note ? [] : r.y + r.height))) + CLEAR;
  const down = [
    { x: a.x + STUB, y: a.y },
    { x: a.x + STUB, y: lane },
  ];
  const up = [
    { x: b.x - STUB, y: lane },
    { x: b.x - STUB, y: b.y },
  ];
  if (hits([...down, ...up], rects) > 0) return cornersOf(a, b, rects, cost);
  return [a, ...down, ...up, b];
}

/** The corners of a wire from `a` to `b` around the cards `rects` (the ends' own cards may be among them), ends included; a curve has no others. Between neighbours one that `passes` another, which goes to where it comes from, turns twice; a `brief` one, which comes last, turns where there is room. */
export function cornersOf(
  a: Point,
  b: Point,
  rects: readonly Rect[],
  cost = FREE,
  passes = false,
  brief = false,
): readonly Point[] {
  const forward = b.x - a.x;
  // A steep way to a neighbour takes the trunk of its source, so that a fan of wires is one line.
  const steep = Math.abs(b.y - a.y) > STEEP && forward > 8 && forward < 60;
  let best: readonly Point[] = [a, b];
  if (forward > 8 && forward < 260 && !steep) {
    const samples = [0.15, 0.3, 0.45, 0.6, 0.75, 0.85].map((t) => curvePoint(a, b, t));
    if (!samples.some((p) => rects.some((r) => segmentHits(p, p, r, -2)))) return best;
  }
  let bestScore = 1e9;
  const out = a.x + (steep ? Math.min(STUB, forward - 6) : STUB);
  const into = b.x - STUB;
  const [first, last] = steep && passes ? [a.x + NEAR, b.x - NEAR] : [out, into];
  const options: Point[][] = candidates("y", a, b, rects).map((lane) => [
    a,
    { x: first, y: a.y },
    { x: first, y: lane },
    { x: last, y: lane },
    { x: last, y: b.y },
    b,
  ]);
  if (steep ? !passes : forward > 2 * STUB)
    for (const x of new Set(steep ? (brief ? [out, into, a.x + NEAR] : [out]) : [out, into]))
      options.push([a, { x, y: a.y }, { x, y: b.y }, b]);
  function* ways() {
    yield* options;
    // behind a card, or a note
    if (hits(best, rects) > OVER) yield* detours(a, b, first, last, rects);
  }
  for (const points of ways()) {
    const own = length(points) + 60 * points.length + 1e5 * hits(points, rects);
    // what runs along others costs less than its length
    if (own > bestScore + 1e4) continue;
    const score = own + cost(points, bestScore - own);
    if (score < bestScore) {
      best = points;
      bestScore = score;
    }
  }
  return best;
}

/** The path of a wire by itself. */
export function route(a: Point, b: Point, rects: readonly Rect[]): string {
  return pathOf(cornersOf(a, b, rects));
}
