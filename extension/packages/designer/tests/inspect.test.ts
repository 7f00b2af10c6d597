import { describe, expect, it } from "vitest";
import { type Argument, argumentOf, isSaid } from "../src/core/catalog";
import { isCrowded } from "../src/core/drawer";
import { nodeOf, SPLIT } from "../src/core/graph";
import { receive } from "../src/core/reduce";
import { argumentRows, cardShape, findings, scalarOf, staleKeys, waysOf } from "../src/core/select";
import type { Preview } from "../src/core/state";
import { INITIAL, type State } from "../src/core/state";
import { statusMessage } from "../src/core/statusMessage";
import { parseMany, parseOne, rangeSpan, sliderSpan, sliderStep, snap } from "../src/core/validate";
import type { Diagnostic, KernelMessage, NodeView, PreviewBody } from "../src/protocol/generated";
import { tint } from "../src/react/tint";
import { pictured } from "../src/react/useEffectPictures";
import { finished, GRAPH, INDEX, node, OPENED, previews, revision, timing } from "./fixtures";

const fold = (...messages: KernelMessage[]): State => messages.reduce(receive, INITIAL);
const failed: Diagnostic = { code: "DS301", message: "The file is cut off.", node: "decode", sample: 2 };

function argument(rest: Partial<Argument> = {}): Argument {
  const found = argumentOf(INDEX.byName.get("rotate"), "fill_value");
  if (!found) throw new Error("the fixture has no fill_value");
  return { ...found, ...rest };
}

describe("an `if` within a branch", () => {
  it("counts the samples that come to it", () => {
    const split = node("split", SPLIT, { argument_inputs: { predicate: { node: "reader", output: 1 } } });
    const values = { body: { type: "values", values: [1, null, 0, 1], text: "1" } } as unknown as Preview;
    const state: State = { ...INITIAL, previews: { "reader#1": values } };
    expect(waysOf(state, split).rows).toEqual(["2 of 3", "1 of 3"]);
    expect([0, 1, 2].map((sample) => scalarOf(values, sample))).toEqual([1, undefined, 0]);
  });
});

describe("an argument that says what another one does", () => {
  it("is known by what is given", () => {
    const said = (name: string, ...given: string[]) => isSaid(name, new Set(given));
    expect(["resize_x", "size", "resize_longer"].map((name) => said(name, "resize_shorter"))).toEqual([
      true,
      true,
      true,
    ]);
    expect(said("resize_y", "resize_x")).toBe(false);
    expect(said("crop_h", "crop")).toBe(true);
    expect(said("crop_pos_x", "crop")).toBe(false);
    expect(said("crop", "size")).toBe(false);
  });
});

describe("what is typed", () => {
  it("is held against the hard range", () => {
    expect(parseOne(argument(), "12,5")).toEqual({ ok: true, value: 12.5 });
    expect(parseOne(argument(), "300")).toEqual({ ok: false, reason: "fill_value is from 0 to 255." });
    expect(parseOne(argument({ maximum: null }), "-1")).toEqual({ ok: false, reason: "fill_value is 0 or more." });
    expect(parseOne(argument({ type: "int" }), "1.5").ok).toBe(false);
    expect(parseOne(argument(), "x").ok).toBe(false);
  });
  it("has the right count", () => {
    expect(parseMany(argument({ length: [2] }), ["1", "2"])).toEqual({ ok: true, value: [1, 2] });
    expect(parseMany(argument({ length: [2, 3] }), ["1"])).toEqual({
      ok: false,
      reason: "fill_value takes 2 or 3 numbers.",
    });
  });
  it("widens the slider when it lies outside of the handy interval", () => {
    expect(sliderSpan(argument({ span: [0, 10] }), 40)).toEqual([0, 40]);
    const dial = argument({ widget: "dial", span: [-180, 180] });
    expect([sliderSpan(dial, 10), sliderSpan(dial, 90)]).toEqual([
      [-60, 60],
      [-180, 180],
    ]);
    expect(sliderStep(dial, -60, 60)).toBe(1);
    expect(sliderStep(argument(), 0, 255)).toBe(1);
    expect(sliderStep(argument(), 0, 1)).toBe(0.01);
    expect(snap(0.30000000000000004, 0.01)).toBe(0.3);
  });
  it("gives two knobs room where they would lie on one another", () => {
    const wide = argument({ span: [-180, 180] });
    expect(rangeSpan(wide, -30, 30)).toEqual([-180, 180]);
    expect(rangeSpan(wide, -1, 1)).toEqual([-5, 5]);
    expect(rangeSpan(wide, -10, 10)).toEqual([-50, 50]);
    expect(rangeSpan(wide, 5, 5)).toEqual([-180, 180]);
    expect(rangeSpan(wide, -1, 200)).toEqual([-180, 200]);
    expect(rangeSpan(argument({ span: [0, 1] }), 0.01, 0.02)).toEqual([0, 0.04]);
  });
});

