import { createContext, useContext, useSyncExternalStore } from "react";
import type { FileState, Host } from "../core/host";
import { kept } from "../core/kept";
import type { Session } from "../core/session";
import type { State } from "../core/state";
import type { InsertCell } from "../widget/cells";
import { useSelected } from "./selected";

export type Theme = "light" | "dark" | "hc";
/** Widths at which the frame changes, as look.md 11 names them. */
export type Breadth = "wide" | "medium" | "narrow" | "slim" | "list";

export interface Frame {
  readonly session: Session;
  readonly theme: Theme;
  readonly tinted: boolean;
  readonly breadth: Breadth;
  /** The widget's own root: the only element that may be searched. */
  readonly root: HTMLElement;
  /** Who owns the document's file; null in a cell. */
  readonly host: Host | null;
  /** Null where no cells can be made. */
  readonly insertCell: InsertCell | null;
}

export const FrameContext = createContext<Frame | null>(null);

export function useFrame(): Frame {
  const frame = useContext(FrameContext);
  if (!frame) throw new Error("no frame");
  return frame;
}

export function useSession(): Session {
  return useFrame().session;
}

/** Read a part of the state; the component draws again only when that part changed. */
export function useSel<T>(selector: (state: State) => T): T {
  const { store } = useSession();
  return useSelected(store.subscribe, store.get, selector, kept);
}

const NO_FILE: FileState | null = null;
const never = () => () => undefined;

/** The file that the host has open; null in a cell. */
export function useFile(): FileState | null {
  const { host } = useFrame();
  return useSyncExternalStore(host?.file.subscribe ?? never, () => host?.file.get() ?? NO_FILE);
}
