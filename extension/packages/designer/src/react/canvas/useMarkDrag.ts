import { useReactFlow } from "@xyflow/react";
import { type PointerEvent, useRef } from "react";
import type { Position } from "../../protocol/generated";

let drags = 0;

/** Dragging in canvas pixels, as one undo step. */
export function useMarkDrag(onMove: (by: Position, gesture: string) => void) {
  const { getZoom } = useReactFlow();
  const start = useRef<{ readonly x: number; readonly y: number; readonly gesture: string } | null>(null);
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      event.stopPropagation();
      // who captures the pointer takes the click from a button within
      const pressed = (event.target as Element).closest("button, input");
      if (pressed && pressed !== event.currentTarget) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      drags += 1;
      start.current = { x: event.clientX, y: event.clientY, gesture: `mark.${drags}` };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const from = start.current;
      const zoom = getZoom();
      if (from) onMove({ x: (event.clientX - from.x) / zoom, y: (event.clientY - from.y) / zoom }, from.gesture);
    },
    onPointerUp: () => {
      start.current = null;
    },
  };
}
