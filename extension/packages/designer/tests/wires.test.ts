import { describe, expect, it } from "vitest";
import { around, cornersUnder, type Point, type Rect } from "../src/core/route";
import { type Run, routed, settled } from "../src/core/wires";
import { behind, cornersOf, drawnIn, GALLERY, RANDOM } from "./galleryGraphs";

const card = (x: number, y: number): Rect => ({ x, y, width: 148, height: 171 });
const run = (source: string, a: Point, b: Point, under = false): Run => ({ source, a, b, under });

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
  it("goes round a card that stands where it would go up to its end", () => {
    const card = { x: 540, y: 300, width: 140, height: 120 };
    const far = { x: 200, y: 0, width: 140, height: 150 };
    const ways = cornersUnder({ x: 100, y: 100 }, { x: 600, y: 100 }, [far, card]);
    const inside = ({ x, y }: Point) => x > 540 && x < 680 && y > 300 && y < 420;
    const between = ways.slice(1).flatMap((to, n) => {
      const from = ways[n] ?? to;
      return [0.25, 0.5, 0.75].map((t) => ({ x: from.x + t * (to.x - from.x), y: from.y + t * (to.y - from.y) }));
    });
    expect(between.filter(inside)).toEqual([]);
    expect(Math.max(...ways.map((p) => p.y))).toBeGreaterThan(150);
  });
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
  it("leave the edge above all cards free, and run 10 px from each other beside them", () => {
    const cards = [card(20, 14), card(204, 14), card(388, 14), card(20, 218)];
    const runs = [0, 1, 2].map((i) => run(`${i}`, { x: 168 + 184 * i, y: 28 }, { x: 20, y: 232 + 20 * i }));
    const corners = [...routed(runs, cards).values()].flatMap(cornersOf);
    expect(Math.min(...corners.map((p) => p.y))).toBeGreaterThanOrEqual(14);
    expect(Math.min(...corners.map((p) => p.x))).toBeGreaterThanOrEqual(20 - 3 * 10);
    expect(Math.max(...corners.map((p) => p.x))).toBeLessThan(536 + 20);
  });
  it("come beside others that stay where they are", () => {
    const cards = [card(20, 14), card(20, 218), card(572, 14), card(20, 422)];
    const lasting = settled([run("one", { x: 168, y: 28 }, { x: 20, y: 462 })], cards);
    const [own] = lasting.paths.keys();
    const brief = run("two", { x: 168, y: 232 }, { x: 20, y: 482 });
    const { paths } = settled([brief], cards, lasting.parts);
    expect([...paths.keys()]).toEqual([brief]);
    expect(lasting.paths.get(own as Run)).toBe(settled([own as Run], cards).paths.get(own as Run));
    expect(Math.min(...gapsOf(new Map([...lasting.paths, ...paths])))).toBeGreaterThanOrEqual(8);
  });
  it("of numbers below what they feed go up beside the others, clear of ports, without a turn around their ends", () => {
    const small = [198, 348, 441].map((y) => ({ x: 388, y, width: 148, height: 63 }));
    const low = (x: number, y: number) => ({ ...card(x, y), height: 130 });
    const cards = [low(388, 14), { ...card(585, 14), width: 332, height: 164 }, low(585, 198), low(585, 348), ...small];
    const fan = [28, 212, 362].map((y) => run("resize", { x: 536, y: 28 }, { x: 585, y }));
    const lasting = settled(fan, cards);
    const numbers = small.map(({ y }, i) => ({
      ...run(`uniform_${i}`, { x: 536, y: y + 14 }, { x: 585, y: 132 + 15 * i }),
      brief: true,
    }));
    for (const [{ a, b }, path] of settled(numbers, cards, lasting.parts).paths) {
      expect(cornersOf(path).length).toBeLessThan(5);
      for (const { x, y } of cornersOf(path)) {
        expect(y).toBe(Math.max(b.y, Math.min(a.y, y)));
        if (x < b.x) expect(x).toBeLessThan(b.x - 12);
      }
    }
  });
  it("go around a card that stands on the straight way", () => {
    const cards = [card(20, 14), card(204, 14), card(388, 14), card(204, 300)];
    const [way = ""] = routed([run("one", { x: 168, y: 60 }, { x: 388, y: 64 })], cards).values();
    expect(cornersOf(way).some(({ y }) => y < 14 || y > 14 + 171)).toBe(true);
  });
});

/** How many corners of wires lie on wires of other sources. */
function touches(paths: ReadonlyMap<Run, string>): number {
  const parts = [...paths].flatMap(([{ source }, path]) => {
    const corners = cornersOf(path);
    return corners.slice(1).map((b, i) => ({ source, a: corners[i] ?? b, b, turns: i < corners.length - 2 }));
  });
  return parts.filter(({ source, b, turns }) =>
    parts.some((q) => {
      const [x, y] = (["x", "y"] as const).map((axis) => {
        const [from, to] = [Math.min(q.a[axis], q.b[axis]), Math.max(q.a[axis], q.b[axis])];
        return Math.max(0, from - b[axis], b[axis] - to);
      });
      return turns && q.source !== source && Math.max(x ?? 0, y ?? 0) < 4;
    }),
  ).length;
}

/** How near to cards the parts of wires run that do not end at one, in px. */
function clearances(paths: ReadonlyMap<Run, string>, cards: readonly Rect[]): number[] {
  return [...paths.values()].flatMap((path) => {
    const corners = cornersOf(path);
    return corners.slice(2, -1).flatMap((b, i) => {
      const part = around([corners[i + 1] ?? b, b].map((p) => ({ ...p, width: 0, height: 0 })));
      return cards.map((card) =>
        Math.max(
          part.x - card.x - card.width,
          card.x - part.x - part.width,
          part.y - card.y - card.height,
          card.y - part.y - part.height,
        ),
      );
    });
  });
}

describe("wires of random graphs", () => {
  it("share no corner, and keep 8 px apart, and away from cards", () => {
    const near: number[] = [];
    for (const graph of RANDOM) {
      const { paths, cards } = drawnIn(graph);
      expect([graph.name, touches(paths), Math.min(...gapsOf(paths), 99) < 8]).toEqual([graph.name, 0, false]);
      near.push(...clearances(paths, cards));
    }
    expect(Math.min(...near)).toBeGreaterThanOrEqual(4);
    expect(near.filter((distance) => distance < 8).length).toBeLessThan(near.length / 100);
  });
});

describe("wires of the gallery's graphs", () => {
  const drawn = GALLERY.map((graph) => drawnIn(graph));

  it("share no corner, keep 8 px apart, and nearly as far from cards", () => {
    expect(drawn.length).toBeGreaterThan(60);
    for (const { graph, cards, paths } of drawn.filter((d) => d.graph.nodes.length <= 30)) {
      // where many pass, the outer ones come nearer
      const least = graph.name === "augmentations" ? 4 : 7;
      const near = [Math.min(...gapsOf(paths), 99) < 8, Math.min(...clearances(paths, cards)) < least];
      expect([graph.name, touches(paths), ...near]).toEqual([graph.name, 0, false, false]);
    }
    // of the largest, those that may move
    for (const { graph, paths } of drawn)
      expect([graph.name, gapsOf(paths).filter((gap) => gap < 8).length < 3]).toEqual([graph.name, true]);
  });
  it("run behind no card", () => {
    for (const { graph, cards, paths } of drawn) expect([graph.name, behind(paths, cards)]).toEqual([graph.name, 0]);
  });
});
