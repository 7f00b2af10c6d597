import { describe, expect, it } from "vitest";
import { wiresOf } from "../src/core/graph";
import { groupMarks } from "../src/core/marks";
import { INITIAL, type State } from "../src/core/state";
import {
  boxesOf,
  cardOf,
  collapseMarks,
  contracted,
  endsOf,
  exposeMarks,
  isInner,
  keysOfCard,
  movedNodes,
  placeOf,
  selectedBox,
  shownCards,
} from "../src/core/subgraph";
import type { Mark } from "../src/protocol/generated";
import { refOfHandle, slotOfHandle } from "../src/react/canvas/drag";
import { GRAPH as graph } from "./fixtures";

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

  it("name the node within at the ends of wires, and hide the wires inside", () => {
    const state = collapsed();
    const [box] = boxesOf(state).values();
    const outer = wiresOf(graph).filter((w) => !isInner(state, w));
    expect(outer.length).toBeLessThan(wiresOf(graph).length);
    for (const wire of outer) {
      const ends = endsOf(state, wire, (slot) => (slot.kind === "input" ? `in:${slot.input}` : "arg:x"));
      if (ends.source === box?.id) expect(refOfHandle(ends.source, ends.sourceHandle)).toEqual(wire.source);
      if (ends.target === box?.id) expect(slotOfHandle(ends.target, ends.targetHandle)?.node).toBe(wire.slot.node);
    }
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
    expect(small.nodes).toHaveLength(graph.nodes.length - KEYS.length + 2);
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
  });
});
