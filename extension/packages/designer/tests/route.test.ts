import { describe, expect, it } from "vitest";
import { detailOf, isPale } from "../src/core/detail";
import { freePlace, overlap } from "../src/core/freeSpot";
import { notesBeside } from "../src/core/marks";
import { bezier, boxesAlong, cornersUnder, pathOf, route, STUB, stub } from "../src/core/route";
import type { GraphView } from "../src/protocol/generated";
import { GRAPH, node, ref } from "./fixtures";
import { behind } from "./galleryGraphs";

describe("freePlace", () => {
  it("goes below what is in the way", () => {
    const taken = [{ x: 0, y: 0, width: 148, height: 171 }];
    expect(freePlace({ x: 10, y: 10 }, taken).y).toBeGreaterThan(171);
    expect(freePlace({ x: 400, y: 10 }, taken)).toEqual({ x: 400, y: 10 });
  });
});

describe("stub", () => {
  it("ends before trunks turn, on either side of a gap", () => {
    for (const sizes of [[], [6, 5]])
      for (const way of [1, -1] as const) {
        const [, line = 0, across = 0] =
          /h(-?\d+)a.*? 0 1 0 (-?\d+)/.exec(stub(0, 0, way, ...sizes))?.map(Number) ?? [];
        expect(way * (line + across)).toBeGreaterThan(8);
        expect(way * (line + across)).toBeLessThan(STUB);
      }
  });
});

