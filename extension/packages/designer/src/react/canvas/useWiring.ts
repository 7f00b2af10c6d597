import type { Connection, Edge, FinalConnectionState, OnConnectStartParams } from "@xyflow/react";
import { useCallback, useRef, useState } from "react";
import { connectEdits, cutEdits, disconnectEdit } from "../../core/actions";
import { bestSlot, type Context, checkConnection, type Refusal } from "../../core/compat";
import { fixesFor } from "../../core/fixes";
import { freePlace } from "../../core/freeSpot";
import { nodeOf, OUTPUTS, type Slot, slotId, wireOf, wiresOf } from "../../core/graph";
import { COLUMN } from "../../core/layout";
import type { Session } from "../../core/session";
import type { Edit, PortRef } from "../../protocol/generated";
import { useFrame } from "../context";
import { type Drag, refOfHandle, slotOfHandle } from "./drag";
import { cardRects } from "./sizes";

export function contextOf(session: Session): Context | null {
  const { graph, opening } = session.store.get();
  return graph && opening ? { graph, catalog: opening.catalog } : null;
}

export interface Hint {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  /** It can be dropped elsewhere on the card. */
  readonly mild: boolean;
}

interface Under {
  readonly node: string | null;
  readonly slot: Slot | null;
  readonly source: PortRef | null;
  readonly pane: boolean;
}

/** What is under the pointer, found through the widget's own root so that it works inside a shadow root. */
export function under(root: HTMLElement, x: number, y: number): Under {
  const tree = root.getRootNode();
  const found = tree instanceof Document || tree instanceof ShadowRoot ? tree.elementFromPoint(x, y) : null;
  const card = found?.closest<HTMLElement>("[data-ds-node]");
  const node = card?.dataset.dsNode ?? null;
  const handle = found?.closest<HTMLElement>("[data-ds-slot]")?.dataset.dsSlot;
  const output = found?.closest<HTMLElement>("[data-ds-source]")?.dataset.dsSource;
  return {
    node,
    slot: node && handle ? slotOfHandle(node, handle) : null,
    source: node && output ? refOfHandle(node, output) : null,
    pane: found?.closest(".react-flow__pane") !== null && found !== null && root.contains(found),
  };
}

interface End {
  readonly source: PortRef;
  readonly slot: Slot;
}

/** Where the wire in hand would end if it was dropped here, or why it cannot. */
export function resolve(context: Context, drag: Drag, at: Under): End | Refusal | null {
  if (!at.node) return null;
  const whole = at.node !== OUTPUTS && !nodeOf(context.graph, at.node);
  if (whole && !at.slot && !at.source) return { reason: "Drop the wire on a port of the box." };
  if (drag.from) {
    const slot = at.slot ?? bestSlot(context, drag.from, at.node);
    if (!("kind" in slot)) return slot;
    if (slot.node === drag.from.node) return null;
    const verdict = checkConnection(context, drag.from, slot);
    return verdict.ok ? { source: drag.from, slot } : verdict;
  }
  if (at.node === drag.to.node) return null;
  const node = nodeOf(context.graph, at.node);
  const refs = at.source
    ? [at.source]
    : (node?.output_kinds ?? []).map((_, output) => ({ node: at.node ?? "", output }));
  let reason = "A wire runs from an output to an input.";
  for (const source of refs) {
    const verdict = checkConnection(context, source, drag.to);
    if (verdict.ok) return { source, slot: drag.to };
    reason = verdict.reason;
  }
  return { reason };
}

function point(event: MouseEvent | TouchEvent): { x: number; y: number } {
  const touch = "changedTouches" in event ? event.changedTouches[0] : event;
  return { x: touch?.clientX ?? 0, y: touch?.clientY ?? 0 };
}

/** Say why a wire was refused, with the smallest change that would allow it. */
function offerFix(session: Session, context: Context, drag: Drag, at: Under, reason: string): void {
  const source = drag.from ?? at.source ?? (at.node ? { node: at.node, output: 0 } : null);
  const slot: Slot | null = drag.to ?? at.slot ?? (at.node ? { kind: "input", node: at.node, input: 0 } : null);
  const beside = session.store.get().positions[slot?.node ?? ""] ?? { x: 20, y: 14 };
  const place = freePlace({ x: beside.x - COLUMN, y: beside.y }, cardRects(session.store.get()));
  const [fix] = source && slot ? fixesFor(context, source, slot, place) : [];
  if (fix) session.view({ notice: { text: reason, node: slot?.node ?? "", fix } });
}

type DropOnPane = (at: { x: number; y: number }, drag: Drag) => void;

