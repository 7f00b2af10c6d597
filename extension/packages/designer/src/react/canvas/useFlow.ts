import { applyNodeChanges, type Node, type NodeChange } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { roomOfCode } from "../../core/drawer";
import * as format from "../../core/format";
import { freePlace } from "../../core/freeSpot";
import { cardsOf, nodeOf, OUTPUTS } from "../../core/graph";
import { CARD, type Size } from "../../core/layout";
import { raised } from "../../core/marks";
import type { Rect } from "../../core/route";
import { canUndo, derived, findings, findingsAt, operatorOf, severity, timingOf } from "../../core/select";
import { STRIP } from "../../core/sight";
import type { State } from "../../core/state";
import { boxesOf, cornerOf, keysOfCard, outsideOf, shownCards } from "../../core/subgraph";
import type { Position } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { describe } from "./OpCard";
import { cardRects, firstPlaces, givenWay, heightsOf, layoutOf, sizesOf } from "./sizes";

function label(state: State, key: string): string {
  if (key === OUTPUTS) return `outputs, ${format.plural(state.graph?.outputs.length ?? 0, "result")}`;
  const box = boxesOf(state).get(key);
  if (box) return `subgraph ${box.group.title}, ${format.plural(box.nodes.length, "operator")}`;
  const node = nodeOf(state.graph, key);
  if (!node) return key;
  const operator = operatorOf(state, node);
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
        const looks = { draggable: !beside, className: beside ? `ds-outside ds-outside-${beside.side}` : "" };
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

/** The cards, and the names of groups above them, as obstacles for wires. */
export function obstaclesOf(nodes: readonly Node[], marks: State["marks"] = {}): Rect[] {
  const rect = ({ position, measured }: Node) => ({
    ...position,
    width: measured?.width ?? CARD,
    height: measured?.height ?? 171,
  });
  return raised(new Map(nodes.map((node) => [node.id, rect(node)])), marks);
}

/**
 * The room of the cards on the canvas; a usual one while it is not laid out. The list of operators, which comes and goes,
 * makes them smaller and leaves them where they are.
 */
export function roomOf(box: HTMLElement | null): Size {
  return { width: box?.closest(".ds-left")?.clientWidth || 900, height: (box?.clientHeight || 470) - STRIP };
}

/** Give every card a place: all of them if none has one, else only the new ones. Sent to the kernel once. */
export function useAutoPlace(box: RefObject<HTMLElement | null>, fit: () => void): void {
  const session = useSession();
  const missing = useSel(unplaced);
  useEffect(() => {
    if (missing.length === 0) return;
    const state = session.store.get();
    if (!state.graph) return;
    const placed = cardsOf(state.graph).filter((k) => state.positions[k]);
    if (placed.length === 0) {
      // an edit closes nothing that is open
      const edited = state.pending.length > 0 || canUndo(state);
      const more = edited || !box.current?.clientHeight ? 0 : roomOfCode(state);
      const { positions, folds } = firstPlaces(state, roomOf(box.current), more);
      if (folds) session.view({ drawer: null });
      session.move(positions);
      requestAnimationFrame(fit);
      return;
    }
    const all = layoutOf(state, roomOf(box.current));
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

/** Cards make room for those above them that grow with what comes to be known of their data. */
export function useGrowth(): void {
  const session = useSession();
  const heights = useSel(heightsOf);
  const before = useRef(new Map<string, number>());
  useEffect(() => {
    const state = session.store.get();
    // what was never shown was put by heights that are not known
    const known = before.current.size > 0 || state.view.inside.length > 0;
    if (known) session.move(givenWay(state, before.current));
    for (const [id, height] of heights) before.current.set(id, height);
  }, [heights, session]);
}

/** The outputs stand right of what they return. */
function nextTo(state: State, key: string): Position | null {
  if (key !== OUTPUTS) return null;
  const last = state.graph?.outputs[0] ?? { node: state.graph?.nodes.at(-1)?.key ?? "", output: 0 };
  const at = state.positions[last.node];
  return at ? { x: at.x + 184, y: at.y } : null;
}
