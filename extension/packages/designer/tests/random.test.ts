import { describe, expect, it } from "vitest";
import { copyClip, pasteStep } from "../src/core/actions";
import { type Argument, fillArgument, type Operator } from "../src/core/catalog";
import {
  density,
  distributionEdits,
  distributionOf,
  ends,
  redistribute,
  spikes,
  withEnd,
} from "../src/core/distribution";
import { applyEdits } from "../src/core/edits";
import { nodeOf, takenKeys } from "../src/core/graph";
import { difference, extentsIn, oneScale } from "../src/core/pixels";
import { canChance, costOfWays } from "../src/core/probability";
import { drawings } from "../src/core/seeds";
import { INITIAL } from "../src/core/state";
import { firstSweep, keepEdits, sheetPort, sweepable, sweepValues } from "../src/core/sweep";
import { laid, swept } from "../src/react/BatchPane";
import { finished, GRAPH, INDEX, node, ref, timing } from "./fixtures";

const base = INDEX.byName.get("random.uniform") as Operator;
const image = INDEX.byName.get("rotate") as Operator;
const normal: Operator = { ...base, name: "random.normal", arguments: [] };
const limiter: Operator = { ...image, name: "arithmetic", role: "arithmetic", arguments: [] };
const split: Operator = { ...image, name: "split", role: "split", outputs: [...image.outputs, ...image.outputs] };
const merge: Operator = { ...image, name: "merge", role: "merge", inputs: [...image.inputs, ...image.inputs] };
const operators = [...INDEX.operators, normal, limiter, split, merge];
const catalog = { ...INDEX, operators, byName: new Map(operators.map((o) => [o.name, o])) };
const context = { graph: GRAPH, catalog };
const rotate = nodeOf(GRAPH, "rotate") as ReturnType<typeof node>;

describe("a probability", () => {
  it("says what both ways cost, from the last run where there is one", () => {
    const some = { ...rotate, chance: 0.25 };
    expect(costOfWays(INITIAL, some)).toBe("To compute all and choose by multiplication is about 4 times the work.");
    const run = { ...INITIAL.run, finished: finished([timing("rotate", { milliseconds: 8 })]) };
    const words = "From the last run: about 2.00 ms a batch by this if; 8.00 ms to compute all and choose";
    expect(costOfWays({ ...INITIAL, run }, some)).toContain(words);
    // measured while it was applied to half of the samples
    const half = { ...run, parts: { rotate: 0.5 } };
    expect(costOfWays({ ...INITIAL, run: half }, some)).toContain("4.00 ms a batch by this if; 16.0 ms to compute all");
  });
});

describe("a range", () => {
  it("keeps its width where one end goes beyond the other", () => {
    const of = { kind: "uniform", low: 0, high: 20 } as const;
    expect(withEnd(of, "low", 25)).toEqual({ ...of, low: 25, high: 45 });
    expect(withEnd(of, "high", -5)).toEqual({ ...of, low: -25, high: -5 });
    expect(withEnd(of, "high", 40)).toEqual({ ...of, high: 40 });
  });
});

