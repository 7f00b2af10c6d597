import type { Edit, NodeView, Position, Value } from "../protocol/generated";
import { connectEdits, type Step } from "./actions";
import type { Context } from "./compat";
import { freeKey } from "./edits";
import { takenKeys, wiresOf } from "./graph";

/** What a generator draws from, as far as its density can be drawn. */
export type Distribution =
  | { readonly kind: "uniform"; readonly low: number; readonly high: number }
  | { readonly kind: "normal"; readonly mean: number; readonly deviation: number }
  | { readonly kind: "coin"; readonly p: number };

function numberOf(value: Value | undefined, otherwise: number): number {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "number" ? one : otherwise;
}

/** The distribution of a node; null for what has none that can be drawn. */
export function distributionOf(node: NodeView): Distribution | null {
  const { arguments: set, argument_inputs: wired } = node;
  const name = node.operator.split(".").at(-1) ?? "";
  if (name === "uniform" && set.values === undefined && !("range" in wired) && !("values" in wired)) {
    const [low, high] = Array.isArray(set.range) ? set.range.map(Number) : [-1, 1];
    return { kind: "uniform", low: low ?? -1, high: high ?? 1 };
  }
  if (name === "normal" && !("mean" in wired) && !("stddev" in wired))
    return { kind: "normal", mean: numberOf(set.mean, 0), deviation: numberOf(set.stddev, 1) };
  if (name === "coin_flip" && !("probability" in wired)) return { kind: "coin", p: numberOf(set.probability, 0.5) };
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
    case "coin":
      return [set("probability", next.p)];
    default:
      return next satisfies never;
  }
}

/** The lowest and the highest number that is usually drawn. */
export function ends(of: Distribution): readonly [number, number] {
  switch (of.kind) {
    case "uniform":
      return [of.low, of.high];
    case "normal":
      return [of.mean - 2 * of.deviation, of.mean + 2 * of.deviation];
    case "coin":
      return [0, 1];
    default:
      return of satisfies never;
  }
}

/** Density at a point, of a total of 1. */
export function density(of: Distribution, x: number): number {
  switch (of.kind) {
    case "uniform":
      return x >= of.low && x <= of.high && of.high > of.low ? 1 / (of.high - of.low) : 0;
    case "normal": {
      const z = (x - of.mean) / Math.max(1e-9, of.deviation);
      return Math.exp((-z * z) / 2) / (Math.max(1e-9, of.deviation) * Math.sqrt(2 * Math.PI));
    }
    case "coin":
      return x < 0.5 ? 1 - of.p : of.p;
    default:
      return of satisfies never;
  }
}

/** Draw from another distribution of about the same reach: the generator is replaced, and what it fed is wired again. */
export function redistribute(context: Context, node: NodeView, kind: "uniform" | "normal", at: Position): Step | null {
  const now = distributionOf(node);
  const operator = context.catalog.operators.find((o) => o.name === `random.${kind}`);
  if (!now || now.kind === kind || !operator) return null;
  const [low, high] = ends(now);
  const key = freeKey(operator.node_name || kind, takenKeys(context.graph));
  const next: Distribution =
    kind === "uniform" ? { kind, low, high } : { kind, mean: (low + high) / 2, deviation: (high - low) / 4 };
  const kept = Object.fromEntries(
    Object.entries(node.arguments).filter(([name]) => ["dtype", "shape", "seed"].includes(name)),
  );
  const edits: Edit[] = [
    { type: "add_node", key, operator: operator.name, device: node.device, arguments: kept },
    ...distributionEdits(key, next),
  ];
  for (const { source, slot } of wiresOf(context.graph))
    if (source.node === node.key && slot.kind !== "output")
      edits.push(...connectEdits(context.graph, { node: key, output: 0 }, slot));
  if (context.graph.outputs.some((ref) => ref.node === node.key)) {
    const outputs = context.graph.outputs.map((ref) => (ref.node === node.key ? { node: key, output: 0 } : ref));
    edits.push({ type: "set_outputs", outputs });
  }
  edits.push({ type: "remove_node", key: node.key });
  return { edits, positions: { [key]: at }, select: [key] };
}
