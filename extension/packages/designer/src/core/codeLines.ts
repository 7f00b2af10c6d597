import type { Diagnostic, GraphView } from "../protocol/generated";
import { nodeOf } from "./graph";
import { lineOf } from "./select";

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

/** The word that may be meant where a text has another one, and the text with it; nothing where no word is known. */
export function meant(source: string, found: Diagnostic): readonly [string, string] | undefined {
  const word = /^Did you mean '([\w.]+)'/.exec(found.hint ?? "")?.[1];
  const wrong = /'([\w.]+)'/.exec(found.message)?.[1];
  if (!word || !wrong) return undefined;
  // a call's arguments may stand in lines below its first
  const lines = source.split("\n");
  const from = Math.max(lineOf(found) - 1, 0);
  const rest = lines.slice(from).join("\n");
  const made = rest.replace(new RegExp(`(?<!\\w)${wrong}(?!\\w)`), word);
  return made === rest ? undefined : [word, [...lines.slice(0, from), made].join("\n")];
}
