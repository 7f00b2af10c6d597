import type { Size } from "../src/core/layout";
import { around, type Point, type Rect } from "../src/core/route";
import { INITIAL, type State } from "../src/core/state";
import { shownCards } from "../src/core/subgraph";
import { runsOf } from "../src/core/widen";
import { routed } from "../src/core/wires";
import type { GraphView, Kind, NodeView } from "../src/protocol/generated";
import { layoutOf, rectsOf, sizesOf } from "../src/react/canvas/sizes";
import { INDEX, node, OPENED, ref } from "./fixtures";

type Port = readonly [node: string, output: number];

interface Written {
  readonly pipeline: {
    readonly name: string;
    readonly outputs: readonly Port[];
    readonly nodes: readonly {
      readonly key: string;
      readonly operator: string;
      readonly arguments?: NodeView["arguments"];
      readonly inputs?: readonly (Port | null)[];
      readonly argument_inputs?: Readonly<Record<string, Port>>;
    }[];
  };
}

// @ts-expect-error Vite's
const files: Record<string, Written> = import.meta.glob("../../../../gallery/*/*.dali.json", {
  eager: true,
  import: "default",
});

/** The pipelines of the gallery, as far as the places of cards and wires go: what kinds of data they have is guessed by name. */
export const GALLERY: readonly GraphView[] = Object.values(files).map(({ pipeline }) => {
  const used = new Map<string, number>();
  const named = ([key, output]: Port) => {
    used.set(key, Math.max(used.get(key) ?? 0, output));
    return ref(key, output);
  };
  const nodes = pipeline.nodes.map((n) =>
    node(n.key, n.operator, {
      arguments: n.arguments ?? {},
      inputs: (n.inputs ?? []).map((port) => port && named(port)),
      argument_inputs: Object.fromEntries(
        Object.entries(n.argument_inputs ?? {}).map(([name, port]) => [name, named(port)]),
      ),
    }),
  );
  const outputs = pipeline.outputs.map(named);
  const kindsOf = ({ key, operator }: NodeView): Kind[] => {
    const first = /^random\./.test(operator) ? "scalar" : /^readers\./.test(operator) ? "encoded" : "image";
    return [first, ...Array.from({ length: used.get(key) ?? 0 }, (): Kind => "label")];
  };
  return { name: pipeline.name, outputs, nodes: nodes.map((n) => ({ ...n, output_kinds: kindsOf(n) })) };
});

/** Graphs of up to twelve steps, some of which join two others; the same each time. */
export const RANDOM: readonly GraphView[] = (() => {
  let seed = 7;
  const upTo = (n: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % n;
  };
  return Array.from({ length: 60 }, (_, round) => {
    const keys = Array.from({ length: 4 + upTo(9) }, (_, i) => `n${i}`);
    const nodes = keys.map((key, i) =>
      node(key, "resize", {
        inputs: i === 0 ? [] : Array.from({ length: 1 + (upTo(4) === 0 ? 1 : 0) }, () => ref(`n${upTo(i)}`)),
        output_kinds: ["image"],
      }),
    );
    return { name: `random ${round}`, nodes, outputs: [ref(keys.at(-1) ?? ""), ref(`n${upTo(keys.length)}`)] };
  });
})();

/** Sixty and more nodes: branches of steps that share four random numbers, each of which ends in a result. */
export function branches(count: number, steps: number): GraphView {
  const keys = Array.from({ length: count * steps }, (_, i) => [`b${Math.floor(i / steps)}`, i % steps] as const);
  const numbers = [0, 1, 2, 3].map((i) => node(`uniform_${i + 1}`, "random.uniform"));
  return {
    name: `${count} branches`,
    nodes: [
      node("reader", "readers.file"),
      node("decode", "decoders.image", { inputs: [ref("reader")] }),
      ...numbers,
      ...keys.map(([branch, i]) =>
        node(`${branch}_${i}`, "rotate", {
          inputs: [ref(i > 0 ? `${branch}_${i - 1}` : "decode")],
          argument_inputs: { angle: ref(`uniform_${1 + (i % 4)}`) },
        }),
      ),
    ],
    outputs: [...keys.filter(([, i]) => i === steps - 1).map(([branch, i]) => ref(`${branch}_${i}`)), ref("reader", 1)],
  };
}

const opening = { ...OPENED, catalog: INDEX } as unknown as State["opening"];

/** The cards of a graph as they are laid out in a room, and the paths of its wires. */
export function drawnIn(graph: GraphView, room: Size = { width: 1324, height: 505 }) {
  const before: State = { ...INITIAL, graph, opening };
  const state = { ...before, positions: layoutOf(before, room) };
  const cards = rectsOf(state, shownCards(state));
  const runs = runsOf(graph, state.positions, sizesOf(state));
  return { graph, cards, paths: routed(runs, cards) };
}

/** The corners of a path with right angles; none of a curve. */
export function cornersOf(path: string): Point[] {
  if (path.includes("C")) return [];
  const marks = [...path.matchAll(/([MLQ])(-?[\d.]+) (-?[\d.]+)/g)];
  return marks
    .filter(([, does], i) => does !== "L" || i === marks.length - 1)
    .map(([, , x, y]) => ({ x: Number(x), y: Number(y) }));
}

/** How many wires run behind a card. */
export function behind(paths: ReadonlyMap<unknown, string>, cards: readonly Rect[]): number {
  return [...paths.values()].filter((path) => {
    const corners = cornersOf(path);
    const parts = corners
      .slice(1)
      .map((b, i) => around([corners[i] ?? b, b].map((p) => ({ ...p, width: 0, height: 0 }))));
    return parts.some((part) =>
      cards.some(
        ({ x, y, width, height }) =>
          part.x < x + width && part.x + part.width > x && part.y < y + height && part.y + part.height > y,
      ),
    );
  }).length;
}