describe("distributions", () => {
  const uniform = node("u", "random.uniform", { arguments: { range: [-30, 30] } });

  it("are read from arguments, unless those are wired", () => {
    expect(distributionOf(uniform, null)).toEqual({ kind: "uniform", low: -30, high: 30 });
    expect(distributionOf({ ...uniform, argument_inputs: { range: ref("angle") } }, null)).toBeNull();
    expect(distributionOf(node("r", "rotate"), null)).toBeNull();
    expect(distributionOf(node("c", "random.coin_flip"), null)).toMatchObject({ kind: "coin", p: 0.5 });
  });
  it("have densities of total 1", () => {
    for (const of of [distributionOf(uniform, null), { kind: "normal", mean: 3, deviation: 9 } as const]) {
      if (!of) throw new Error("no distribution");
      const total = Array.from({ length: 4000 }, (_, i) => density(of, -100 + i * 0.05) * 0.05).reduce((a, b) => a + b);
      expect(total).toBeCloseTo(1, 2);
    }
  });
  it("are set by their own arguments", () => {
    const edits = distributionEdits("u", { kind: "normal", mean: 2, deviation: 3 });
    expect(edits.map((e) => e.type === "set_argument" && [e.argument, e.value])).toEqual([
      ["mean", 2],
      ["stddev", 3],
    ]);
  });
  it("are exchanged for one of the same reach, with what they feed", () => {
    const angle = nodeOf(GRAPH, "angle") as ReturnType<typeof node>;
    const step = redistribute(context, angle, "normal", { x: 1, y: 2 }, { x: 0, y: 0 });
    const graph = applyEdits(GRAPH, step?.edits ?? [], catalog);
    const made = step?.select[0] ?? "";
    expect(made).toBe("angle"); // somebody gave this name
    expect(nodeOf(graph, made)?.operator).toBe("random.normal");
    expect(nodeOf(graph, "rotate")?.argument_inputs).toEqual({ angle: ref(made) });
    const [low, high] = ends(distributionOf(angle, null) ?? { kind: "choice", values: [] });
    expect(nodeOf(graph, made)?.arguments).toMatchObject({ mean: (low + high) / 2, stddev: (high - low) / 4 });
  });
  it("choose among values, or toss a coin for the larger end", () => {
    const angle = nodeOf(GRAPH, "angle") as ReturnType<typeof node>;
    const coin: Operator = { ...base, name: "random.coin_flip", arguments: [] };
    const known = { ...catalog, operators: [...operators, coin] };
    const [low, high] = ends(distributionOf(angle, null) ?? { kind: "choice", values: [] });
    const chosen = redistribute({ graph: GRAPH, catalog: known }, angle, "choice", { x: 1, y: 2 }, { x: 0, y: 0 });
    const graph = applyEdits(GRAPH, chosen?.edits ?? [], known);
    const drawn = nodeOf(graph, "angle") as ReturnType<typeof node>; // the same operator: it stays
    expect(distributionOf(drawn, graph)).toEqual({ kind: "choice", values: [low, (low + high) / 2, high] });
    expect(drawn.arguments.range ?? null).toBeNull();
    const tossed = redistribute({ graph, catalog: known }, drawn, "coin", { x: 1, y: 2 }, { x: 0, y: 0 });
    const coined = applyEdits(graph, tossed?.edits ?? [], known);
    const made = nodeOf(coined, "angle") as ReturnType<typeof node>;
    expect(made.arguments.expression).toBe(`a * ${high}.0`); // an angle takes no whole number
    const of = distributionOf(made, coined);
    expect(of).toEqual({ kind: "coin", source: "coin_flip", p: 0.5, other: high });
    expect(nodeOf(coined, "coin_flip")).toMatchObject({
      operator: "random.coin_flip",
      arguments: { probability: 0.5 },
    });
    const again = redistribute({ graph: coined, catalog: known }, made, "uniform", { x: 1, y: 2 }, { x: 0, y: 0 });
    const last = applyEdits(coined, again?.edits ?? [], known);
    expect([last.nodes.length, nodeOf(last, "coin_flip")]).toEqual([GRAPH.nodes.length, undefined]);
    expect(distributionOf(nodeOf(last, "angle") as typeof made, null)).toEqual({ kind: "uniform", low: 0, high });
    const back = redistribute({ graph, catalog: known }, drawn, "uniform", { x: 1, y: 2 }, { x: 0, y: 0 });
    const after = nodeOf(applyEdits(graph, back?.edits ?? [], known), "angle") as ReturnType<typeof node>;
    expect(distributionOf(after, null)).toEqual({ kind: "uniform", low, high });
  });
  it("are held between limits by an operation behind a generator, which goes with it", () => {
    const angle = nodeOf(GRAPH, "angle") as ReturnType<typeof node>;
    const step = redistribute(context, angle, "clamped", { x: 1, y: 2 }, { x: 0, y: 0 });
    const graph = applyEdits(GRAPH, step?.edits ?? [], catalog);
    const clamp = nodeOf(graph, step?.select[0] ?? "") as ReturnType<typeof node>;
    const of = distributionOf(clamp, graph);
    if (of?.kind !== "clamped") throw new Error("not clamped");
    const [low, high] = ends(distributionOf(angle, null) ?? { kind: "choice", values: [] });
    expect(of).toMatchObject({ low, high, mean: (low + high) / 2, deviation: (high - low) / 4 });
    expect(clamp.arguments.expression).toBe(`clamp(a, ${low}, ${high})`);
    expect(nodeOf(graph, "rotate")?.argument_inputs).toEqual({ angle: ref(clamp.key) });
    // two deviations: a fortieth at each limit
    expect(spikes(of).map(([at, part]) => [at, Math.round(1000 * part)])).toEqual([
      [low, 23],
      [high, 23],
    ]);
    expect([density(of, low - 1), density(of, high + 1)]).toEqual([0, 0]);
    const set = distributionEdits(clamp.key, { ...of, mean: 5 });
    expect(set.map((e) => e.type === "set_argument" && [e.key, e.argument])).toEqual([
      [of.source, "mean"],
      [of.source, "stddev"],
      [clamp.key, "expression"],
    ]);
    // the generator itself stays where it can
    const free = redistribute({ graph, catalog }, clamp, "normal", { x: 1, y: 2 }, { x: 0, y: 0 });
    const without = applyEdits(graph, free?.edits ?? [], catalog);
    expect(nodeOf(without, "rotate")?.argument_inputs).toEqual({ angle: ref("angle") });
    expect([without.nodes.length, nodeOf(without, of.source)]).toEqual([GRAPH.nodes.length, undefined]);
    const drawn = nodeOf(without, "angle") as ReturnType<typeof node>;
    const again = redistribute({ graph: without, catalog }, drawn, "clamped", { x: 1, y: 2 }, { x: 0, y: 0 });
    expect(again?.edits.map((e) => e.type)).toEqual([
      "add_node",
      "connect",
      "set_argument",
      "set_argument",
      "set_argument",
      "connect",
      "rename",
      "rename",
    ]);
    expect(
      distributionOf(nodeOf(applyEdits(without, again?.edits ?? [], catalog), "angle") as typeof clamp, graph),
    ).toEqual(of);
    const back = redistribute({ graph, catalog }, clamp, "uniform", { x: 1, y: 2 }, { x: 0, y: 0 });
    const after = applyEdits(graph, back?.edits ?? [], catalog);
    expect(after.nodes.length).toBe(GRAPH.nodes.length);
    expect([nodeOf(after, "angle")?.operator, nodeOf(after, of.source)]).toEqual(["random.uniform", undefined]);
  });
});

