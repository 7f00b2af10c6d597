import type { Device, GraphView, Kind, NodeView, PortRef } from "../protocol/generated";
import {
  type Argument,
  argumentOf,
  type CatalogIndex,
  inputOf,
  inputPorts,
  isSaid,
  mostInputs,
  type Operator,
  wiredInputs,
} from "./catalog";
import { CODE } from "./edits";
import { descendants, nodeOf, OUTPUTS, type Slot } from "./graph";
import { PORT_LOOKS } from "./ports";

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const YES: Verdict = { ok: true };
const no = (reason: string): Verdict => ({ ok: false, reason });

/** Kinds of which a wire that is dropped anywhere on a card may be for an argument. */
const NUMBERS: ReadonlySet<Kind> = new Set(["boxes", "mask", "points", "label", "scalar", "any"]);

const isNumber = (kind: Kind) => NUMBERS.has(kind) && kind !== "any" && kind !== "mask";

export function kindsFit(catalog: CatalogIndex, source: Kind, target: Kind): boolean {
  return catalog.inputsTake[target].includes(source);
}

/** Where the data of a node is: mixed operators read on the CPU and write on the GPU. */
export function outputDevice(device: Device): "cpu" | "gpu" {
  return device === "cpu" ? "cpu" : "gpu";
}

export interface Context {
  readonly graph: GraphView;
  readonly catalog: CatalogIndex;
}

/** What a wire from this output carries. */
export function kindOf({ graph, catalog }: Context, { node: key, output }: PortRef): Kind {
  const node = nodeOf(graph, key);
  return node?.output_kinds[output] ?? catalog.byName.get(node?.operator ?? "")?.outputs[output]?.kind ?? "any";
}

function checkInput(
  catalog: CatalogIndex,
  source: NodeView,
  onGpu: boolean,
  kind: Kind,
  rank: number | null | undefined,
  target: NodeView,
  operator: Operator,
  input: number,
): Verdict {
  if (operator.inputs.length === 0) return no(`${target.key} takes no inputs.`);
  const schema = inputOf(operator, input);
  if (!schema) return no(`${target.key} takes ${mostInputs(operator)} inputs at most.`);
  const axes = rank == null || kind === schema.kind || schema.layouts.length === 0;
  if (!kindsFit(catalog, kind, schema.kind) || !(axes || schema.layouts.some((l) => l.length === rank)))
    return no(
      `${target.key} takes ${PORT_LOOKS[schema.kind].words} here, and this wire carries ${PORT_LOOKS[kind].words}.`,
    );
  if (operator.role !== "copy" && !schema.shape_only && onGpu && target.device !== "gpu") {
    const place = operator.devices.includes("gpu") ? `Set ${target.key} to gpu, or put` : "Put";
    return no(`${target.key} runs on the CPU, and ${source.key} gives data on the GPU. ${place} to_cpu between them.`);
  }
  return YES;
}

function checkArgument(
  catalog: CatalogIndex,
  source: NodeView,
  onGpu: boolean,
  kind: Kind,
  target: NodeView,
  argument: Argument | undefined,
): Verdict {
  if (!argument) return no(`${target.key} has no such argument.`);
  if (!argument.tensor) return no(`${argument.name} has one value for all samples; it takes no wire.`);
  if (argument.support !== "used") return no(argument.reason || `${argument.name} has no effect here.`);
  if (!catalog.argumentsTake.includes(kind))
    return no(`${argument.name} takes numbers, and this wire carries ${PORT_LOOKS[kind].words}.`);
  if (onGpu)
    return no(`Arguments are read on the CPU, and ${source.key} gives data on the GPU. Put to_cpu between them.`);
  return YES;
}

