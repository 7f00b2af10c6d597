import { describe, expect, it } from "vitest";
import { arranged } from "../src/core/arrange";
import { bypassEdits, canBypass } from "../src/core/bypass";
import { applyEdits } from "../src/core/edits";
import { found } from "../src/core/find";
import { ancestors, nodeOf, wiresOf } from "../src/core/graph";
import { Habits } from "../src/core/habits";
import { pythonText } from "../src/core/python";
import { crossesPath, isLoose, spliceEdits, spliceStep } from "../src/core/splice";
import { INITIAL, type State } from "../src/core/state";
import { commandFor, keyName } from "../src/react/commands";
import { GRAPH, INDEX, node, ref } from "./fixtures";

const context = { graph: GRAPH, catalog: INDEX };
const wire = (id: string) => {
  const found = wiresOf(GRAPH).find((w) => w.id === id);
  if (!found) throw new Error(`the fixture has no wire ${id}`);
  return found;
};
const state = (rest: Partial<State> = {}): State => ({
  ...INITIAL,
  graph: GRAPH,
  opening: { catalog: INDEX, dialects: [], recipes: [], version: "", gpu: "" },
  ...rest,
});

describe("splicing", () => {
  const intoRotate = wire("rotate|in|0");

  it("puts a loose node into a wire", () => {
    const graph = { ...GRAPH, nodes: [...GRAPH.nodes, node("turn", "rotate", { inputs: [null] })] };
    expect(isLoose({ ...context, graph }, "turn")).toBe(true);
    expect(isLoose(context, "rotate")).toBe(false);
    const edits = spliceEdits({ ...context, graph }, "turn", intoRotate);
    const after = applyEdits(graph, edits ?? [], INDEX);
    expect(nodeOf(after, "turn")?.inputs[0]).toEqual(intoRotate.source);
    expect(nodeOf(after, "rotate")?.inputs[0]).toEqual(ref("turn"));
  });
  it("refuses what would change the kind of the data", () => {
    const decoder = INDEX.byName.get("decoders.image");
    if (!decoder) throw new Error("the fixture has no decoder");
    expect(spliceStep(context, decoder, intoRotate, { x: 0, y: 0 })).toBeNull();
    expect(spliceEdits(context, "rotate", intoRotate)).toBeNull();
  });
  it("knows which wires a line crosses", () => {
    const path = [
      { x: 0, y: 0 },
      { x: 10, y: 0 },
      { x: 10, y: 10 },
    ];
    expect(crossesPath({ x: 5, y: -5 }, { x: 5, y: 5 }, path)).toBe(true);
    expect(crossesPath({ x: 0, y: 5 }, { x: 20, y: 5 }, path)).toBe(true);
    expect(crossesPath({ x: 0, y: 5 }, { x: 8, y: 5 }, path)).toBe(false);
  });
});

describe("cards in line", () => {
  const places = {
    a: { x: 0, y: 5, width: 10, height: 10 },
    b: { x: 40, y: 0, width: 10, height: 20 },
    c: { x: 15, y: 9, width: 20, height: 10 },
  };
  it("aligns edges and middles", () => {
    expect(Object.values(arranged(places, "left")).map((p) => p.x)).toEqual([0, 0, 0]);
    expect(arranged(places, "right").c).toEqual({ x: 30, y: 9 });
    expect(arranged(places, "middle").b?.y).toBe(0);
  });
  it("leaves equal gaps", () => {
    const next = arranged(places, "across");
    expect([next.a?.x, next.c?.x, next.b?.x]).toEqual([0, 15, 40]);
    expect(arranged({ a: places.a, b: places.b }, "across")).toEqual({});
  });
});

describe("bypass", () => {
  it("is offered where the data stays of one kind", () => {
    expect(canBypass(GRAPH, "rotate")).toBe(true);
    expect(canBypass(GRAPH, "decode")).toBe(false);
    expect(canBypass(GRAPH, "angle")).toBe(true);
  });
  it("leaves all out, or brings all back", () => {
    const out = bypassEdits(GRAPH, ["rotate", "decode"]);
    expect(out).toEqual([{ type: "set_bypass", key: "rotate", bypassed: true }]);
    const after = applyEdits(GRAPH, out, INDEX);
    expect(bypassEdits(after, ["rotate"])).toEqual([{ type: "set_bypass", key: "rotate", bypassed: false }]);
  });
});

describe("finding", () => {
  it("takes names, values and devices, all words at once", () => {
    expect(found(state(), "rot")).toEqual(["rotate"]);
    expect(found(state(), "device:gpu")).toEqual([]);
    expect(found(state(), "device:cpu rot")).toEqual(["rotate"]);
    expect(found(state(), "  ")).toEqual([]);
  });
  it("walks upstream", () => {
    expect([...ancestors(GRAPH, ["rotate"])].sort()).toEqual(["angle", "decode", "reader"]);
  });
});

describe("nodes as a program", () => {
  it("writes calls where the code pane does not have them", () => {
    const text = pythonText(state(), ["rotate", "angle"]);
    expect(text).toMatch(/^angle = fn\.random\.uniform\(/);
    expect(text).toMatch(/rotate = fn\.rotate\(decode, .*angle=angle\)/);
  });
});

describe("habits", () => {
  it("remembers pins and what was put behind what", () => {
    const kept = new Map<string, string>();
    const storage = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => kept.set(k, v) };
    const habits = new Habits(storage as never);
    const weight = () => habits.weight(GRAPH, ref("decode"));
    expect(weight()("cat")).toBe(0);
    habits.note("decoders.image", "cat");
    habits.pin("old");
    expect(weight()("cat")).toBeGreaterThan(0);
    expect(weight()("old")).toBeGreaterThan(weight()("cat"));
    habits.pin("old");
    expect(weight()("old")).toBe(0);
    expect(new Habits(null).pins()).toEqual([]);
  });
});

describe("keys", () => {
  const event = (key: string, rest = {}) => ({ key, ctrlKey: false, metaKey: false, shiftKey: false, ...rest });
  it("are named as the help sheet writes them", () => {
    expect(commandFor(keyName(event("z", { ctrlKey: true })))?.id).toBe("undo");
    expect(commandFor(keyName(event("Z", { metaKey: true, shiftKey: true })))?.id).toBe("redo");
    expect(commandFor(keyName(event("?", { shiftKey: true })))?.id).toBe("help");
    expect(commandFor(keyName(event("ArrowLeft", { shiftKey: true })))?.id).toBe("upstream");
    expect(commandFor(keyName(event("b")))?.id).toBe("bypass");
    expect(commandFor(keyName(event("q")))).toBeUndefined();
  });
});
