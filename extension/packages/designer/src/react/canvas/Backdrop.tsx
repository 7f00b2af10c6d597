import { ViewportPortal } from "@xyflow/react";
import type { Line } from "./useGestures";

/** Dots of the grid stay at least this far apart on the screen, in px. */
const GRID = 16;

/** Dots that move with the cards: those of React Flow are painted anew, all over the frame, at each step of a gesture. */
export function Dots({ zoom }: { readonly zoom: number }) {
  const gap = GRID * 2 ** Math.max(0, Math.ceil(Math.log2(1 / zoom)));
  return (
    <ViewportPortal>
      <div
        className="ds-grid"
        style={{ "--ds-gap": `${gap}px`, "--ds-dot-size": `${0.8 * Math.max(1, 1 / zoom)}px` }}
      />
    </ViewportPortal>
  );
}

/** The line that a gesture draws across wires, to cut them. */
export function SliceLine({ line: { from, to } }: { readonly line: Line }) {
  return (
    <svg className="ds-slice" aria-hidden="true">
      <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
    </svg>
  );
}