/** Drawing, dropping, moving and cutting wires. */
export function useWiring(onPane: DropOnPane) {
  const { session, root } = useFrame();
  const [drag, setDrag] = useState<Drag | null>(null);
  const [hint, setHint] = useState<Hint | null>(null);
  const current = useRef<Drag | null>(null);
  /** The wire whose end is being moved: cut or replaced when it is dropped. */
  const moving = useRef<Slot | null>(null);
  const stopTracking = useRef<() => void>(() => undefined);

  const track = useCallback(
    (started: Drag) => {
      current.current = started;
      setDrag(started);
      session.view({ notice: null }); // what was said of the wire before
      const move = (event: PointerEvent) => {
        const context = contextOf(session);
        if (!context) return;
        const at = under(root, event.clientX, event.clientY);
        session.view({ hovered: at.node });
        const end = resolve(context, started, at);
        const box = root.getBoundingClientRect();
        const { reason: text = "", elsewhere: mild = false } = end && "reason" in end ? end : {};
        setHint(text ? { x: event.clientX - box.left + 14, y: event.clientY - box.top + 14, text, mild } : null);
      };
      root.ownerDocument.addEventListener("pointermove", move);
      stopTracking.current = () => root.ownerDocument.removeEventListener("pointermove", move);
    },
    [root, session],
  );

  const finish = useCallback(() => {
    stopTracking.current();
    current.current = null;
    setDrag(null);
    setHint(null);
  }, []);

  const onConnectStart = useCallback(
    (_: unknown, { nodeId, handleId }: OnConnectStartParams) => {
      if (!nodeId || moving.current) return;
      const from = refOfHandle(nodeId, handleId);
      const to = slotOfHandle(nodeId, handleId);
      if (from) track({ from, to: null });
      else if (to) track({ from: null, to });
    },
    [track],
  );

  const connect = useCallback(
    (end: End, before: readonly Edit[] = []) => {
      const graph = session.store.get().graph;
      if (!graph) return;
      const was = wireOf(graph, slotId(end.slot))?.source.node;
      session.edit([...before, ...connectEdits(graph, end.source, end.slot)]);
      if (was && was !== end.source.node && end.slot.kind !== "output") {
        const text = `${end.slot.node} takes what ${end.source.node} gives, in place of ${was}.`;
        session.view({ notice: { text, node: end.slot.node } });
      }
    },
    [session],
  );

  const drop = useCallback(
    (event: MouseEvent | TouchEvent, started: Drag, before: readonly Edit[]): boolean => {
      const context = contextOf(session);
      const { x, y } = point(event);
      const at = under(root, x, y);
      const end = context ? resolve(context, started, at) : null;
      if (end && "slot" in end) {
        connect(end, before);
        return true;
      }
      if (!end && at.pane && before.length === 0) onPane({ x, y }, started);
      if (context && end && "reason" in end) offerFix(session, context, started, at, end.reason);
      return false;
    },
    [session, root, connect, onPane],
  );

  const onConnectEnd = useCallback(
    (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
      // The end of a moved wire is handled by onReconnectEnd, which comes after this.
      if (moving.current) return;
      const started = current.current;
      finish();
      if (started && !state.isValid) drop(event, started, []);
    },
    [drop, finish],
  );

  const onConnect = useCallback(
    (c: Connection) => {
      const source = refOfHandle(c.source, c.sourceHandle);
      const slot = slotOfHandle(c.target, c.targetHandle);
      if (source && slot) connect({ source, slot });
    },
    [connect],
  );

  const isValidConnection = useCallback(
    (c: Connection | Edge) => {
      const context = contextOf(session);
      const source = refOfHandle(c.source, c.sourceHandle ?? null);
      const slot = slotOfHandle(c.target, c.targetHandle ?? null);
      return context !== null && source !== null && slot !== null && checkConnection(context, source, slot).ok;
    },
    [session],
  );

  const onReconnectStart = useCallback(
    (_: unknown, edge: Edge, end: "source" | "target") => {
      const wire = wireOf(session.store.get().graph, edge.id);
      const slot = wire?.slot ?? null;
      const from = wire?.source ?? null;
      moving.current = slot;
      // React Flow names the end that stays.
      if (end === "source" && from) track({ from, to: null });
      else if (slot) track({ from: null, to: slot });
    },
    [track, session],
  );

  const onReconnectEnd = useCallback(
    (event: MouseEvent | TouchEvent) => {
      const started = current.current;
      const slot = moving.current;
      const graph = session.store.get().graph;
      finish();
      moving.current = null;
      if (!started || !slot || !graph || !wiresOf(graph).some((w) => JSON.stringify(w.slot) === JSON.stringify(slot)))
        return;
      const { x, y } = point(event);
      const at = under(root, x, y);
      const back = at.slot && JSON.stringify(at.slot) === JSON.stringify(slot);
      if (back) return;
      const cut = started.from ? [disconnectEdit(graph, slot)] : [];
      const moved = drop(event, started, cut);
      if (!moved && at.pane) session.edit(cutEdits(graph, [slot]));
    },
    [session, root, drop, finish],
  );

  const handlers = { onConnectStart, onConnectEnd, onConnect, isValidConnection, onReconnectStart, onReconnectEnd };
  return { drag, hint, handlers };
}
