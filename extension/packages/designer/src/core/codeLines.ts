import type { GraphView } from "../protocol/generated";
import { nodeOf } from "./graph";

/** Lines of the program by node: those of the statements that make it. */
type Lines = Readonly<Record<string, readonly number[]>>;

/** The lines that make what a card stands for: of a node with a probability the coin and the condition, too. */
export function cardLines(graph: GraphView | null, lines: Lines, key: string): number[] {
  const parts = nodeOf(graph, key)?.parts ?? [];
  return [...new Set([...parts.map((n) => n.key), key].flatMap((one) => lines[one] ?? []))];
}
