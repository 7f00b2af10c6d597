import type { Edit, GraphView } from "../protocol/generated";
import { nodeOf, OUTPUTS, wiresOf } from "./graph";

/** Whether what a node feeds can do without it: its input is of the same kind, or it feeds arguments alone. */
export function canBypass(graph: GraphView, key: string): boolean {
  const node = nodeOf(graph, key);
  if (!node || node.output_kinds.length === 0 || /^_conditional\.(split|merge)$/.test(node.operator)) return false;
  const source = node.inputs[0];
  const given = nodeOf(graph, source?.node ?? "")?.output_kinds[source?.output ?? 0];
  if (given) return given === node.output_kinds[0] || (given !== "encoded" && node.output_kinds[0] === "any");
  const fed = wiresOf(graph).filter((w) => w.source.node === key);
  return fed.every((w) => w.slot.kind === "argument" && w.slot.node !== OUTPUTS);
}

/** Leave nodes out where that is possible, or use them again if all of them are left out. */
export function bypassEdits(graph: GraphView, keys: readonly string[]): Edit[] {
  const nodes = keys.flatMap((key) => nodeOf(graph, key) ?? []).filter((n) => n.bypassed || canBypass(graph, n.key));
  const bypassed = nodes.some((n) => !n.bypassed);
  return nodes.filter((n) => n.bypassed !== bypassed).map((n) => ({ type: "set_bypass", key: n.key, bypassed }));
}
