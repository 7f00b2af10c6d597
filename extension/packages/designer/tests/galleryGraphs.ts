import { isPale } from "../src/core/detail";
import { wiresOf } from "../src/core/graph";
import { CARD, outputRows, type Size } from "../src/core/layout";
import { goesUnder } from "../src/core/ports";
import { INITIAL, type State } from "../src/core/state";
import { shownCards } from "../src/core/subgraph";
import { type Run, routed } from "../src/core/wires";
import type { GraphView, Kind, NodeView, Position } from "../src/protocol/generated";
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

const opening = { ...OPENED, catalog: INDEX } as unknown as State["opening"];

/** The cards of a graph as they are laid out in a room, and the paths of its wires. */
export function drawnIn(graph: GraphView, room: Size = { width: 1324, height: 505 }) {
  const before: State = { ...INITIAL, graph, opening };
  const state = { ...before, positions: layoutOf(before, room) };
  const cards = rectsOf(state, shownCards(state));
  const pale = wiresOf(graph).map((w) => w.slot.kind === "argument" && isPale(graph, w.source.node));
  const runs = runsOf(graph, state.positions, sizesOf(state)).filter((_, i) => !pale[i]);
  return { graph, cards, paths: routed(runs, cards) };
}

/** The wires of a graph as its cards stand: main ports on the header's line, the others below the picture. */
export function runsOf(
  graph: GraphView,
  at: Readonly<Record<string, Position>>,
  sizes: ReadonlyMap<string, Size>,
): Run[] {
  const rows = outputRows(graph, at);
  const byKey = new Map(graph.nodes.map((n) => [n.key, n]));
  return wiresOf(graph).flatMap(({ source, slot }) => {
    const [from, to] = [at[source.node], at[slot.node]];
    const [begin, end] = [byKey.get(source.node), byKey.get(slot.node)];
    if (!from || !to || !begin) return [];
    const low = (sizes.get(slot.node)?.height ?? 0) - 32 - 20 * Object.keys(end?.argument_inputs ?? {}).length;
    const argument = slot.kind === "argument" ? Object.keys(end?.argument_inputs ?? {}).indexOf(slot.argument) : 0;
    const row =
      slot.kind === "output"
        ? (rows[slot.index] ?? 0) + 10
        : slot.kind === "input"
          ? slot.input > 0
            ? low - 20 * ((end?.inputs.length ?? 0) - 1 - slot.input)
            : 14
          : low + 20 * (argument + 1);
    const out =
      source.output > 0
        ? (sizes.get(source.node)?.height ?? 0) - 32 - 20 * (begin.output_kinds.length - 1 - source.output)
        : 14;
    const [a, b] = [
      { x: from.x + (sizes.get(source.node)?.width ?? CARD), y: from.y + out },
      { x: to.x, y: to.y + row },
    ];
    return [
      {
        source: `${source.node} ${source.output}`,
        a,
        b,
        under: goesUnder(begin.output_kinds[source.output] ?? "any", a, b),
      },
    ];
  });
}
