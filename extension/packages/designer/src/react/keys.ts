import { type KeyboardEvent, type MutableRefObject, useCallback, useRef } from "react";
import { type Clip, copyClip, pasteStep, removeStep } from "../core/actions";
import { nodeOf, OUTPUTS, walk } from "../core/graph";
import type { Session } from "../core/session";
import type { Position } from "../protocol/generated";
import { cardRects, sizesOf } from "./canvas/sizes";
import type { CanvasApi } from "./canvasApi";
import { copyText } from "./clipboard";
import type { Frame } from "./context";
import { openQuickAdd } from "./quickAdd";
import { RUN_BATCHES } from "./TopBar";

type Api = MutableRefObject<CanvasApi | null>;

/** Whether keys belong to what is focused: a field, a list or a button that uses them. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

function onCanvas(target: EventTarget | null): boolean {
  return target instanceof Element && (target.closest(".ds-stage") !== null || target.classList.contains("ds-root"));
}

function remove(session: Session): void {
  const { graph, view } = session.store.get();
  if (!graph) return;
  const step = removeStep(graph, view.selection, view.wires);
  session.edit(step.edits);
  if (step.edits.length > 0) session.select([]);
}

function paste(session: Session, clip: Clip | null, shift: number): void {
  const { graph } = session.store.get();
  if (!graph || !clip || clip.nodes.length === 0) return;
  const step = pasteStep(graph, clip, freeShift(session, clip, shift));
  session.edit(step.edits, { positions: step.positions });
  session.select(step.select);
}

/** How far pasted cards are moved, so that none of them covers a card. */
function freeShift(session: Session, clip: Clip, shift: number): Position {
  const state = session.store.get();
  const taken = cardRects(state);
  const sizes = sizesOf(state);
  const hits = (dx: number, dy: number) =>
    Object.entries(clip.positions).some(([key, p]) => {
      const { width, height } = sizes.get(key) ?? { width: 148, height: 171 };
      const x = p.x + dx;
      const y = p.y + dy;
      return taken.some(
        (t) => x < t.x + t.width + 8 && x + width + 8 > t.x && y < t.y + t.height + 12 && y + height + 12 > t.y,
      );
    });
  let y = shift;
  while (hits(0, y) && y < 8000) y += 16;
  return { x: 0, y };
}

function copied(session: Session): Clip | null {
  const { graph, positions, view } = session.store.get();
  if (!graph || view.selection.length === 0) return null;
  const clip = copyClip(graph, positions, view.selection);
  copyText(JSON.stringify(clip.nodes, null, 1));
  return clip;
}

function firstOutput(session: Session) {
  const { graph, view } = session.store.get();
  const node = nodeOf(graph, view.selection[0] ?? "");
  return node && node.output_kinds.length > 0 ? { node: node.key, output: 0 } : null;
}

/** Ctrl and Cmd chords. Returns whether the key was one. */
function chord(event: KeyboardEvent, session: Session, clip: MutableRefObject<Clip | null>): boolean {
  const key = event.key.toLowerCase();
  if (key === "z") event.shiftKey ? session.redo() : session.undo();
  else if (key === "y") session.redo();
  else if (key === "enter") session.run(RUN_BATCHES);
  else if (key === "a") session.select((session.store.get().graph?.nodes ?? []).map((n) => n.key));
  else if (key === "d") paste(session, copied(session), 24);
  else if (key === "c") clip.current = copied(session) ?? clip.current;
  else if (key === "x") {
    clip.current = copied(session) ?? clip.current;
    remove(session);
  } else if (key === "v") paste(session, clip.current, 32);
  else return false;
  return true;
}

/** Keys that take a focused wire as meant. */
const WIRE_KEYS = new Set(["Enter", " ", "Delete", "Backspace"]);

const ARROWS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" } as const;

function arrow(key: keyof typeof ARROWS, session: Session, api: Api): void {
  const { graph, view } = session.store.get();
  if (!graph) return;
  const next = walk(graph, view.selection[0] ?? "", ARROWS[key]);
  if (!next) return;
  session.select([next]);
  requestAnimationFrame(() => api.current?.reveal(next));
}

function searchFor(frame: Frame, api: Api, query: string, connect = false): void {
  const { session, root } = frame;
  const from = firstOutput(session);
  const centre = api.current?.centre();
  if (!centre || (connect && !from)) return;
  const at = from ? session.store.get().positions[from.node] : undefined;
  const place = at ? { x: at.x + 184, y: at.y } : centre.place;
  openQuickAdd(session, root, {
    at: centre.at,
    place,
    from,
    to: null,
    selected: true,
    query,
    mode: connect ? "connect" : "add",
  });
}

