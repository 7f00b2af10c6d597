import { type Node, useReactFlow } from "@xyflow/react";
import { type MouseEvent, type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { cutEdits } from "../../core/actions";
import { nodeOf, type Wire, wiresOf } from "../../core/graph";
import { kept } from "../../core/kept";
import { CARD } from "../../core/layout";
import { crossesPath, isLoose, moveEdits } from "../../core/splice";
import type { Menu } from "../../core/state";
import { keysOfCard } from "../../core/subgraph";
import type { Edit, Position } from "../../protocol/generated";
import { useFrame } from "../context";
import { flowEdges } from "./edges";
import { addJunction } from "./Junctions";
import { contextOf } from "./useWiring";

/** Points along the drawn wires, in px of the screen. */
function pathsOf(root: HTMLElement, steps: number): ReadonlyMap<string, readonly Position[]> {
  const paths = new Map<string, readonly Position[]>();
  for (const edge of root.querySelectorAll<SVGGElement>(".react-flow__edge")) {
    const path = edge.querySelector<SVGPathElement>(".react-flow__edge-path");
    const matrix = path?.getScreenCTM();
    if (!path || !matrix || !edge.dataset.id) continue;
    const length = path.getTotalLength();
    const points = Array.from({ length: steps + 1 }, (_, i) => {
      const { x, y } = path.getPointAtLength((length * i) / steps).matrixTransform(matrix);
      return { x, y };
    });
    paths.set(edge.dataset.id, points);
  }
  return paths;
}

/** How far above or below a card a wire may run to be meant, in px. */
const NEAR = 12;

/** A card or a wire that has the keyboard. */
const KEYED = ":is(.react-flow__node,.react-flow__edge):focus-visible";

/** What stands out by its wires where the pointer is. */
const POINTED = ".ds-port,.react-flow__node,.react-flow__edge";

/** How far the pointer may move in a click, in px. */
const CLICK = 3;

export interface Line {
  readonly from: Position;
  readonly to: Position;
}

/** Gestures beside those of React Flow: a card dropped on a wire, Alt and drag across wires, the other button. */
export function useGestures(box: RefObject<HTMLDivElement | null>, place: (x: number, y: number) => Position) {
  const { session, root } = useFrame();
  const flow = useReactFlow();
  const [line, setLine] = useState<Line | null>(null);
  const waiting = useRef(0);

  const wireOf = useCallback(
    (id: string | undefined): Wire | undefined => {
      const { graph } = session.store.get();
      return graph && id ? wiresOf(graph).find((w) => w.id === id) : undefined;
    },
    [session],
  );

  /** The wire under the pointer. */
  const wireAt = useCallback(
    (x: number, y: number): Wire | undefined => {
      const tree = root.getRootNode();
      const all = tree instanceof Document || tree instanceof ShadowRoot ? tree.elementsFromPoint(x, y) : [];
      const edge = all.map((e) => e.closest<SVGGElement>(".react-flow__edge")).find((e) => e !== null);
      return wireOf(edge?.dataset.id);
    },
    [root, wireOf],
  );

  /** The wire into which a card would go, and the edits, or why not: a loose one as it lies, another at the pointer. */
  const wireUnder = useCallback(
    (
      { id: key, position, measured }: Node,
      event: Pick<MouseEvent, "clientX" | "clientY">,
    ): readonly [Wire, readonly Edit[] | string] | undefined => {
      const context = contextOf(session);
      if (!context || !nodeOf(context.graph, key)) return undefined;
      const loose = isLoose(context, key);
      // Where the card is, not where it was drawn last.
      const { x, y } = loose ? flow.flowToScreenPosition(position) : { x: event.clientX - NEAR, y: event.clientY };
      const zoom = loose ? flow.getZoom() : 0;
      const [right, low] = [zoom * (measured?.width ?? CARD) || 2 * NEAR, zoom * (measured?.height ?? CARD)];
      const inside = (p: Position) => p.x > x && p.x < x + right && p.y > y - NEAR && p.y < y + low + NEAR;
      let target: readonly [Wire, readonly Edit[] | string] | undefined;
      let most = 0;
      for (const [id, points] of pathsOf(root, 96)) {
        const hits = points.filter(inside).length;
        const wire = hits > most ? wireOf(id) : undefined;
        const edits = wire && moveEdits(context, key, wire);
        if (!wire || !edits?.length || (typeof edits === "string" && (loose || target))) continue;
        target = [wire, edits];
        most = hits;
      }
      return target;
    },
    [session, root, wireOf, flow],
  );

  /** Mark that wire. */
  const onDrag = useCallback(
    (node: Node, event: Pick<MouseEvent, "clientX" | "clientY">) => {
      cancelAnimationFrame(waiting.current);
      waiting.current = requestAnimationFrame(() => {
        const [wire, edits] = wireUnder(node, event) ?? [];
        const target = typeof edits === "string" ? "" : (wire?.id ?? "");
        session.view({ target });
      });
    },
    [session, wireUnder],
  );

  /** The wire into which a card was dropped, if any. */
  const onDropped = useCallback(
    (node: Node, event: Pick<MouseEvent, "clientX" | "clientY">) => {
      cancelAnimationFrame(waiting.current);
      session.view({ target: "" });
      return wireUnder(node, event);
    },
    [session, wireUnder],
  );

  /** Tell which wires stand out: those of what is below the pointer, else of what has the keyboard. */
  const trace = useCallback(
    ({ target }: { readonly target?: EventTarget | null }) => {
      const at = target instanceof Element && target.closest<HTMLElement>(POINTED);
      const { id, nodeid = id, handleid } = (at || box.current?.querySelector<HTMLElement>(KEYED))?.dataset ?? {};
      const ends = (card: string, handle?: string | null) => card === nodeid && (!handleid || handle === handleid);
      const own = flowEdges(session.store.get()).filter(
        (e) => e.id === id || ends(e.source, e.sourceHandle) || ends(e.target, e.targetHandle),
      );
      session.view((v) => ({
        traced: kept(
          v.traced,
          own.map((e) => e.id),
        ),
      }));
    },
    [session, box],
  );

  const last = useRef("");
  const over = useRef<Element | null>(null);
  /** Tell over what the pointer is; what a scroll, a zoom or a layout brings below it is not pointed at until it moves. */
  const point = useCallback(
    ({ target, clientX, clientY }: MouseEvent) => {
      const at = `${clientX} ${clientY}`;
      const found = (target as Element).closest(POINTED);
      const begun = at === last.current ? null : found;
      last.current = at;
      if (found === over.current) return;
      over.current = begun;
      trace({ target: begun });
      session.view({ hovered: begun?.closest<HTMLElement>(".react-flow__node")?.dataset.id ?? null });
    },
    [session, trace],
  );
  useEffect(() => {
    // after the canvas's own: it may be scrolled to where the pointer rests
    const page = root.ownerDocument;
    const follow = (e: globalThis.MouseEvent) => {
      last.current = `${e.clientX} ${e.clientY}`;
    };
    page.addEventListener("pointermove", follow);
    return () => page.removeEventListener("pointermove", follow);
  }, [root]);

  const slice = useCallback(
    (from: Position, to: Position) => {
      const { graph } = session.store.get();
      const cut = [...pathsOf(root, 48)].filter(([, points]) => crossesPath(from, to, points)).map(([id]) => id);
      if (graph && cut.length > 0)
        session.edit(
          cutEdits(
            graph,
            wiresOf(graph)
              .filter((w) => cut.includes(w.id))
              .map((w) => w.slot),
          ),
        );
    },
    [session, root],
  );

  const onMouseDown = useCallback(
    (event: globalThis.MouseEvent) => {
      if (!event.altKey || event.button !== 0 || !(event.target instanceof Element)) return;
      // the strip lies over the canvas
      if (!event.target.closest(".react-flow__pane, .react-flow__edge, .ds-strip-over")) return;
      event.preventDefault();
      event.stopPropagation();
      const from = { x: event.clientX, y: event.clientY };
      const corner = box.current?.getBoundingClientRect();
      const local = (p: Position) => ({ x: p.x - (corner?.left ?? 0), y: p.y - (corner?.top ?? 0) });
      const page = root.ownerDocument;
      const move = (e: globalThis.MouseEvent) =>
        setLine({ from: local(from), to: local({ x: e.clientX, y: e.clientY }) });
      const up = (e: globalThis.MouseEvent) => {
        page.removeEventListener("mousemove", move);
        page.removeEventListener("mouseup", up);
        setLine(null);
        const wire = wireAt(from.x, from.y);
        // a click is no line: it puts a junction where it is
        if (Math.hypot(e.clientX - from.x, e.clientY - from.y) > CLICK) slice(from, { x: e.clientX, y: e.clientY });
        else if (wire) addJunction(session, root, wire.id, place(from.x, from.y));
      };
      page.addEventListener("mousemove", move);
      page.addEventListener("mouseup", up);
    },
    [root, box, slice, wireAt, session, place],
  );

  useEffect(() => {
    root.addEventListener("mousedown", onMouseDown, true);
    return () => root.removeEventListener("mousedown", onMouseDown, true);
  }, [root, onMouseDown]);

  const onContextMenu = useCallback(
    (event: MouseEvent) => {
      if (!(event.target instanceof Element) || event.shiftKey) return;
      event.preventDefault();
      const card = event.target.closest<HTMLElement>(".react-flow__node")?.dataset.id;
      // the button of a selected wire lies on it
      const own = event.target.closest<HTMLElement>(".react-flow__edge")?.dataset.id;
      const edge = card ? undefined : (own ?? wireAt(event.clientX, event.clientY)?.id);
      const { view } = session.store.get();
      const keys = card ? keysOfCard(session.store.get(), card) : [];
      if (keys.some((key) => !view.selection.includes(key))) session.select(keys);
      if (edge) session.view({ wires: [edge], selection: [] });
      const corner = root.getBoundingClientRect();
      // The menu key gives no place: the menu then opens at what has the focus.
      const focus = event.clientX === 0 && event.clientY === 0 ? event.target.getBoundingClientRect() : null;
      const at = focus ? { x: focus.left + 12, y: focus.top + 12 } : { x: event.clientX, y: event.clientY };
      const kind: Menu["kind"] = card ? "nodes" : edge ? "wire" : "canvas";
      const id = card ?? edge ?? "";
      const spot = { x: at.x - corner.left, y: at.y - corner.top };
      const { right = 0, bottom = 0 } = box.current?.getBoundingClientRect() ?? {};
      session.view({ menu: { kind, id, at: spot, place: place(at.x, at.y), end: place(right, bottom) } });
    },
    [session, root, box, place, wireAt],
  );

  const handlers = { onContextMenu, onPointerOver: point };
  return { line, wireAt, trace, point, onDrag, onDropped, handlers };
}