describe("a probability", () => {
  it("is a matter of one card", () => {
    expect(canChance(GRAPH, rotate)).toBe(true);
    const chance = (part: number) => applyEdits(GRAPH, [{ type: "set_chance", key: "rotate", part }], catalog);
    const graph = chance(0.8);
    expect(nodeOf(graph, "rotate")?.chance).toBe(0.8);
    expect(nodeOf(chance(1), "rotate")?.chance).toBeNull();
    // a copy has one of its own
    const { edits, positions } = pasteStep(graph, copyClip(graph, { rotate: { x: 0, y: 0 } }, ["rotate"]), {
      x: 0,
      y: 200,
    });
    const copied = nodeOf(applyEdits(graph, edits, catalog), "rotate_2");
    expect(copied).toMatchObject({ inputs: rotate.inputs, chance: 0.8 });
    expect(positions).toEqual({ rotate_2: { x: 0, y: 200 } });
  });
  it("has nodes whose names are taken, and whose seeds are shown", () => {
    const coin = node("coin", "random.coin_flip", { seed: 7 });
    const nodes = [{ ...rotate, chance: 0.5, parts: [coin] }];
    expect(takenKeys({ ...GRAPH, nodes }).has("coin")).toBe(true);
    expect(drawings({ ...GRAPH, nodes })).toEqual([{ key: "coin", card: "rotate", seed: 7, own: false }]);
  });
  it("is not offered where the data changes", () => {
    expect(canChance(GRAPH, nodeOf(GRAPH, "decode") ?? rotate)).toBe(false);
  });
});

