import {
  type Edge,
  type EdgeChange,
  type Node,
  ReactFlow,
  ReactFlowProvider,
  SelectionMode,
  useReactFlow,
} from "@xyflow/react";
import { type DragEvent, type MouseEvent, useCallback, useEffect, useRef, useState } from "react";
import { detailOf, EDGE, headOf, isFar, isTight, MIN_SCALE } from "../../core/detail";
import { isCrowded, isFloating } from "../../core/drawer";
import { nodeOf, OUTPUTS } from "../../core/graph";
import { pathOf } from "../../core/inside";
import { clearedJunctions, movedJunctions } from "../../core/junctions";
import { CARD, ROW } from "../../core/layout";
import { statusMessage } from "../../core/statusMessage";
import { cardOf, isDense, keysOfCard, movedNodes, placeOf, shownCards } from "../../core/subgraph";
import type { Position } from "../../protocol/generated";
import { enterBox } from "../boxes";
import { reducedMotion, useCanvasApi } from "../canvasApi";
import { cellLine, dropText, outside } from "../cellLine";
import { useFrame, useSel } from "../context";
import { FindBox } from "../FindBox";
import { followed, insertOperator, openDropped, openQuickAdd } from "../quickAdd";
import { Dots, SliceLine } from "./Backdrop";
import { BoxCard } from "./BoxCard";
import { Crumbs } from "./Crumbs";
import { focusCard, useFirstFit, useRefit, useRoutes } from "./canvasEffects";
import { AtZoom } from "./detail";
import { type Drag, DragContext, dragHue } from "./drag";
import { flowEdges } from "./edges";
import { FarPictures } from "./FarPictures";
import { FarWires } from "./FarWires";
import { addJunction } from "./Junctions";
import { LooseWire } from "./LooseWire";
import { Marks } from "./Marks";
import { OpCard } from "./OpCard";
import { OutputsCard } from "./OutputsCard";
import { Overview } from "./Overview";
import { middleOf, nearest, offset } from "./places";
import { Stages } from "./Stages";
import { layoutOfSelected, placesIn, reflowed, relaid } from "./sizes";
import { useAnimate } from "./useAnimate";
import { useArea } from "./useArea";
import { roomOf, useAutoPlace, useFlowNodes, useGrowth } from "./useFlow";
import { useGestures } from "./useGestures";
import { useRest } from "./useRest";
import { type Touch, useSight } from "./useSight";
import { useWiring } from "./useWiring";
import { RoutesContext, stubSource, WireEdge } from "./WireEdge";
import { ZoomControls } from "./ZoomControls";

const NODE_TYPES = { operator: OpCard, outputs: OutputsCard, box: BoxCard };
const EDGE_TYPES = { wire: WireEdge };
const NO_EDGES: Edge[] = [];

/** Milliseconds after which cards that came have their sizes. */
const MEASURED = 100;