describe("cards", () => {
  const rotate = nodeOf(GRAPH, "rotate");
  it("show wired arguments and the most telling value", () => {
    if (!rotate) throw new Error("the fixture has no rotate");
    const set = { ...rotate, arguments: { fill_value: 7, axis: [1, 0, 0] } };
    expect(argumentRows(set, INDEX.byName.get("rotate")).map((r) => r.name)).toEqual(["angle", "axis"]);
  });
  it("show the same value whichever was set last", () => {
    const known = INDEX.byName.get("rotate");
    if (!known) throw new Error("the fixture has no rotate");
    const equal = { ...known, arguments: known.arguments.map((a) => ({ ...a, common: false, required: false })) };
    const names = (set: NodeView["arguments"]) =>
      argumentRows({ ...node("a", "rotate"), arguments: set }, equal).map((r) => r.name);
    expect(names({ angle: 1, axis: [1, 0, 0] })).toEqual(["angle"]);
    expect(names({ axis: [1, 0, 0], angle: 1 })).toEqual(["angle"]);
  });
  it("have a shape before their first preview", () => {
    expect(cardShape(node("a", "readers.file"), undefined)).toBe("tall");
    expect(cardShape(node("a", "random.uniform"), undefined)).toBe("short");
    expect(cardShape(node("a", "rotate"), undefined)).toBe("tall");
    const any = (rank: number | null) => node("a", "rotate", { output_kinds: ["any"], output_ranks: [rank] });
    expect([0, 1, 2, null].map((rank) => cardShape(any(rank), undefined))).toEqual(["short", "short", "tall", "tall"]);
    expect(cardShape(node("a", "random.uniform", { output_ranks: [2] }), undefined)).toBe("tall");
    const shown = (body: PreviewBody) => cardShape(node("a", "cat"), { body } as Preview);
    expect(shown({ type: "table", rows: [["1", "2"]] })).toBe("short");
    expect(shown({ type: "table", rows: [["1"], ["2"]] })).toBe("tall");
    expect(shown({ type: "boxes", over: "decode", count: 0, boxes: [], labels: [], colours: [], outside: 0 })).toBe(
      "tall",
    );
  });
  it("of a failure and below it are stale", () => {
    const state = fold(OPENED, revision(1, GRAPH, { diagnostics: [failed] }));
    expect([...staleKeys(state)]).toEqual(["decode", "rotate"]);
  });
  it("of a node that was edited since it was pinned and below it are stale", () => {
    const nodes = GRAPH.nodes.map((n) => (n.key === "decode" ? { ...n, pin: "here" as const, pin_old: true } : n));
    expect([...staleKeys(fold(OPENED, revision(1, { ...GRAPH, nodes })))]).toEqual(["decode", "rotate"]);
  });
});

