import type { ClientMessage, Edit, GraphView, KernelMessage, NodeView, PortRef } from "../protocol/generated";
import type { CatalogIndex } from "./catalog";
import type { Context } from "./compat";
import { freeKey } from "./edits";
import { nodeOf, sourcesOf, type Wire, wiresFrom } from "./graph";
import type { State } from "./state";

/** How a node is applied to some samples only: a coin decides, one split for each wire that comes in, and a merge. */
export interface Chance {
  readonly coin: NodeView;
  readonly merge: NodeView;
  readonly splits: readonly NodeView[];
}

export type Chances = ReadonlyMap<string, Chance>;

/** The graph that is drawn, and names of nodes of which it shows none: their card is that of the node they serve. */
type Folded = GraphView & { readonly hidden?: readonly string[] };

/** Names that no new node may have. */
export function takenKeys(graph: Folded): Set<string> {
  return new Set([...graph.nodes.map((n) => n.key), ...(graph.hidden ?? [])]);
}

/** The chance of a node, if it has the form that `applySometimes` makes, and nothing else uses its parts. */
export function chanceOf({ graph, catalog }: Context, node: NodeView): Chance | null {
  const role = (n: NodeView | undefined) => catalog.byName.get(n?.operator ?? "")?.role;
  const from = (key: string): readonly Wire[] => wiresFrom(graph).get(key) ?? [];
  const [feeds, ...more] = from(node.key);
  const merge = nodeOf(graph, feeds?.slot.node ?? "");
  const coin = nodeOf(graph, merge?.argument_inputs.predicate?.node ?? "");
  if (more.length > 0 || !merge || !coin || role(merge) !== "merge" || merge.inputs[0]?.node !== node.key) return null;
  const splits = sourcesOf(node).flatMap((ref) => nodeOf(graph, ref.node) ?? []);
  const parts = [merge, ...splits];
  const within = new Set([node, ...parts].map((n) => n.key));
  const kept = (key: string) => from(key).every((w) => within.has(w.slot.node));
  const right = splits.every((s) => role(s) === "split" && kept(s.key)) && splits.length === sourcesOf(node).length;
  const decided = parts.every((n) => n.argument_inputs.predicate?.node === coin.key);
  const whole = new Set(splits).size === splits.length && merge.inputs[1]?.node === splits[0]?.key;
  const tossed = coin.operator.includes("coin") && sourcesOf(coin).length === 0 && kept(coin.key);
  return right && decided && whole && tossed && splits.length > 0 ? { coin, merge, splits } : null;
}

/** For which part of the samples a node with a chance is applied. */
export function partOf({ coin }: Chance): number {
  const p = coin.arguments.probability;
  return typeof p === "number" ? p : 0.5;
}

const NONE: Chances = new Map();
const known = new WeakMap<GraphView, Chances>();

/** All nodes of a graph that are applied with a probability. */
export function chancesIn(graph: GraphView | null | undefined, catalog: CatalogIndex | undefined): Chances {
  if (!graph || !catalog) return NONE;
  const found = known.get(graph);
  if (found) return found;
  const merges = graph.nodes.filter((n) => catalog.byName.get(n.operator)?.role === "merge");
  const all = merges.flatMap((merge) => {
    const node = nodeOf(graph, merge.inputs[0]?.node ?? "");
    const chance = node && chanceOf({ graph, catalog }, node);
    return chance ? [[node.key, chance] as const] : [];
  });
  const made = all.length > 0 ? new Map(all) : NONE;
  known.set(graph, made);
  return made;
}

/** The chances of the graph as it is drawn. */
export function chancesOf({ whole, opening }: State): Chances {
  return chancesIn(whole, opening?.catalog);
}

/** By the names of a chance's parts the node that they serve. */
export function servedBy(chances: Chances): Map<string, string> {
  const parts = ({ coin, merge, splits }: Chance) => [coin, merge, ...splits].map((n) => n.key);
  return new Map([...chances].flatMap(([key, chance]) => parts(chance).map((part) => [part, key] as const)));
}

/** The graph in which a node with a chance is one node: it takes what its splits take, and gives what its merge gives. */
export function folded(graph: GraphView, catalog: CatalogIndex | undefined): Folded {
  const chances = chancesIn(graph, catalog);
  if (chances.size === 0) return graph;
  const cards = servedBy(chances);
  const given = (ref: PortRef): PortRef => (cards.has(ref.node) ? { node: cards.get(ref.node) ?? "", output: 0 } : ref);
  const nodes = graph.nodes.flatMap((node): NodeView[] => {
    if (cards.has(node.key)) return [];
    const chance = chances.get(node.key);
    const outer = (ref: PortRef | null) => {
      const source = chance && ref ? nodeOf(graph, ref.node)?.inputs[0] : ref;
      return source ? given(source) : null;
    };
    const wired = Object.entries(node.argument_inputs).flatMap(([name, ref]) => {
      const source = outer(ref);
      return source ? [[name, source] as const] : [];
    });
    const inputs = node.inputs.map(outer);
    const { pin, pin_batch, facts, in_run } = chance?.merge ?? node;
    return [{ ...node, pin, pin_batch, facts, in_run, inputs, argument_inputs: Object.fromEntries(wired) }];
  });
  return { ...graph, nodes, outputs: graph.outputs.map(given), hidden: [...cards.keys()] };
}

/** The edits that put a split behind a source. */
export function splitEdits(
  split: Pick<NodeView, "key" | "operator" | "device">,
  source: PortRef,
  predicate: PortRef,
): Edit[] {
  return [
    { type: "add_node", ...split },
    { type: "connect", source, target: split.key, input: 0 },
    { type: "connect", source: predicate, target: split.key, argument: "predicate" },
  ];
}

