import { describe, expect, it } from "vitest";
import {
  addStep,
  connectEdits,
  copyClip,
  cutEdits,
  pasteStep,
  randomFor,
  randomStep,
  removeStep,
} from "../src/core/actions";
import { argumentOf, fillArgument, fillOperator } from "../src/core/catalog";
import { applyEdits, CODE } from "../src/core/edits";
import { nodeOf, OUTPUTS, topological, walk, wiresOf } from "../src/core/graph";
import { spliceStep } from "../src/core/splice";
import { GRAPH, INDEX, node, ref } from "./fixtures";

const context = { graph: GRAPH, catalog: INDEX };
const rotate = INDEX.byName.get("rotate");

describe("adding", () => {
  it("wires a new node after the chosen one, on its device", () => {
    if (!rotate) throw new Error("the fixture has no rotate");
    const step = addStep(context, rotate, { at: { x: 1, y: 2 }, from: ref("decode") });
    const graph = applyEdits(GRAPH, step.edits, INDEX);
    expect(nodeOf(graph, "rotate_2")?.inputs).toEqual([ref("decode")]);
    expect(step.positions).toEqual({ rotate_2: { x: 1, y: 2 } });
  });
  it("gives needed arguments a value to begin with, unless the wire feeds them", () => {
    if (!rotate) throw new Error("the fixture has no rotate");
    const added = (from: ReturnType<typeof ref>) =>
      nodeOf(applyEdits(GRAPH, addStep(context, rotate, { at: { x: 0, y: 0 }, from }).edits, INDEX), "rotate_2");
    expect(added(ref("decode"))?.arguments).toEqual({ angle: 0 });
    expect(added(ref("angle"))?.arguments).toEqual({});
    expect(added(ref("angle"))?.argument_inputs).toEqual({ angle: ref("angle") });
  });
  it("is inserted behind a picture as it is shown there", () => {
    if (!rotate) throw new Error("the fixture has no rotate");
    const operator = { ...rotate, shown: { angle: 20 } };
    const given = (from: ReturnType<typeof ref> | null) =>
      addStep(context, operator, { at: { x: 0, y: 0 }, from }).edits[0];
    expect(given(ref("decode"))).toMatchObject({ arguments: { angle: 20 } });
    expect(given(ref("angle"))).toMatchObject({ arguments: {} }); // the wire feeds it
    expect(given(null)).toMatchObject({ arguments: { angle: 0 } });
  });
  it("begins with what an argument says, although it is not required", () => {
    const warp = INDEX.byName.get("warp_affine");
    if (!warp) throw new Error("the fixture has no warp_affine");
    const matrix = fillArgument({ name: "matrix", type: "float_list", start: [1, 0, 0, 0, 1, 0] });
    const step = addStep(context, { ...warp, arguments: [matrix] }, { at: { x: 0, y: 0 } });
    expect(step.edits[0]).toMatchObject({ arguments: { matrix: [1, 0, 0, 0, 1, 0] } });
  });
  it("wires what was merely selected into no optional input", () => {
    const coin = INDEX.byName.get("random.coin_flip");
    if (!coin) throw new Error("the fixture has no coin");
    const like = {
      name: "shape_like",
      kind: "any",
      layouts: [],
      dtypes: [],
      optional: true,
      either_device: false,
      repeated: null,
      shape_only: false,
      of_sound: "",
      doc: "",
    };
    const operator = { ...coin, inputs: [like] } as typeof coin;
    const catalog = { ...INDEX, byName: new Map([...INDEX.byName, [operator.name, operator]]) };
    const added = (selected: boolean) =>
      addStep({ graph: GRAPH, catalog }, operator, { at: { x: 0, y: 0 }, from: ref("decode"), selected }).edits;
    expect(added(true).map((e) => e.type)).toEqual(["add_node"]);
    expect(added(false).map((e) => e.type)).toEqual(["add_node", "connect"]);
  });
  it("takes the place of a returned picture", () => {
    if (!rotate) throw new Error("the fixture has no rotate");
    const graph = { ...GRAPH, outputs: [ref("decode"), ref("angle")] };
    const outputs = (from: string, selected: boolean) =>
      applyEdits(
        graph,
        addStep({ ...context, graph }, rotate, { at: { x: 0, y: 0 }, from: ref(from), selected }).edits,
        INDEX,
      ).outputs;
    expect(outputs("decode", true)).toEqual([{ node: "rotate_2", output: 0 }, ref("angle")]);
    // at a wire that was let go it is a branch, where others take the picture, too
    expect(outputs("decode", false)).toEqual([...graph.outputs, { node: "rotate_2", output: 0 }]);
    graph.outputs = [ref("rotate"), ref("angle")];
    expect(outputs("rotate", false)).toEqual([{ node: "rotate_2", output: 0 }, ref("angle")]);
  });
  it("takes the place of a returned sound whose features it gives", () => {
    const spectrogram = fillOperator({
      ...{ name: "spectrogram", class_name: "Spectrogram", category: "audio", summary: "", node_name: "" },
      inputs: [{ name: "sounds", kind: "audio" }],
      outputs: [{ name: "spectra" }],
    });
    const catalog = { ...INDEX, byName: new Map([...INDEX.byName, [spectrogram.name, spectrogram]]) };
    const nodes = [node("sound", "decoders.image", { output_kinds: ["audio"] })];
    const graph = { ...GRAPH, nodes, outputs: [ref("sound")] };
    const step = addStep({ graph, catalog }, spectrogram, { at: { x: 0, y: 0 }, from: ref("sound") });
    expect(applyEdits(graph, step.edits, catalog).outputs).toEqual([{ node: "spectrogram", output: 0 }]);
  });
  it("goes into the chain behind what is selected, unless it shall be a branch", () => {
    if (!rotate) throw new Error("the fixture has no rotate");
    const added = (options: { selected?: boolean; branch?: boolean }) => {
      const step = addStep(context, rotate, { at: { x: 0, y: 0 }, from: ref("decode"), ...options });
      return nodeOf(applyEdits(GRAPH, step.edits, INDEX), "rotate")?.inputs;
    };
    expect(added({ selected: true })).toEqual([ref("rotate_2")]);
    expect(added({ selected: true, branch: true })).toEqual([ref("decode")]);
    expect(added({})).toEqual([ref("decode")]);
  });
  it("goes into the chain as code of one's own, whose data is not known", () => {
    const code = fillOperator({
      ...{ name: CODE, class_name: "Code", category: "sources", summary: "", node_name: "function" },
      inputs: [{ name: "input", repeated: [0, 256] }],
      outputs: [{ name: "output" }],
    });
    const catalog = { ...INDEX, byName: new Map([...INDEX.byName, [CODE, code]]) };
    const step = addStep({ graph: GRAPH, catalog }, code, { at: { x: 0, y: 0 }, from: ref("decode"), selected: true });
    const graph = applyEdits(GRAPH, step.edits, catalog);
    expect([nodeOf(graph, "function")?.inputs, nodeOf(graph, "rotate")?.inputs]).toEqual([
      [ref("decode")],
      [ref("function")],
    ]);
  });
  it("goes into the chain, and into a wire, as an operator that keeps the kind of any data", () => {
    const any = {
      class_name: "X",
      category: "effects",
      summary: "",
      inputs: [{ name: "data" }],
      outputs: [{ name: "data" }],
    };
    const both = ["erase", "mean"].map((name) => fillOperator({ ...any, name, node_name: name }));
    const catalog = {
      ...INDEX,
      byName: new Map([...INDEX.byName, ...both.map((o) => [o.name, o] as const)]),
      keepKind: ["erase"],
    };
    const now = { graph: GRAPH, catalog };
    const fed = both.map((operator) => {
      const step = addStep(now, operator, { at: { x: 0, y: 0 }, from: ref("decode"), selected: true });
      return nodeOf(applyEdits(GRAPH, step.edits, catalog), "rotate")?.inputs;
    });
    expect(fed).toEqual([[ref("erase")], [ref("decode")]]);
    const wire = wiresOf(GRAPH).find(({ slot }) => slot.kind === "input" && slot.node === "rotate");
    const spliced = both.map((operator) => wire && spliceStep(now, operator, wire, { x: 0, y: 0 })?.select);
    expect(spliced).toEqual([["erase"], undefined]);
  });
  it("returns the first picture of an empty pipeline", () => {
    if (!rotate) throw new Error("the fixture has no rotate");
    const graph = { ...GRAPH, nodes: [], outputs: [] };
    const step = addStep({ ...context, graph }, rotate, { at: { x: 0, y: 0 } });
    expect(applyEdits(graph, step.edits, INDEX).outputs).toEqual([{ node: "rotate", output: 0 }]);
    const wired = addStep({ ...context, graph: { ...GRAPH, outputs: [] } }, rotate, {
      at: { x: 0, y: 0 },
      from: ref("decode"),
    });
    expect(applyEdits(GRAPH, wired.edits, INDEX).outputs).toEqual([{ node: "rotate_2", output: 0 }]);
  });
  it("wires a new node before a port", () => {
    const coin = INDEX.byName.get("random.coin_flip");
    if (!coin) throw new Error("the fixture has no coin");
    const to = { kind: "argument", node: "rotate", argument: "angle" } as const;
    const graph = applyEdits(GRAPH, addStep(context, coin, { at: { x: 0, y: 0 }, to }).edits, INDEX);
    expect(nodeOf(graph, "rotate")?.argument_inputs.angle).toEqual(ref("coin_flip"));
  });
});

