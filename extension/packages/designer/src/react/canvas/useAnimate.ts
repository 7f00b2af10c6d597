import type { Node } from "@xyflow/react";
import { useCallback } from "react";
import { cornerOf, keysOfCard } from "../../core/subgraph";
import type { Position } from "../../protocol/generated";
import { reducedMotion } from "../canvasApi";
import { useFrame } from "../context";

/** Let cards move to their places, in ms; `done` when they are there, and `look` when they are drawn there. */
export function useAnimate(
  latest: { readonly current: readonly Node[] },
  setNodes: (change: (nodes: Node[]) => Node[]) => void,
  dragging: { current: boolean },
  fit: (duration: number) => void,
): (to: Readonly<Record<string, Position>>, done: () => void, duration?: number, look?: typeof fit) => void {
  const { session, root } = useFrame();
  return useCallback(
    (to, done, duration = 240, look = fit) => {
      const from = Object.fromEntries(latest.current.map((n) => [n.id, n.position]));
      const start = performance.now();
      const length = reducedMotion(root) ? 0 : duration;
      const step = (now: number) => {
        const t = length === 0 ? 1 : Math.min(1, (now - start) / length);
        const e = t < 0.5 ? 2 * t * t : 1 - (2 - 2 * t) ** 2 / 2;
        const mix = (a: number, b: number) => a + (b - a) * e;
        setNodes((ns) =>
          ns.map((n) => {
            const a = from[n.id];
            const b = cornerOf(keysOfCard(session.store.get(), n.id), to);
            return a && b ? { ...n, position: { x: mix(a.x, b.x), y: mix(a.y, b.y) } } : n;
          }),
        );
        if (t < 1) {
          requestAnimationFrame(step);
        } else {
          dragging.current = false;
          done();
          requestAnimationFrame(() => look(Math.min(duration, 200)));
        }
      };
      dragging.current = true;
      requestAnimationFrame(step);
    },
    [session, root, latest, setNodes, dragging, fit],
  );
}
