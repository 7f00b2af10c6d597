import { describe, expect, it } from "vitest";
import { overlap } from "../src/core/freeSpot";
import type { Size } from "../src/core/layout";
import type { Rect } from "../src/core/route";
import { INITIAL, type State } from "../src/core/state";
import { shownCards } from "../src/core/subgraph";
import type { GraphView, NodeView } from "../src/protocol/generated";
import { givenWay, heightsOf, layoutOf, rectsOf } from "../src/react/canvas/sizes";
import { INDEX, node, OPENED, ref } from "./fixtures";
import { behind, drawnIn } from "./galleryGraphs";

const ROOMS: readonly Size[] = [
  { width: 520, height: 420 },
  { width: 900, height: 440 },
  { width: 1500, height: 640 },
];

function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

/** Steps of pictures and numbers that branch, join and feed arguments; of other sizes for each seed. */
function graphOf(seed: number): GraphView {
  const draw = drawing(seed);
  const count = [5, 12, 20, 34, 40, 90, 300][seed % 7] ?? 5;
  const nodes: NodeView[] = [node("n0", "readers.file", { output_kinds: ["encoded", "label"] })];
  const one = () => nodes[Math.max(0, nodes.length - 1 - draw(draw(4) === 0 ? nodes.length : 3))]?.key ?? "n0";
  while (nodes.length < count) {
    const key = `n${nodes.length}`;
    const numbers = Array.from({ length: Math.max(0, draw(6) - 3) }, (_, i) => `${key}_${i}`);
    nodes.push(
      ...numbers.map((k) => node(k, "random.uniform", { output_kinds: ["scalar"], arguments: { range: [0, 1] } })),
    );
    const some = Array.from({ length: 1 + Number(draw(5) === 0) }, () => ref(one()));
    const kind = draw(4) === 0 ? "any" : "image";
    nodes.push(
      node(key, "rotate", {
        inputs: draw(12) === 0 ? [] : some,
        argument_inputs: Object.fromEntries(numbers.map((k, i) => [i ? `argument${i}` : "angle", ref(k)])),
        arguments: draw(2) ? { fill_value: 0, keep_size: true } : {},
        output_kinds: draw(8) === 0 ? [kind, "label"] : [kind],
        output_ranks: [draw(3) ? 3 : 1],
        wide: count < 20 && draw(15) === 0,
      }),
    );
  }
  const outputs = Array.from({ length: 1 + draw(4) }, (_, i) => ref(nodes[nodes.length - 1 - i]?.key ?? "n0"));
  return { name: `random ${seed}`, nodes, outputs };
}

const opening = { ...OPENED, catalog: INDEX } as unknown as State["opening"];

function covered(rects: readonly Rect[]): number {
  return rects.reduce((sum, p, i) => sum + rects.slice(i + 1).filter((q) => overlap(p, q) > 0).length, 0);
}

describe("cards", () => {
  const cases = Array.from({ length: 70 }, (_, i) => graphOf(i + 1));
  const stateOf = (graph: GraphView, room: Size): State => {
    const state = { ...INITIAL, graph, opening };
    return { ...state, positions: layoutOf(state, room) };
  };

  it("never lie on one another, whatever the graph and the room", () => {
    for (const graph of cases)
      for (const room of ROOMS) {
        const state = stateOf(graph, room);
        expect(`${graph.name}: ${covered(rectsOf(state, shownCards(state)))}`).toBe(`${graph.name}: 0`);
      }
  });

  it("hide no wire", () => {
    for (const graph of cases.filter(({ nodes }) => nodes.length <= 45 && !nodes.some((n) => n.wide))) {
      const { paths, cards } = drawnIn(graph, ROOMS[1]);
      expect([graph.name, behind(paths, cards)]).toEqual([graph.name, 0]);
    }
  });

  it("give way to those that turn out to be higher", () => {
    for (const [i, graph] of cases.entries()) {
      const draw = drawing(i);
      const state = stateOf(graph, ROOMS[1] ?? { width: 900, height: 440 });
      const ranks = () => [1 + 2 * draw(2)];
      const nodes = graph.nodes.map((n) => (n.output_kinds[0] === "any" ? { ...n, output_ranks: ranks() } : n));
      const grown = { ...state, graph: { ...graph, nodes } };
      const after = { ...grown, positions: { ...grown.positions, ...givenWay(grown, heightsOf(state)) } };
      expect(`${graph.name}: ${covered(rectsOf(after, shownCards(after)))}`).toBe(`${graph.name}: 0`);
      expect(givenWay(state, heightsOf(state))).toEqual({});
    }
  });
});
