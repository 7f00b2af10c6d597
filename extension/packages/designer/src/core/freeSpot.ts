import type { Position } from "../protocol/generated";
import { CARD, type Size } from "./layout";
import type { Point, Rect } from "./route";

/** What one px of distance, and a px² of a wire, weigh against a px² of cards that are covered. */
const NEAR = 4;
const WIRE = 3;
/** A part of a wire that a pop-up stands beside is at least so long, in px. */
const LONG = 24;

export function overlap(a: Rect, b: Rect): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

function gapTo(a: Rect, b: Rect): number {
  const across = Math.max(0, b.x - a.x - a.width, a.x - b.x - b.width);
  return across + Math.max(0, b.y - a.y - a.height, a.y - b.y - b.height);
}

const NO_RECTS: readonly Rect[] = [];

/**
 * Where a pop-up about `anchor` covers least of the cards and, before that, of the wires: beside it if there is room,
 * else where there is. `null` if the frame is smaller than the pop-up, or if it would cover more px² of cards than `most` or be `far` away.
 */
export function freeSpot(
  size: Size,
  anchor: Rect,
  cards: readonly Rect[],
  frame: Rect,
  { gap = 8, most = Number.POSITIVE_INFINITY, far = Number.POSITIVE_INFINITY, wires = NO_RECTS } = {},
): Point | null {
  const right = frame.x + frame.width - size.width;
  const bottom = frame.y + frame.height - size.height;
  if (right < frame.x || bottom < frame.y) return null;
  const inside = (value: number, low: number, high: number) => Math.max(low, Math.min(value, high));
  const long = wires.filter((w) => Math.max(w.width, w.height) > LONG);
  const near = [...cards, ...long].filter((c) => gapTo(c, anchor) < size.width);
  const edges = [anchor, ...near];
  const columns = edges.flatMap((c) => [c.x, c.x + c.width - size.width, c.x + c.width + gap, c.x - size.width - gap]);
  const rows = edges.flatMap((c) => [c.y + c.height + gap, c.y - size.height - gap, c.y]);
  columns.push(frame.x, right);
  rows.push(frame.y, bottom);
  const unique = (values: readonly number[], low: number, high: number) => [
    ...new Set(values.map((v) => Math.round(inside(v, low, high)))),
  ];
  let best: Point = { x: frame.x, y: frame.y };
  let least = Number.POSITIVE_INFINITY;
  const ys = unique(rows, frame.y, bottom);
  for (const x of unique(columns, frame.x, right))
    for (const y of ys) {
      const rect = { x, y, ...size };
      const apart = gapTo(rect, anchor);
      if (apart > far) continue;
      const away = NEAR * (apart + Math.abs(x - anchor.x) / 8);
      const covered = overlap(rect, anchor) + cards.reduce((sum, c) => sum + overlap(rect, c), 0);
      if (covered > most || away + covered >= least) continue;
      const cost = away + covered + WIRE * wires.reduce((sum, w) => sum + overlap(rect, w), 0);
      if (cost >= least) continue;
      least = cost;
      best = { x, y };
    }
  return least === Number.POSITIVE_INFINITY ? null : best;
}

/** A free place for a new card at or below a wanted point. */
export function freePlace(
  wanted: Position,
  taken: readonly Rect[],
  size: Size = { width: CARD, height: 171 },
): Position {
  const at = { x: Math.round(wanted.x), y: Math.round(wanted.y) };
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
