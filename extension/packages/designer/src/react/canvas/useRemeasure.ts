import { useUpdateNodeInternals } from "@xyflow/react";
import { useCallback } from "react";
import type { Session } from "../../core/session";
import { useSession } from "../context";

/** Cards whose ports are to be looked for again in the next frame. */
const waiting = new WeakMap<Session, Set<string>>();

/** Tell React Flow that a card's ports have moved; all that do so in one frame are measured together. */
export function useRemeasure(): (key: string) => void {
  const session = useSession();
  const update = useUpdateNodeInternals();
  return useCallback(
    (key) => {
      const known = waiting.get(session);
      if (known) {
        known.add(key);
        return;
      }
      const keys = new Set([key]);
      waiting.set(session, keys);
      requestAnimationFrame(() => {
        waiting.delete(session);
        update([...keys]);
      });
    },
    [session, update],
  );
}
