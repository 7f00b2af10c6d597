import type { Edit, GraphView, NodeView, PortRef } from "../protocol/generated";
import { connectEdits } from "./actions";
import { findRandom, type Operator } from "./catalog";
import { type Chance, splitEdits, takenKeys } from "./chances";
import type { Context } from "./compat";
import { freeKey } from "./edits";
import { nodeOf, wiresFrom, wiresOf } from "./graph";

/** Whether a node can be applied to some samples only: what comes in can stand for what goes out. */
export function canChance(context: Context, node: NodeView): boolean {
  const { graph, catalog } = context;
  const source = node.inputs[0];
  const given = nodeOf(graph, source?.node ?? "")?.output_kinds[source?.output ?? 0];
  const roles = ["split", "merge"].map((role) => catalog.operators.find((o) => o.role === role));
  return (
    given !== undefined &&
    node.output_kinds.length === 1 &&
    given === node.output_kinds[0] &&
    !roles.includes(undefined)
  );
}

/** The edits that make a node apply with a probability. */
export function applySometimes(context: Context, node: NodeView, probability: number): Edit[] {
  const { graph, catalog } = context;
  const coin = findRandom(catalog, ["coin"]);
  const [split, merge] = ["split", "merge"].map((role) => catalog.operators.find((o) => o.role === role));
  const [first] = node.inputs;
  if (!coin || !split || !merge || !first || !canChance(context, node)) return [];
  const taken = takenKeys(graph);
  const named = (operator: Operator, base = operator.name) => {
    const key = freeKey(base, taken);
    taken.add(key);
    return key;
  };
  const predicate = { node: named(coin, "coin"), output: 0 };
  const edits: Edit[] = [
    { type: "add_node", key: predicate.node, operator: coin.name, arguments: { probability, dtype: "BOOL" } },
  ];
  const divided = (source: PortRef, slot: { input: number } | { argument: string }) => {
    const key = named(split);
    const device = nodeOf(graph, source.node)?.device === "gpu" ? "gpu" : "cpu";
    edits.push(...splitEdits({ key, operator: split.name, device }, source, predicate));
    edits.push({ type: "connect", source: { node: key, output: 0 }, target: node.key, ...slot });
    return key;
  };
  const halves = node.inputs.flatMap((ref, input) => (ref ? divided(ref, { input }) : []));
  for (const [argument, ref] of Object.entries(node.argument_inputs)) divided(ref, { argument });
  const merged = { node: named(merge), output: 0 };
  const target = merged.node;
  edits.push(
    { type: "add_node", key: target, operator: merge.name, device: node.device === "cpu" ? "cpu" : "gpu" },
    { type: "connect", source: { node: node.key, output: 0 }, target, input: 0 },
    { type: "connect", source: { node: halves[0] ?? "", output: 1 }, target, input: 1 },
    { type: "connect", source: predicate, target, argument: "predicate" },
    ...redirected(graph, node.key, merged, new Set([target])),
  );
  return edits;
}

/** What one node fed is fed by another output. */
function redirected(graph: GraphView, key: string, to: PortRef, except: ReadonlySet<string>): Edit[] {
  const edits: Edit[] = [];
  for (const { source, slot } of wiresOf(graph))
    if (source.node === key && slot.kind !== "output" && !except.has(slot.node))
      edits.push(...connectEdits(graph, to, slot));
  if (graph.outputs.some((ref) => ref.node === key))
    edits.push({ type: "set_outputs", outputs: graph.outputs.map((ref) => (ref.node === key ? to : ref)) });
  return edits;
}

/** The edits that make a node apply to all samples again. */
export function applyAlways(context: Context, node: NodeView, chance: Chance): Edit[] {
  const { graph } = context;
  const before = (ref: PortRef) => nodeOf(graph, ref.node)?.inputs[0] ?? ref;
  const edits: Edit[] = [];
  node.inputs.forEach((ref, input) => {
    if (ref) edits.push({ type: "connect", source: before(ref), target: node.key, input });
  });
  for (const [argument, ref] of Object.entries(node.argument_inputs))
    edits.push({ type: "connect", source: before(ref), target: node.key, argument });
  edits.push(...redirected(graph, chance.merge.key, { node: node.key, output: 0 }, new Set()));
  const gone = new Set([chance.merge.key, ...chance.splits.map((s) => s.key)]);
  if (
    wiresFrom(graph)
      .get(chance.coin.key)
      ?.every((w) => gone.has(w.slot.node))
  )
    gone.add(chance.coin.key);
  return [...edits, ...[...gone].map((key): Edit => ({ type: "remove_node", key }))];
}
