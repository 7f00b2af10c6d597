import { createContext, useContext } from "react";
import { inputOf } from "../../core/catalog";
import { type Context, checkConnection, kindOf, type Verdict } from "../../core/compat";
import { nodeOf, OUTPUTS, type Slot } from "../../core/graph";
import { type Hue, PORT_LOOKS } from "../../core/ports";
import type { State } from "../../core/state";
import type { PortRef } from "../../protocol/generated";

/** The wire that is being drawn: from an output forward, or from a slot back. */
export type Drag = { readonly from: PortRef; readonly to: null } | { readonly from: null; readonly to: Slot };

export const DragContext = createContext<Drag | null>(null);

export function useDrag(): Drag | null {
  return useContext(DragContext);
}

/** The node of a handle, and its name there: on a box, `rotate/in:0` stands for an input of a node within. */
function within(card: string, handle: string | null | undefined): readonly [string, string] {
  const [first = "", second] = (handle ?? "").split(/\/(?=in:|arg:|out:)/);
  return second === undefined ? [card, first] : [first, second];
}

/** Handles are named `in:0`, `arg:angle`, `out:0` and `result:0`. */
export function slotOfHandle(card: string, handle: string | null | undefined): Slot | null {
  const [node, own] = within(card, handle);
  const [kind, ...rest] = own.split(":");
  const name = rest.join(":");
  if (kind === "in") return { kind: "input", node, input: Number(name) };
  if (kind === "arg") return { kind: "argument", node, argument: name };
  if (kind === "result") return { kind: "output", node: OUTPUTS, index: Number(name) };
  return null;
}

export function refOfHandle(card: string, handle: string | null | undefined): PortRef | null {
  const [node, own] = within(card, handle);
  const [kind, name] = own.split(":");
  return kind === "out" ? { node, output: Number(name) } : null;
}

export function handleOfSlot(slot: Slot): string {
  switch (slot.kind) {
    case "input":
      return `in:${slot.input}`;
    case "argument":
      return `arg:${slot.argument}`;
    case "output":
      return `result:${slot.index}`;
  }
}

const NO: Verdict = { ok: false, reason: "A wire runs from an output to an input." };

/** The colour of the wire in hand: what it carries, or what its end takes. */
export function dragHue({ graph, opening }: State, drag: Drag): Hue {
  if (!graph || !opening) return PORT_LOOKS.any.hue;
  const { catalog } = opening;
  if (drag.from) return PORT_LOOKS[kindOf({ graph, catalog }, drag.from)].hue;
  if (drag.to.kind === "argument") return PORT_LOOKS.scalar.hue;
  if (drag.to.kind === "output") return PORT_LOOKS.any.hue;
  return PORT_LOOKS[
    inputOf(catalog.byName.get(nodeOf(graph, drag.to.node)?.operator ?? ""), drag.to.input)?.kind ?? "any"
  ].hue;
}

/** Whether the wire in hand may end at this slot. */
export function checkSlot(context: Context, drag: Drag, slot: Slot): Verdict {
  return drag.from ? checkConnection(context, drag.from, slot) : NO;
}

/** Whether the wire in hand, drawn backwards, may begin at this output. */
export function checkSource(context: Context, drag: Drag, source: PortRef): Verdict {
  return drag.to ? checkConnection(context, source, drag.to) : NO;
}