function CanvasView() {
  const designer = useFrame();
  const { session, root, theme, breadth } = designer;
  const flow = useReactFlow();
  const api = useCanvasApi();
  const box = useRef<HTMLDivElement>(null);
  const pointer = useRef<Position | null>(null);
  /** Who chose what is in view; until somebody does, or once a card has moved it for itself, the view follows its room. */
  const touched = useRef<Touch>(false);
  const { nodes, setNodes, onNodesChange, dragging } = useFlowNodes();
  const wires = useSel(flowEdges);
  // Cards of a large graph begin small: to build them whole, only to make them small, would take seconds.
  const [zoom, setZoom] = useState(() => (isDense(session.store.get()) ? 0.2 : 1));
  const detail = detailOf(zoom);
  const far = isFar(detail);
  const dense = useSel(isDense);
  const area = useArea(box, dense && !far, nodes, wires);
  const moving = useRest(box, (viewport) => {
    setZoom(viewport.zoom);
    area.follow(viewport, true);
  });
  const [focused, setFocused] = useState(false);
  const latest = useRef<Node[]>(nodes);
  /** What was selected when the button went down: React Flow selects before it tells of a click. */
  const before = useRef<readonly string[]>([]);
  /** The same of the press before it: the first click of two leaves nothing selected. */
  const earlier = useRef<readonly string[]>([]);
  latest.current = nodes;

  const floats = useSel((s) => (breadth === "slim" || dense) && !isCrowded(s, breadth));
  const { fit, keep, told, moves, uncover, screenRect } = useSight(box, latest, touched, floats);
  const fitSoon = useCallback(() => requestAnimationFrame(() => fit()), [fit]);
  const positions = useSel((s) => s.positions);
  /** Where the cards were when they were last brought into view, or moved by hand. */
  const seen = useRef<Readonly<Record<string, Position>> | null>(null);
  const measured = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(measured.current), []);
  // What is placed anew, by an undo or an edit, is not to be out of sight.
  useEffect(() => {
    const old = seen.current;
    const same = old && Object.entries(positions).every(([key, { x, y }]) => old[key]?.x === x && old[key]?.y === y);
    if (dragging.current || same) return;
    seen.current = positions;
    if (!old) return;
    // not taken back when the kernel repeats what is known
    clearTimeout(measured.current);
    measured.current = setTimeout(() => {
      if (!touched.current) return keep();
      const { selection } = session.store.get().view;
      const frame = box.current;
      const chosen = latest.current.filter((n) => selection.includes(n.id));
      const inSight = (n: Node) => {
        const at = screenRect(n);
        const { clientWidth = 0, clientHeight = 0 } = frame ?? {};
        return at.x > -at.width && at.y > -at.height && at.x < clientWidth && at.y < clientHeight;
      };
      const [first] = chosen;
      if (!first && !latest.current.some(inSight)) fit(200);
      else if (first && !chosen.some(inSight))
        void flow.setCenter(first.position.x + CARD / 2, first.position.y + CARD / 2, {
          zoom: flow.getZoom(),
          duration: reducedMotion(root) ? 0 : 200,
        });
    }, MEASURED);
  }, [positions, session, flow, root, fit, keep, screenRect, dragging]);
  // The heat's switch and legend make the controls wider, a sentence comes over the cards' first row, an inspector over their last.
  const over = useSel((s) => (floats && isFloating(s) ? cardOf(s, s.view.selection[0] ?? "") : null));
  const menu = useSel((s) => s.view.menu !== null);
  const covers = useSel((s) => `${s.view.heat} ${s.run.finished !== null} ${statusMessage(s) !== null}`);
  // a new box has its width once it is there
  const wide = over && nodes.find((n) => n.id === over)?.measured?.width;
  // biome-ignore lint/correctness/useExhaustiveDependencies: they come and go with it
  useEffect(() => {
    // nothing moves under a menu
    if (menu) return;
    requestAnimationFrame(() => {
      if (!touched.current) keep(true);
      else if (over) uncover();
    });
  }, [covers, over, wide, menu, keep, uncover]);
  const animate = useAnimate(latest, setNodes, dragging, fit);

  /** Lay the cards out anew where they fill a room of another shape better, and are seen smaller than `least`. */
  const reflow = useCallback(
    (animated: boolean, least = 2) => {
      const places = box.current?.clientWidth
        ? reflowed(session.store.get(), roomOf(box.current), least, session.put)
        : null;
      if (places) {
        // what comes next brings them into view
        seen.current = places;
        animate(places, () => session.move(places), animated ? 240 : 0, least < 1 ? () => keep(true) : fit);
      } else if (least > 1) fitSoon();
      return places !== null;
    },
    [session, animate, fit, fitSoon, keep],
  );
  useAutoPlace(box, fitSoon);
  useGrowth();
  useFirstFit(nodes.length, fit, keep, reflow, box, touched);

  useRefit(nodes.length, () => (touched.current ? fit(200) : keep()));
  const entered = useSel((s) => pathOf(s).join(" "));
  const wasEntered = useRef(entered);
  useEffect(() => {
    if (wasEntered.current !== entered) fitSoon();
    wasEntered.current = entered;
  }, [entered, fitSoon]);
  const routes = useRoutes(nodes, dragging, told);
  const place = useCallback((x: number, y: number) => flow.screenToFlowPosition({ x, y }), [flow]);
  const onPane = useCallback(
    (at: Position, drag: Drag) => {
      openDropped(session, root, { at, place: place(at.x, at.y), from: drag.from, to: drag.to });
    },
    [session, root, place],
  );
  const { drag, hint, handlers } = useWiring(onPane);
  const gestures = useGestures(box, place);
  const hue = useSel((s) => (drag ? dragHue(s, drag) : "slate"));

  useEffect(() => {
    api.current = {
      fit: () => fit(200),
      zoomBy: (factor) => {
        touched.current = "hand";
        void flow.zoomTo(flow.getZoom() * factor, { duration: 80 });
      },
      zoomTo: (z) => {
        touched.current = "hand";
        const at = nearest(
          latest.current,
          session.store.get().view.selection,
          flow.screenToFlowPosition(middleOf(box.current)),
        );
        if (at) void flow.setCenter(at.x, at.y, { zoom: z, duration: reducedMotion(root) ? 0 : 200 });
      },
      layout: () => {
        const state = session.store.get();
        const positions = layoutOfSelected(state, roomOf(box.current));
        session.put = { ...session.put, ...positions };
        animate(positions, () => session.edit([], { positions, marks: clearedJunctions(state, positions) }));
      },
      show: (key) => {
        const id = cardOf(session.store.get(), key);
        if (!shownCards(session.store.get()).includes(id) && session.store.get().view.inside.length > 0) {
          session.view({ inside: [] });
          requestAnimationFrame(() => api.current?.show(key));
          return;
        }
        const node = latest.current.find((n) => n.id === id);
        if (!node) return;
        const { x, y, width, height } = screenRect(node);
        const { width: wide = 0, height: high = 0 } = box.current?.getBoundingClientRect() ?? {};
        const over = root.querySelector<HTMLElement>(".ds-strip-over")?.offsetHeight ?? 0;
        const whole = x >= 0 && y >= over && x + width <= wide && y + height <= high;
        const z = flow.getZoom();
        if (!whole || isFar(detailOf(z))) {
          const { x: left, y: top } = node.position;
          const to = { zoom: Math.max(0.7, z), duration: reducedMotion(root) ? 0 : 200 };
          void flow.setCenter(left + width / z / 2, top + height / z / 2, to);
        }
        focusCard(root, id, true);
      },
      reveal: (key) => {
        const id = cardOf(session.store.get(), key);
        const node = latest.current.find((n) => n.id === id);
        const rect = box.current?.getBoundingClientRect();
        if (!node || !rect) return;
        const at = screenRect(node);
        const { x, y, zoom: z } = flow.getViewport();
        const shift = (from: number, size: number, room: number) =>
          Math.max(12 - from, Math.min(0, room - 12 - from - size));
        const dx = shift(at.x, at.width, rect.width);
        const dy = shift(at.y, at.height, rect.height);
        // Where the view is nobody's choice, all cards stay in sight.
        if (!touched.current) keep();
        else if (dx !== 0 || dy !== 0)
          void flow.setViewport({ x: x + dx, y: y + dy, zoom: z }, { duration: reducedMotion(root) ? 0 : 200 });
        focusCard(root, id);
      },
      pan: (dx, dy, k, again) => {
        if (again && touched.current === "hand") return undefined;
        const { x, y, zoom } = flow.getViewport();
        const to = { x: k * x + dx, y: k * y + dy, zoom: k * zoom };
        const fitted = touched.current !== "hand";
        touched.current ||= "card";
        void flow.setViewport(to, { duration: reducedMotion(root) ? 0 : 200 });
        return () => {
          const now = flow.getViewport();
          if (fitted && Math.hypot(now.x - to.x, now.y - to.y, 1e3 * (now.zoom - to.zoom)) < 1) fit(200);
        };
      },
      centre: () => {
        const rect = box.current?.getBoundingClientRect();
        if (pointer.current) return { at: pointer.current, place: place(pointer.current.x, pointer.current.y) };
        const at = {
          x: (rect?.left ?? 0) + (rect?.width ?? 0) / 2 - 74,
          y: (rect?.top ?? 0) + (rect?.height ?? 0) / 3,
        };
        return { at, place: place(at.x, at.y) };
      },
    };
  }, [api, fit, keep, screenRect, flow, session, animate, root, place]);

  const onEdgesChange = useCallback(
    (changes: EdgeChange[]) => {
      const selects = changes.filter((c) => c.type === "select");
      if (selects.length === 0) return;
      session.view((v) => {
        const next = new Set(v.wires);
        for (const c of selects) c.selected ? next.add(c.id) : next.delete(c.id);
        return { wires: [...next] };
      });
    },
    [session],
  );

  const onDragStop = useCallback(
    (event: unknown, { id }: Node, moved: Node[]) => {
      dragging.current = false;
      const state = session.store.get();
      root.ownerDocument.documentElement.style.cursor = "";
      const target = event instanceof globalThis.MouseEvent && outside(designer, event);
      const [only, ...others] = moved;
      if (target) {
        // the card goes back to its place
        setNodes((ns) => ns.map((n) => ({ ...n, position: placeOf(state, n.id) ?? n.position })));
        if (nodeOf(state.graph, id)) dropText(target, event, cellLine(designer, id));
        return;
      }
      const [under, found = []] =
        (only && others.length === 0 && gestures.onDropped(only, event as globalThis.MouseEvent)) || [];
      const refused = typeof found === "string";
      const [wire, edits] = refused ? [undefined, []] : [under, found];
      const changed = moved.filter((n) => {
        const old = placeOf(state, n.id);
        return !old || old.x !== n.position.x || old.y !== n.position.y;
      });
      const at = changed.map((n) => [n.id, { x: Math.round(n.position.x), y: Math.round(n.position.y) }] as const);
      const placed = wire ? relaid(state, edits, session.room, id) : {};
      const among = wire && Object.keys(placed).length === 0 ? placesIn(state, id, wire) : Object.fromEntries(at);
      const positions = movedNodes(state, among);
      if (!wire) seen.current = { ...state.positions, ...positions };
      session.edit(edits, { positions: { ...positions, ...placed }, marks: movedJunctions(state, positions) });
      // it stays where it was put, which may be all that was wanted
      if (refused) session.refuse(found);
    },
    [session, dragging, gestures.onDropped, designer, root, setNodes],
  );

  /** A click selects one card, with Ctrl or Shift one more or less. */
  const onNodeClick = useCallback(
    (event: MouseEvent, { id }: Node) => {
      const chosen = before.current;
      const more = event.ctrlKey || event.metaKey || event.shiftKey;
      const keys = keysOfCard(session.store.get(), id);
      const others = chosen.filter((k) => !keys.includes(k));
      session.select(!more ? keys : keys.every((k) => chosen.includes(k)) ? others : [...others, ...keys]);
      // With Shift React Flow keeps the focus from going to the card.
      if (event.shiftKey) focusCard(root, id);
    },
    [session, root],
  );

  /** Point out the wire that takes what is dropped. */
  const mark = useCallback((target: string) => session.view({ target }), [session]);
  const onDragOver = (e: DragEvent) => mark(gestures.wireAt(e.clientX, e.clientY)?.id ?? "");
  const onDrop = useCallback(
    (event: DragEvent) => {
      const name = event.dataTransfer.getData("application/x-dali-studio-operator");
      const operator = session.store.get().opening?.catalog.byName.get(name);
      if (!operator) return;
      event.preventDefault();
      mark("");
      const at = place(event.clientX - 74, event.clientY - 14);
      const wire = gestures.wireAt(event.clientX, event.clientY);
      insertOperator(session, operator, { at, from: wire?.source ?? null, to: wire?.slot ?? null });
    },
    [session, place, mark, gestures.wireAt],
  );

  const onDoubleClick = useCallback(
    (event: MouseEvent) => {
      if (!(event.target instanceof Element) || !event.target.closest(".react-flow__pane")) return;
      const at = { x: event.clientX, y: event.clientY };
      // Between its two clicks a selected wire gets a button: the event's target is neither.
      const wire = gestures.wireAt(at.x, at.y);
      if (wire) addJunction(session, root, wire.id, place(at.x, at.y));
      else {
        const { right = 0, bottom = 0 } = box.current?.getBoundingClientRect() ?? {};
        const z = flow.getZoom();
        // All of the card is in view.
        const corner = place(Math.min(at.x, right - (CARD + EDGE) * z), Math.min(at.y, bottom - ROW * z));
        const from = followed(session, true, earlier.current);
        openQuickAdd(session, root, { at, place: corner, from, to: null, selected: from !== null, pointed: true });
      }
    },
    [session, root, flow, place, gestures.wireAt],
  );

  const colorMode = theme === "light" ? "light" : "dark";
  return (
    <div
      ref={box}
      className={`ds-canvas ds-detail-${detail} ${dense && detail === "full" ? "ds-at-near" : ""} ${isTight(zoom) ? "ds-tight" : ""} ${drag ? "ds-wiring" : ""}`}
      style={{
        // as long on the screen at every zoom
        "--ds-px": `${Math.round(100 / Math.min(1, zoom)) / 100}px`,
        "--ds-head": `${headOf(detail, zoom, dense)}px`,
      }}
      data-testid="canvas"
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys
      tabIndex={0}
      aria-label="Canvas. Space adds an operator, arrows walk along the wires."
      onFocus={(e) => {
        setFocused(true);
        gestures.trace(e);
      }}
      onBlur={(e) => {
        // A card that was removed had the focus: the canvas keeps it.
        const { target, relatedTarget } = e;
        gestures.trace({});
        if (relatedTarget instanceof Element && box.current?.contains(relatedTarget)) return;
        queueMicrotask(() => setFocused((f) => f && !target.isConnected));
      }}
      onDoubleClick={onDoubleClick}
      onPointerMove={(e) => {
        pointer.current = { x: e.clientX, y: e.clientY };
        gestures.point(e);
      }}
      onPointerUpCapture={(e) => {
        // with Shift, JupyterLab takes the keys for its cell
        if (!root.contains(document.activeElement)) e.currentTarget.focus({ preventScroll: true });
      }}
      onPointerLeave={(e) => {
        pointer.current = null;
        gestures.point(e);
      }}
      onPointerDownCapture={() => {
        earlier.current = before.current;
        before.current = session.store.get().view.selection;
      }}
      onDrop={onDrop}
      onDragEnter={onDragOver}
      onDragOver={onDragOver}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        // also told of what is left for another element of the canvas
        if (!(relatedTarget instanceof Element && currentTarget.contains(relatedTarget))) mark("");
      }}
      {...gestures.handlers}
    >
      <AtZoom zoom={zoom}>
        <DragContext.Provider value={drag}>
          <RoutesContext.Provider value={routes}>
            <ReactFlow
              nodes={area.nodes}
              edges={far ? NO_EDGES : area.edges}
              nodeTypes={NODE_TYPES}
              edgeTypes={EDGE_TYPES}
              onNodesChange={onNodesChange}
              onEdgesChange={onEdgesChange}
              onNodeDragStart={() => {
                moves();
                dragging.current = true;
              }}
              onNodeDrag={(event, node) => {
                gestures.onDrag(node, event as globalThis.MouseEvent); // a touch is at no wire
                const out = event instanceof globalThis.MouseEvent && outside(designer, event);
                root.ownerDocument.documentElement.style.cursor = out ? "copy" : "";
              }}
              onNodeDragStop={onDragStop}
              onNodeClick={onNodeClick}
              onNodeDoubleClick={(_, n) => {
                if (n.type === "box") enterBox(session);
                else if (n.id !== OUTPUTS) session.view({ renaming: true, selection: [n.id] });
              }}
              {...moving}
              onMove={(event, viewport) => {
                if (event) touched.current = "hand"; // a click alone moves nothing
                area.follow(viewport, false);
              }}
              onEdgeClick={(_, { id }) => {
                const source = stubSource(session.store.get(), id);
                if (!source) return;
                session.select([source]);
                api.current?.show(source);
              }}
              onReconnect={() => undefined}
              {...handlers}
              colorMode={colorMode}
              connectionRadius={18}
              connectionLineStyle={{ stroke: `var(--ds-${hue})`, strokeWidth: 2 }}
              defaultEdgeOptions={{ focusable: true }}
              // The first row lies within the distance from the edge at which it would begin to pan.
              autoPanOnConnect={false}
              autoPanOnNodeDrag={false}
              disableKeyboardA11y
              deleteKeyCode={null}
              // React Flow keeps Space from the whole page for it.
              panActivationKeyCode={null}
              zoomOnDoubleClick={false}
              zoomOnScroll={focused}
              preventScrolling={focused}
              minZoom={MIN_SCALE}
              maxZoom={2}
              selectionMode={SelectionMode.Partial}
              proOptions={{ hideAttribution: true }}
              nodeDragThreshold={2}
            >
              <Marks />
              <Overview touched={touched} />
              <LooseWire />
              <Dots zoom={zoom} />
              {far && dense && <Stages nodes={nodes} />}
              {far && <FarWires nodes={nodes} told={told} />}
              {(far ? detail === "picture" : dense) && <FarPictures nodes={area.nodes} zoom={zoom} detail={detail} />}
            </ReactFlow>
          </RoutesContext.Provider>
        </DragContext.Provider>
      </AtZoom>
      {nodes.length > 0 && <ZoomControls zoom={zoom} />}
      <Crumbs />
      {gestures.line && <SliceLine line={gestures.line} />}
      <FindBox />
      {hint && (
        <div
          className={`ds-drag-hint ${hint.mild ? "ds-muted" : ""}`}
          role="status"
          style={{ left: hint.x - offset(box, root).x, top: hint.y - offset(box, root).y }}
        >
          {hint.text}
        </div>
      )}
    </div>
  );
}

export function Canvas() {
  return (
    <ReactFlowProvider>
      <CanvasView />
    </ReactFlowProvider>
  );
}
