import type { Device, Edit, Kind, PortRef, Position } from "../protocol/generated";
import { connectEdits } from "./actions";
import { inputOf, type Operator } from "./catalog";
import { type Context, checkConnection, outputDevice } from "./compat";
import { applyEdits, freeKey } from "./edits";
import { nodeOf, OUTPUTS, type Slot, takenKeys } from "./graph";

/** Edits after which a wire may be drawn, the wire included. */
export interface Fix {
  readonly title: string;
  readonly edits: readonly Edit[];
  readonly positions: Readonly<Record<string, Position>>;
}

/** Operators that may stand between: copies to the CPU, and decoders of encoded bytes, those of the wanted kind first. */
function between(context: Context, source: PortRef, wanted: Kind): readonly (readonly [Operator, Device])[] {
  const from = nodeOf(context.graph, source.node);
  const encoded = (from?.output_kinds[source.output ?? 0] ?? "any") === "encoded";
  const far = from && outputDevice(from.device) === "gpu";
  const needed = (o: Operator) => o.inputs.filter((i) => !i.optional).length === 1;
  const found = context.catalog.operators.filter(
    (o) => !o.hidden && needed(o) && ((far && o.role === "copy") || (encoded && /decod/.test(o.category))),
  );
  const other = (o: Operator) => Number(o.outputs[0]?.kind !== wanted);
  found.sort((a, b) => other(a) - other(b));
  return found.map((o) => [o, o.devices.includes("cpu") ? "cpu" : (o.devices[0] ?? "cpu")]);
}

/** What one click does so that a refused wire may be drawn, the smallest change first. */
export function fixesFor(context: Context, source: PortRef, slot: Slot, at: Position): readonly Fix[] {
  const { graph, catalog } = context;
  const target = nodeOf(graph, slot.node);
  const from = nodeOf(graph, source.node);
  if (!target || !from || checkConnection(context, source, slot).ok) return [];
  const works = (edits: readonly Edit[], ref: PortRef) =>
    checkConnection({ graph: applyEdits(graph, edits, catalog), catalog }, ref, slot).ok;
  const fixes: Fix[] = [];
  const kind = from.output_kinds[source.output ?? 0];
  const returned = graph.outputs.some((ref) => ref.node === source.node && ref.output === source.output);
  if (kind === "label" && !returned)
    fixes.push({
      title: "Return them instead",
      edits: connectEdits(graph, source, { kind: "output", node: OUTPUTS, index: graph.outputs.length }),
      positions: {},
    });
  const place = (key: string, device: Device) => {
    const edits: Edit[] = [{ type: "set_device", key, device }];
    if (!catalog.byName.get(nodeOf(graph, key)?.operator ?? "")?.devices.includes(device) || !works(edits, source))
      return;
    const wire = connectEdits(graph, source, slot);
    fixes.push({ title: `Set ${key} to ${device}`, edits: [...edits, ...wire], positions: {} });
  };
  if (from.inputs.length === 0) place(from.key, "cpu");
  if (slot.kind === "input") place(target.key, "gpu");
  const taker = catalog.byName.get(target.operator);
  const wanted = (slot.kind === "input" && taker && inputOf(taker, slot.input)?.kind) || "scalar";
  for (const [operator, device] of between(context, source, wanted)) {
    const key = freeKey(operator.node_name || operator.name, takenKeys(graph));
    const add: Edit[] = [
      { type: "add_node", key, operator: operator.name, device },
      { type: "connect", source, target: key, input: 0 },
    ];
    const ref = { node: key, output: 0 };
    const placed = { graph: applyEdits(graph, add.slice(0, 1), catalog), catalog };
    if (!checkConnection(placed, source, { kind: "input", node: key, input: 0 }).ok || !works(add, ref)) continue;
    fixes.push({
      title: `Put ${operator.name} between`,
      edits: [...add, ...connectEdits(graph, ref, slot)],
      positions: { [key]: at },
    });
  }
  return fixes;
}
