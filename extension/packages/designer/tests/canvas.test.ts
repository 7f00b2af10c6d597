import { describe, expect, it } from "vitest";
import { arranged } from "../src/core/arrange";
import { bypassEdits, canBypass } from "../src/core/bypass";
import { indexCatalog } from "../src/core/catalog";
import { cardLines } from "../src/core/codeLines";
import { applyEdits } from "../src/core/edits";
import { found } from "../src/core/find";
import { fixesFor } from "../src/core/fixes";
import { overlap } from "../src/core/freeSpot";
import { ancestors, nodeOf, wireOf, wiresOf } from "../src/core/graph";
import { Habits } from "../src/core/habits";
import {
  bandsOf,
  copiedTags,
  fixMarks,
  framesOf,
  groupMarks,
  isFixed,
  noteMarks,
  piecesOf,
  raised,
  renamedIn,
  tagMarks,
  tagOf,
  ungroupMarks,
} from "../src/core/marks";
import { pythonText } from "../src/core/python";
import { boxesAlong, type Rect } from "../src/core/route";
import { crossesPath, isLoose, moveEdits, spliceEdits, spliceStep, swapEdits } from "../src/core/splice";
import { INITIAL, type State, type View } from "../src/core/state";
import type { Edit, Group, OperatorSchema } from "../src/protocol/generated";
import { followed } from "../src/react/canvas/edges";
import { commandFor, keyName } from "../src/react/commands";
import { CATALOG, GRAPH, INDEX, node, ref } from "./fixtures";

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

  it("takes a wired card out of its place and into another wire, or says why not", () => {
    const turn = node("turn", "rotate", { inputs: [ref("rotate")] });
    const graph = { ...GRAPH, nodes: [...GRAPH.nodes, turn], outputs: [ref("turn")] };
    const chained = { ...context, graph };
    const chain = (edits: readonly Edit[] | string) => {
      if (typeof edits === "string") return edits;
      const made = applyEdits(graph, edits, INDEX);
      return [nodeOf(made, "turn")?.inputs[0]?.node, nodeOf(made, "rotate")?.inputs[0]?.node, made.outputs[0]?.node];
    };
    expect(chain(moveEdits(chained, "turn", intoRotate))).toEqual(["decode", "turn", "rotate"]);
    expect(moveEdits(chained, "rotate", intoRotate)).toEqual([]);
    for (const [key, behind] of [
      ["turn", false],
      ["rotate", true],
    ] as const) {
      expect(chain(swapEdits(chained, key, behind))).toEqual(["decode", "turn", "rotate"]);
    }
    expect(swapEdits(chained, "turn", true)).toBe("turn is at the end of its chain.");
    expect(chain(moveEdits(chained, "reader", wire("rotate|in|0")))).toMatch("does not pass one thing on");
  });
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

describe("fixes of refused wires", () => {
  const at = { x: 0, y: 0 };
  const gpu = {
    ...GRAPH,
    nodes: GRAPH.nodes.map((n) => (n.key === "decode" ? { ...n, device: "mixed" as const } : n)),
  };

  it("move the reader of the wire, or copy", () => {
    const fixes = fixesFor({ ...context, graph: gpu }, ref("decode"), { kind: "input", node: "rotate", input: 0 }, at);
    expect(fixes.map((f) => f.title)).toEqual(["Set rotate to gpu", "Put to_cpu between"]);
    for (const fix of fixes) {
      const after = applyEdits(gpu, fix.edits, INDEX);
      expect(nodeOf(after, "rotate")?.inputs[0]).toBeTruthy();
    }
  });
  it("decode encoded bytes", () => {
    const [fix] = fixesFor(context, ref("reader"), { kind: "input", node: "rotate", input: 0 }, at);
    expect(fix?.title).toBe("Put decoders.image between");
    const [key = ""] = Object.keys(fix?.positions ?? {});
    expect(nodeOf(applyEdits(GRAPH, fix?.edits ?? [], INDEX), "rotate")?.inputs).toEqual([ref(key)]);
    const [image] = CATALOG.operators.filter((o) => o.name === "decoders.image");
    const sound = { ...image, name: "decoders.audio", outputs: [{ name: "sounds", kind: "audio" }] } as OperatorSchema;
    const catalog = indexCatalog({ ...CATALOG, operators: [sound, ...CATALOG.operators] });
    const titles = fixesFor({ ...context, catalog }, ref("reader"), { kind: "input", node: "rotate", input: 0 }, at);
    expect(titles.map((f) => f.title)).toEqual(["Put decoders.image between", "Put decoders.audio between"]);
  });
  it("are not offered for what nothing mends, or what is allowed", () => {
    expect(fixesFor(context, ref("rotate"), { kind: "input", node: "decode", input: 0 }, at)).toEqual([]);
    expect(fixesFor(context, ref("decode"), { kind: "input", node: "rotate", input: 0 }, at)).toEqual([]);
  });
});

