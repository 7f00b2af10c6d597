import { applyNodeChanges, type Edge, type Node, type NodeChange, type Viewport } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { detailOf, isFar, isMany } from "../../core/detail";
import * as format from "../../core/format";
import { cardsOf, nodeOf, OUTPUTS, wiresOf } from "../../core/graph";
import { CARD, EDGE, fittingScale, freePlace, type Size } from "../../core/layout";
import type { Rect } from "../../core/route";
import { derived, findings, findingsAt, severity, timingOf } from "../../core/select";
import type { State } from "../../core/state";
import { boxesOf, cornerOf, endsOf, isHidden, keysOfCard, outsideOf, shownCards } from "../../core/subgraph";
import type { Position } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { handleOfSlot } from "./drag";
import { describe } from "./OpCard";
import { cardRects, layoutOf, sizesOf } from "./sizes";

function label(state: State, key: string): string {
  if (key === OUTPUTS) return `outputs, ${format.plural(state.graph?.outputs.length ?? 0, "result")}`;
  const box = boxesOf(state).get(key);
  if (box) return `subgraph ${box.group.title}, ${format.plural(box.nodes.length, "operator")}`;
  const node = nodeOf(state.graph, key);
  if (!node) return key;
  const operator = state.opening?.catalog.byName.get(node.operator);
  const bad = findingsAt(state, key).some((d) => severity(d) === "error");
  return describe(node, operator, format.time(timingOf(state, key)?.milliseconds), bad);
}

const labelsOf = derived(
  (s) => [s.graph, s.opening, findings(s), s.run.finished, boxesOf(s)],
  (state) => shownCards(state).map((key) => label(state, key)),
);

const NO_KEYS: readonly string[] = [];

/** Cards that have no place yet. */
const unplaced = derived(
  (s) => [s.graph, s.confirmed !== null, s.positions],
  (state) => (state.confirmed && state.graph ? cardsOf(state.graph).filter((k) => !state.positions[k]) : NO_KEYS),
);

/** The nodes that React Flow draws: positions of the store, except while one is dragged. */
export function useFlowNodes() {
  const session = useSession();
  const [nodes, setNodes] = useState<Node[]>([]);
  const keys = useSel(shownCards);
  const positions = useSel((s) => s.positions);
  const boxes = useSel(boxesOf);
  const selection = useSel((s) => s.view.selection);
  const labels = useSel(labelsOf);
  const outside = useSel(outsideOf);
  const dragging = useRef(false);
  useEffect(() => {
    const chosen = new Set(selection);
    setNodes((old) => {
      const byKey = new Map(old.map((n) => [n.id, n]));
      return keys.flatMap((key, i): Node[] => {
        const before = byKey.get(key);
        const inner = boxes.get(key)?.nodes.map((n) => n.key);
        const beside = outside.get(key);
        const place = beside ?? (inner ? cornerOf(inner, positions) : positions[key]);
        const at = dragging.current && before ? before.position : place;
        if (!at) return [];
        const selected = inner ? inner.every((k) => chosen.has(k)) : chosen.has(key);
        const ariaLabel = labels[i] ?? key;
        const same =
          before &&
          before.position.x === at.x &&
          before.position.y === at.y &&
          before.selected === selected &&
          before.draggable === !beside &&
          before.ariaLabel === ariaLabel;
        if (same) return [before];
        const type = key === OUTPUTS ? "outputs" : inner ? "box" : "operator";
        const position = { x: at.x, y: at.y };
        const looks = { draggable: !beside, className: beside ? "ds-outside" : "" };
        return [{ ...(before ?? { data: {} }), id: key, type, position, selected, ariaLabel, ...looks }];
      });
    });
  }, [keys, positions, selection, labels, boxes, outside]);

  const onNodesChange = useCallback(
    (changes: NodeChange[]) => {
      const selects = changes.filter((c) => c.type === "select");
      if (selects.length > 0) {
        session.view((v) => {
          const next = new Set(v.selection);
          for (const c of selects)
            for (const key of keysOfCard(session.store.get(), c.id)) c.selected ? next.add(key) : next.delete(key);
          return { selection: [...next], renaming: false };
        });
      }
      const rest = changes.filter((c) => c.type !== "select" && c.type !== "remove");
      if (rest.length > 0) setNodes((ns) => applyNodeChanges(rest, ns));
    },
    [session],
  );
  return { nodes, setNodes, onNodesChange, dragging };
}

