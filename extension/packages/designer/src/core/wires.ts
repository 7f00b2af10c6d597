import { around, cornersOf, cornersUnder, type Point, pathOf, type Rect } from "./route";

/** A wire that is to be drawn, of a source whose wires may lie on each other; `under`: below all cards. */
export interface Run {
  readonly source: string;
  readonly a: Point;
  readonly b: Point;
  readonly under: boolean;
}

/** How far apart wires of different sources run where there is room, how near to cards they may come and may well, and how far out of all cards, in px. */
const GAP = 16;
const MARGIN = 4;
const CLEAR = 5;
const OUTSIDE = { x: 14, y: 24 } as const;
/** What wires cost that are on each other, beside the px along which they are, those that cross, and a px from where a wire would run by itself. */
const COST = { together: 120, crossing: 30, aside: 0.5 } as const;
/** How often all wires make room for each other, and into how many places the room of one is divided. */
const PASSES = 3;
const PLACES = 40;

/** A part of a wire, from corner `i` to the next one: along the other axis it reaches from `from` to `to`. */
interface Part {
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

/** The parts of a wire with corners: it begins and ends level. */
function partsOf(corners: readonly Point[], source: string): Part[] {
  if (corners.length < 3) return [];
  return corners
    .slice(1)
    .map((_, i) => measure({ corners, source, i, axis: i % 2 ? "x" : "y", at: 0, from: 0, to: 0 }));
}

/** What two parts cost that are too near, or cross. */
function between(a: Part, b: Part): number {
  if (a.axis !== b.axis) return a.at > b.from && a.at < b.to && b.at > a.from && b.at < a.to ? COST.crossing : 0;
  const near = GAP - Math.abs(a.at - b.at);
  const along = Math.min(a.to, b.to) - Math.max(a.from, b.from);
  return near > 0 && along > 0 ? (near / GAP) ** 2 * (COST.together + along) : 0;
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

function costOf(own: readonly Part[], others: readonly Part[]): number {
  let sum = 0;
  for (const p of own) for (const o of others) sum += between(p, o);
  return sum;
}

/** From where to where what lies on one line may be moved: between the cards beside it. */
function roomOf(line: readonly Part[], cards: readonly Rect[], all: Rect): readonly [number, number] {
  const { axis = "x", at = 0 } = line[0] ?? {};
  const [along, across, long] = ACROSS[axis];
  const from = Math.min(...line.map((p) => p.from)) - MARGIN;
  const to = Math.max(...line.map((p) => p.to)) + MARGIN;
  // above all cards a sentence may lie
  let low = axis === "x" ? all.x - OUTSIDE.x : all.y;
  let high = all[axis] + all[across] + OUTSIDE[axis];
  for (const card of cards) {
    if (card[along] >= to || card[along] + card[long] <= from) continue;
    const end = card[axis] + card[across];
    if (end <= at) low = Math.max(low, end + MARGIN);
    else if (card[axis] >= at) high = Math.min(high, card[axis] - MARGIN);
  }
  return [Math.min(low, at), Math.max(high, at)];
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

/** The paths of wires: each finds its way, where few others are, and then they make room for each other. */
export function routed(runs: Iterable<Run>, cards: readonly Rect[]): Map<Run, string> {
  const all = around(cards);
  const ways = new Map<Run, readonly Point[]>();
  const parts: Part[] = [];
  for (const run of runs) {
    const { a, b, under, source } = run;
    const others = parts.filter((p) => p.source !== source);
    const own = parts.filter((p) => p.source === source);
    const crowd = (corners: readonly Point[]) => {
      const now = partsOf(corners, source);
      // what runs along the source's other wires is there already
      return costOf(now, others) - together(now, own);
    };
    const corners = (under ? cornersUnder : cornersOf)(a, b, cards, crowd).map((p) => ({ ...p }));
    ways.set(run, corners);
    parts.push(...partsOf(corners, source));
  }
  const lines = linesOf(parts).map((line) => ({
    line,
    room: roomOf(line, cards, all),
    wish: line[0]?.at ?? 0,
    own: parts.filter((p) => line.some((l) => l.corners === p.corners && Math.abs(l.i - p.i) < 2)),
    others: parts.filter((p) => p.source !== line[0]?.source),
  }));
  for (let pass = 0; pass < PASSES; pass += 1)
    for (const { line, room, wish, own, others } of lines) {
      const [low, high] = room;
      const move = (at: number) => {
        for (const { corners, i, axis } of line) for (const corner of corners.slice(i, i + 2)) corner[axis] = at;
        own.forEach(measure);
        const tight = Math.max(0, low + CLEAR - at, at + CLEAR - high);
        return costOf(own, others) + COST.aside * Math.abs(at - wish) + tight;
      };
      let best = line[0]?.at ?? 0;
      let least = move(best);
      for (let at = Math.ceil(low); at <= high; at += Math.max(1, Math.round((high - low) / PLACES))) {
        const cost = move(at);
        if (cost < least) [best, least] = [at, cost];
      }
      move(best);
    }
  return new Map([...ways].map(([run, corners]) => [run, pathOf(corners)]));
}
