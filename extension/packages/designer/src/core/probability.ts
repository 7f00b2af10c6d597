import type { Edit, GraphView, NodeView, PortRef, Position } from "../protocol/generated";
import { connectEdits, type Step } from "./actions";
import { findRandom, type Operator } from "./catalog";
import { type Chance, takenKeys } from "./chances";
import type { Context } from "./compat";
import { freeKey } from "./edits";
import { nodeOf, wiresFrom, wiresOf } from "./graph";
import { CARD, COLUMN, freePlace, ROW } from "./layout";
import type { Rect } from "./route";

/** Whether a node can be applied to some samples only: what comes in can stand for what goes out. */
export function canChance(context: Context, node: NodeView): boolean {
  const { graph, catalog } = context;
  const source = node.inputs[0];
  const given = nodeOf(graph, source?.node ?? "")?.output_kinds[source?.output ?? 0];
  const roles = ["split", "merge"].map((role) => catalog.operators.find((o) => o.role === role));
  return (
    given !== undefined &&
    node.output_kinds.length === 1 &&
    given === node.output_kinds[0] &&
    !roles.includes(undefined)
  );
}

/** The edits that make a node apply with a probability, as one step; its cards stand beside those that are there. */
export function applySometimes(
  context: Context,
  node: NodeView,
  probability: number,
  at: Position,
  taken: readonly Rect[],
): Step | null {
  const { graph, catalog } = context;
  const coin = findRandom(catalog, ["coin"]);
  const [split, merge] = ["split", "merge"].map((role) => catalog.operators.find((o) => o.role === role));
  if (!coin || !split || !merge || !canChance(context, node)) return null;
  const keys = takenKeys(graph);
  const named = (operator: Operator, base: string) => {
    const key = freeKey(base || operator.name, keys);
    keys.add(key);
    return key;
  };
  const edits: Edit[] = [];
  const positions: Record<string, Position> = {};
  const rects = [...taken];
  const put = (key: string, column: number) => {
    const place = freePlace({ x: at.x + column * COLUMN, y: at.y + ROW }, rects);
    rects.push({ ...place, width: CARD, height: ROW });
    positions[key] = place;
  };
  const coinKey = named(coin, "coin");
  const predicate = { node: coinKey, output: 0 };
  edits.push({ type: "add_node", key: coinKey, operator: coin.name, arguments: { probability, dtype: "BOOL" } });
  put(coinKey, 0);
  const halves = new Map<string, string>();
  const split1 = (ref: PortRef): PortRef => {
    const id = `${ref.node}#${ref.output ?? 0}`;
    let key = halves.get(id);
    if (!key) {
      key = named(split, "split");
      put(key, -1);
      halves.set(id, key);
      edits.push(
        {
          type: "add_node",
          key,
          operator: split.name,
          device: nodeOf(graph, ref.node)?.device === "gpu" ? "gpu" : "cpu",
        },
        { type: "connect", source: ref, target: key, input: 0 },
        { type: "connect", source: predicate, target: key, argument: "predicate" },
      );
    }
    return { node: key, output: 0 };
  };
  node.inputs.forEach((ref, input) => {
    if (ref) edits.push({ type: "connect", source: split1(ref), target: node.key, input });
  });
  for (const [argument, ref] of Object.entries(node.argument_inputs))
    edits.push({ type: "connect", source: split1(ref), target: node.key, argument });
  const first = node.inputs[0];
  const mergeKey = named(merge, "merge");
  put(mergeKey, 1);
  edits.push(
    { type: "add_node", key: mergeKey, operator: merge.name, device: node.device === "cpu" ? "cpu" : "gpu" },
    { type: "connect", source: { node: node.key, output: 0 }, target: mergeKey, input: 0 },
    {
      type: "connect",
      source: { node: halves.get(`${first?.node}#${first?.output ?? 0}`) ?? "", output: 1 },
      target: mergeKey,
      input: 1,
    },
    { type: "connect", source: predicate, target: mergeKey, argument: "predicate" },
  );
  const merged = { node: mergeKey, output: 0 };
  edits.push(...redirected(graph, node.key, merged, new Set([mergeKey])));
  return { edits, positions, select: [node.key] };
}

/** What one node fed is fed by another output. */
function redirected(graph: GraphView, key: string, to: PortRef, except: ReadonlySet<string>): Edit[] {
  const edits: Edit[] = [];
  for (const { source, slot } of wiresOf(graph))
    if (source.node === key && slot.kind !== "output" && !except.has(slot.node))
      edits.push(...connectEdits(graph, to, slot));
  if (graph.outputs.some((ref) => ref.node === key))
    edits.push({ type: "set_outputs", outputs: graph.outputs.map((ref) => (ref.node === key ? to : ref)) });
  return edits;
}

/** The edits that make a node apply to all samples again. */
export function applyAlways(context: Context, node: NodeView, chance: Chance): Edit[] {
  const { graph } = context;
  const before = (ref: PortRef) => nodeOf(graph, ref.node)?.inputs[0] ?? ref;
  const edits: Edit[] = [];
  node.inputs.forEach((ref, input) => {
    if (ref) edits.push({ type: "connect", source: before(ref), target: node.key, input });
  });
  for (const [argument, ref] of Object.entries(node.argument_inputs))
    edits.push({ type: "connect", source: before(ref), target: node.key, argument });
  edits.push(...redirected(graph, chance.merge.key, { node: node.key, output: 0 }, new Set()));
  const gone = new Set([chance.merge.key, ...chance.splits.map((s) => s.key)]);
  if (
    wiresFrom(graph)
      .get(chance.coin.key)
      ?.every((w) => gone.has(w.slot.node))
  )
    gone.add(chance.coin.key);
  return [...edits, ...[...gone].map((key): Edit => ({ type: "remove_node", key }))];
}