/** Whether a wire may be drawn, or one sentence that says why not. */
export function checkConnection(context: Context, source: PortRef, slot: Slot): Verdict {
  const from = nodeOf(context.graph, source.node);
  if (!from) return no("The source of this wire is gone.");
  if (slot.kind === "output") {
    const again = context.graph.outputs.some(
      (r, i) => i !== slot.index && r.node === source.node && r.output === source.output,
    );
    return again ? no(`The pipeline already returns this output of ${source.node}.`) : YES;
  }
  if (slot.node === source.node) return no("A node cannot feed itself.");
  const target = nodeOf(context.graph, slot.node);
  const operator = target ? context.catalog.byName.get(target.operator) : undefined;
  if (!target || !operator) return no(`${slot.node} is an operator that is not known here.`);
  if (descendants(context.graph, [slot.node]).has(source.node))
    return no(`${slot.node} already feeds ${source.node}, and a pipeline has no loops.`);
  const kind = kindOf(context, source);
  const { catalog } = context;
  const declared = catalog.byName.get(from.operator)?.outputs[source.output];
  const onGpu = outputDevice(from.device) === "gpu" && !declared?.on_cpu;
  if (slot.kind === "input")
    return checkInput(catalog, from, onGpu, kind, from.output_ranks[source.output], target, operator, slot.input);
  return checkArgument(catalog, from, onGpu, kind, target, argumentOf(operator, slot.argument));
}

/**
 * The slots of a node: inputs in order, then arguments that take wires (common ones first), less those of which another
 * one says already what they would.
 */
export function slotsOf(node: NodeView, operator: Operator): Slot[] {
  const count = inputPorts(operator, wiredInputs(node));
  const inputs = Array.from({ length: count }, (_, input): Slot => ({ kind: "input", node: node.key, input }));
  const given = new Set([...Object.keys(node.arguments), ...Object.keys(node.argument_inputs)]);
  const wireable = operator.arguments.filter(
    (a) => a.tensor && a.support === "used" && (given.has(a.name) || !isSaid(a.name, given)),
  );
  const sorted = [...wireable.filter((a) => a.common), ...wireable.filter((a) => !a.common)];
  const args: Slot[] = sorted.map((a) => ({ kind: "argument", node: node.key, argument: a.name }));
  return [...inputs, ...args];
}

export function isWired(node: NodeView, slot: Slot): boolean {
  if (slot.kind === "input") return (node.inputs[slot.input] ?? null) !== null;
  return slot.kind === "argument" && node.argument_inputs[slot.argument] !== undefined;
}

/** How little a slot waits for a wire: inputs first, then needed arguments. */
function reserve(operator: Operator, slot: Slot): number {
  if (slot.kind !== "argument") return 0;
  return argumentOf(operator, slot.argument)?.required ? 1 : 2;
}

/** Whether a wire of this kind is likely meant for the slot: pictures are no arguments. */
export function isLikely(operator: Operator, slot: Slot, kind: Kind): boolean {
  if (slot.kind === "input") return !isNumber(kind) || NUMBERS.has(inputOf(operator, slot.input)?.kind ?? "any");
  return slot.kind !== "argument" || NUMBERS.has(kind);
}

/** Whether a wire dropped on the card may go to this slot by itself: nothing that is set or wired is lost by it. */
function isOpen(node: NodeView, operator: Operator, slot: Slot): boolean {
  if (isWired(node, slot)) return false;
  if (slot.kind !== "argument") return true;
  const argument = argumentOf(operator, slot.argument);
  const several = argument?.type.endsWith("_list") && !argument.length.includes(1);
  return !several && node.arguments[slot.argument] === undefined;
}

export interface Refusal {
  readonly reason: string;
  /** Another place of the card takes the wire. */
  readonly elsewhere?: boolean;
}

