import { describe, expect, it } from "vitest";
import { COLUMN } from "../src/core/layout";
import { around, boxesAlong } from "../src/core/route";
import { CONTROLS, keptView, STRIP, viewOf } from "../src/core/sight";
import { drawnIn, GALLERY, RANDOM } from "./galleryGraphs";

const SIZE = { width: 1200, height: 430 };
const COVERS = { strip: 0, top: 30, controls: 220 };
const card = (column: number, y = 14) => ({ x: 20 + COLUMN * column, y, width: 148, height: 171 });
const row = (count: number) => Array.from({ length: count }, (_, i) => card(i));

describe("the view of a whole graph", () => {
  it("is that of full size where it fits", () => {
    expect(viewOf(row(6), SIZE, COVERS)?.zoom).toBe(1);
    expect(viewOf(row(9), SIZE, COVERS)?.zoom).toBeLessThan(1);
    expect(viewOf([], SIZE, COVERS)).toBeNull();
  });
  it("stands beside the controls in the corner where there is room", () => {
    const rows = [0, 1, 2, 3].flatMap((y) => [card(0, 14 + 200 * y), card(1, 14 + 200 * y)]);
    const view = viewOf(rows, { width: 600, height: 560 }, COVERS);
    expect(view?.x).toBe(COVERS.controls - 20 * (view?.zoom ?? 0));
    // no card comes near them
    const right = viewOf([...rows.slice(0, 4), card(1, 414), card(1, 614)], { width: 600, height: 560 }, COVERS);
    const [zoom, x] = [right?.zoom ?? 0, right?.x ?? 0];
    expect(20 * zoom + x).toBeCloseTo(600 - ((20 + COLUMN + 148) * zoom + x));
    // they move aside no farther than what is low must
    const aside = [...row(3), card(1, 220), card(1, 430)];
    const size = { width: 540, height: 560 };
    const [shifted, free] = [COVERS, { ...COVERS, controls: 0 }].map((covers) => viewOf(aside, size, covers));
    expect(shifted?.zoom).toBe(free?.zoom);
    expect((free?.x ?? 0) + (20 + COLUMN) * (free?.zoom ?? 0)).toBeLessThan(COVERS.controls);
    expect((shifted?.x ?? 0) + (20 + COLUMN) * (shifted?.zoom ?? 0)).toBeCloseTo(COVERS.controls);
    const above = viewOf(rows, { width: 400, height: 560 }, COVERS);
    expect(above?.zoom).toBeLessThan(view?.zoom ?? 0);
  });
});

describe("the view that nobody chose", () => {
  const now = viewOf(row(5), SIZE, COVERS) ?? { x: 0, y: 0, zoom: 1 };
  const kept = (cards: ReturnType<typeof row>, view = now) => keptView(cards, SIZE, COVERS, view);
  it("stays while all cards are in sight", () => {
    expect(kept(row(6))).toBe(now);
    expect(kept(row(4))).toBe(now);
  });
  it("moves without becoming smaller where that is enough", () => {
    const view = kept([...row(3), card(-1)]);
    expect(view).toEqual({ ...now, x: now.x + COLUMN });
  });
  it("never moves a card into the room of a sentence that may come", () => {
    const low = [...row(5), card(3, 250)];
    expect(kept(low)).toEqual(viewOf(low, SIZE, COVERS));
    expect(keptView(low, SIZE, { ...COVERS, strip: 30 }, now)).toEqual(viewOf(low, SIZE, COVERS));
  });
  it("is that of all cards where it must be, and grows again when they are gone", () => {
    const all = kept(row(9)) ?? now;
    expect(all).toEqual(viewOf(row(9), SIZE, COVERS));
    expect(kept(row(5), all)).toEqual(now);
  });
  it("is that of all cards where the room gets low, however small they are then", () => {
    const two = [...row(5), card(3, 250)];
    for (const height of [250, 150])
      expect(keptView(two, { ...SIZE, height }, COVERS, now)).toEqual(viewOf(two, { ...SIZE, height }, COVERS));
  });
  it("is around the chosen card where names would go, with nothing empty beside the graph", () => {
    const rows = [0, 1, 2].flatMap((y) => row(5).map((c) => ({ ...c, y: 14 + 204 * y })));
    const low = { ...SIZE, height: 200 };
    const whole = viewOf(rows, low, COVERS);
    expect(keptView(rows, low, COVERS, now)).toEqual(whole);
    expect(keptView(rows, low, COVERS, whole ?? now, [], rows[7])).toEqual(whole); // there were none
    const view = keptView(rows, low, COVERS, now, [], rows[7]) ?? now;
    expect(148 * view.zoom).toBe(91);
    expect(view.y + (218 + 171 / 2) * view.zoom).toBeCloseTo((30 + 200) / 2);
    expect(view.x + 20 * view.zoom).toBeCloseTo(20); // narrower than the frame
  });
  it("shows what came behind the controls in the corner", () => {
    const view = kept([...row(5), card(0, 240)]) ?? now;
    expect(20 * view.zoom + view.x).toBeGreaterThanOrEqual(COVERS.controls);
  });
});

describe("wires", () => {
  it("run above the controls in a low frame, too, where cards keep their names", () => {
    const wire = { x: 100, y: 200, width: 700, height: 8 };
    const low = { width: 1003, height: 240 };
    const { y, zoom } = viewOf(row(5), low, COVERS, [wire]) ?? { y: 0, zoom: 0 };
    expect(y + (wire.y + wire.height) * zoom).toBeLessThanOrEqual(low.height - CONTROLS.height + 6);
    expect(148 * zoom).toBeGreaterThan(91);
    const lower = { width: 1003, height: 180 }; // whose names would go
    expect(viewOf(row(5), lower, COVERS, [wire])?.zoom).toBe(viewOf(row(5), lower, COVERS)?.zoom);
  });
  it("keep 20 px from the frame, and stay clear of the controls", () => {
    for (const { width, height } of [
      { width: 1324, height: 535 },
      { width: 760, height: 470 },
    ])
      for (const graph of [...GALLERY, ...RANDOM].filter((g) => width > 1000 || g.nodes.length < 30)) {
        const { cards, paths } = drawnIn(graph, { width, height: height - STRIP });
        const boxes = [...paths.values()].flatMap(boxesAlong);
        const { x, y, zoom } = viewOf(cards, { width, height }, COVERS, boxes) ?? { x: 0, y: 0, zoom: 1 };
        const seen = boxes.map((b) => ({
          ...b,
          x: x + b.x * zoom,
          y: y + b.y * zoom,
          right: x + (b.x + b.width) * zoom,
        }));
        const all = around(cards);
        const beyond = around([all, ...boxes]);
        const [left, right] = [Math.min(...seen.map((b) => b.x)), Math.max(...seen.map((b) => b.right))];
        // how far the path is from the edge: its boxes are 4 px broader
        const free = [
          beyond.x < all.x - 4 ? left : 20,
          beyond.x + beyond.width > all.x + all.width + 4 ? width - right : 20,
        ];
        const low = (from: number) => Math.max(...seen.map((b) => (b.x < from ? b.y + b.height * zoom : 0)));
        const under = beyond.y + beyond.height > all.y + all.height + 4;
        const below = [
          height - low(width) >= (under ? 19.9 : 10),
          height - low(COVERS.controls) >= CONTROLS.height - 4.1,
        ];
        expect([graph.name, width, ...free.map((px) => px >= 19.9), ...below]).toEqual([
          graph.name,
          width,
          ...Array(4).fill(true),
        ]);
      }
  }, 20000);
});
