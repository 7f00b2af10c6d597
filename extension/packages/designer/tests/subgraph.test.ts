import { describe, expect, it } from "vitest";
import { overlap } from "../src/core/freeSpot";
import { wiresOf } from "../src/core/graph";
import { insideKeys, joinedMarks, pathOf } from "../src/core/inside";
import { framesOf, groupMarks, ungroupMarks } from "../src/core/marks";
import { INITIAL, type State } from "../src/core/state";
import {
  boxesOf,
  cardOf,
  collapseMarks,
  contracted,
  costOf,
  endsOf,
  expandedBox,
  exposeMarks,
  isDense,
  isHidden,
  keysOfCard,
  labelOf,
  listedIn,
  movedNodes,
  offeredOf,
  outsideOf,
  placeOf,
  pushed,
  selectedBox,
  shownCards,
  subgraphOf,
} from "../src/core/subgraph";
import type { Group, Mark, NodeView } from "../src/protocol/generated";
import { refOfHandle, slotOfHandle } from "../src/react/canvas/drag";
import { rectsOf } from "../src/react/canvas/sizes";
import { finished, GRAPH as graph, node, ref, timing } from "./fixtures";

const KEYS = ["rotate", "angle"];
const POSITIONS = Object.fromEntries(graph.nodes.map((n, i) => [n.key, { x: 20 + 184 * i, y: 14 + 10 * i }]));

function stateWith(marks: Readonly<Record<string, Mark>>, selection: readonly string[] = []): State {
  return { ...INITIAL, graph, marks, positions: POSITIONS, view: { ...INITIAL.view, selection } };
}

function collapsed(): State {
  const start = stateWith({}, KEYS);
  return stateWith(collapseMarks(start, groupMarks) as Record<string, Mark>, KEYS);
}

