import type { Edit, GraphView, NodeView } from "../protocol/generated";
import { nodeOf, OUTPUTS } from "./graph";
import type { State } from "./state";

/** A node that draws numbers, the seed by which it does, and whether that is its own. */
export interface Drawing {
  readonly key: string;
  /** The node whose card it is on. */
  readonly card: string;
  readonly seed: number;
  readonly own: boolean;
}

/** The nodes whose numbers follow from a seed; a reader's does where it shuffles. */
export function drawings(graph: GraphView | null): readonly Drawing[] {
  const drawing = (card: string) => (node: NodeView) => {
    const { key, operator, arguments: set, seed: given } = node;
    const own = typeof set.seed === "number";
    const seed = own ? Number(set.seed) : given;
    const draws = typeof seed === "number" && (set.random_shuffle || !/readers\./.test(operator));
    return draws ? [{ key, card, seed, own }] : [];
  };
  return (graph?.nodes ?? []).flatMap((node) => [node, ...node.parts].flatMap(drawing(node.key)));
}

/** The first node that has the seed of another one as its own; that is the node itself where it shares none. */
export function firstWith(all: readonly Drawing[], one: Drawing): Drawing {
  return all.find((other) => other.own && other.seed === one.seed) ?? one;
}

/** What is said where other nodes draw other numbers since one is left out, and how they draw those of before; one that is used again is a way back. */
export function redrawn(before: GraphView, now: GraphView, edits: readonly Edit[]): State["view"]["notice"] {
  const used = new Set(now.nodes.filter((n) => n.in_run).map((n) => n.key));
  const idle = before.nodes.some((n) => n.in_run && !used.has(n.key) && nodeOf(now, n.key));
  if (!idle && !edits.some((e) => e.type === "set_chance" || (e.type === "set_bypass" && e.bypassed))) return null;
  const after = drawings(now).filter((one) => !one.own && used.has(one.card));
  const others = drawings(before).filter((old) => after.some((one) => one.key === old.key && one.seed !== old.seed));
  if (others.length === 0) return null;
  const names = others.length > 2 ? `${others.length} other nodes` : others.map((one) => one.key).join(" and ");
  const back = others.map(({ key, seed }): Edit => ({ type: "set_argument", key, argument: "seed", value: seed }));
  return {
    text: `${names} ${others.length > 1 ? "draw" : "draws"} other numbers now: seeds go to the nodes in use.`,
    node: OUTPUTS,
    fix: { title: "Keep the numbers of before", edits: back, positions: {} },
  };
}

/**
 * Give a node a seed of its own, or the pipeline's (null). The others keep the numbers that they draw, for which they
 * need seeds of their own, too: the pipeline counts those out to the nodes that have none.
 */
export function seedEdits(all: readonly Drawing[], key: string, to: number | null): readonly Edit[] {
  return all
    .filter((one) => one.key === key || !one.own)
    .map((one) => ({
      type: "set_argument",
      key: one.key,
      argument: "seed",
      ...(one.key !== key ? { value: one.seed } : to === null ? { unset: true } : { value: to }),
    }));
}
