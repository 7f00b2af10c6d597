import type { GraphView, NodeView } from "../protocol/generated";
import * as format from "./format";
import { nodeOf } from "./graph";

/** To which samples a node is applied. */
export function chanceWords({ chance, shared }: NodeView): string {
  return `${format.percent(chance ?? 1)} of the samples${shared.length > 0 ? `, the same as ${shared.join(", ")}` : ""}`;
}

/** Whether a node can be applied to some samples only: what comes in can stand for what goes out. */
export function canChance(graph: GraphView, node: NodeView): boolean {
  const source = node.inputs[0];
  const given = nodeOf(graph, source?.node ?? "")?.output_kinds[source?.output ?? 0];
  return given !== undefined && node.output_kinds.length === 1 && given === node.output_kinds[0];
}
