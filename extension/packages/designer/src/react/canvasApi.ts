import { createContext, type MutableRefObject, useContext } from "react";
import type { Position } from "../protocol/generated";

/** What other parts may ask of the canvas. */
export interface CanvasApi {
  fit(): void;
  zoomBy(factor: number): void;
  /** Zoom about the selection, or about the card nearest to the middle. */
  zoomTo(zoom: number): void;
  layout(): void;
  /** Focus a card and point it out; bring it to the middle where it is not in full view, or too small for its ports. */
  show(key: string): void;
  /** Focus a card, and move the view only as far as it takes to see it. */
  reveal(key: string): void;
  /** Show what is in view `k` times as large, and so many px on, `again` only where no hand has moved it; gives what fits it again, if it is still there. */
  pan(x: number, y: number, k: number, again: boolean): (() => void) | undefined;
  /** The pointer's place if it is over the canvas, else the middle: on the screen and on the canvas. */
  centre(): { readonly at: Position; readonly place: Position };
}

export const CanvasApiContext = createContext<MutableRefObject<CanvasApi | null> | null>(null);

export function useCanvasApi(): MutableRefObject<CanvasApi | null> {
  const api = useContext(CanvasApiContext);
  if (!api) throw new Error("no frame");
  return api;
}

export function reducedMotion(root: HTMLElement): boolean {
  return root.ownerDocument.defaultView?.matchMedia("(prefers-reduced-motion: reduce)").matches ?? false;
}
