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

/** The node that a line makes; of those of a nested call, the outer one. */
export function nodeAtLine(graph: GraphView | null, lines: Lines, line: number): string | null {
  return graph?.nodes.findLast((n) => cardLines(graph, lines, n.key).includes(line))?.key ?? null;
}