describe("subgraphs", () => {
  it("make one card of several", () => {
    const state = collapsed();
    const [box] = boxesOf(state).values();
    expect(box?.nodes.map((n) => n.key).sort()).toEqual([...KEYS].sort());
    expect(shownCards(state)).toHaveLength(graph.nodes.length - KEYS.length + 2);
    expect(KEYS.map((k) => cardOf(state, k))).toEqual(KEYS.map(() => box?.id));
    expect(selectedBox(state)).toBe(box);
    expect(selectedBox({ ...state, view: { ...state.view, selection: ["rotate"] } })).toBeUndefined();
  });

  it("are known expanded where all of their own nodes are selected", () => {
    const state = collapsed();
    const [[name = "", mark] = []] = Object.entries(state.marks);
    const marks = { [name]: { ...(mark as Group), collapsed: false } };
    const chosen = (...selection: string[]) => expandedBox(stateWith(marks, selection))?.name;
    expect(chosen(...KEYS)).toBe(name);
    expect(chosen("rotate", "decode")).toBeUndefined();
    expect(chosen("rotate")).toBeUndefined();
    expect(expandedBox(state)).toBeNull();
    // a coin that applies it need not be selected
    const keys = [...KEYS, "decode"];
    const tossed = { ...stateWith({ [name]: { ...(mark as Group), collapsed: false, keys } }, KEYS) };
    expect(expandedBox(tossed)).toBeNull();
    const confirmed = { coins: { [name]: "decode" } } as unknown as State["confirmed"];
    expect(expandedBox({ ...tossed, confirmed })?.name).toBe(name);
  });

  it("cost what all of their nodes do, of which those that were measured together count once", () => {
    const state = stateWith({}, ["decode", ...KEYS]);
    const marks = collapseMarks(state, groupMarks) as Record<string, Mark>;
    const timings = [
      timing("reader", { milliseconds: 1, share: 0.1 }),
      timing("decode", { milliseconds: 6, share: 0.6 }),
      timing("angle", { milliseconds: 3, share: 0.3, group: ["angle", "rotate"] }),
    ];
    const run = { ...INITIAL.run, finished: finished(timings) };
    const [box] = boxesOf({ ...state, marks }).values();
    const cost = box && costOf({ ...state, marks, run, link: "live" }, box);
    expect(cost?.milliseconds).toBe(9);
    expect(cost?.share).toBeCloseTo(0.9);
    expect(box && costOf({ ...state, marks, link: "live" }, box)).toBeUndefined();
  });

  it("show the last picture that is used outside", () => {
    const marks: Record<string, Mark> = { box: { ...(Object.values(collapsed().marks)[0] as Group), keys: KEYS } };
    const ends = ["angle", "rotate", "decode"].map((key) => ref(key));
    const boxed = (outputs: typeof ends, keys: readonly string[]) =>
      [
        ...boxesOf({ ...stateWith({ box: { ...(marks.box as Group), keys } }), graph: { ...graph, outputs } }).values(),
      ][0];
    expect(boxed(ends, ["decode", "rotate", "angle"])?.exits.map((e) => e.node)).toEqual(["rotate", "angle", "decode"]);
    expect(boxed([ref("decode"), ref("angle")], ["decode", "angle"])?.exits[0]?.node).toBe("decode");
  });

  it("offer what their random numbers are drawn from, and list these first", () => {
    const [box] = boxesOf(collapsed()).values();
    if (!box) throw new Error("no box");
    const inner = ["coin", "shift", "pixels"].map((key) =>
      node(key, key === "pixels" ? "rotate" : "random.uniform", { arguments: { range: [0, 1], shape: [2] } }),
    );
    const drawing = {
      ...box,
      nodes: inner,
      group: { ...box.group, exposed: [["shift", "range"]] as const },
    };
    expect(offeredOf(drawing, "coin")).toEqual([["shift", "range"]]);
    expect(offeredOf(drawing)).toEqual([
      ["shift", "range"],
      ["coin", "range"],
    ]);
    expect(inner.map((one) => labelOf(one, "range"))).toEqual(["coin", "shift", "range"]);
    const nodes = [node("constant", "constant"), ...drawing.nodes];
    expect(listedIn({ ...drawing, nodes }, "coin")).toEqual(listedIn(drawing, "coin"));
    expect(listedIn(drawing, "coin").map((one) => one.key)[0]).toBe("shift");
  });

  it("name the node within at the ends of wires, and hide the wires inside", () => {
    const state = collapsed();
    const [box] = boxesOf(state).values();
    const outer = wiresOf(graph).filter((w) => !isHidden(state, w));
    expect(outer.length).toBeLessThan(wiresOf(graph).length);
    for (const wire of outer) {
      const ends = endsOf(state, wire, (slot) => (slot.kind === "input" ? `in:${slot.input}` : "arg:x"));
      if (ends.source === box?.id) expect(refOfHandle(ends.source, ends.sourceHandle)).toEqual(wire.source);
      if (ends.target === box?.id) expect(slotOfHandle(ends.target, ends.targetHandle)?.node).toBe(wire.slot.node);
    }
  });

  it("push what they are put on out of the way", () => {
    const under = collapsed();
    const [box] = boxesOf(under).values();
    const at = placeOf(under, box?.id ?? "") ?? { x: 0, y: 0 };
    const state = { ...under, positions: { ...under.positions, decode: at } };
    const sizes = new Map(shownCards(state).map((id) => [id, { width: 100, height: 100 }]));
    const moved = pushed(state, [box?.id ?? ""], [], sizes).decode;
    expect(moved && (Math.abs(moved.x - at.x) >= 100 || Math.abs(moved.y - at.y) >= 100)).toBe(true);
  });

  it("move with all of their nodes", () => {
    const state = collapsed();
    const [box] = boxesOf(state).values();
    const at = placeOf(state, box?.id ?? "") ?? { x: 0, y: 0 };
    const moved = movedNodes(state, { [box?.id ?? ""]: { x: at.x + 100, y: at.y - 5 } });
    for (const key of KEYS)
      expect(moved[key]).toEqual({ x: (POSITIONS[key]?.x ?? 0) + 100, y: (POSITIONS[key]?.y ?? 0) - 5 });
    expect(keysOfCard(state, "decode")).toEqual(["decode"]);
  });

  it("are one node of the graph that is laid out", () => {
    const state = collapsed();
    const small = contracted(state, graph);
    const keys = new Set(small.nodes.map((n) => n.key));
    expect(small.nodes).toHaveLength(graph.nodes.length - KEYS.length + 1);
    for (const { source, slot } of wiresOf(small)) {
      expect(keys.has(source.node)).toBe(true);
      expect(slot.kind === "output" || keys.has(slot.node)).toBe(true);
    }
  });

  it("expand, stay functions, and show what is chosen", () => {
    const state = collapsed();
    const [name = "", mark] = Object.entries(state.marks)[0] ?? [];
    const again = collapseMarks(state, groupMarks);
    expect(again[name]).toMatchObject({ collapsed: false, subgraph: true });
    const [box] = boxesOf(state).values();
    const shown = box && exposeMarks(box, "rotate", "angle")[name];
    expect(shown).toMatchObject({ exposed: [["rotate", "angle"]] });
    expect(mark).toMatchObject({ title: "subgraph" });
    const around = subgraphOf({ ...state, view: { ...state.view, inside: [name] } }, "rotate");
    expect(around && exposeMarks(around, "rotate", "angle")[name]).toEqual(shown);
    const twice = around && exposeMarks({ ...around, group: shown as Group }, "rotate", "angle")[name];
    expect(twice).toMatchObject({ exposed: [] });
    expect(subgraphOf(state, "decode")).toBeUndefined();
  });
});

