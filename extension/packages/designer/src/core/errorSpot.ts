import { freeSpot, overlap } from "./freeSpot";
import type { Size } from "./layout";
import { around, type Point, type Rect } from "./route";

/** What is around the card of an error, in px of the canvas: its node's card, all cards, and what it may not cover either. */
export interface Surroundings {
  readonly own: Rect;
  readonly cards: readonly Rect[];
  readonly kept: readonly Rect[];
  readonly wires: readonly Rect[];
  readonly frame: Rect;
  /** Farther from its node, in px, nobody would know of which it tells, unless it is chosen. */
  readonly far: number;
}

/** What stays free between it and cards where there is room, and at least, in px: ports stand out of them. */
const BESIDE = 20;
export const LEAST = 9;
/** How much of other cards it covers by itself, in px²; more only where somebody has chosen its node. */
const COVERED = 3000;
/** How much more what it tells of weighs than other cards; what is wired to its node weighs three times as much. */
const TOLD = 9;
/** How far the view is moved, at most, for one that covers nothing as it is. */
const NEAR = 60;
/** In what steps the view is moved to where the card covers no other, in px, and how far; along one side in smaller ones, too. */
const PAN = { step: 40, fine: 8, most: 360 };

export function grown({ x, y, width, height }: Rect, by: number): Rect {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

/** Where it stands so far from all cards, if it can. */
function spotBeside(size: Size, { own, cards, kept, wires, frame }: Surroundings, by: number, far?: number) {
  // places are whole px
  const taken = [...cards.map((c) => grown(c, by - 0.5)), ...kept];
  return freeSpot(size, own, taken, frame, { wires, far, gap: 0, most: 0 });
}

/** How well the card stands: 2 near its node and beside all cards, 1 over none, 0 over some. */
export type Stand = 0 | 1 | 2;

/**
 * Where the card stands; null where there is no room for it. One that is `chosen` has a place in any case; `told` is to be
 * seen, and so is what is `wired` to its node.
 */
export function errorSpot(
  size: Size,
  near: Surroundings,
  {
    chosen,
    told,
    wired,
  }: {
    readonly chosen: boolean;
    readonly told: readonly Rect[];
    readonly wired: readonly Rect[];
  },
): (Point & { readonly stand: Stand }) | null {
  const { own, cards, kept, wires, frame, far } = near;
  const beside = spotBeside(size, near, BESIDE, far);
  if (beside) return { ...beside, stand: 2 };
  const clear = spotBeside(size, near, LEAST, far) ?? (chosen ? spotBeside(size, near, LEAST) : null);
  if (clear) return { ...clear, stand: 1 };
  const seen = [own, ...kept, ...told];
  const taken = [...cards, ...wired, ...wired, ...Array<typeof seen>(TOLD).fill(seen).flat()];
  const over = (far?: number, most?: number) => freeSpot(size, own, taken, frame, { wires, far, most });
  const spot = chosen ? (over(far) ?? over()) : over(far, COVERED);
  return spot && { ...spot, stand: 0 };
}

/** A way of the view: `k` times as large, and so far on. */
export interface Way extends Point {
  readonly k: number;
}

/**
 * How far the view moves, at least, for the card to stand near its node and beside all cards. One that covers some moves it
 * for less; where cards would go out of sight by that, and none is yet, all of them become smaller instead, `least` times as
 * large at least.
 */
export function panFor(size: Size, near: Surroundings, controls: Rect, stand: Stand, least: number): Way | undefined {
  const { own, cards, frame } = near;
  // ports may be at its very edge
  const canvas = { x: frame.x - 6, y: frame.y, width: frame.width + 12, height: frame.height };
  const steps = (step: number) => Array.from({ length: (2 * PAN.most) / step + 1 }, (_, i) => step * i - PAN.most);
  const moved = (c: Rect, by: Point) => ({ ...c, x: c.x + by.x, y: c.y + by.y });
  /** How much of cards would be out of sight, in px². */
  const hidden = (by: Point) => cards.reduce((sum, c) => sum + c.width * c.height - overlap(moved(c, by), canvas), 0);
  const ways = [
    ...steps(PAN.step).flatMap((x) => steps(PAN.step).map((y) => ({ x, y }))),
    ...steps(PAN.fine).map((x) => ({ x, y: 0 })),
    ...steps(PAN.fine).map((y) => ({ x: 0, y })),
  ]
    .map((by) => ({ ...by, k: 1, hides: hidden(by) }))
    .sort((a, b) => a.hides + Math.hypot(a.x, a.y) - b.hides - Math.hypot(b.x, b.y));
  const found = (beside: number, most: number) =>
    ways.find((by) => {
      const at = moved(own, by);
      const whole = around([at, frame]);
      if (
        by.hides > most ||
        (stand && Math.hypot(by.x, by.y) > NEAR) ||
        whole.width > frame.width ||
        whole.height > frame.height
      )
        return false;
      const there = { ...near, own: at, cards: cards.map((c) => moved(c, by)), kept: [controls], wires: [] };
      return spotBeside(size, there, beside, near.far);
    });
  const most = cards.some((c) => !overlap(c, canvas)) ? Number.POSITIVE_INFINITY : 1;
  const pan = found(BESIDE, most) ?? (stand ? undefined : found(LEAST, most));
  if (pan || stand) return pan;
  const all = around(cards);
  const { width, height } = frame;
  // below it or right of it
  const [below, right] = [
    { x: 0, y: size.height + BESIDE },
    { x: size.width + BESIDE, y: 0 },
  ].map(({ x, y }): Way => {
    const k = Math.min(1, (width - x) / all.width, (height - y - controls.height) / all.height);
    return { x: frame.x + (x + width - k * all.width) / 2 - k * all.x, y: frame.y + y - k * all.y, k };
  }) as [Way, Way];
  const fit = below.k > right.k ? below : right;
  return fit.k < least ? found(LEAST, Number.POSITIVE_INFINITY) : fit;
}
