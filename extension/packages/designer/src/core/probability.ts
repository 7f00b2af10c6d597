import type { GraphView, NodeView } from "../protocol/generated";
import * as format from "./format";
import { nodeOf } from "./graph";
import { timingOf } from "./select";
import type { State } from "./state";

/** To which samples a node is applied. */
export function chanceWords({ chance, shared }: NodeView): string {
  return `${format.percent(chance ?? 1)} of the samples${shared.length > 0 ? `, the same as ${shared.join(", ")}` : ""}`;
}

/** What an `if` costs, and what it would cost to compute all samples and choose by multiplication. */
export function costOfWays(state: State, { key, chance }: NodeView): string {
  const part = chance ?? 1;
  const measured = timingOf(state, key)?.milliseconds ?? 0;
  const all = measured / (state.run.parts[key] || 1);
  if (part <= 0) return "";
  if (all <= 0)
    return `To compute all and choose by multiplication is about ${format.number(1 / part, 2)} times the work.`;
  return `From the last run: about ${format.time(all * part)} a batch by this if; ${format.time(all)} to compute all and choose by multiplication.`;
}

/** Whether a node can be applied to some samples only: what comes in can stand for what goes out. */
export function canChance(graph: GraphView, node: NodeView): boolean {
  const source = node.inputs[0];
  const given = nodeOf(graph, source?.node ?? "")?.output_kinds[source?.output ?? 0];
  return given !== undefined && node.output_kinds.length === 1 && given === node.output_kinds[0];
}
