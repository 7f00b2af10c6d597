import type { Edit, GraphView, NodeView, Position, Value } from "../protocol/generated";
import { connectEdits, type Step } from "./actions";
import type { Context } from "./compat";
import { freeKey } from "./edits";
import { nodeOf, takenKeys, wiresOf } from "./graph";

/** What a generator draws from, as far as its density can be drawn. */
export type Distribution =
  | { readonly kind: "uniform"; readonly low: number; readonly high: number }
  | { readonly kind: "normal"; readonly mean: number; readonly deviation: number }
  | {
      /** What node `source` draws from a normal one, held between two limits. */
      readonly kind: "clamped";
      readonly source: string;
      readonly mean: number;
      readonly deviation: number;
      readonly low: number;
      readonly high: number;
    }
  | { readonly kind: "choice"; readonly values: readonly number[] }
  | {
      /** 0 or another number, as coin `source` says. */
      readonly kind: "coin";
      readonly source: string;
      readonly p: number;
      readonly other: number;
    };

export const KINDS = ["uniform", "normal", "clamped", "choice", "coin"] as const;

/** A range with another end; one beyond the other end moves that along. */
export function withEnd<T extends { readonly low: number; readonly high: number }>(
  of: T,
  end: "low" | "high",
  v: number,
): T {
  const width = of.high - of.low;
  if (end === "low") return { ...of, low: v, high: v > of.high ? v + width : of.high };
  return { ...of, high: v, low: v < of.low ? v - width : of.low };
}

function numberOf(value: Value | undefined, otherwise: number): number {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "number" ? one : otherwise;
}

/** nvidia.dali has no generators of these: this is what it has in their place. */
const CLAMP = /^clamp\(a, (-?[\d.]+), (-?[\d.]+)\)$/;
const TIMES = /^a \* (-?[\d.]+)$/;

/** The distribution of a node; null for what has none that can be drawn. */
export function distributionOf(node: NodeView, graph: GraphView | null): Distribution | null {
  const { arguments: set, argument_inputs: wired } = node;
  const limits = CLAMP.exec(String(set.expression));
  const times = TIMES.exec(String(set.expression));
  const drawn = (limits ?? times) && nodeOf(graph, node.inputs[0]?.node ?? "");
  if (drawn) {
    const of = distributionOf(drawn, null);
    if (limits && of?.kind === "normal")
      return { ...of, kind: "clamped", source: drawn.key, low: Number(limits[1]), high: Number(limits[2]) };
    return times && of?.kind === "coin" ? { ...of, other: Number(times[1]) } : null;
  }
  const name = node.operator.split(".").at(-1) ?? "";
  if (name === "uniform" && !("range" in wired) && !("values" in wired)) {
    if (Array.isArray(set.values)) return { kind: "choice", values: set.values.map(Number) };
    const [low, high] = Array.isArray(set.range) ? set.range.map(Number) : [-1, 1];
    return { kind: "uniform", low: low ?? -1, high: high ?? 1 };
  }
  if (name === "normal" && !("mean" in wired) && !("stddev" in wired))
    return { kind: "normal", mean: numberOf(set.mean, 0), deviation: numberOf(set.stddev, 1) };
  if (name === "coin_flip" && !("probability" in wired))
    return { kind: "coin", source: node.key, p: numberOf(set.probability, 0.5), other: 1 };
  return null;
}

/** The edits that give a generator a distribution of its kind. */
export function distributionEdits(key: string, next: Distribution): Edit[] {
  const set = (argument: string, value: Value): Edit => ({ type: "set_argument", key, argument, value });
  switch (next.kind) {
    case "uniform":
      return [set("range", [next.low, next.high])];
    case "normal":
      return [set("mean", next.mean), set("stddev", next.deviation)];
    case "clamped":
      return [
        ...distributionEdits(next.source, { ...next, kind: "normal" }),
        set("expression", `clamp(a, ${next.low}, ${next.high})`),
      ];
    case "choice":
      return [set("values", [...next.values])];
    case "coin":
      return [
        { type: "set_argument", key: next.source, argument: "probability", value: next.p },
        ...(key === next.source
          ? []
          : [set("expression", `a * ${Number.isInteger(next.other) ? next.other.toFixed(1) : next.other}`)]),
      ];
    default:
      return next satisfies never;
  }
}

/** The lowest and the highest number that is usually drawn. */
export function ends(of: Distribution): readonly [number, number] {
  switch (of.kind) {
    case "uniform":
    case "clamped":
      return [of.low, of.high];
    case "coin":
      return [Math.min(0, of.other), Math.max(0, of.other)];
    case "normal":
      return [of.mean - 2 * of.deviation, of.mean + 2 * of.deviation];
    case "choice":
      return [Math.min(...of.values), Math.max(...of.values)];
    default:
      return of satisfies never;
  }
}

