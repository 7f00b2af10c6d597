import { type KeyboardEvent, type MutableRefObject, useCallback } from "react";
import { topological } from "../core/graph";
import { pathOf } from "../core/inside";
import { cardOf, keysOfCard } from "../core/subgraph";
import { leaveTo } from "./boxes";
import { fullScreen } from "./ContextMenu";
import type { CanvasApi } from "./canvasApi";
import { takesText } from "./clipboard";
import { type Command, commandFor, commandOf, keyName, searchFor } from "./commands";
import type { Frame } from "./context";
import { saveDocument } from "./SaveButtons";

type Api = MutableRefObject<CanvasApi | null>;

const CARD = ".ds-error-card";
/** Parts beside the canvas. */
const BESIDE = ".ds-inspector, .ds-palette, .ds-drawer, .ds-bar";

/** Whether keys belong to what is focused: a field or a list that uses them; a slider at rest uses arrows alone. */
function isTyping({ target, key }: KeyboardEvent, command: boolean): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if ((command || key.length === 1) && target.matches("[type=range]:not(:active), [type=checkbox]")) return false;
  // a number that has been taken is undone as a step
  if (command && "zZyY".includes(key) && target.matches(".ds-number:not([data-typed])")) return false;
  return takesText(target);
}

/** Whether the canvas has the keys; characters, which sliders and buttons do not use, are its own from parts beside it, too. */
function onCanvas(target: EventTarget | null, character: boolean): boolean {
  return (
    target instanceof Element &&
    (target.closest(character ? `.ds-stage, ${BESIDE}` : ".ds-stage") !== null || target.classList.contains("ds-root"))
  );
}

/** Keys that take a focused wire as meant. */
const WIRE_KEYS = new Set(["Enter", " ", "Delete", "Backspace", "j", "J"]);

/** Esc closes the nearest thing: the inspector's focus, then the selection, the pipeline's settings, and the subgraph that is entered. */
function leave(frame: Frame, api: Api, target: EventTarget | null): void {
  const { session, root } = frame;
  const { view } = session.store.get();
  const inside = target instanceof Element && target.closest(`${BESIDE}, ${CARD}`) !== null;
  const key = view.selection[0];
  const canvas = root.querySelector<HTMLElement>(".ds-canvas");
  if (view.menu || view.quickAdd || view.help || view.find !== null || view.folders !== null || view.comparison) {
    session.view(
      view.comparison && !view.menu && !view.help
        ? { comparison: null }
        : { menu: null, quickAdd: null, help: false, find: null, folders: null },
    );
    canvas?.focus({ preventScroll: true });
  } else if (inside && key) api.current?.reveal(key);
  else {
    // a card that keeps the focus looks chosen, and takes keys
    if (inside || key) canvas?.focus({ preventScroll: true });
    const depth = pathOf(session.store.get()).length;
    if (key || view.wires.length > 0) session.select([]);
    else if (view.settings) session.view({ settings: false });
    else if (depth > 0) leaveTo(session, depth - 1);
    else if (root.ownerDocument.fullscreenElement) fullScreen(root); // not every browser has the key for itself
  }
}

const STOPS = "summary, button, input, select, textarea, a[href], [tabindex]";

/** Where Tab goes on the canvas: to the cards, sources first, and only then to the wires, which the page has before them. */
function tab({ session, root }: Frame, api: Api, { target, shiftKey }: KeyboardEvent): boolean {
  const canvas = root.querySelector<HTMLElement>(".ds-canvas");
  const state = session.store.get();
  if (!canvas || !state.graph) return false;
  const order = topological(state.graph).map((n) => n.key);
  const rank = (stop: Element) => {
    if (stop === canvas) return -1;
    // a problem's buttons come behind the card beside which it stands
    const beside = stop.closest<HTMLElement>(CARD)?.dataset.of;
    const id = beside ? cardOf(state, beside) : stop.closest<HTMLElement>(".react-flow__node")?.dataset.id;
    if (!id) return order.length + 1;
    const at = order.findIndex((key) => keysOfCard(state, id).includes(key));
    return (at < 0 ? order.length : at) + (beside ? 0.5 : 0); // else the outputs
  };
  const stops = [canvas, ...canvas.querySelectorAll<HTMLElement>(STOPS)]
    .filter((stop) => stop.tabIndex >= 0 && !stop.matches(":disabled"))
    .filter((stop) => stop.checkVisibility({ visibilityProperty: true }))
    .sort((a, b) => rank(a) - rank(b));
  const at = stops.indexOf(target as HTMLElement);
  // the canvas has the keys while a card is selected: its problem is the nearest, and gone with another selection
  const near = at === 0 && state.view.selection.length > 0 && stops.find((stop) => stop.closest(CARD));
  const next = at < 0 ? undefined : (!shiftKey && near) || stops[at + (shiftKey ? -1 : 1)];
  if (!next) return false;
  const { id } = next.dataset;
  if (id && next.matches(".react-flow__node")) {
    session.select(keysOfCard(state, id));
    api.current?.reveal(id);
  } else next.focus({ preventScroll: next.closest(".react-flow") !== null });
  return true;
}

