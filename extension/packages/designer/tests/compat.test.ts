import { describe, expect, it } from "vitest";
import { fillOperator, inputName, inputOf, inputPorts, wiredInputs } from "../src/core/catalog";
import {
  bestSlot,
  checkConnection,
  deviceFor,
  isLikely,
  kindsFit,
  nearestFor,
  operatorTakes,
  type Refusal,
  slotsOf,
} from "../src/core/compat";
import { fixesFor } from "../src/core/fixes";
import { OUTPUTS, type Slot } from "../src/core/graph";
import type { GraphView, NodeView } from "../src/protocol/generated";
import { argument, GRAPH, INDEX, node, ref } from "./fixtures";

const context = (graph: GraphView = GRAPH) => ({ graph, catalog: INDEX });
const input = (key: string, index = 0): Slot => ({ kind: "input", node: key, input: index });
const arg = (key: string, argument: string): Slot => ({ kind: "argument", node: key, argument });
const reason = (source: ReturnType<typeof ref>, slot: Slot, graph = GRAPH) => {
  const verdict = checkConnection(context(graph), source, slot);
  return verdict.ok ? "" : verdict.reason;
};

describe("nearestFor", () => {
  const nodes = GRAPH.nodes.map((n) =>
    n.key === "rotate" ? { ...n, facts: ["C×H×W f32"] } : n.key === "decode" ? { ...n, facts: ["H×W×C u8"] } : n,
  );
  const graph = { ...GRAPH, nodes };
  const taking = (more: object) => {
    const operator = INDEX.byName.get("rotate");
    if (!operator) throw new Error("rotate is in the catalog");
    return { ...operator, inputs: operator.inputs.map((i) => ({ ...i, ...more })) };
  };
  it("goes back to the node whose layout and element type an operator takes", () => {
    expect(nearestFor(graph, ref("rotate"), taking({ layouts: ["HWC", "CHW"] }))).toEqual(ref("rotate"));
    expect(nearestFor(graph, ref("rotate"), taking({ layouts: ["HWC"] }))).toEqual(ref("decode"));
    expect(nearestFor(graph, ref("rotate"), taking({ layouts: [], dtypes: ["UINT8"] }))).toEqual(ref("decode"));
    expect(nearestFor(graph, ref("rotate"), taking({ dtypes: ["FLOAT"] }))).toEqual(ref("rotate"));
  });
  it("stays where it is if none fits, or if nothing is known", () => {
    expect(nearestFor(graph, ref("rotate"), taking({ layouts: ["DHWC"] }))).toEqual(ref("rotate"));
    expect(nearestFor(GRAPH, ref("rotate"), taking({ layouts: ["HWC"] }))).toEqual(ref("rotate"));
  });
});

