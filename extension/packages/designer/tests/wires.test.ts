import { describe, expect, it } from "vitest";
import { fittingScale, isPale } from "../src/core/detail";
import { wiresOf } from "../src/core/graph";
import { around, type Point, type Rect } from "../src/core/route";
import { INITIAL, type State } from "../src/core/state";
import { shownCards } from "../src/core/subgraph";
import { type Run, routed } from "../src/core/wires";
import { layoutOf, rectsOf, sizesOf } from "../src/react/canvas/sizes";
import { INDEX, OPENED } from "./fixtures";
import { GALLERY, runsOf } from "./galleryGraphs";

const card = (x: number, y: number): Rect => ({ x, y, width: 148, height: 171 });
const run = (source: string, a: Point, b: Point, under = false): Run => ({ source, a, b, under });

/** The corners of a path with right angles; none of a curve. */
function cornersOf(path: string): Point[] {
  if (path.includes("C")) return [];
  const marks = [...path.matchAll(/([MLQ])(-?[\d.]+) (-?[\d.]+)/g)];
  return marks
    .filter(([, does], i) => does !== "L" || i === marks.length - 1)
    .map(([, , x, y]) => ({ x: Number(x), y: Number(y) }));
}

/** How near parts of wires of different sources run beside each other for more than their roundings, in px. */
function gapsOf(paths: ReadonlyMap<Run, string>): number[] {
  const parts = [...paths].flatMap(([{ source }, path]) => {
    const corners = cornersOf(path);
    return corners.slice(1).map((b, i) => ({ source, a: corners[i] ?? b, b }));
  });
  return parts.flatMap((p, i) =>
    parts.slice(i + 1).flatMap((q) => {
      const upright = p.a.x === p.b.x;
      if (p.source === q.source || upright !== (q.a.x === q.b.x)) return [];
      const [across, along] = upright ? (["x", "y"] as const) : (["y", "x"] as const);
      const beside =
        Math.min(Math.max(p.a[along], p.b[along]), Math.max(q.a[along], q.b[along])) -
        Math.max(Math.min(p.a[along], p.b[along]), Math.min(q.a[along], q.b[along]));
      return beside > 18 ? [Math.abs(p.a[across] - q.a[across])] : [];
    }),
  );
}

describe("wires", () => {
  it("of two sources keep apart, and those of one lie on each other", () => {
    const cards = [card(20, 14), card(20, 218), card(572, 14)];
    const ends = [
      { x: 20, y: 462 },
      { x: 20, y: 482 },
    ];
    const both = (sources: readonly string[]) =>
      routed(
        sources.map((source, i) => run(source, { x: 168, y: 28 + 204 * i }, ends[i] ?? { x: 0, y: 0 })),
        [...cards, card(20, 422)],
      );
    expect(Math.min(...gapsOf(both(["one", "two"])))).toBeGreaterThanOrEqual(8);
    const a = { x: 168, y: 28 };
    const fan = [
      ...routed(
        ends.map((b) => run("one", a, b)),
        [...cards, card(20, 422)],
      ).values(),
    ].map(cornersOf);
    expect(fan[0]?.slice(0, 3)).toEqual(fan[1]?.slice(0, 3));
  });
  it("leave the edge above all cards free, and stay in sight", () => {
    const cards = [card(20, 14), card(204, 14), card(388, 14), card(20, 218)];
    const runs = [0, 1, 2].map((i) => run(`${i}`, { x: 168 + 184 * i, y: 28 }, { x: 20, y: 232 + 20 * i }));
    const corners = [...routed(runs, cards).values()].flatMap(cornersOf);
    expect(Math.min(...corners.map((p) => p.y))).toBeGreaterThanOrEqual(14);
    expect(Math.min(...corners.map((p) => p.x))).toBeGreaterThan(0);
    expect(Math.max(...corners.map((p) => p.x))).toBeLessThan(536 + 20);
  });
  it("go around a card that stands on the straight way", () => {
    const cards = [card(20, 14), card(204, 14), card(388, 14), card(204, 300)];
    const [way = ""] = routed([run("one", { x: 168, y: 60 }, { x: 388, y: 64 })], cards).values();
    expect(cornersOf(way).some(({ y }) => y < 14 || y > 14 + 171)).toBe(true);
  });
});

/** Pairs that are nearer, where there is no room: ten numbers go to two steps that stand below each other. */
const CROWDED: Readonly<Record<string, number>> = { contrastive_pairs: 24 };

describe("wires of the gallery's graphs", () => {
  const opening = { ...OPENED, catalog: INDEX } as unknown as State["opening"];
  const room = { width: 1324, height: 505 };
  const drawn = GALLERY.map((graph) => {
    const before: State = { ...INITIAL, graph, opening };
    const state = { ...before, positions: layoutOf(before, room) };
    const cards = rectsOf(state, shownCards(state));
    const pale = wiresOf(graph).map((w) => w.slot.kind === "argument" && isPale(graph, w.source.node));
    const runs = runsOf(graph, state.positions, sizesOf(state)).filter((_, i) => !pale[i]);
    return { graph, cards, paths: routed(runs, cards) };
  });

  it("keep 8 px apart at the zoom at which these open", () => {
    expect(drawn.length).toBeGreaterThan(60);
    for (const { graph, cards, paths } of drawn.filter((d) => d.graph.nodes.length <= 30)) {
      const { width, height } = around(cards);
      const zoom = fittingScale(width, height, room);
      const near = gapsOf(paths).filter((gap) => gap * zoom < 8);
      expect([graph.name, near.length <= (CROWDED[graph.name] ?? 0)]).toEqual([graph.name, true]);
    }
  });
  it("run behind no card", () => {
    for (const { cards, paths } of drawn)
      for (const path of paths.values()) {
        const corners = cornersOf(path);
        const parts = corners
          .slice(1)
          .map((b, i) => around([corners[i] ?? b, b].map((p) => ({ ...p, width: 0, height: 0 }))));
        for (const part of parts)
          for (const { x, y, width, height } of cards)
            expect(
              part.x < x + width && part.x + part.width > x && part.y < y + height && part.y + part.height > y,
            ).toBe(false);
      }
  });
});
