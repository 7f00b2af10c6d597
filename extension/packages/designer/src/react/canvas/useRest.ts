import type { OnMove, Viewport } from "@xyflow/react";
import { type RefObject, useEffect, useRef } from "react";

/** Milliseconds from the end of a gesture until what it moved is painted anew: a wheel goes on notch by notch. */
const REST = 250;

/** Marks a canvas, and the designer that it is in, while its view moves, and tells where that has come to rest. */
export function useRest(box: RefObject<HTMLElement | null>, told: (viewport: Viewport) => void) {
  const stop = useRef(() => {});
  const mark = (moves: boolean) => {
    for (const part of [box.current, box.current?.closest(".ds-root")]) part?.toggleAttribute("data-moving", moves);
  };
  useEffect(() => () => stop.current(), []);
  const onMoveEnd: OnMove = (event, viewport) => {
    let wait = 0;
    const rest = () => {
      wait = window.setTimeout(mark, REST, false);
      told(viewport);
    };
    stop.current();
    // where frames take long, the next turn of the wheel has not been seen yet
    let frame = event ? requestAnimationFrame(() => (frame = requestAnimationFrame(rest))) : 0;
    stop.current = () => {
      clearTimeout(wait);
      cancelAnimationFrame(frame);
    };
    if (!event) rest();
  };
  const onMoveStart = () => {
    stop.current();
    mark(true);
  };
  return { onMoveStart, onMoveEnd };
}