describe("wires", () => {
  it("take the place of a fixed value", () => {
    const fixed = { ...GRAPH, nodes: [...GRAPH.nodes, node("turn", "rotate", { arguments: { angle: 5 } })] };
    const edits = connectEdits(fixed, ref("angle"), { kind: "argument", node: "turn", argument: "angle" });
    const turned = nodeOf(applyEdits(fixed, edits, INDEX), "turn");
    expect(turned?.arguments).toEqual({});
    expect(turned?.argument_inputs.angle).toEqual(ref("angle"));
  });
  it("end at outputs in order and are cut by place", () => {
    const added = applyEdits(
      GRAPH,
      connectEdits(GRAPH, ref("decode"), { kind: "output", node: OUTPUTS, index: 9 }),
      INDEX,
    );
    expect(added.outputs).toHaveLength(3);
    const slots = wiresOf(added)
      .filter((w) => w.slot.kind === "output")
      .map((w) => w.slot);
    expect(applyEdits(added, cutEdits(added, slots.slice(0, 2)), INDEX).outputs).toEqual([ref("decode")]);
  });
});

describe("removing", () => {
  const chain = (between: ReturnType<typeof node>) => ({
    ...GRAPH,
    nodes: [
      ...GRAPH.nodes.filter((n) => n.key !== "rotate"),
      between,
      node("last", "rotate", { inputs: [ref(between.key)] }),
    ],
    outputs: [ref("last"), ref(between.key)],
  });
  it("heals the chain around a node that passes its input on", () => {
    const graph = chain(node("turn", "rotate", { inputs: [ref("decode")] }));
    const left = applyEdits(graph, removeStep(graph, ["turn"], []).edits, INDEX);
    expect(nodeOf(left, "last")?.inputs).toEqual([ref("decode")]);
    expect(left.outputs).toEqual([ref("last"), ref("decode")]);
  });
  it("heals over several removed nodes and leaves cut outputs out", () => {
    const graph = chain(node("turn", "rotate", { inputs: [ref("decode")] }));
    const step = removeStep(graph, ["turn", "last"], [`${OUTPUTS}|out|1`]);
    expect(applyEdits(graph, step.edits, INDEX).outputs).toEqual([ref("decode")]);
  });
  it("heals the chain around a function, which may give anything", () => {
    const graph = chain(node("f", "python_function", { inputs: [ref("decode")], output_kinds: ["any"] }));
    expect(applyEdits(graph, removeStep(graph, ["f"], []).edits, INDEX).outputs).toEqual([ref("last"), ref("decode")]);
  });
  it("leaves a gap where the data or the device differ", () => {
    const graph = chain(node("turn", "rotate", { inputs: [ref("decode")], device: "gpu" }));
    expect(nodeOf(applyEdits(graph, removeStep(graph, ["turn"], []).edits, INDEX), "last")?.inputs).toEqual([]);
    const decoded = applyEdits(GRAPH, removeStep(GRAPH, ["decode"], []).edits, INDEX);
    expect(nodeOf(decoded, "rotate")?.inputs).toEqual([]);
  });
  it("is one step for nodes and wires", () => {
    const step = removeStep(GRAPH, ["decode", OUTPUTS], ["rotate|arg|angle", `${OUTPUTS}|out|1`, "rotate|in|0"]);
    const graph = applyEdits(GRAPH, step.edits, INDEX);
    expect(graph.nodes.map((n) => n.key)).toEqual(["reader", "angle", "rotate"]);
    expect(graph.outputs).toEqual([ref("rotate")]);
    expect(nodeOf(graph, "rotate")?.argument_inputs).toEqual({});
  });
});

