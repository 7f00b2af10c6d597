import { describe, expect, it } from "vitest";
import { applyEdits, freeKey, nameProblem } from "../src/core/edits";
import { nodeOf } from "../src/core/graph";
import type { Edit, GraphView } from "../src/protocol/generated";
import { GRAPH, INDEX, ref } from "./fixtures";

const apply = (...edits: Edit[]): GraphView => applyEdits(GRAPH, edits, INDEX);

describe("applyEdits", () => {
  it("adds a node with the outputs of its schema", () => {
    const graph = apply({ type: "add_node", key: "turn", operator: "rotate" });
    expect(nodeOf(graph, "turn")?.output_kinds).toEqual(["image"]);
    expect(apply({ type: "add_node", key: "turn", operator: "nobody" }).nodes.at(-1)?.unknown).toBe(true);
  });
  it("does not add a key twice", () =>
    expect(apply({ type: "add_node", key: "rotate", operator: "rotate" })).toBe(GRAPH));
  it("removes a node with its wires and outputs", () => {
    const graph = apply({ type: "remove_node", key: "decode" });
    expect(nodeOf(graph, "rotate")?.inputs).toEqual([]);
    expect(apply({ type: "remove_node", key: "rotate" }).outputs).toEqual([ref("reader", 1)]);
    expect(nodeOf(apply({ type: "remove_node", key: "angle" }), "rotate")?.argument_inputs).toEqual({});
  });
  it("sets and unsets values", () => {
    const set: Edit = { type: "set_argument", key: "rotate", argument: "fill_value", value: 3 };
    expect(nodeOf(apply(set), "rotate")?.arguments).toEqual({ fill_value: 3 });
    const unset: Edit = { type: "set_argument", key: "rotate", argument: "fill_value", unset: true };
    expect(nodeOf(apply(set, unset), "rotate")?.arguments).toEqual({});
  });
  it("wires and cuts inputs and arguments", () => {
    const wired = apply({ type: "connect", source: ref("decode"), target: "rotate", input: 2 });
    expect(nodeOf(wired, "rotate")?.inputs).toEqual([ref("decode"), null, ref("decode")]);
    const cut = apply({ type: "disconnect", target: "rotate", argument: "angle" });
    expect(nodeOf(cut, "rotate")?.argument_inputs).toEqual({});
  });
  it("renames everywhere", () => {
    const graph = apply({ type: "rename", key: "rotate", new_key: "turn" });
    expect(graph.outputs[0]).toEqual(ref("turn"));
    expect(nodeOf(apply({ type: "rename", key: "angle", new_key: "a" }), "rotate")?.argument_inputs.angle).toEqual(
      ref("a"),
    );
  });
  it("changes device, outputs and the name", () => {
    expect(nodeOf(apply({ type: "set_device", key: "rotate", device: "gpu" }), "rotate")?.device).toBe("gpu");
    expect(apply({ type: "set_outputs", outputs: [] }).outputs).toEqual([]);
    expect(apply({ type: "set_pipeline", option: "name", value: "new" }).name).toBe("new");
    expect(apply({ type: "set_pipeline", option: "batch_size", value: 3 })).toBe(GRAPH);
  });
});

describe("names", () => {
  it("makes free keys that Python accepts", () => {
    expect(freeKey("decoders.image", new Set())).toBe("image");
    expect(freeKey("rotate", new Set(["rotate", "rotate_2"]))).toBe("rotate_3");
    expect(freeKey("some.pass", new Set())).toBe("pass_2");
  });
  it("says what is wrong with a name", () => {
    expect(nameProblem("ok_1", new Set())).toBe("");
    expect(nameProblem("_ok", new Set())).toBe("");
    expect(nameProblem("for", new Set())).toMatch(/word of Python/);
    expect(nameProblem("fn", new Set())).toMatch(/import fn/);
    expect(nameProblem("__outputs__", new Set())).toMatch(/starts with a letter/);
    expect(nameProblem("1st", new Set())).toMatch(/starts with a letter/);
    expect(nameProblem("lambda", new Set())).toMatch(/word of Python/);
    expect(nameProblem("a", new Set(["a"]))).toMatch(/Another node/);
  });
});