describe("route", () => {
  const card = (x: number, y: number) => ({ x, y, width: 148, height: 171 });
  it("curves between neighbours", () => {
    const a = { x: 168, y: 28 };
    const b = { x: 204, y: 28 };
    expect(route(a, b, [card(20, 14), card(204, 14)])).toBe(bezier(a, b));
  });
  it("run around notes that lie behind no card, and not below those that lie below all of them", () => {
    const note = (x: number, y: number) => ({ type: "note" as const, x, y, width: 300, height: 60, text: "", hue: "" });
    const cards = [card(20, 14), card(800, 14)];
    const found = notesBeside(cards, { free: note(300, 0), far: note(300, 900), behind: note(700, 10) });
    expect(found.map(({ x, y }) => [x, y])).toEqual([
      [300, 0],
      [300, 900],
    ]);
    const [a, b] = [
      { x: 168, y: 28 },
      { x: 800, y: 28 },
    ];
    const crossed = (path: string) =>
      boxesAlong(path).filter((box) => found.some((one) => overlap(box, one) > 0)).length;
    expect(crossed(route(a, b, cards))).toBeGreaterThan(0);
    expect(crossed(route(a, b, [...cards, ...found]))).toBe(0);
    const under = [cards, [...cards, ...found]].map((rects) => pathOf(cornersUnder(a, b, rects)));
    expect(under[1]).toBe(under[0]);
    // in the lane itself it is gone around
    const low = notesBeside(cards, { low: note(300, 180) });
    expect(
      boxesAlong(pathOf(cornersUnder(a, b, [...cards, ...low]))).every((box) => overlap(box, low[0] ?? box) === 0),
    ).toBe(true);
  });
  it("turns aside before a card, or a note, that lies across its way down", () => {
    const wide = (x: number, y: number) => ({ ...card(x, y), width: 332 });
    const others = [wide(388, 14), card(20, 274), card(204, 274), wide(204, 490), wide(20, 720)];
    const shaken = route({ x: 352, y: 28 }, { x: 388, y: 770 }, [wide(20, 14), ...others, card(388, 720)]);
    expect(behind(new Map([["shaken", shaken]]), others)).toBe(0);
    const cards = [card(20, 14), card(204, 614)];
    const across = { type: "note" as const, x: 100, y: 250, width: 180, height: 90, text: "", hue: "" };
    const notes = notesBeside(cards, { across });
    const down = route({ x: 168, y: 28 }, { x: 204, y: 628 }, [...cards, ...notes]);
    expect(notes).toHaveLength(1);
    expect(behind(new Map([["down", down]]), notes)).toBe(0);
  });
  it("runs close by cards rather than over one, where there is no room between them", () => {
    const [a, b] = [
      { x: 796, y: 475 },
      { x: 710, y: 865 },
    ];
    const others = [card(647, 662), card(463, 662), card(647, 911)];
    const path = route(a, b, [card(647, 461), ...others, { x: b.x, y: 851, width: 148, height: 48 }]);
    for (const box of boxesAlong(path)) for (const one of others) expect(overlap(box, one)).toBe(0);
  });
  it("takes the trunk of its source to a neighbour far above or below", () => {
    const path = route({ x: 168, y: 28 }, { x: 204, y: 628 }, [card(20, 14), card(204, 614)]);
    expect(path).toContain("Q");
    expect(path).toContain("186");
  });
  it("leaves its source to the right, also to what stands left of it", () => {
    const path = route({ x: 552, y: 28 }, { x: 20, y: 232 }, [
      card(20, 14),
      card(204, 14),
      card(388, 14),
      card(20, 218),
    ]);
    expect(path).toMatch(/^M552 28L5[56]\d/);
    // and stays in sight at both edges of the graph
    const across = [...path.matchAll(/(-?\d+) -?\d+/g)].map((m) => Number(m[1]));
    expect(Math.min(...across)).toBeGreaterThan(0);
    expect(Math.max(...across)).toBeLessThan(552 + 20);
  });
  it("runs below all cards where it would cross the graph", () => {
    const path = pathOf(cornersUnder({ x: 168, y: 28 }, { x: 988, y: 28 }, [card(20, 14), card(400, 300)]));
    expect(path).toContain("483");
  });
  it("does not run behind a card that stands in its way down", () => {
    const low = card(190, 300);
    const path = pathOf(cornersUnder({ x: 168, y: 28 }, { x: 988, y: 28 }, [card(20, 14), low, card(400, 14)]));
    const points = [...path.matchAll(/(-?\d+(?:\.\d+)?) (-?\d+(?:\.\d+)?)/g)].map(([, x, y]) => [Number(x), Number(y)]);
    expect(points.filter(([x = 0, y = 0]) => x > 190 && x < 338 && y > 300 && y < 471)).toEqual([]);
    expect(Math.max(...points.map(([, y = 0]) => y))).toBeLessThan(300);
  });
  it("leaves the edge above all cards free, where a sentence may lie", () => {
    const path = route({ x: 168, y: 28 }, { x: 572, y: 28 }, [
      card(20, 14),
      card(204, 14),
      card(388, 14),
      card(572, 14),
    ]);
    const ys = [...path.matchAll(/-?\d+(?:\.\d+)? (-?\d+(?:\.\d+)?)/g)].map((m) => Number(m[1]));
    expect(Math.min(...ys)).toBe(28);
  });
  it("runs around a card in the way, with right angles", () => {
    const path = route({ x: 168, y: 28 }, { x: 388, y: 28 }, [card(20, 14), card(204, 14), card(388, 14)]);
    expect(path).toContain("Q");
    const ys = [...path.matchAll(/-?\d+(?:\.\d+)? (-?\d+(?:\.\d+)?)/g)].map((m) => Number(m[1]));
    expect(Math.max(...ys) > 185 || Math.min(...ys) < 14).toBe(true);
  });
});

describe("detailOf", () => {
  it("goes by the width of a card on the screen", () => {
    expect([1, 0.82, 0.75, 0.44, 0.3, 0.2, 0.1].map(detailOf)).toEqual([
      "full",
      "full",
      "compact",
      "compact",
      "picture",
      "picture",
      "quiet",
    ]);
  });
});

describe("wires of a number", () => {
  it("are whole where its port feeds few arguments, whatever the other ports of its node feed", () => {
    const nodes = ["a", "b", "c"].map((key) =>
      node(key, "rotate", { inputs: [ref("ways", 0)], argument_inputs: { angle: ref("ways", key === "a" ? 1 : 2) } }),
    );
    const graph: GraphView = { ...GRAPH, nodes: [node("ways", "rotate"), ...nodes] };
    expect([1, 2].map((output) => isPale(graph, ref("ways", output), false))).toEqual([false, false]);
    const many = [...nodes, node("d", "rotate", { argument_inputs: { angle: ref("ways", 2) } })];
    expect([1, 2].map((output) => isPale({ ...graph, nodes: many }, ref("ways", output), false))).toEqual([
      false,
      true,
    ]);
    expect(isPale(graph, ref("ways", 1), true)).toBe(true);
  });
});
