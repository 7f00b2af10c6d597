import { createRoot } from "react-dom/client";
import "./preact";
import type { Host } from "../core/host";
import type { Session } from "../core/session";
import type { InsertCell } from "../widget/cells";
import { App } from "./App";
import { isLaid } from "./canvas/sizes";

export interface Place {
  readonly host?: Host;
  readonly insertCell?: InsertCell | null;
  /** Where the height can be dragged: it in px, and whether the drag is over. */
  readonly onHeight?: (height: number, done: boolean) => void;
}

/** Draws the designer of a session into `root`; returns how to end that. */
export function mount(
  root: HTMLElement,
  session: Session,
  { host, onHeight, insertCell = null }: Place = {},
): () => void {
  session.laid = () => {
    const state = session.store.get();
    return state.graph !== null && isLaid(state, state.graph);
  };
  const react = createRoot(root);
  react.render(
    <App session={session} root={root} host={host ?? null} insertCell={insertCell} onHeight={onHeight ?? null} />,
  );
  return () => react.unmount();
}

/** The width in px of the pictures that cards ask for, so that they are sharp on this screen. */
export function pictureWidth(): number {
  return Math.round(148 * Math.min(3, Math.max(2, globalThis.devicePixelRatio || 1)));
}