describe("pasting", () => {
  it("keeps inner wires and outer sources under new names", () => {
    const clip = copyClip(GRAPH, { rotate: { x: 10, y: 10 } }, ["rotate", "angle"]);
    const step = pasteStep(GRAPH, clip, { x: 24, y: 24 });
    const graph = applyEdits(GRAPH, step.edits, INDEX);
    expect(nodeOf(graph, "rotate_2")).toMatchObject({
      inputs: [ref("decode")],
      argument_inputs: { angle: ref("angle_2") },
    });
    expect(step.positions.rotate_2).toEqual({ x: 34, y: 34 });
    expect(step.select).toEqual(["angle_2", "rotate_2"]);
    expect(step.lost).toEqual([]);
    const alone = copyClip(GRAPH, { rotate: { x: 10, y: 10 } }, ["rotate"]);
    expect(pasteStep({ ...GRAPH, nodes: [] }, alone, { x: 0, y: 0 }).lost).toEqual(["rotate.angle"]);
  });
  it("copies the code of a node that is here, and that of another document's with whose it is", () => {
    const code = { source: "def f(x): return x", module: "m", trusted: true, signature: "s" };
    const own = node("f", "python_function", { code });
    const graph = { ...GRAPH, nodes: [...GRAPH.nodes, own] };
    const pasted = (nodes: readonly (typeof own)[]) =>
      nodeOf(applyEdits(graph, pasteStep(graph, { nodes, positions: {} }, { x: 0, y: 0 }).edits, INDEX), "f_2")?.code;
    expect(pasted([own])).toEqual(code);
    const other = { ...code, source: "def g(x): return x" };
    expect(pasted([{ ...own, code: other }])).toEqual({ ...other, module: "", trusted: false });
    expect(pasted([{ ...own, code: { ...other, module: "" } }])?.source).toBe(""); // a proposal
  });
});