/** Edits of the graph that is drawn as edits of the whole one. */
export function unfolded(edits: readonly Edit[], graph: GraphView | null, chances: Chances): readonly Edit[] {
  if (chances.size === 0 || !graph) return edits;
  const taken = takenKeys(graph);
  const given = (ref: PortRef): PortRef => {
    const merge = ref.output ? undefined : chances.get(ref.node)?.merge;
    return merge ? { node: merge.key, output: 0 } : ref;
  };
  const splitAt = (edit: { target: string; input?: number | null; argument?: string }) => {
    const node = nodeOf(graph, edit.target);
    const ref = edit.argument ? node?.argument_inputs[edit.argument] : node?.inputs[edit.input ?? 0];
    return chances.get(edit.target)?.splits.find((s) => s.key === ref?.node);
  };
  return edits.flatMap((edit): Edit[] => {
    const chance = "key" in edit ? chances.get(edit.key) : "target" in edit ? chances.get(edit.target) : undefined;
    switch (edit.type) {
      case "connect": {
        const source = given(edit.source);
        const split = splitAt(edit);
        if (split) return [{ type: "connect", source, target: split.key, input: 0 }];
        const [model] = chance?.splits ?? [];
        if (!chance || !model) return [{ ...edit, source }];
        const key = freeKey("split", taken);
        taken.add(key);
        return [
          ...splitEdits({ key, operator: model.operator, device: "cpu" }, source, { node: chance.coin.key, output: 0 }),
          { ...edit, source: { node: key, output: 0 } },
        ];
      }
      case "disconnect": {
        const split = splitAt(edit);
        if (!split) return [edit];
        if (split.key === chance?.merge.inputs[1]?.node) return [{ type: "disconnect", target: split.key, input: 0 }];
        return [{ type: "remove_node", key: split.key }];
      }
      case "remove_node":
        return [edit.key, ...(chance ? servedBy(new Map([[edit.key, chance]])).keys() : [])].map((key) => ({
          type: "remove_node",
          key,
        }));
      case "set_device":
        return [edit, ...(chance ? [chance.merge, ...chance.splits] : []).map(({ key }) => ({ ...edit, key }))];
      case "set_outputs":
        return [{ ...edit, outputs: edit.outputs.map(given) }];
      default:
        return [edit];
    }
  });
}

/** A question about what is drawn, as the kernel knows it. */
export function asked(message: ClientMessage, graph: GraphView | null, chances: Chances): ClientMessage {
  if (chances.size === 0 || message.type === "apply_edits") return message;
  const given = (key: string) => chances.get(key)?.merge.key ?? key;
  if (message.type === "run") return { ...message, until: given(message.until ?? "") };
  if (message.type === "request_detail") return { ...message, key: message.output ? message.key : given(message.key) };
  const ports = (_: string, v: unknown) =>
    isPort(v) && chances.has(v.node) && !v.output ? { ...v, node: given(v.node) } : v;
  if (message.type !== "request_sheet") return mapped(message, ports);
  // what other values would do is shown of samples that are left alone, too
  const coin = chances.get(message.port.node)?.coin;
  const sure: Edit[] = coin ? [{ type: "set_argument", key: coin.key, argument: "probability", value: 1 }] : [];
  const variants = message.variants.map((edits) =>
    edits.length > 0 ? [...unfolded(edits, graph, chances), ...sure] : edits,
  );
  return { ...message, port: mapped(message.port, ports), variants };
}

function isPort(value: unknown): value is PortRef {
  return (
    typeof value === "object" &&
    value !== null &&
    "node" in value &&
    Object.keys(value).every((k) => /^(node|output)$/.test(k))
  );
}

function mapped<T>(value: T, change: (key: string, value: unknown) => unknown): T {
  return JSON.parse(JSON.stringify(value), change) as T;
}

/** What was measured of nodes, with that of the same name summed. */
function summed<T extends object>(all: readonly T[], nameOf: (one: T) => string): T[] {
  const sums = new Map<string, T>();
  for (const one of all) {
    const sum = Object.entries(sums.get(nameOf(one)) ?? {}).map(([name, value]) => {
      const more = one[name as keyof T];
      return [name, typeof more === "number" ? more + (value as number) : value] as const;
    });
    sums.set(nameOf(one), sum.length > 0 ? (Object.fromEntries(sum) as T) : one);
  }
  return [...sums.values()];
}

/** An answer of the kernel as it concerns what is drawn. */
export function answered(message: KernelMessage, state: State): KernelMessage {
  const graph = message.type === "revision_changed" ? message.graph : state.confirmed?.graph;
  const chances = chancesIn(graph, state.opening?.catalog);
  if (chances.size === 0) return message;
  const cards = servedBy(chances);
  const own = (name: string, v: unknown) =>
    (name === "node" || name === "key") && typeof v === "string" ? (cards.get(v) ?? v) : v;
  switch (message.type) {
    case "revision_changed":
      return { ...message, diagnostics: mapped(message.diagnostics, own) };
    case "previews": {
      const merges = new Set([...chances.values()].map((c) => c.merge.key));
      // a card shows what its merge gives
      const items = message.items.filter((i) => merges.has(i.key) || !(cards.has(i.key) || chances.has(i.key)));
      return mapped({ ...message, items }, own);
    }
    case "run_finished":
      return {
        ...message,
        timings: summed(mapped(message.timings, own), (t) => t.key),
        failed: mapped(message.failed, own),
      };
    case "device_times":
      return { ...message, times: summed(mapped(message.times, own), (t) => t.key + t.device) };
    case "busy":
      return { ...message, keys: message.keys.map((key) => cards.get(key) ?? key) };
    default:
      return mapped(message, own);
  }
}