/** The limits that draws are held at, with the part of them that is, to a thousandth. */
export function spikes(of: Distribution): readonly (readonly [number, number])[] {
  if (of.kind !== "clamped") return [];
  const below = (x: number) => {
    const z = (x - of.mean) / Math.max(1e-9, of.deviation);
    return 1 / (1 + Math.exp(-1.5976 * z - 0.07056 * z ** 3));
  };
  return [
    [of.low, below(of.low)],
    [of.high, 1 - below(of.high)],
  ];
}

/** Density at a point; of a total of 1, but for what is held at limits. */
export function density(of: Distribution, x: number): number {
  switch (of.kind) {
    case "uniform":
      return x >= of.low && x <= of.high && of.high > of.low ? 1 / (of.high - of.low) : 0;
    case "clamped":
    case "normal": {
      if ("low" in of && (x < of.low || x > of.high)) return 0;
      const z = (x - of.mean) / Math.max(1e-9, of.deviation);
      return Math.exp((-z * z) / 2) / (Math.max(1e-9, of.deviation) * Math.sqrt(2 * Math.PI));
    }
    case "choice":
      return of.values.filter((v) => v === x).length / of.values.length;
    case "coin":
      return Math.abs(x) < Math.abs(x - of.other) ? 1 - of.p : of.p;
    default:
      return of satisfies never;
  }
}

/** Names that nodes have where nobody gave them one. */
const GIVEN = /^(uniform|normal|coin_flip|clamp|coin)(_\d+)?$/;

/**
 * Draw from another distribution of about the same reach: the generator is replaced, and what it fed is wired again. What
 * stands behind the generator is `at` its place then, and the generator `before` it.
 */
export function redistribute(
  { graph, catalog }: Context,
  node: NodeView,
  kind: Distribution["kind"],
  at: Position,
  before: Position,
): Step | null {
  const now = distributionOf(node, graph);
  const generator = { uniform: "uniform", choice: "uniform", coin: "coin_flip" }[String(kind)] ?? "normal";
  const operator = catalog.operators.find((o) => o.name === `random.${generator}`);
  const limiter = catalog.operators.find((o) => o.role === "arithmetic");
  if (!now || now.kind === kind || !operator || !limiter) return null;
  const [low, high] = ends(now);
  const taken = takenKeys(graph);
  const was = "source" in now ? nodeOf(graph, now.source) : node;
  const stays = was?.operator === operator.name;
  const source = stays ? was.key : freeKey(operator.node_name || generator, taken);
  const wires = wiresOf(graph).filter((w) => w.source.node === node.key);
  // a coin is a whole number, which arguments of other types do not take
  const whole = wires.every(
    ({ slot }) =>
      slot.kind === "argument" &&
      catalog.byName
        .get(nodeOf(graph, slot.node)?.operator ?? "")
        ?.arguments.some((a) => a.name === slot.argument && /int|bool/.test(a.type)),
  );
  const key =
    kind === "clamped" ? freeKey("clamp", taken) : kind === "coin" && !whole ? freeKey("coin", taken) : source;
  const { mean, deviation } = "mean" in now ? now : { mean: (low + high) / 2, deviation: (high - low) / 4 };
  const kept = Object.fromEntries(
    Object.entries(was?.arguments ?? {}).filter(([name]) => ["dtype", "shape", "seed"].includes(name)),
  );
  const { device } = node;
  if (kind === "coin") delete kept.dtype;
  const edits: Edit[] = stays
    ? // of both one is given
      (["values", "range"] as const).flatMap((argument): Edit[] =>
        argument in was.arguments ? [{ type: "set_argument", key: source, argument, value: null }] : [],
      )
    : [{ type: "add_node", key: source, operator: operator.name, device, arguments: kept }];
  if (key !== source)
    edits.push(
      { type: "add_node", key, operator: limiter.name, device },
      { type: "connect", source: { node: source, output: 0 }, target: key, input: 0 },
    );
  const values = [low, (low + high) / 2, high];
  const other = Math.abs(low) > Math.abs(high) ? low : high;
  edits.push(...distributionEdits(key, { kind, source, mean, deviation, low, high, values, p: 0.5, other }));
  for (const wire of wires)
    if (wire.slot.kind !== "output") edits.push(...connectEdits(graph, { node: key, output: 0 }, wire.slot));
  if (graph.outputs.some((ref) => ref.node === node.key)) {
    const outputs = graph.outputs.map((ref) => (ref.node === node.key ? { node: key, output: 0 } : ref));
    edits.push({ type: "set_outputs", outputs });
  }
  if (node.key !== source) edits.push({ type: "remove_node", key: node.key });
  // what drew for it alone goes, too
  if (was && was !== node && !stays && wiresOf(graph).filter((w) => w.source.node === was.key).length === 1)
    edits.push({ type: "remove_node", key: was.key });
  // a name that somebody gave stays with what is fed to others
  const given = GIVEN.test(node.key) ? key : node.key;
  const behind = key !== source && source === given ? freeKey(operator.node_name || generator, taken) : source;
  if (behind !== source) edits.push({ type: "rename", key: source, new_key: behind });
  if (given !== key) edits.push({ type: "rename", key, new_key: given });
  const positions = key === source ? { [given]: at } : { [behind]: before, [given]: at };
  return { edits, positions, select: [given] };
}
