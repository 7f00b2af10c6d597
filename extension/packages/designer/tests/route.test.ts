import { describe, expect, it } from "vitest";
import { detailOf, isPale } from "../src/core/detail";
import { freePlace } from "../src/core/freeSpot";
import { bezier, cornersUnder, pathOf, route } from "../src/core/route";
import type { GraphView } from "../src/protocol/generated";
import { GRAPH, node, ref } from "./fixtures";

describe("freePlace", () => {
  it("goes below what is in the way", () => {
    const taken = [{ x: 0, y: 0, width: 148, height: 171 }];
    expect(freePlace({ x: 10, y: 10 }, taken).y).toBeGreaterThan(171);
    expect(freePlace({ x: 400, y: 10 }, taken)).toEqual({ x: 400, y: 10 });
  });
});

describe("route", () => {
  const card = (x: number, y: number) => ({ x, y, width: 148, height: 171 });
  it("curves between neighbours", () => {
    const a = { x: 168, y: 28 };
    const b = { x: 204, y: 28 };
    expect(route(a, b, [card(20, 14), card(204, 14)])).toBe(bezier(a, b));
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
