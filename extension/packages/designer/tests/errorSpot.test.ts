import { describe, expect, it } from "vitest";
import { errorSpot, panFor } from "../src/core/errorSpot";
import { overlap } from "../src/core/freeSpot";
import type { Rect } from "../src/core/route";

const CARD = { width: 352, height: 159 };
/** Five cards in a row and two below, as a canvas of 927×443 px shows them. */
const heights = [191, 151, 171, 191, 171];
const ROW = heights.map((height, i): Rect => ({ x: 20 + 184 * i, y: 44, width: 148, height }));
const CARDS: readonly Rect[] = [
  ...ROW,
  { x: 388, y: 255, width: 148, height: 104 },
  { x: 756, y: 248, width: 148, height: 90 },
];
const frame = { x: 6, y: 6, width: 915, height: 431 };
const controls = { x: 0, y: 397, width: 220, height: 46 };
const wires: readonly Rect[] = [{ x: 186, y: 416, width: 550, height: 4 }];
const rest = { chosen: true, told: [], wired: [] };
const around = (own: Rect | undefined, cards = CARDS) => ({
  own: own as Rect,
  cards,
  kept: [controls],
  wires,
  frame,
  far: 120,
});
const apart = (a: Rect, b: Rect) =>
  Math.max(b.x - a.x - a.width, a.x - b.x - b.width, b.y - a.y - a.height, a.y - b.y - b.height);

describe("the card of an error", () => {
  it("stands 20 px below the row of its node, over no card and not over the controls", () => {
    for (const own of [ROW[0], ROW[1]] as Rect[]) {
      const before = errorSpot(CARD, around(own), rest);
      expect(before?.stand).toBeLessThan(2);
      const by = panFor(CARD, around(own), controls, before?.stand ?? 0, 0.5);
      expect(by?.k).toBe(1);
      const moved = CARDS.map((c) => ({ ...c, x: c.x + (by?.x ?? 0), y: c.y + (by?.y ?? 0) }));
      const spot = errorSpot(CARD, around(moved[ROW.indexOf(own)], moved), rest);
      expect(spot?.stand).toBe(2);
      const at = { ...CARD, x: spot?.x ?? 0, y: spot?.y ?? 0 };
      expect(Math.min(...moved.map((c) => apart(at, c)))).toBeGreaterThanOrEqual(19);
      expect(overlap(at, controls)).toBe(0);
      expect(moved.every((c) => c.y >= frame.y)).toBe(true);
    }
  });

  it("keeps its place near its node though there is a free one far away", () => {
    const far = [{ x: 6, y: 44, width: 700, height: 380 }, ...CARDS.slice(6)];
    expect(errorSpot(CARD, around(ROW[0], far), { ...rest, chosen: false })).toBeNull();
  });

  it("makes cards smaller, not less than so much, where the view alone has no room to give", () => {
    const rows = [0, 150, 300].flatMap((y) => [20, 204, 388, 572, 756].map((x) => ({ x, y, width: 148, height: 120 })));
    const full = around(rows[1], rows);
    expect(errorSpot(CARD, full, rest)?.stand).toBe(0);
    expect(panFor(CARD, full, controls, 0, 0.3)?.k).toBeCloseTo((915 - 372) / 884);
    // else the view moves, though cards go out of sight
    expect([null, 1]).toContain(panFor(CARD, full, controls, 0, 0.7)?.k ?? null);
    // it may cover nothing, and no card becomes smaller for its place alone
    expect(panFor(CARD, full, controls, 1, 0.3)).toBeUndefined();
  });
});
