import type { GraphView, NodeView } from "../protocol/generated";
import * as format from "./format";
import { nodeOf } from "./graph";
import { timingOf } from "./select";
import type { State } from "./state";
import type { Box } from "./subgraph";

/** To which samples a node is applied. */
export function chanceWords({ chance, shared }: Pick<NodeView, "chance" | "shared">): string {
  return `${format.percent(chance ?? 1)} of the samples${shared.length > 0 ? `, the same as ${shared.join(", ")}` : ""}`;
}

/** What an `if` costs, and what it would cost to compute all samples and choose by multiplication. */
export function costOfWays(state: State, { key, chance }: NodeView, keys: readonly string[] = [key]): string {
  const part = chance ?? 1;
  const each = keys.map((one) => (timingOf(state, one)?.milliseconds ?? 0) / (state.run.parts[one] || 1));
  const all = each.reduce((sum, time) => sum + time, 0);
  if (part <= 0) return "";
  if (all <= 0)
    return `To compute all and choose by multiplication is about ${format.number(1 / part, 2)} times the work.`;
  return `From the last run: about ${format.time(all * part)} a batch by this if; ${format.time(all)} to compute all and choose by multiplication.`;
}

/** The node that tells how a subgraph is applied: its coin, the only one that goes by it, or any while all samples are. */
export function chanceOf(state: State, { name, nodes }: Box): NodeView | undefined {
  const coin = state.confirmed?.coins[name];
  const node = nodes.find((n) => coin && (n.key === coin || n.coin === coin)) ?? nodes[0];
  const part = coin ? (node?.chance ?? Number(node?.arguments.probability ?? 0.5)) : null;
  return node && { ...node, chance: part, shared: [] };
}

/** Whether a node can be applied to some samples only: what comes in can stand for what goes out; an `if` and its end are not applied. */
export function canChance(graph: GraphView, node: NodeView): boolean {
  const source = node.inputs[0];
  const given = nodeOf(graph, source?.node ?? "")?.output_kinds[source?.output ?? 0];
  const applied = !node.operator.startsWith("_conditional.");
  return applied && given !== undefined && node.output_kinds.length === 1 && given === node.output_kinds[0];
}