describe("a sweep", () => {
  const angle = image.arguments.find((a) => a.name === "angle") as Argument;

  it("goes through numbers and choices", () => {
    expect(sweepable(image).map((a) => a.name)).toEqual(["angle", "fill_value"]);
    const size = fillArgument({ name: "size", type: "float", minimum: -1e9, maximum: 1e9 });
    expect(firstSweep({ arguments: { size: [224, 224] } }, size)).toMatchObject({ from: 0, to: 448 });
    expect(image && sweepable({ ...image, role: "reader" })).toEqual([]); // its values say which files there are
    const sweep = { argument: "angle", from: -30, to: 30, count: 5 };
    expect(sweepValues(angle, sweep)).toEqual([-30, -15, 0, 15, 30]);
    expect(sweepValues(fillArgument({ name: "n", type: "int" }), { ...sweep, from: 0, to: 2 })).toEqual([0, 1, 2]);
    expect(sweepValues(fillArgument({ name: "kind", type: "string", choices: ["a", "b"] }), sweep)).toEqual(["a", "b"]);
  });
  it("has a column for each sample, where all rows are seen", () => {
    expect(swept(6, 8, 1100, 535)).toEqual({ across: false, columns: 8, cell: 119, tall: 79 });
    expect(swept(6, 8, 1400, 700)).toEqual({ across: false, columns: 8, cell: 157, tall: 104 });
    expect(swept(6, 64, 1100, 535).columns).toBe(8);
    // where their height is what limits the pictures, the columns take all of the width none the less
    expect(8 * ((swept(6, 8, 1200, 480).cell ?? 0) + 6)).toBeGreaterThan(1200 - 94 - 8);
  });
  it("has the values of a sample beside each other where not all rows would be seen", () => {
    expect(swept(6, 8, 1003, 277)).toEqual({ across: true, columns: 2, cell: 161 });
    expect(swept(6, 8, 520, 300)).toEqual({ across: true, columns: 1, cell: 167 });
    expect(swept(6, 8, 1400, 0)).toEqual({ across: true, columns: 1, cell: 120 });
  });
  it("has all samples in one row while they are not small", () => {
    expect(laid(8, 892, 222)).toEqual({ columns: 8, cell: 105 });
    expect(laid(4, 1003, 222)).toEqual({ columns: 4, cell: 240 });
    expect(laid(16, 1003, 222)).toEqual({ columns: 8, cell: 119 });
    expect(laid(64, 1003, 222)).toEqual({ columns: 8, cell: 119 });
    expect(laid(8, 480, 222)).toEqual({ columns: 4, cell: 114 });
  });
  it("begins around the value for angles", () => {
    const turned = node("r", "rotate", { arguments: { angle: 10 } });
    expect(firstSweep(turned, angle)).toMatchObject({ from: -20, to: 40, count: 5 });
  });
  it("keeps a value in place of a wire", () => {
    expect(keepEdits(rotate, "angle", 15)).toEqual([
      { type: "disconnect", target: "rotate", argument: "angle" },
      { type: "set_argument", key: "rotate", argument: "angle", value: 15 },
    ]);
  });
  it("shows the selected node, or what is returned", () => {
    const state = { ...INITIAL, graph: GRAPH };
    expect(sheetPort(state)).toEqual(GRAPH.outputs[0]);
    expect(sheetPort({ ...state, view: { ...state.view, selection: ["decode"] } })).toEqual(ref("decode"));
  });
});

describe("two pictures at one scale", () => {
  const room = { width: 200, height: 100 };
  it("shrinks the one that would be shown larger", () => {
    const [a, b] = oneScale([100, 200], [200, 100], room);
    expect(a).toBeCloseTo(0.5);
    expect(b).toBe(1);
  });
  it("is of images with their channels last or first", () => {
    expect(extentsIn("256×385×3 u8")).toEqual([256, 385]);
    expect(extentsIn("3×192×200 f32")).toEqual([192, 200]);
    expect(extentsIn("8 f32")).toEqual([0, 0]);
  });
  it("leaves the same proportions, and what is no image, as they are", () => {
    expect(oneScale([100, 200], [50, 100], room)).toEqual([1, 1]);
    expect(oneScale([0, 0], [50, 100], room)).toEqual([1, 1]);
  });
  it("fills the frame with what a resize gives", () => {
    const antialias = { ...(image.arguments[0] as Argument), name: "antialias" };
    const resize = { ...image, arguments: [...image.arguments, antialias] };
    expect(oneScale([500, 500], [100, 160], room, resize)).toEqual([1, 1]);
  });
});

describe("differences of pixels", () => {
  it("are amplified and bounded", () => {
    const a = { width: 1, height: 1, data: new Uint8ClampedArray([10, 20, 30, 255]) };
    const b = { width: 1, height: 1, data: new Uint8ClampedArray([12, 10, 230, 255]) };
    const out = new Uint8ClampedArray(4);
    difference(a, b, 4, out);
    expect([...out]).toEqual([8, 40, 255, 255]);
  });
});
