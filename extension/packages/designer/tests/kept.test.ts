import { describe, expect, it } from "vitest";
import { kept } from "../src/core/kept";
import { receive } from "../src/core/reduce";
import { INITIAL } from "../src/core/state";
import { GRAPH, revision } from "./fixtures";

describe("what says the same", () => {
  it("stays the same object, as a whole and in parts", () => {
    const old = { a: [1, { b: 2 }], c: new Map([["k", { d: 3 }]]), e: new Set(["x"]), f: Number.NaN };
    expect(kept(old, structuredClone(old))).toBe(old);
    const found = kept(old, { ...structuredClone(old), f: 4 });
    expect(found).toEqual({ ...old, f: 4 });
    expect([found.a, found.c, found.e]).toEqual([old.a, old.c, old.e]);
    expect(found.a).toBe(old.a);
    expect(found.c).toBe(old.c);
    expect(found.e).toBe(old.e);
  });

  it("is new where something was added, taken away, moved or is of another kind", () => {
    expect(kept([1, 2], [1])).toEqual([1]);
    expect(kept([1], [1, 2])).toEqual([1, 2]);
    expect(kept([1, 2], [2, 1])).toEqual([2, 1]);
    expect(kept({ a: undefined }, {})).toEqual({});
    expect(kept({}, { a: undefined })).toEqual({ a: undefined });
    expect(kept([], {})).toEqual({});
    expect(kept(new Set([1]), new Set([2]))).toEqual(new Set([2]));
    expect(kept(new Map([[1, 1]]), new Map([[1, 2]]))).toEqual(new Map([[1, 2]]));
    expect(kept(null, { a: 1 })).toEqual({ a: 1 });
    expect(kept({ a: 1 }, null)).toBe(null);
  });

  it("is never put into the new value itself", () => {
    const inner = { b: 1 };
    const now = Object.freeze({ a: Object.freeze({ b: 1 }), c: 2 });
    const found = kept({ a: inner, c: 1 }, now);
    expect(found.a).toBe(inner);
    expect(now.a).not.toBe(inner);
  });

  it("goes for nodes that a revision leaves as they are", () => {
    const nodes = GRAPH.nodes.map((n) => (n.key === "rotate" ? { ...n, arguments: { angle: 20 } } : n));
    const before = receive(INITIAL, structuredClone(revision(1)));
    const after = receive(before, structuredClone(revision(2, { ...GRAPH, nodes })));
    for (const [i, { key }] of nodes.entries())
      if (key !== "rotate") expect(after.graph?.nodes[i]).toBe(before.graph?.nodes[i]);
    expect(after.graph?.nodes).toEqual(nodes);
    expect(after.positions).toBe(before.positions);
    expect(after.confirmed?.revision).toBe(2);
  });
});