/** React Flow listens to these on the page: with Shift a drag selects cards, with Ctrl a click adds one. Alone they do nothing else. */
const MODIFIERS = new Set(["Shift", "Control", "Meta", "Alt"]);

/** Keep a key from the notebook. */
export function keepKey(event: KeyboardEvent): void {
  if (event.type === "keyup" && event.key === "Tab") event.currentTarget.parentElement?.classList.add("ds-tabbed");
  if (!MODIFIERS.has(event.key)) event.stopPropagation();
}

/** The page that shows the notebook saves it with what is being written here; a document that is open in it is written, too. */
function saveNotebook({ root, session }: Frame, event: KeyboardEvent): void {
  const { target, nativeEvent } = event;
  event.stopPropagation();
  if (target instanceof HTMLInputElement) {
    target.blur(); // which takes what was typed
    target.focus();
  }
  if (session.store.get().confirmed?.document) saveDocument(session);
  // not from here, where the page leaves keys alone
  if (!root.parentElement?.dispatchEvent(new globalThis.KeyboardEvent(nativeEvent.type, nativeEvent)))
    event.preventDefault();
}

/** What a key means: a host that has its own table of keys says so, for all commands that are in it. */
function meaning(frame: Frame, name: string): Command | undefined {
  const hosted = frame.host?.commandFor(name);
  if (hosted) return commandOf(hosted);
  const own = commandFor(name);
  return own && frame.host?.binds(own.id) ? undefined : own;
}

/** Do what a key says; whether it said anything. */
function handle(event: KeyboardEvent, frame: Frame, api: Api): boolean {
  const command = event.ctrlKey || event.metaKey;
  if (isTyping(event, command)) return false;
  const focusedCard = event.target instanceof Element ? event.target.closest<HTMLElement>(".react-flow__node") : null;
  const { session } = frame;
  if (focusedCard?.dataset.id && session.store.get().view.selection.length === 0)
    session.select(keysOfCard(session.store.get(), focusedCard.dataset.id));
  const wire = event.target instanceof Element ? event.target.closest<SVGElement>(".react-flow__edge") : null;
  if (wire?.dataset.id && WIRE_KEYS.has(event.key) && !session.store.get().view.wires.includes(wire.dataset.id)) {
    session.view({ wires: [wire.dataset.id], selection: [] });
    if (event.key === "Enter" || event.key === " ") return true;
  }
  const button = event.target instanceof Element && event.target.matches("button, [type=checkbox]");
  if (button && (event.key === " " || event.key === "Enter") && !command) return false;
  const found = meaning(frame, keyName(event));
  const scope = { ...frame, api: api.current };
  // The browser does these by events of its own, which reach the clipboard without asking.
  if (found?.id === "copy" || found?.id === "cut" || (command && event.key.toLowerCase() === "v")) return false;
  if (!command && (!onCanvas(event.target, event.key.length === 1) || event.altKey)) return false;
  const letter = !command && (/^[a-zA-Z]$/.test(event.key) || event.key === "/");
  // A letter that does nothing here begins a search.
  const idle = letter && found?.can && !found.can(session.store.get());
  if (found && !idle) found.run(scope);
  else if (letter) searchFor(scope, event.key === "/" || event.key === "A" ? "" : event.key); // Shift+A
  return found !== undefined || letter;
}

/** Keys of the designer. In a cell none of them reaches the notebook; a tab's host gets those that mean nothing here. */
export function useKeys(frame: Frame, api: Api): (event: KeyboardEvent) => void {
  return useCallback(
    (event: KeyboardEvent) => {
      frame.root.classList.toggle("ds-tabbed", event.key === "Tab");
      if (!frame.host && keyName(event) === "Ctrl+S") {
        saveNotebook(frame, event);
        return;
      }
      if (!frame.host) keepKey(event);
      if (event.defaultPrevented) return;
      if (event.key === "Escape") {
        leave(frame, api, event.target);
      } else if (event.key === "Tab" ? tab(frame, api, event) : handle(event, frame, api)) {
        event.preventDefault();
        event.stopPropagation();
      }
    },
    [frame, api],
  );
}
