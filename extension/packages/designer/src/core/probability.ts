import type { GraphView, NodeView } from "../protocol/generated";
import { nodeOf } from "./graph";

/** Whether a node can be applied to some samples only: what comes in can stand for what goes out. */
export function canChance(graph: GraphView, node: NodeView): boolean {
  const source = node.inputs[0];
  const given = nodeOf(graph, source?.node ?? "")?.output_kinds[source?.output ?? 0];
  return given !== undefined && node.output_kinds.length === 1 && given === node.output_kinds[0];
}
