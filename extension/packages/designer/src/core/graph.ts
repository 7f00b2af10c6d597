import type { GraphView, NodeView, PortRef } from "../protocol/generated";

/** What divides a batch in a program with `if`. */
export const SPLIT = "_conditional.split";

/** The card that stands for what the pipeline returns. Not a node: no operator has this key. */
export const OUTPUTS = "__outputs__";

/** Where a wire ends. */
export type Slot =
  | { readonly kind: "input"; readonly node: string; readonly input: number }
  | { readonly kind: "argument"; readonly node: string; readonly argument: string }
  | { readonly kind: "output"; readonly node: typeof OUTPUTS; readonly index: number };

export interface Wire {
  readonly id: string;
  readonly source: PortRef;
  readonly slot: Slot;
}

export function slotId(slot: Slot): string {
  switch (slot.kind) {
    case "input":
      return `${slot.node}|in|${slot.input}`;
    case "argument":
      return `${slot.node}|arg|${slot.argument}`;
    case "output":
      return `${OUTPUTS}|out|${slot.index}`;
  }
}

/** Remember what follows from an object that never changes: many cards and wires ask the same of one graph. */
function remembered<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    const found = known.get(key) ?? compute(key);
    known.set(key, found);
    return found;
  };
}

const indexOf = remembered((graph: GraphView) => new Map(graph.nodes.map((n) => [n.key, n])));

export function nodeOf(graph: GraphView | null, key: string): NodeView | undefined {
  return graph ? indexOf(graph).get(key) : undefined;
}

/** The node whose result a port gives, if need be a part of it that a branch has. */
export function originOf(graph: GraphView | null, { node, output }: PortRef): string {
  const { operator, inputs } = nodeOf(graph, node) ?? {};
  const divided = operator === SPLIT && inputs?.[output >> 1];
  return divided ? originOf(graph, divided) : node;
}

/** Every wire, by the card that it ends in and the place there. */
export const wiresOf: (graph: GraphView) => readonly Wire[] = remembered((graph) => {
  const wires: Wire[] = [];
  const add = (source: PortRef, slot: Slot) => wires.push({ id: slotId(slot), source, slot });
  for (const node of graph.nodes) {
    node.inputs.forEach((source, input) => {
      if (source) add(source, { kind: "input", node: node.key, input });
    });
    for (const [argument, source] of Object.entries(node.argument_inputs))
      add(source, { kind: "argument", node: node.key, argument });
  }
  graph.outputs.forEach((source, index) => {
    add(source, { kind: "output", node: OUTPUTS, index });
  });
  return wires;
});

const wiresById = remembered((graph: GraphView) => new Map(wiresOf(graph).map((w) => [w.id, w])));

export function wireOf(graph: GraphView | null, id: string): Wire | undefined {
  return graph ? wiresById(graph).get(id) : undefined;
}

/** The wires that begin at each card. */
export const wiresFrom: (graph: GraphView) => ReadonlyMap<string, readonly Wire[]> = remembered((graph) => {
  const found = new Map<string, Wire[]>();
  for (const wire of wiresOf(graph)) {
    const others = found.get(wire.source.node);
    if (others) others.push(wire);
    else found.set(wire.source.node, [wire]);
  }
  return found;
});

/** Names that no new node may have. */
export function takenKeys(graph: GraphView): Set<string> {
  return new Set(graph.nodes.flatMap((n) => [n, ...n.parts]).map((n) => n.key));
}

/** Keys of all cards: the nodes, and the outputs as soon as there is a node. */
export const cardsOf: (graph: GraphView) => readonly string[] = remembered((graph) => {
  const keys = graph.nodes.map((n) => n.key);
  return keys.length > 0 ? [...keys, OUTPUTS] : keys;
});

/** Sources of a node: inputs first, then arguments. */
export function sourcesOf(node: NodeView): PortRef[] {
  return [...node.inputs.filter((r): r is PortRef => r !== null), ...Object.values(node.argument_inputs)];
}

/** Nodes that depend on `keys`, without these. */
export function descendants(graph: GraphView, keys: readonly string[]): Set<string> {
  const found = new Set(keys);
  const from = wiresFrom(graph);
  // A set gives what is added while it is walked.
  for (const key of found) for (const { slot } of from.get(key) ?? []) found.add(slot.node);
  for (const key of [...keys, OUTPUTS]) found.delete(key);
  return found;
}

/** Nodes that `keys` depend on, without themselves. */
export function ancestors(graph: GraphView, keys: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (key: string) => {
    const node = nodeOf(graph, key);
    for (const ref of node ? sourcesOf(node) : []) {
      if (found.has(ref.node)) continue;
      found.add(ref.node);
      visit(ref.node);
    }
  };
  keys.forEach(visit);
  for (const key of keys) found.delete(key);
  return found;
}

/** Nodes in an order in which sources come first (graph order where free). */
export function topological(graph: GraphView): NodeView[] {
  const byKey = new Map(graph.nodes.map((n) => [n.key, n]));
  const seen = new Set<string>();
  const order: NodeView[] = [];
  const visit = (node: NodeView) => {
    if (seen.has(node.key)) return;
    seen.add(node.key);
    for (const ref of sourcesOf(node)) {
      const source = byKey.get(ref.node);
      if (source) visit(source);
    }
    order.push(node);
  };
  graph.nodes.forEach(visit);
  return order;
}

/** The next node in an arrow's direction: along wires left and right, along siblings up and down. */
export function walk(graph: GraphView, from: string, direction: "left" | "right" | "up" | "down"): string | null {
  const node = nodeOf(graph, from);
  if (from === OUTPUTS) return direction === "left" ? (graph.outputs[0]?.node ?? null) : null;
  if (!node) return topological(graph)[0]?.key ?? null;
  if (direction === "left") return sourcesOf(node)[0]?.node ?? null;
  if (direction === "right") {
    const next = graph.nodes.find((n) => sourcesOf(n).some((r) => r.node === from));
    return next?.key ?? (graph.outputs.some((r) => r.node === from) ? OUTPUTS : null);
  }
  const order = topological(graph).map((n) => n.key);
  const at = order.indexOf(from) + (direction === "down" ? 1 : -1);
  return order[at] ?? null;
}
