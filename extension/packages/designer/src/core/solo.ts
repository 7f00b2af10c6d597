import type { Edit, GraphView, PortRef } from "../protocol/generated";
import { descendants, nodeOf } from "./graph";

/** What the pipeline returned before outputs were put aside, and what it returns since. */
export interface Aside {
  readonly before: readonly PortRef[];
  readonly since: readonly PortRef[];
  /** Whether by solo. */
  readonly solo?: boolean;
}

function same(a: readonly PortRef[], b: readonly PortRef[]): boolean {
  return a.length === b.length && a.every((p, i) => p.node === b[i]?.node && (p.output ?? 0) === (b[i]?.output ?? 0));
}

/** What comes of it: the outputs to set, and what is to be remembered. */
export interface Change {
  readonly edits: readonly Edit[];
  readonly aside: Aside | null;
}

function changed(graph: GraphView, outputs: readonly PortRef[]): Change | null {
  if (outputs.length === 0 || same(outputs, graph.outputs)) return null;
  return { edits: [{ type: "set_outputs", outputs }], aside: { before: graph.outputs, since: outputs } };
}

/** Bring back what was put aside; null if the outputs were changed since. */
function restored(graph: GraphView, aside: Aside | null): Change | null {
  if (!aside || !same(aside.since, graph.outputs)) return null;
  const outputs = aside.before.filter((ref) => nodeOf(graph, ref.node));
  return outputs.length > 0 ? { edits: [{ type: "set_outputs", outputs }], aside: null } : null;
}

/** Return nothing but these nodes, so that a run takes only what leads to them; the second time, all is as before. */
export function soloed(graph: GraphView, keys: readonly string[], aside: Aside | null): Change | null {
  const outputs = keys.flatMap((key): PortRef[] =>
    (nodeOf(graph, key)?.output_kinds.length ?? 0) > 0 ? [{ node: key, output: 0 }] : [],
  );
  if (same(outputs, graph.outputs)) return restored(graph, aside);
  const change = changed(graph, outputs);
  // from one solo to another, what was there before both is what comes back
  const before = aside && same(aside.since, graph.outputs) ? aside.before : graph.outputs;
  return change && { ...change, aside: { before, since: outputs, solo: true } };
}

/** What takes a solo back, if this node is returned for it. */
export function unsolo(graph: GraphView | null, key: string, aside: Aside | null): Change | null {
  return graph && aside?.solo && aside.since.some((ref) => ref.node === key) ? restored(graph, aside) : null;
}

/** Return nothing of these nodes and of what depends on them, so that a run leaves them out; the second time, all is as before. */
export function muted(graph: GraphView, keys: readonly string[], aside: Aside | null): Change | null {
  const gone = new Set([...keys, ...descendants(graph, keys)]);
  const outputs = graph.outputs.filter((ref) => !gone.has(ref.node));
  if (same(outputs, graph.outputs)) return restored(graph, aside);
  return changed(graph, outputs);
}