describe("marks", () => {
  it("group what is selected, and let it go again", () => {
    const chosen = { ...state(), view: { ...INITIAL.view, selection: ["rotate", "decode"] } };
    const marks = groupMarks(chosen) as Record<string, Group>;
    expect(marks.group1).toMatchObject({ type: "group", keys: ["rotate", "decode"] });
    const grouped = { ...chosen, marks };
    expect(ungroupMarks({ ...grouped, view: { ...chosen.view, selection: ["rotate"] } })).toEqual({
      group1: { ...marks.group1, keys: ["decode"] },
    });
    expect(ungroupMarks(grouped)).toEqual({ group1: null });
    expect(renamedIn(marks, "rotate", "turn").group1).toMatchObject({ keys: ["turn", "decode"] });
  });
  it("frame the cards that are there", () => {
    const cards = new Map([["a", { x: 10, y: 20, width: 30, height: 40 }]]);
    const plain = { subgraph: false, collapsed: false, exposed: [], about: "" } as const;
    const group = { type: "group", keys: ["a", "gone"], title: "", hue: "slate", ...plain } as const;
    expect(framesOf(group, cards)).toEqual([{ x: -2, y: -6, width: 54, height: 78, covered: 0 }]);
    expect(framesOf({ ...group, keys: ["gone"] }, cards)).toEqual([]);
  });
  it("frame no card that is not theirs", () => {
    const at = (x: number, y: number) => ({ x, y, width: 148, height: 150 });
    const [a, b, beside] = [at(0, 200), at(184, 0), at(0, 0)];
    const group: Group = {
      type: "group",
      keys: ["a", "b"],
      title: "",
      hue: "slate",
      subgraph: true,
      collapsed: false,
      exposed: [],
      about: "",
    };
    const framed = (cards: Record<string, Rect>) => framesOf(group, new Map(Object.entries(cards)));
    expect(framed({ a, b })).toHaveLength(1);
    const parts = framed({ a, b, beside });
    expect(parts).toMatchObject([
      { x: 172, y: -26 },
      { x: -12, y: 188 },
    ]);
    // only what is below the title is higher for wires
    const around = new Map(Object.entries({ a, b, beside }));
    const heights = raised(around, { group1: group }).map(({ y }) => y);
    expect(heights.map((y, i) => ([...around.values()][i]?.y ?? 0) - y)).toEqual([0, 26, 0]);
    // joined from the left to the right, and not behind a card that is not theirs
    expect(bandsOf(parts, [beside])).toEqual([expect.stringMatching(/^M154 275.*L178 68$/)]);
    const row = [at(0, 0), at(368, 0)];
    const between = at(184, 0);
    const [band = ""] = bandsOf(row, [between]);
    expect(boxesAlong(band).some((box) => overlap(box, between) > 0)).toBe(false);
    // straight down where one is below another, unless something is between; those that meet need none
    expect(bandsOf([...row, at(368, 300)], [between])[1]).toBe("M442 144v162");
    expect(bandsOf([at(0, 0), at(0, 300)], [at(0, 160)])[0]).not.toMatch(/^M\d+ \d+v\d+$/);
    expect(bandsOf([at(0, 0), at(100, 140)], [])).toEqual([]);
  });
  it("have their title where it has room, on the widest part", () => {
    const at = (x: number, y: number) => ({ x, y, width: 148, height: 150 });
    const group = { type: "group", title: "", hue: "slate", subgraph: false, collapsed: false, exposed: [], about: "" };
    const cards = new Map([
      ["a", at(0, 300)],
      ["b", at(500, 300)],
      ["c", at(684, 300)],
      ["d", at(1000, 300)],
      ["e", at(1184, 300)],
      ["between", at(250, 300)],
      ["above", at(500, 140)],
      ["right", at(850, 300)],
    ]);
    const parts = framesOf({ ...group, keys: ["a", "b", "c", "d", "e"] } as Group, cards);
    expect(parts.map(({ x }) => x)).toEqual([988, -12, 488]);
  });
  it("put a note beside a card, not behind it", () => {
    const at = { x: 100, y: 100 };
    const noteAt = (cards: Parameters<typeof noteMarks>[2]) => Object.values(noteMarks(INITIAL, at, cards))[0];
    expect(noteAt([])).toMatchObject(at);
    const card = { x: 150, y: 120, width: 148, height: 171 };
    const { x, y } = noteAt([card]) as { x: number; y: number };
    const low = Object.values(noteMarks(INITIAL, at, [], { x: 900, y: 150 }))[0] as { x: number; y: number };
    expect([low.x, low.y + 90 < 150]).toEqual([at.x, true]);
    expect(x + 180 <= card.x || y + 90 <= card.y || y >= card.y + card.height || x >= card.x + card.width).toBe(true);
  });
  it("write notes in plain, bold and code, and nothing else", () => {
    expect(piecesOf("a **b** `c` <i>d</i>")).toEqual(["a ", ["b", "b"], " ", ["code", "c"], " <i>d</i>"]);
    expect(piecesOf("`f(**a, **b)` reads a/**/b/**/c")).toEqual(["", ["code", "f(**a, **b)"], " reads a/**/b/**/c"]);
  });
});