/** The slot that a wire dropped anywhere on a node goes to, or why there is none. */
export function bestSlot(context: Context, source: PortRef, key: string): Slot | Refusal {
  if (key === OUTPUTS) return { kind: "output", node: OUTPUTS, index: context.graph.outputs.length };
  const node = nodeOf(context.graph, key);
  const operator = node ? context.catalog.byName.get(node.operator) : undefined;
  if (!node || !operator) return { reason: `${key} is an operator that is not known here.` };
  let reason = "";
  const kind = kindOf(context, source);
  // what takes a shape alone has no port until it is wired there by the search
  const all = slotsOf(node, operator).filter((slot) => {
    const input = slot.kind === "input" ? inputOf(operator, slot.input) : undefined;
    return !input?.optional || !input.shape_only;
  });
  const slots = all.filter((s) => isLikely(operator, s, kind));
  const free = slots
    .filter((s) => isOpen(node, operator, s))
    .sort((a, b) => reserve(operator, a) - reserve(operator, b));
  for (const slot of free) {
    const verdict = checkConnection(context, source, slot);
    if (verdict.ok) return slot;
    if (slot.kind === "input") reason = verdict.reason;
  }
  const first = slots[0] ?? all[0];
  const only = first?.kind === "input" && (mostInputs(operator) === 1 || !slots[0]) ? first : undefined;
  if (only) {
    const verdict = checkConnection(context, source, only);
    return verdict.ok ? only : { reason: verdict.reason };
  }
  const elsewhere = slots.some((s) => checkConnection(context, source, s).ok);
  if (!reason) reason = elsewhere ? "Drop it on the row that it is for." : `${key} has no port for this wire.`;
  return { reason, elsewhere };
}

/** Where an operator goes on a way of one kind: behind its end, or the nearest before it that gives a layout and an element type which it takes. */
export function nearestFor(graph: GraphView, from: PortRef, operator: Operator): PortRef {
  const kindAt = (ref: PortRef) => nodeOf(graph, ref.node)?.output_kinds[ref.output];
  const input = operator.inputs.find((i) => i.kind === kindAt(from));
  const among = (all: readonly string[] | undefined, one: string) => !all?.length || !one || all.includes(one);
  // as the kernel writes them: UINT8 is u8, FLOAT is f32
  const types = input?.dtypes?.map((t) => t[0]?.toLowerCase() + (t.match(/\d+/)?.[0] ?? "32"));
  let at: PortRef | null | undefined = from;
  for (let left = graph.nodes.length; input && at && left > 0; left -= 1) {
    const [axes = "", type = ""] = nodeOf(graph, at.node)?.facts[at.output]?.split(" ") ?? [];
    const layout = axes.includes("×") ? axes.replaceAll("×", "") : "";
    if (kindAt(at) === input.kind && among(input.layouts, layout) && among(types, /\d/.test(type) ? type : ""))
      return at;
    at = nodeOf(graph, at.node)?.inputs[0];
  }
  return from;
}

/** Whether data of this kind, which an operator takes there, is of the same kind behind it, as far as that is known. */
export function passesOn({ keepKind }: CatalogIndex, operator: Operator, input: number, carried?: Kind): boolean {
  if (operator.name === CODE || (input === 0 && keepKind.includes(operator.name))) return true;
  return operator.outputs[0]?.kind === carried && inputOf(operator, input)?.kind === carried;
}

/** Whether an operator could take (or, going backwards, give) data of this kind. */
export function operatorTakes(catalog: CatalogIndex, operator: Operator, kind: Kind): boolean {
  // what is added by a further input that takes anything has nothing to work on
  if (operator.inputs.some((i, n) => (n === 0 || i.kind !== "any") && kindsFit(catalog, kind, i.kind))) return true;
  const numbers = kind === "scalar" || kind === "label";
  return numbers && operator.arguments.some((a) => a.tensor && a.support === "used");
}

export function operatorGives(
  catalog: CatalogIndex,
  operator: Operator,
  slot: Slot,
  target: Operator | undefined,
): boolean {
  if (slot.kind === "output") return operator.outputs.length > 0;
  if (slot.kind === "argument") return operator.outputs.some((o) => NUMBERS.has(o.kind));
  const kind = inputOf(target, slot.input)?.kind ?? "any";
  return operator.outputs.some((o) => kindsFit(catalog, o.kind, kind));
}

/** The device to place a new node on: where its data is, if it can run there. */
export function deviceFor(operator: Operator, upstream: NodeView | undefined): Device {
  const wanted = upstream ? outputDevice(upstream.device) : "cpu";
  if (operator.devices.includes(wanted)) return wanted;
  return operator.devices[0] ?? "cpu";
}