describe("checkConnection", () => {
  it("lets fitting kinds through", () => {
    expect(reason(ref("decode"), input("rotate"))).toBe("");
    expect(reason(ref("angle"), arg("rotate", "angle"))).toBe("");
    expect(reason(ref("reader", 1), arg("rotate", "angle"))).toBe("");
    expect(kindsFit(INDEX, "any", "image")).toBe(true);
    expect(kindsFit(INDEX, "encoded", "image")).toBe(false);
  });
  it("names both kinds when they do not fit", () => {
    expect(reason(ref("reader"), input("rotate"))).toBe(
      "rotate takes images here, and this wire carries encoded bytes.",
    );
  });
  it("returns an output once, and lets the end of its wire be moved", () => {
    const graph = { ...GRAPH, outputs: [ref("rotate"), ref("reader", 1)] };
    const end = (index: number): Slot => ({ kind: "output", node: OUTPUTS, index });
    expect(reason(ref("rotate"), end(2), graph)).toBe("The pipeline already returns this output of rotate.");
    expect(reason(ref("rotate"), end(1), graph)).not.toBe("");
    expect(reason(ref("rotate"), end(0), graph)).toBe("");
    expect(reason(ref("reader", 0), end(2), graph)).toBe("");
  });
  it("refuses labels where a picture is taken, as soon as their axes are known, and offers to return them", () => {
    const nodes = GRAPH.nodes.map((n) => (n.key === "reader" ? { ...n, output_ranks: [1, 1] } : n));
    const graph = { ...GRAPH, nodes, outputs: [ref("rotate")] };
    expect(reason(ref("reader", 1), input("rotate"), graph)).toBe(
      "rotate takes images here, and this wire carries labels.",
    );
    const [fix] = fixesFor(context(graph), ref("reader", 1), input("rotate"), { x: 0, y: 0 });
    expect(fix?.title).toBe("Return them instead");
    expect(fix?.edits).toEqual([{ type: "set_outputs", outputs: [ref("rotate"), ref("reader", 1)] }]);
    const returned = { ...graph, outputs: [ref("rotate"), ref("reader", 1)] };
    expect(fixesFor(context(returned), ref("reader", 1), input("rotate"), { x: 0, y: 0 })).toEqual([]);
  });
  it("refuses loops and self feeding", () => {
    expect(reason(ref("rotate"), input("rotate"))).toMatch(/cannot feed itself/);
    expect(reason(ref("rotate"), input("decode"))).toMatch(/no loops/);
  });
  it("refuses arguments without wires and inputs that are not there", () => {
    expect(reason(ref("angle"), arg("rotate", "fill_value"))).toMatch(/takes no wire/);
    expect(reason(ref("angle"), arg("rotate", "nothing"))).toMatch(/no such argument/);
    expect(reason(ref("decode"), input("rotate", 1))).toMatch(/1 inputs at most/);
  });
  it("refuses data on the GPU for the CPU, with the way out", () => {
    const graph = {
      ...GRAPH,
      nodes: GRAPH.nodes.map((n) => (n.key === "decode" ? { ...n, device: "mixed" as const } : n)),
    };
    expect(reason(ref("decode"), input("rotate"), graph)).toMatch(/Set rotate to gpu, or put to_cpu between/);
    const down = { ...graph, nodes: [...graph.nodes, node("down", "to_cpu"), node("warped", "warp_affine")] };
    expect(reason(ref("decode"), input("down"), down)).toBe("");
    expect(reason(ref("decode"), input("warped"), down)).toMatch(/GPU\. Put to_cpu between/);
    const measured = { ...down, nodes: [...down.nodes, node("shapes", "shapes", { device: "gpu" })] };
    expect(reason(ref("decode"), input("shapes"), measured)).toBe("");
    expect(reason(ref("shapes"), arg("rotate", "angle"), measured)).toBe("");
  });
});

describe("isLikely", () => {
  it("offers arguments to numbers, not to pictures", () => {
    const rotate = INDEX.byName.get("rotate");
    if (!rotate) throw new Error("no rotate");
    expect(isLikely(rotate, arg("turn", "angle"), "scalar")).toBe(true);
    expect(isLikely(rotate, arg("turn", "angle"), "image")).toBe(false);
  });
});

