import { describe, expect, it } from "vitest";
import { wiresOf } from "../src/core/graph";
import {
  clearedJunctions,
  junctionMarks,
  junctionsOf,
  movedJunctions,
  pathThrough,
  renamedJunctions,
  withJunction,
} from "../src/core/junctions";
import { INITIAL, type State } from "../src/core/state";
import { GRAPH } from "./fixtures";

const WIRE = wiresOf(GRAPH).find((w) => w.source.node === "decode" && w.slot.kind === "input");
if (!WIRE) throw new Error("the fixture has this wire");
const AT = [{ x: 100, y: 50 }];

function stateWith(points: readonly { x: number; y: number }[]): State {
  const marks = junctionMarks(WIRE ?? (undefined as never), points);
  const kept = Object.fromEntries(Object.entries(marks).flatMap(([name, mark]) => (mark ? [[name, mark]] : [])));
  const places = Object.fromEntries(GRAPH.nodes.map((n, i) => [n.key, { x: 184 * i, y: 0 }]));
  return { ...INITIAL, graph: GRAPH, marks: kept, positions: places };
}

describe("junctions", () => {
  it("belong to one wire, and not to the next one that ends where it did", () => {
    const { marks } = stateWith(AT);
    expect(junctionsOf(marks, WIRE)).toEqual(AT);
    expect(junctionsOf(marks, { ...WIRE, source: { node: "reader", output: 0 } })).toEqual([]);
    expect(Object.values(junctionMarks(WIRE, []))).toEqual([null]);
  });
  it("are put where the way becomes the least longer", () => {
    const [from, to] = [
      { x: 0, y: 0 },
      { x: 100, y: 0 },
    ];
    const one = withJunction(from, [], to, { x: 50, y: 40 });
    expect(withJunction(from, one, to, { x: 80, y: 10 })).toEqual([
      { x: 50, y: 40 },
      { x: 80, y: 10 },
    ]);
    expect(withJunction(from, one, to, { x: 20, y: 10 })[0]).toEqual({ x: 20, y: 10 });
    expect(pathThrough([from, ...one, to], []).match(/M/g)).toEqual(["M", "M"]);
  });
  it("move with both cards of their wire, and go when cards are laid out", () => {
    const state = stateWith(AT);
    const to = WIRE.slot.node;
    const by = (keys: readonly string[]) =>
      Object.fromEntries(keys.map((key) => [key, { x: (state.positions[key]?.x ?? 0) + 10, y: 20 }]));
    const [mark] = Object.values(movedJunctions(state, by(["decode", to])));
    expect(mark?.type === "route" && mark.points).toEqual([{ x: 110, y: 70 }]);
    expect(movedJunctions(state, by(["decode"]))).toEqual({});
    const others = { ...state.positions, rotate: { x: 1, y: 1 } };
    expect(Object.values(clearedJunctions(state, others))).toEqual([null]);
    expect(clearedJunctions(state, state.positions)).toEqual({});
  });
  it("follow the names at both ends", () => {
    const state = stateWith(AT);
    const renamed = Object.values(renamedJunctions(state, "decode", "photo")).filter((m) => m !== null);
    expect(renamed).toMatchObject([{ source: { node: "photo", output: 0 }, wire: WIRE.id }]);
    const [old, fresh] = Object.entries(renamedJunctions(state, WIRE.slot.node, "other"));
    expect(old?.[1]).toBeNull();
    expect(fresh?.[0]).toContain("other|in|0");
    expect(renamedJunctions(state, "reader", "files")).toEqual({});
  });
});