describe("make random", () => {
  const angle = argumentOf(rotate, "angle");
  const target = nodeOf(GRAPH, "rotate");
  it("adds a generator with the span as its range", () => {
    if (!angle || !target) throw new Error("the fixture has no angle");
    const step = randomStep(context, target, angle, { x: 0, y: 0 });
    expect(step?.edits[0]).toMatchObject({ operator: "random.uniform", arguments: { range: [-180, 180] } });
    const graph = applyEdits(GRAPH, step?.edits ?? [], INDEX);
    expect(nodeOf(graph, "rotate")?.argument_inputs.angle).toEqual(ref("angle_2"));
  });
  it("draws around the value that is set", () => {
    if (!angle || !target) throw new Error("the fixture has no angle");
    const set = (value: number) => ({ ...target, arguments: { ...target.arguments, angle: value } });
    const range = (value: number, unit: string) =>
      randomStep(context, set(value), { ...angle, unit }, { x: 0, y: 0 })?.edits[0];
    expect(range(20, "deg")).toMatchObject({ arguments: { range: [10, 30] } });
    expect(range(175, "deg")).toMatchObject({ arguments: { range: [165, 180] } });
    expect(range(0, "")).toMatchObject({ arguments: { range: [-36, 36] } });
    const width = { ...angle, unit: "px", span: [0, 512] };
    const step = randomStep(context, set(300), width, { x: 0, y: 0 });
    expect(step?.edits[0]).toMatchObject({ arguments: { range: [249, 351] } });
  });
  it("takes a coin for yes and no, and nothing for text", () => {
    if (!angle) throw new Error("the fixture has no angle");
    expect(randomFor(INDEX, { ...angle, type: "bool" })?.name).toBe("random.coin_flip");
    expect(randomFor(INDEX, { ...angle, type: "int", minimum: 0, maximum: 1 })?.name).toBe("random.coin_flip");
    expect(randomFor(INDEX, { ...angle, type: "int", widget: "switch" })?.name).toBe("random.coin_flip");
    expect(randomFor(INDEX, { ...angle, type: "string" })).toBeNull();
    expect(randomFor(INDEX, { ...angle, tensor: false })).toBeNull();
  });
});

describe("walking", () => {
  it("follows wires", () => {
    expect(walk(GRAPH, "decode", "right")).toBe("rotate");
    expect(walk(GRAPH, "rotate", "right")).toBe(OUTPUTS);
    expect(walk(GRAPH, OUTPUTS, "left")).toBe("rotate");
    expect(walk(GRAPH, "rotate", "left")).toBe("decode");
    expect(walk(GRAPH, "", "down")).toBe("reader");
  });
  it("orders sources first", () => {
    expect(
      topological({ ...GRAPH, nodes: [...GRAPH.nodes].reverse() })
        .map((n) => n.key)
        .at(-1),
    ).toBe("rotate");
  });
});
