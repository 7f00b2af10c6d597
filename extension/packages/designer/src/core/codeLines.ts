import type { GraphView } from "../protocol/generated";
import { nodeOf } from "./graph";

/** Lines of the program by node: those of the statements that make it. */
type Lines = Readonly<Record<string, readonly number[]>>;

/** The lines that make what a card stands for: of a node with a probability the coin and the condition, too. */
export function cardLines(graph: GraphView | null, lines: Lines, key: string): number[] {
  const node = nodeOf(graph, key);
  const parts = node?.parts.map((n) => n.key) ?? [];
  return [...new Set([...parts, node?.coin ?? "", key].flatMap((one) => lines[one] ?? []))];
}