describe("how much cards show", () => {
  it("follows from how many are drawn, not from how many nodes there are", () => {
    const many = Array.from({ length: 40 }, (_, i) => ({ ...graph.nodes[1], key: `n${i}` }) as NodeView);
    const large = { ...graph, nodes: [...graph.nodes, ...many] };
    const keys = many.map((n) => n.key);
    const seen = (names: readonly string[], shut: boolean, inside: readonly string[] = []) => {
      const start = stateWith({
        box: { type: "group", title: "box", keys: names, subgraph: true, collapsed: shut } as Group,
      });
      return isDense({ ...start, graph: large, view: { ...start.view, inside } });
    };
    expect(seen(keys, false)).toBe(true);
    expect(seen(keys, true)).toBe(false);
    expect(seen(keys, true, ["box"])).toBe(true);
    expect(seen(KEYS, true)).toBe(true);
    expect(seen(KEYS, true, ["box"])).toBe(false);
  });
});

describe("subgraphs in subgraphs", () => {
  const all = graph.nodes.map((n) => n.key);
  const group = (keys: readonly string[], collapsed = true): Mark => {
    return {
      type: "group",
      keys,
      title: keys[0] ?? "",
      hue: "slate",
      subgraph: true,
      collapsed,
      exposed: [],
      about: "",
    };
  };
  const OUTER = ["decode", ...KEYS];
  const nested = { inner: group(KEYS), outer: group(OUTER) };
  const inside = (state: State, ...path: string[]): State => ({ ...state, view: { ...state.view, inside: path } });

  it("are one box from outside, and their own box within", () => {
    const state = stateWith(nested);
    expect([...boxesOf(state).keys()]).toEqual(["group:outer"]);
    const within = inside(state, "outer");
    expect([...boxesOf(within).keys()]).toEqual(["group:inner"]);
    expect([...(insideKeys(within) ?? [])]).toEqual(OUTER);
    expect(shownCards(within)).toEqual(expect.arrayContaining(["decode", "group:inner", ...outsideOf(within).keys()]));
    expect(boxesOf(inside(state, "outer", "inner")).size).toBe(0);
    expect(pathOf(inside({ ...state, marks: { outer: nested.outer } }, "outer", "inner", "outer"))).toEqual(["outer"]);
  });

  it("show what they are wired to beside them, and no other wires", () => {
    const within = inside(stateWith(nested), "outer");
    const outside = outsideOf(within);
    const outer = placeOf(within, "decode") ?? { x: 0, y: 0 };
    for (const [key, at] of outside) {
      expect(OUTER).not.toContain(key);
      expect(placeOf(within, key)).toEqual(at);
    }
    expect(outside.get("reader")?.x).toBeLessThan(outer.x);
    for (const wire of wiresOf(graph).filter((w) => !isHidden(within, w)))
      expect([wire.source.node, wire.slot.node].some((key) => OUTER.includes(key))).toBe(true);
    expect(contracted(within, graph).nodes.map((n) => n.key)).not.toContain("reader");
  });

  it("show these beside notes and wide cards", () => {
    const state = inside(stateWith(nested), "outer");
    const apart = (one: State) => {
      const own = rectsOf(
        one,
        shownCards(one).filter((id) => !outsideOf(one).has(id)),
      );
      const notes = Object.values(one.marks).flatMap((mark) => (mark.type === "note" ? mark : []));
      const beside = rectsOf(one, [...outsideOf(one).keys()]);
      expect(beside.length).toBeGreaterThan(1);
      for (const rect of beside) for (const other of [...own, ...notes]) expect(overlap(rect, other)).toBe(0);
    };
    const nodes = graph.nodes.map((n) => ({ ...n, wide: true }));
    apart({ ...state, graph: { ...graph, nodes } });
    for (const { x, y } of rectsOf(state, [...outsideOf(state).keys()])) {
      const note = { type: "note" as const, x: x - 20, y: y + 30, width: 120, height: 60, text: "", hue: "olive" };
      apart({ ...state, marks: { ...state.marks, note } });
    }
  });

  it("take new nodes in", () => {
    const within = inside(stateWith(nested), "outer", "inner");
    const edit = { type: "add_node", key: "new", operator: "flip" } as const;
    expect(joinedMarks(within, [edit])).toMatchObject({
      inner: { keys: [...KEYS, "new"] },
      outer: { keys: [...OUTER, "new"] },
    });
    expect(joinedMarks(stateWith(nested), [edit])).toEqual({});
  });

  it("come of what is selected within a group, or around groups", () => {
    const open = { outer: group(OUTER, false) };
    const made = collapseMarks(stateWith(open, KEYS), groupMarks);
    expect(Object.keys(made)).toEqual(["group1"]);
    expect(collapseMarks(stateWith(open, ["decode"]), groupMarks)).toMatchObject({ outer: { collapsed: true } });
    expect(Object.keys(groupMarks(stateWith(nested, all)))).toEqual(["group1"]);
    expect(groupMarks(stateWith(nested, ["decode", "reader"]))).toMatchObject({ outer: { keys: KEYS } });
    expect(ungroupMarks(stateWith(nested, OUTER))).toEqual({ outer: null });
    expect(ungroupMarks(stateWith(nested, ["rotate"]))).toMatchObject({ inner: { keys: ["angle"] } });
  });

  it("have frames around the frames within", () => {
    const rect = { x: 0, y: 0, width: 10, height: 10 };
    const cards = new Map(OUTER.map((key) => [key, rect]));
    const [inner, outer] = [group(KEYS, false), group(OUTER, false)];
    if (inner.type !== "group" || outer.type !== "group") throw new Error("both are groups");
    const [[small], [large]] = [framesOf(inner, cards, [inner, outer]), framesOf(outer, cards, [inner, outer])];
    expect((large?.height ?? 0) - (small?.height ?? 0)).toBe((small?.height ?? 0) - rect.height);
  });
});
