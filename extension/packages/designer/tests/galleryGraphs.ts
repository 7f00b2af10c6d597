import { wiresOf } from "../src/core/graph";
import { CARD, outputRows, type Size } from "../src/core/layout";
import { goesUnder } from "../src/core/ports";
import type { Run } from "../src/core/wires";
import type { GraphView, Kind, NodeView, Position } from "../src/protocol/generated";
import { node, ref } from "./fixtures";

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
