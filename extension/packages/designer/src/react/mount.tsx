import { options, type VNode } from "preact";
import { createRoot } from "react-dom/client";
import type { Host } from "../core/host";
import type { Session } from "../core/session";
import { App } from "./App";

/** Preact writes attributes as they are spelt, and in SVG `tabIndex` is none: wires and grips would lose the keyboard. */
const create = options.vnode;
options.vnode = (vnode: VNode) => {
  const props = vnode.props as Record<string, unknown>;
  if (typeof vnode.type === "string" && props.tabIndex !== undefined) {
    props.tabindex = props.tabIndex;
    delete props.tabIndex;
  }
  create?.(vnode);
};

export interface Place {
  readonly host?: Host;
  /** Where the height can be dragged: it in px, and whether the drag is over. */
  readonly onHeight?: (height: number, done: boolean) => void;
}

/** Draws the designer of a session into `root`; returns how to end that. */
export function mount(root: HTMLElement, session: Session, { host, onHeight }: Place = {}): () => void {
  const react = createRoot(root);
  react.render(<App session={session} root={root} host={host ?? null} onHeight={onHeight ?? null} />);
  return () => react.unmount();
}

/** The width in px of the pictures that cards ask for, so that they are sharp on this screen. */
export function pictureWidth(): number {
  return Math.round(148 * Math.min(3, Math.max(2, globalThis.devicePixelRatio || 1)));
}