describe("the sentence", () => {
  const run = finished([
    timing("decode", { milliseconds: 8.2, share: 0.82 }),
    timing("rotate", { milliseconds: 1.8, share: 0.18 }),
  ]);
  it("names the slowest node after a run", () => {
    expect(statusMessage(fold(OPENED, revision(1), run))).toMatchObject({
      lead: "Decode sets the pace:",
      rest: "82 % of the work.",
      more: "8.20 ms over all threads in the median batch.",
      action: "show",
      node: "decode",
    });
  });
  it("offers to show no node that is selected", () => {
    const state = fold(OPENED, revision(1), run);
    expect(statusMessage({ ...state, view: { ...state.view, selection: ["decode"] } })).toBeNull();
  });
  it("says nothing of the pace above pictures that are compared", () => {
    const state = fold(OPENED, revision(1), run);
    const comparison = { a: { port: { node: "decode", output: 0 }, steps: 0 } };
    expect(statusMessage({ ...state, view: { ...state.view, comparison } })).toBeNull();
  });
  it("leaves the pace to the timeline that is open", () => {
    const advice = { name: "decode", node: "decode", lead: "", proof: "", offer: "", measurable: false };
    const state = fold(OPENED, revision(1), { ...run, advice: [advice] });
    expect(statusMessage(state)).not.toBeNull();
    expect(statusMessage({ ...state, view: { ...state.view, drawer: "timeline" } })).toBeNull();
  });
  it("tells the advice that can be tried, as the timeline does", () => {
    const said = { name: "threads", node: "", lead: "the CPU's threads set the pace:", proof: "1 of 2 cores work." };
    const advice = [
      { ...said, name: "decode", measurable: false },
      { ...said, measurable: true },
    ];
    const state = fold(OPENED, revision(1), { ...run, advice: advice.map((a) => ({ ...a, offer: "" })) });
    const told = { lead: "The CPU's threads set the pace:", rest: said.proof, action: "try", advice: "threads" };
    expect(statusMessage(state)).toMatchObject(told);
  });
  it("is about the error first, once", () => {
    const state = fold(OPENED, revision(1, GRAPH, { diagnostics: [failed] }), { ...run, failed: [failed] });
    expect(findings(state)).toHaveLength(1);
    expect(statusMessage(state)).toMatchObject({ tone: "error", lead: "Stopped at decode.", node: "decode" });
  });
  it("is about an error after what answers the last try: a fix of a refused wire, or why nothing was done", () => {
    const state = fold(OPENED, revision(1, GRAPH, { diagnostics: [failed], can_undo: true }));
    const said = (notice: State["view"]["notice"]) => statusMessage({ ...state, view: { ...state.view, notice } });
    const fix = { title: "Put to_cpu between", edits: [], positions: {} };
    expect(said({ text: "rotate runs on the CPU.", node: "rotate", fix })?.fix).toBe(fix);
    expect(said({ text: "Outputs stay.", node: "__outputs__" })?.lead).toBe("Outputs stay.");
    // what was done, with its [Undo], waits
    expect(said({ text: "decode was kept.", node: "rotate" })?.tone).toBe("error");
  });
  it("forgets a failure of a picture when an earlier node fails", () => {
    const reader: Diagnostic = { code: "DS302", message: "The folder is empty.", node: "reader" };
    const broken = fold(OPENED, revision(1), previews({ failed: [failed] }));
    expect(findings(broken)).toEqual([failed]);
    expect(findings(receive(broken, previews({ failed: [reader] })))).toEqual([reader]);
    expect(findings(receive(broken, revision(2, GRAPH, { diagnostics: [reader] })))).toEqual([reader]);
  });
  it("forgets what stopped a run, and what set its pace, once the graph is changed", () => {
    const stopped: KernelMessage = { ...run, failed: [failed] };
    expect(findings(fold(OPENED, revision(1), stopped))).toEqual([failed]);
    expect(findings(fold(OPENED, revision(1), stopped, revision(2)))).toEqual([]);
    expect(statusMessage(fold(OPENED, revision(1), run, revision(2)))).toBeNull();
    expect(statusMessage(fold(OPENED, revision(1), { ...run, note: "All on the CPU." }))?.muted).toBe(
      "All on the CPU.",
    );
  });
  it("leaves to the editor of a code node what it says of its text", () => {
    const refused: KernelMessage = { type: "refused", diagnostics: [{ code: "DS502", message: "A syntax error." }] };
    const state = { ...fold(OPENED, revision(1), refused), written: { rotate: "def" } };
    const said = (chosen: string) => statusMessage({ ...state, view: { ...state.view, selection: [chosen] } });
    expect(said("decode")?.rest).toBe("A syntax error.");
    expect(said("rotate")).toBeNull();
  });
  it("drops a refused save when a later one succeeds", () => {
    const refused: KernelMessage = { type: "refused", diagnostics: [{ code: "DS302", message: "It is read-only." }] };
    const state = fold(OPENED, revision(1), refused);
    expect(statusMessage(state)?.rest).toBe("It is read-only.");
    expect(statusMessage(receive(state, { type: "saved", path: "a.dali.json", what: "document" }))).toBeNull();
  });
  it("does not say the node's name twice", () => {
    const missing: Diagnostic = { code: "DS201", message: "rotate needs its input.", node: "rotate" };
    expect(statusMessage(fold(OPENED, revision(1, GRAPH, { diagnostics: [missing] })))).toMatchObject({
      lead: "Rotate needs its input.",
      rest: "",
    });
  });
  it("stays closed when it was closed", () => {
    const state = fold(OPENED, revision(1), run);
    const id = statusMessage(state)?.id ?? "";
    expect(statusMessage({ ...state, view: { ...state.view, dismissed: [id] } })).toBeNull();
  });
  it("offers to return the last node when nothing is returned", () => {
    const bare = { ...GRAPH, outputs: [] };
    const diagnostics: Diagnostic[] = [{ code: "DS205", message: "The pipeline returns nothing." }];
    expect(statusMessage(fold(OPENED, revision(1, bare, { diagnostics })))).toMatchObject({
      action: null,
      fix: { title: "Return rotate", edits: [{ type: "set_outputs", outputs: [{ node: "rotate", output: 0 }] }] },
    });
    const numbersLast = { ...bare, nodes: [...bare.nodes, node("coin", "random.coin_flip")] };
    expect(statusMessage(fold(OPENED, revision(1, numbersLast, { diagnostics })))?.fix?.title).toBe("Return rotate");
    for (const nodes of [[], bare.nodes.slice(0, 1)])
      expect(statusMessage(fold(OPENED, revision(1, { ...bare, nodes }, { diagnostics })))).toBeNull();
  });
  it("says when there is no GPU and it matters", () => {
    const gpu = { ...GRAPH, nodes: GRAPH.nodes.map((n) => ({ ...n, device: "gpu" as const })) };
    const options = { ...revision(1).options, device_id: 0 };
    const said = (graph = GRAPH, rest = {}) =>
      statusMessage(fold({ ...OPENED, gpu: "No driver." }, revision(1, graph, rest)));
    expect(said(gpu, { options })?.lead).toBe("No GPU here.");
    expect(said(GRAPH, { options })).toBeNull();
    // a finding tells that the pipeline has none
    expect(said(gpu)).toBeNull();
  });
});