describe("bestSlot", () => {
  it("takes the needed argument before others", () => {
    const graph = { ...GRAPH, nodes: [...GRAPH.nodes, node("turn", "rotate")] };
    expect(bestSlot(context(graph), ref("angle"), "turn")).toEqual(arg("turn", "angle"));
    expect(bestSlot(context(graph), ref("decode"), "turn")).toEqual(input("turn"));
  });
  it("replaces the only input", () => expect(bestSlot(context(), ref("decode"), "rotate")).toEqual(input("rotate")));
  it("never takes the place of a value or of a list by itself", () => {
    const set = node("turn", "rotate", { arguments: { angle: 5 } });
    const slot = bestSlot(context({ ...GRAPH, nodes: [...GRAPH.nodes, set] }), ref("angle"), "turn");
    expect(slot).toEqual({ reason: "Drop it on the row that it is for.", elsewhere: true });
  });
  it("offers no argument that another one says already", () => {
    const sizes = ["crop", "crop_w"].map((name) => argument(name, { tensor: true }));
    const cut = fillOperator({ name: "crop", class_name: "", category: "", summary: "", arguments: sizes });
    const names = (args: NodeView["arguments"]) =>
      slotsOf(node("cut", "crop", { arguments: args }), cut).flatMap((s) => ("argument" in s ? [s.argument] : []));
    expect(names({})).toEqual(["crop", "crop_w"]);
    expect(names({ crop: [9, 9] })).toEqual(["crop"]);
    expect(names({ crop_w: 9 })).toEqual(["crop_w"]);
  });
  it("fills the repetitions of the last input one after the other, and then has no free port", () => {
    const joined = (...inputs: ReturnType<typeof ref>[]) => {
      const graph = { ...GRAPH, nodes: [...GRAPH.nodes, node("cat", "cat", { inputs })] };
      return bestSlot(context(graph), ref("decode"), "cat");
    };
    expect(joined()).toEqual(input("cat", 0));
    expect(joined(ref("decode"))).toEqual(input("cat", 1));
    expect(joined(ref("decode"), ref("decode"))).toEqual(input("cat", 2));
    expect("reason" in joined(ref("decode"), ref("decode"), ref("decode"))).toBe(true);
  });
  it("never leads data to an argument by itself, though it may be wired there", () => {
    const wired = node("turn", "rotate", { inputs: [ref("decode")] });
    const graph = { ...GRAPH, nodes: [...GRAPH.nodes, wired] };
    expect(bestSlot(context(graph), ref("decode"), "turn")).toEqual(input("turn"));
    expect(reason(ref("decode"), arg("turn", "angle"), graph)).toBe("");
  });
  it("says what a card takes that has no row for a number", () => {
    const { reason: words, elsewhere } = bestSlot(context(), ref("angle"), "decode") as Refusal;
    expect(words).toMatch(/^decode takes encoded bytes here, and this wire carries numbers/);
    expect(elsewhere).toBeFalsy();
  });
  it("says why nothing fits", () => {
    const slot = bestSlot(context(), ref("reader"), "rotate");
    expect("reason" in slot && slot.reason).toBeTruthy();
  });
});

describe("repeated inputs", () => {
  const cat = INDEX.byName.get("cat");
  it("have a port for each wire and a free one, up to the most", () => {
    expect([0, 1, 2, 3].map((wired) => inputPorts(cat, wired))).toEqual([1, 2, 3, 3]);
    // the free one that the kernel tells of is not one more
    expect(wiredInputs({ ...node("cat", "cat"), inputs: [ref("decode"), null] })).toBe(1);
    expect([0, 1, 2].map((i) => inputName(cat, i))).toEqual(["parts 1", "parts 2", "parts 3"]);
    expect(inputOf(cat, 3)).toBeUndefined();
    const graph = { ...GRAPH, nodes: [...GRAPH.nodes, node("cat", "cat")] };
    expect(reason(ref("decode"), input("cat", 2), graph)).toBe("");
    expect(reason(ref("decode"), input("cat", 3), graph)).toMatch(/3 inputs at most/);
  });
});

describe("operators", () => {
  const rotate = INDEX.byName.get("rotate");
  it("are offered for a wire", () => {
    expect(rotate && operatorTakes(INDEX, rotate, "scalar")).toBe(true);
    expect(rotate && operatorTakes(INDEX, rotate, "encoded")).toBe(false);
  });
  it("are placed where their data is", () => {
    expect(rotate && deviceFor(rotate, node("x", "rotate", { device: "gpu" }))).toBe("gpu");
    expect(rotate && deviceFor(rotate, undefined)).toBe("cpu");
  });
});
