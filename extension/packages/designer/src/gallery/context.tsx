import { createContext, useContext, useSyncExternalStore } from "react";
import type { GalleryClient } from "./client";
import type { GalleryState } from "./state";

/** What the place that shows the gallery can do for it. */
export interface GalleryHost {
  /** Put a program into a new cell below; false where there are no cells. */
  insertCell(source: string): boolean;
  /** Show a designer, by the model of its widget, in an element; null where that cannot be. */
  readonly showDesigner: ((model: string, element: HTMLElement) => Promise<() => void>) | null;
}

interface Frame {
  readonly client: GalleryClient;
  readonly host: GalleryHost;
}

export const GalleryContext = createContext<Frame | null>(null);

export function useGallery(): Frame {
  const frame = useContext(GalleryContext);
  if (!frame) throw new Error("a part of the gallery was drawn outside of it");
  return frame;
}

/** A part of the state that keeps its identity while it does not change. */
export function usePart<T>(selector: (state: GalleryState) => T): T {
  const { store } = useGallery().client;
  return useSyncExternalStore(store.subscribe, () => selector(store.get()));
}