describe("edits of a kernel that is gone", () => {
  it("are offered before anything else is said", () => {
    const found = statusMessage(fold(OPENED, revision(1, GRAPH, { waiting: "22 November 2026, 12:00" })));
    expect(found).toMatchObject({ action: "restore", lead: "Unsaved edits are kept:", muted: "" });
    const later = { waiting: "22 November 2026, 12:00", can_undo: true };
    expect(statusMessage(fold(OPENED, revision(2, GRAPH, later)))?.muted).toBe("They take the place of this graph.");
  });
});

describe("a long wait for images", () => {
  const waiting = fold(OPENED, revision(1), { type: "progress", doing: "decode, 2 of 5", seconds: 3 });

  it("says what is computed and for how long, until the images are there", () => {
    expect(statusMessage(waiting)).toMatchObject({ tone: "info", rest: "decode, 2 of 5,", muted: "3 s" });
    expect(statusMessage(receive(waiting, { type: "progress", doing: "", seconds: 0 }))).toBeNull();
  });
});

describe("tint", () => {
  it("keeps the text and knows the parts", () => {
    const line = '    x = fn.rotate(y, angle=17.5, name="a # b")  # turn';
    const pieces = tint(line);
    expect(pieces.map((p) => p.text).join("")).toBe(line);
    expect(pieces.filter((p) => p.tint).map((p) => [p.text, p.tint])).toEqual([
      ["rotate", "call"],
      ["17.5", "number"],
      ['"a # b"', "string"],
      ["# turn", "comment"],
    ]);
  });
});

describe("the picture that operators are shown on", () => {
  it("is that of the selected node, if a tile does not enlarge it more than twice", () => {
    const shown = (key: string, facts: string) => ({ [`${key}#0`]: { facts, atlas_width: 40 } as Preview });
    const state = (facts: string): State => ({
      ...fold(OPENED, revision(1)),
      previews: { ...shown("rotate", facts), ...shown("decode", "300×451×3 u8") },
      view: { ...INITIAL.view, selection: ["rotate"] },
    });
    expect(pictured(state("67×50×3 u8"))?.node).toBe("rotate");
    expect(pictured(state("32×48×3 u8"))?.node).toBe("decode");
    expect(pictured({ ...state("67×50×3 u8"), previews: {} })).toBeNull(); // no operator is shown on what has no picture
  });
});

describe("an open gallery", () => {
  it("takes the inspector's place where there is no room for both", () => {
    const state = { ...INITIAL, view: { ...INITIAL.view, palette: true } };
    expect(["wide", "medium", "narrow", "slim"].map((breadth) => isCrowded(state, breadth))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});