describe("cards in line", () => {
  const places = {
    a: { x: 0, y: 5, width: 10, height: 10 },
    b: { x: 40, y: 0, width: 10, height: 20 },
    c: { x: 15, y: 9, width: 20, height: 10 },
  };
  it("gives the selected nodes the next colour, or none", () => {
    const view = { ...INITIAL.view, selection: ["decode", "rotate"] };
    const state: State = { ...INITIAL, graph: GRAPH, view };
    const first = tagMarks(state);
    expect(Object.values(first)).toEqual(["decode", "rotate"].map((key) => ({ type: "tag", node: key, hue: "blue" })));
    const marked: State = { ...state, marks: first as State["marks"] };
    expect(tagOf(marked, "rotate")?.[1].hue).toBe("blue");
    expect(Object.values(tagMarks(marked)).map((mark) => mark && "hue" in mark && mark.hue)).toEqual(["teal", "teal"]);
    expect(tagMarks(marked, true)).toEqual({ tag1: null, tag2: null });
    // a copy has that of its node, under a name of its own
    const tag = { type: "tag", node: "rotate", hue: "blue" } as const;
    expect(copiedTags(marked, [tag], new Map([["rotate", "rotate_2"]]))).toEqual({
      tag3: { ...tag, node: "rotate_2" },
    });
  });
  it("pins the places of the selected cards, or no longer", () => {
    const view = { ...INITIAL.view, selection: ["decode", "rotate"] };
    const state: State = { ...INITIAL, graph: GRAPH, view };
    const one: State = { ...state, marks: { fixed1: { type: "fixed", node: "rotate" } } };
    expect(Object.keys(fixMarks(one)).sort()).toEqual(["fixed1", "fixed2"]);
    const all: State = { ...state, marks: { ...one.marks, ...fixMarks(one) } as State["marks"] };
    expect([isFixed(all, "decode"), isFixed(all, "reader")]).toEqual([true, false]);
    expect(fixMarks(all)).toEqual({ fixed1: null, fixed2: null });
  });
  it("aligns edges and middles", () => {
    expect(Object.values(arranged(places, "left")).map((p) => p.x)).toEqual([0, 0, 0]);
    expect(arranged(places, "right").c?.x).toBe(30);
    expect(arranged(places, "middle").b?.y).toBe(0);
  });
  it("keeps what would lie on each other apart", () => {
    const card = (x: number) => ({ x, y: 5, width: 20, height: 30 });
    expect(arranged({ one: card(0), two: card(50), three: card(100) }, "left")).toEqual({
      one: { x: 0, y: 5 },
      two: { x: 0, y: 51 },
      three: { x: 0, y: 97 },
    });
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

describe("wires that stand out", () => {
  const own = (view: Partial<View>) => [...followed({ ...state(), view: { ...INITIAL.view, ...view } })].sort();
  it("are those that are pointed at, else what is selected", () => {
    const all = wiresOf(GRAPH).map((w) => w.id);
    const ofRotate = all.filter((id) => id.startsWith("rotate|") || wireOf(GRAPH, id)?.source.node === "rotate").sort();
    expect(own({})).toEqual([]);
    expect(ofRotate.length).toBeLessThan(all.length);
    expect(own({ selection: ["rotate"] })).toEqual(ofRotate);
    expect(own({ selection: ["rotate"], traced: all.slice(0, 1) })).toEqual(all.slice(0, 1));
    expect(own({ wires: all.slice(1, 2) })).toEqual(all.slice(1, 2));
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
  it("writes the coin and the condition of a probability", () => {
    const coin = node("coin", "random.coin_flip", { arguments: { probability: 0.4 } });
    const parts = [coin, node("split", "split"), node("merge", "merge")];
    const graph = {
      ...GRAPH,
      nodes: GRAPH.nodes.map((n) => (n.key === "rotate" ? { ...n, chance: 0.4, coin: "coin", parts } : n)),
    };
    const calls = pythonText({ ...state(), graph }, ["rotate"]).split("\n");
    expect(calls.slice(0, 3)).toEqual(["coin = fn.random.coin_flip(probability=0.4)", "rotate = decode", "if coin:"]);
    expect(calls[3]).toMatch(/^ {4}rotate = fn\.rotate\(decode, .*angle=angle\)/);
    // as the code pane has it
    const lines = { decode: [3], angle: [6], coin: [4], split: [5], rotate: [7], merge: [5], last: [8] };
    const text = [
      "def p():",
      "",
      "",
      "    coin = x",
      "    if coin:",
      "        angle = u",
      "        image = rotate",
      "    y = last",
    ];
    expect(text.filter((_, i) => cardLines(graph, lines, "rotate").includes(i + 1))).toEqual([
      "    coin = x",
      "    if coin:",
      "        image = rotate",
    ]);
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
    const begin = new Habits(null).weight({ ...GRAPH, nodes: [] }, null);
    expect(begin("readers.file")).toBeGreaterThan(begin("readers.coco"));
    expect(begin("experimental.readers.fits")).toBeLessThan(begin("readers.numpy"));
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
