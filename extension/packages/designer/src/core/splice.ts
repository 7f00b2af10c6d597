import type { Edit, Position } from "../protocol/generated";
import { addStep, connectEdits, disconnectEdit, passedThrough, removeStep, type Step } from "./actions";
import type { Operator } from "./catalog";
import { bestSlot, type Context, checkConnection, kindOf, passesOn } from "./compat";
import { applyEdits } from "./edits";
import { nodeOf, OUTPUTS, sourcesOf, type Wire, wiresOf } from "./graph";

/** The edits that put a node into a wire: it takes what the wire carries and feeds what the wire fed; null if it cannot. */
export function spliceEdits(context: Context, key: string, wire: Wire): readonly Edit[] | null {
  const { graph, catalog } = context;
  const node = nodeOf(graph, key);
  if (!node || wire.source.node === key || wire.slot.node === key) return null;
  const slot = bestSlot(context, wire.source, key);
  if (!("kind" in slot) || slot.kind !== "input") return null;
  const edits = connectEdits(graph, wire.source, slot);
  const after = { graph: applyEdits(graph, edits, catalog), catalog };
  const carried = kindOf(context, wire.source);
  const operator = catalog.byName.get(node.operator);
  const passes = operator && passesOn(catalog, operator, slot.input, carried);
  const back = node.output_kinds
    .map((_, output) => ({ node: key, output }))
    .find((ref) => (passes || kindOf(after, ref) === carried) && checkConnection(after, ref, wire.slot).ok);
  return back ? [...edits, ...connectEdits(graph, back, wire.slot)] : null;
}

/** Whether a card that is dropped on a wire may be meant for it: nothing feeds it, and it feeds nothing. */
export function isLoose(context: Context, key: string): boolean {
  const { graph } = context;
  const node = nodeOf(graph, key);
  if (!node || key === OUTPUTS || node.inputs.some((ref) => ref !== null)) return false;
  const fed = graph.nodes.some((n) => sourcesOf(n).some((ref) => ref.node === key));
  return !fed && !graph.outputs.some((ref) => ref.node === key);
}

/**
 * The edits that put a card into a wire, out of the place that it has: what it took feeds what it fed. None if the wire is
 * its own, the reason if it cannot be done.
 */
export function moveEdits(context: Context, key: string, wire: Wire): readonly Edit[] | string {
  const { graph, catalog } = context;
  if (wire.source.node === key || wire.slot.node === key) return [];
  const passed = passedThrough(graph, key);
  if (!passed && !isLoose(context, key)) return `${key} does not pass one thing on.`;
  const before: Edit[] = removeStep(graph, [key], []).edits.filter((e) => e.type !== "remove_node");
  const own = passed && wiresOf(graph).find((w) => w.slot.kind === "input" && w.slot.node === key);
  if (own) before.push(disconnectEdit(graph, own.slot));
  const edits = spliceEdits({ graph: applyEdits(graph, before, catalog), catalog }, key, wire);
  return edits ? [...before, ...edits] : `${key} does not fit into this wire.`;
}

/** The edits that exchange a card with the one before or behind it; the reason if it cannot be done. */
export function swapEdits(context: Context, key: string | undefined, behind: boolean): readonly Edit[] | string {
  const wires = wiresOf(context.graph).filter((w) => w.slot.kind === "input");
  const own = wires.find((w) => key === (behind ? w.source : w.slot).node);
  const wire = wires.find((w) => w.slot.node === own?.source.node);
  return own && wire ? moveEdits(context, own.slot.node, wire) : `${key} is at the end of its chain.`;
}

/** Place an operator in a wire; null if the wire's data does not pass through it. */
export function spliceStep(context: Context, operator: Operator, wire: Wire, at: Position): Step | null {
  const step = addStep(context, operator, { at });
  const [key = ""] = step.select;
  const own = step.edits.filter((e) => e.type === "add_node");
  const graph = applyEdits(context.graph, own, context.catalog);
  const edits = spliceEdits({ ...context, graph }, key, wire);
  return edits ? { ...step, edits: [...own, ...edits] } : null;
}

type Point = Position;

function turn(a: Point, b: Point, c: Point): number {
  return Math.sign((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
}

/** Whether two lines cross. */
export function linesCross(a: Point, b: Point, c: Point, d: Point): boolean {
  return turn(a, b, c) !== turn(a, b, d) && turn(c, d, a) !== turn(c, d, b);
}

/** Whether a line crosses a path that is given by points. */
export function crossesPath(from: Point, to: Point, path: readonly Point[]): boolean {
  return path.some((point, i) => {
    const next = path[i + 1];
    return next !== undefined && linesCross(from, to, point, next);
  });
}