/** Single keys on the canvas. Returns whether the key was used. */
function single(event: KeyboardEvent, frame: Frame, api: Api): boolean {
  const { session, root } = frame;
  const { view, sample, iteration } = session.store.get();
  const { key } = event;
  if (key in ARROWS) arrow(key as keyof typeof ARROWS, session, api);
  else if (key === "Delete" || key === "Backspace") remove(session);
  else if (key === " ") searchFor(frame, api, "");
  else if (key === "Enter") focusInspector(root, session);
  else if (key === "F2") {
    if (view.selection.length === 1 && view.selection[0] !== OUTPUTS) session.view({ renaming: true });
  } else if (key === "l" || key === "L") api.current?.layout();
  else if (key === "p" || key === "P") session.view({ palette: !view.palette });
  else if (key === "c" || key === "C") searchFor(frame, api, "", true);
  else if (key === "+" || key === "=") api.current?.zoomBy(1.25);
  else if (key === "-") api.current?.zoomBy(1 / 1.25);
  else if (key === "z" || key === "Z") api.current?.zoomTo(1);
  else if (key === "0" || key === "Home") api.current?.fit();
  else if (key === "[") session.chooseSample(sample - 1, iteration);
  else if (key === "]") session.chooseSample(sample + 1, iteration);
  else if (/^[a-zA-Z]$/.test(key) || key === "/") searchFor(frame, api, key === "/" ? "" : key);
  else return false;
  return true;
}

function focusInspector(root: HTMLElement, session: Session): void {
  session.view({ inspector: true });
  requestAnimationFrame(() => {
    root.querySelector<HTMLElement>(".ds-inspector :is(input, select, button, [tabindex])")?.focus();
  });
}

/** Esc closes the nearest thing: the inspector's focus, then the selection. */
function leave(frame: Frame, api: Api, target: EventTarget | null): void {
  const { session, root } = frame;
  const { view } = session.store.get();
  const inside =
    target instanceof Element && target.closest(".ds-inspector, .ds-palette, .ds-drawer, .ds-bar") !== null;
  const key = view.selection[0];
  if (view.quickAdd) session.view({ quickAdd: null });
  else if (inside && key) api.current?.reveal(key);
  else if (inside) root.querySelector<HTMLElement>(".ds-canvas")?.focus();
  else session.select([]);
}

/** React Flow listens to these on the page: with Shift a drag selects cards, with Ctrl a click adds one. Alone they do nothing else. */
const MODIFIERS = new Set(["Shift", "Control", "Meta", "Alt"]);

/** Keep a key from the notebook. */
export function keepKey(event: KeyboardEvent): void {
  if (!MODIFIERS.has(event.key)) event.stopPropagation();
}

/** Keys of the designer. None of them reaches the notebook. */
export function useKeys(frame: Frame, api: Api): (event: KeyboardEvent) => void {
  const clip = useRef<Clip | null>(null);
  return useCallback(
    (event: KeyboardEvent) => {
      keepKey(event);
      if (event.defaultPrevented) return;
      if (event.key === "Escape") {
        leave(frame, api, event.target);
        return;
      }
      if (isTyping(event.target)) return;
      const command = event.ctrlKey || event.metaKey;
      const focusedCard =
        event.target instanceof Element ? event.target.closest<HTMLElement>(".react-flow__node") : null;
      const { session } = frame;
      if (focusedCard?.dataset.id && session.store.get().view.selection.length === 0)
        session.select([focusedCard.dataset.id]);
      const wire = event.target instanceof Element ? event.target.closest<SVGElement>(".react-flow__edge") : null;
      if (wire?.dataset.id && WIRE_KEYS.has(event.key) && session.store.get().view.wires.length === 0) {
        session.view({ wires: [wire.dataset.id], selection: [] });
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          return;
        }
      }
      const button = event.target instanceof HTMLElement && event.target.tagName === "BUTTON";
      if (button && (event.key === " " || event.key === "Enter") && !command) return;
      const used = command
        ? chord(event, session, clip)
        : onCanvas(event.target) && !event.altKey && single(event, frame, api);
      if (used) event.preventDefault();
    },
    [frame, api],
  );
}
