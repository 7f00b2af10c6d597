import { type Edge, type Node, useReactFlow, type Viewport } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Size } from "../../core/layout";
import { around, type Rect } from "../../core/route";
import { useSel } from "../context";
import { followed } from "./edges";
import { obstaclesOf } from "./useFlow";

/** Cards are on the page this far around what is in view, as a share of the frame's sides. */
const MARGIN = 0.35;
/** How many times as wide as the view what is on the page may be at rest. */
const ROOM = 2;

function viewOf({ x, y, zoom }: Viewport, { width, height }: Size): Rect {
  return { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom };
}

function holds(area: Rect, { x, y, width, height }: Rect): boolean {
  return x >= area.x && y >= area.y && x + width <= area.x + area.width && y + height <= area.y + area.height;
}

function meets(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Cards outside of an area stay known, so that wires find them, and are not on the page. */
function useHidden(): (node: Node) => Node {
  const made = useRef(new WeakMap<Node, Node>());
  return useCallback((node) => {
    const hidden = made.current.get(node) ?? { ...node, hidden: true };
    made.current.set(node, hidden);
    return hidden;
  }, []);
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The cards and wires of a large graph that are on the page: those in view and around it.
 *
 * React Flow can do so itself, but then cards come and go at every step of a gesture. Here they do when a drag leaves the
 * area, and at rest; never while the zoom changes, which could call for all of them.
 */
export function useArea(box: RefObject<HTMLElement | null>, on: boolean, nodes: Node[], edges: Edge[]) {
  const flow = useReactFlow();
  const [area, setArea] = useState<Rect | null>(null);
  // To ask for the frame's size at each step of a gesture would lay the page out each time.
  const latest = useRef<{ area: Rect | null; zoom: number; frame: Size | null }>({ area: null, zoom: 0, frame: null });
  const hide = useHidden();
  const own = useSel((s) => (on ? followed(s) : NONE));
  const follow = useCallback((viewport: Viewport, resting: boolean) => {
    const { area: before, zoom, frame } = latest.current;
    if (!frame || (!resting && viewport.zoom !== zoom)) return;
    latest.current.zoom = viewport.zoom;
    const view = viewOf(viewport, frame);
    if (before && holds(before, view) && (!resting || before.width < ROOM * view.width)) return;
    const [dx, dy] = [view.width * MARGIN, view.height * MARGIN];
    const next = { x: view.x - dx, y: view.y - dy, width: view.width + 2 * dx, height: view.height + 2 * dy };
    latest.current.area = next;
    setArea(next);
  }, []);
  useEffect(() => {
    if (!box.current) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      latest.current.frame = entry?.contentRect ?? null;
      follow(flow.getViewport(), true);
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box, flow, follow]);
  const shown = useMemo(() => {
    if (!on || !area) return { nodes, edges };
    const rects = obstaclesOf(nodes);
    const byId = new Map(nodes.map((n, i) => [n.id, rects[i] ?? area]));
    const rectOf = (id: string) => byId.get(id) ?? area;
    const inside = (id: string) => meets(rectOf(id), area);
    // A number goes to cards all over a graph: its wires are drawn where both ends are, or one is looked at.
    const crosses = ({ source, target, targetHandle }: Edge) =>
      targetHandle?.startsWith("arg:")
        ? inside(source) && inside(target)
        : meets(around([rectOf(source), rectOf(target)]), area);
    const looked = edges.filter((e) => e.selected || own.has(e.id));
    const ends = looked.flatMap((e) => [e.source, e.target]);
    return {
      nodes: nodes.map((n) => (n.selected || ends.includes(n.id) || inside(n.id) ? n : hide(n))),
      edges: edges.filter((e) => looked.includes(e) || crosses(e)),
    };
  }, [on, area, nodes, edges, own, hide]);
  return { ...shown, follow };
}
