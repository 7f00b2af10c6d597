import type { GraphView } from "../protocol/generated";
import { nodeOf } from "./graph";

/** Lines of the program by node: the statement that defines it and, from the kernel, every line that uses it. */
type Lines = Readonly<Record<string, readonly number[]>>;

/**
 * The lines of the statement that defines a node: from its first line up to the next node's, without a gap. The return
 * statement of `text`, the program, stands below the last node and belongs to none.
 */
export function definingLines(lines: Lines, key: string, text: readonly string[]): readonly number[] {
  const all = lines[key] ?? [];
  const first = all[0];
  if (first === undefined) return [];
  const others = Object.entries(lines).flatMap(([k, l]) => (k === key || l[0] === undefined ? [] : [l[0]]));
  const end = Math.min(...others.filter((n) => n > first));
  const own: number[] = [];
  for (const line of all) {
    if (line < end && line === first + own.length && !/^\s+return\b/.test(text[line - 1] ?? "")) own.push(line);
  }
  return own;
}

/** The lines that define what a card stands for: of a node with a probability the coin and the condition, too. */
export function cardLines(graph: GraphView | null, lines: Lines, key: string, text: readonly string[]): number[] {
  const parts = nodeOf(graph, key)?.parts ?? [];
  return [...new Set([...parts.map((n) => n.key), key].flatMap((one) => definingLines(lines, one, text)))];
}