/** The wires that React Flow draws; the cards say where they end. */
export const flowEdges = derived(
  (s) => [s.graph, s.view.wires, shownCards(s)],
  (state): Edge[] => {
    const { wires } = state.view;
    const outer = state.graph ? wiresOf(state.graph).filter((w) => !isHidden(state, w)) : [];
    return outer.map((w) => ({
      id: w.id,
      type: "wire",
      ...endsOf(state, w, handleOfSlot),
      selected: wires.includes(w.id),
      ariaLabel: `wire from ${w.source.node} to ${w.slot.node === OUTPUTS ? "outputs" : w.slot.node}`,
      // a stub is short: what is clicked there is the stub, not a wire that passes by
      zIndex: wires.includes(w.id) || w.slot.kind === "argument" ? 1 : 0,
    }));
  },
);

/** The cards as obstacles for wires; while `resting` is false the last ones stand. */
export function obstaclesOf(nodes: readonly Node[]): Rect[] {
  return nodes.map((n) => ({
    x: n.position.x,
    y: n.position.y,
    width: n.measured?.width ?? CARD,
    height: n.measured?.height ?? 171,
  }));
}

/** Height of the sentence that may come over the canvas: cards leave it free, so that nothing moves then. */
export const STRIP = 30;

/** The room of the cards on the canvas; a usual one while it is not laid out. */
export function roomOf(box: HTMLElement | null): Size {
  return { width: box?.clientWidth || 900, height: (box?.clientHeight || 470) - STRIP };
}

/** Give every card a place: all of them if none has one, else only the new ones. Sent to the kernel once. */
export function useAutoPlace(box: RefObject<HTMLElement | null>, fit: () => void): void {
  const session = useSession();
  const missing = useSel(unplaced);
  useEffect(() => {
    if (missing.length === 0) return;
    const state = session.store.get();
    if (!state.graph) return;
    const all = layoutOf(state, roomOf(box.current));
    const placed = cardsOf(state.graph).filter((k) => state.positions[k]);
    if (placed.length === 0) {
      session.move(all);
      requestAnimationFrame(fit);
      return;
    }
    const taken = cardRects(state);
    const sizes = sizesOf(state);
    const found: Record<string, Position> = {};
    for (const key of missing) {
      const size = sizes.get(key) ?? { width: CARD, height: 171 };
      const at = freePlace(nextTo(state, key) ?? all[key] ?? { x: 20, y: 14 }, taken, size);
      found[key] = at;
      taken.push({ ...at, ...size });
    }
    session.move(found);
  }, [missing, session, box, fit]);
}

/** The outputs stand right of what they return. */
function nextTo(state: State, key: string): Position | null {
  if (key !== OUTPUTS) return null;
  const last = state.graph?.outputs[0] ?? { node: state.graph?.nodes.at(-1)?.key ?? "", output: 0 };
  const at = state.positions[last.node];
  return at ? { x: at.x + 184, y: at.y } : null;
}

/** A canvas that is no higher keeps no room for what may come over it, in px. */
export const LOW = 240;

/** What stays free above the cards, in px, and below them for a wire. */
const ABOVE = 10;
const LANE = 14;
/** Height of the names of stages. */
const STAGE = 14;
/** What the zoom controls cover at least, in the lower left corner. */
export const CONTROLS = { width: 220, height: 46 };

/** What lies over the canvas: so much at its top, and controls so wide in its lower left corner. */
interface Covers {
  readonly top: number;
  readonly controls: number;
}

/** The view of the whole graph, at 100 % from the upper left corner when it fits; null where there is nothing to see. */
export function viewOf(
  cards: readonly Rect[],
  { width: wide, height: high }: Size,
  { top: above, controls }: Covers,
): Viewport | null {
  if (cards.length === 0 || wide === 0) return null;
  const box = { width: wide, height: high - above };
  const left = Math.min(...cards.map((c) => c.x));
  const top = Math.min(...cards.map((c) => c.y));
  const width = Math.max(...cards.map((c) => c.x + c.width)) - left;
  const height = Math.max(...cards.map((c) => c.y + c.height)) - top;
  const place = (room: Size) => {
    const scale = fittingScale(width, height, room);
    const x = scale < 1 ? (room.width - width * scale) / 2 : EDGE;
    const y = scale < 1 ? Math.max(8, Math.min(ABOVE, (room.height - height * scale) / 2)) : ABOVE;
    return { scale, x, y };
  };
  let { scale, x, y } = place(box);
  // Names of stages stand over the cards of large graphs.
  const head = isMany(cards.length) && isFar(detailOf(scale)) ? STAGE : 0;
  if (head > 0) ({ scale, x, y } = place({ width: box.width, height: box.height - head }));
  const under = (from: number, to: number) =>
    x + from * scale < controls && y + head + to * scale > box.height - CONTROLS.height;
  // A wire may run below the cards; what is low needs all of its height.
  const hidden =
    box.height > LOW ? under(0, height + LANE) : cards.some((c) => under(c.x - left, c.y + c.height - top));
  if (hidden) ({ scale, x, y } = place({ width: box.width, height: box.height - head - CONTROLS.height + 8 }));
  return { x: x - left * scale, y: above + head + y - top * scale, zoom: scale };
}
