import type { CopyTiming, GraphView } from "../protocol/generated";
import { outputDevice } from "./compat";
import * as format from "./format";
import { nodeOf, type Wire, wiresOf } from "./graph";
import { isOld, timingOf } from "./select";
import type { State } from "./state";

/** Whether a node reads data on this wire that lies on the other side of the bus from its results. */
function outside(graph: GraphView, wire: Wire): boolean {
  const source = nodeOf(graph, wire.source.node);
  const target = nodeOf(graph, wire.slot.node);
  if (!source || !target || wire.slot.kind !== "input") return false;
  return outputDevice(source.device) !== outputDevice(target.device);
}

/**
 * The node that copies what a wire carries between the CPU and the GPU, or null: what a node reads from the other side
 * comes on its first wire from there; numbers that are drawn for a GPU are copied on their way out.
 */
export function copierOf(graph: GraphView, wire: Wire): string | null {
  const source = nodeOf(graph, wire.source.node);
  const wires = wiresOf(graph);
  if (outside(graph, wire)) {
    const first = wires.find((w) => w.slot.node === wire.slot.node && outside(graph, w));
    return first?.id === wire.id ? wire.slot.node : null;
  }
  const drawn = source && source.device !== "cpu" && source.inputs.every((ref) => ref === null);
  return drawn && wires.find((w) => w.source.node === source.key)?.id === wire.id ? source.key : null;
}

export function crosses(graph: GraphView): boolean {
  return wiresOf(graph).some((w) => copierOf(graph, w) !== null);
}

export interface CopyLabel {
  readonly text: string;
  readonly title: string;
}

/** How many copies a batch needs, and what they take. */
export function copiesOf(state: State): { count: number; size: number; milliseconds: number } {
  const all = (state.run.finished?.timings ?? []).flatMap((t) => t.copies);
  const sum = (of: (copy: CopyTiming) => number) => all.reduce((n, copy) => n + of(copy), 0);
  return { count: all.length, size: sum((c) => c.size), milliseconds: sum((c) => c.milliseconds) };
}

const WAYS = { H2D: "from the CPU to the GPU", D2H: "from the GPU to the CPU" } as const;

function sentenceOf(copy: CopyTiming): string {
  const rate = copy.milliseconds > 0 ? `, ${format.bytes((copy.size / copy.milliseconds) * 1000)}/s` : "";
  return `Copied ${WAYS[copy.direction]} per batch: ${format.bytes(copy.size)} in ${format.time(copy.milliseconds)}${rate}.`;
}

/** Bytes of what a wire carries in a batch of the last run; 0 if they are not known. */
export function bytesAlong(state: State, { source }: Wire): number {
  const made = timingOf(state, source.node);
  return made?.key === source.node ? (made.outputs[source.output ?? 0] ?? 0) : 0;
}

/** What the last run has measured for the copy on a wire, or where memory is shown what it carries; null if nothing. */
export function copyLabel(state: State, wire: Wire): CopyLabel | null {
  const key = state.graph ? copierOf(state.graph, wire) : null;
  const copies = key ? (timingOf(state, key)?.copies ?? []) : [];
  const old = isOld(state) ? " From before the last change." : "";
  const shown = state.view.heat && state.view.measure === "memory" && !wire.source.output; // others begin between rows
  const size = shown ? bytesAlong(state, wire) : 0;
  if (copies.length === 0)
    return size > 0 ? { text: format.bytes(size), title: `${format.bytes(size)} in each batch.${old}` } : null;
  return {
    text: copies.map((c) => `${c.direction} ${format.bytes(c.size)} · ${format.time(c.milliseconds)}`).join(", "),
    title: copies.map(sentenceOf).join(" ") + old,
  };
}
