import { useCallback, useRef } from "react";
import type { Argument } from "../../core/catalog";
import type { Value } from "../../protocol/generated";
import { useSession } from "../context";

export interface FieldProps {
  readonly argument: Argument;
  /** The value that is set, or the default. */
  readonly value: Value;
  readonly set: (value: Value, gesture?: string) => void;
  /** Tell the row what is wrong with what was typed; empty when it is fine. */
  readonly setError: (reason: string) => void;
  readonly bad: boolean;
  /** Return to the default. */
  readonly reset: () => void;
}

let gestures = 0;

/** A name for one drag or one burst of key strokes, so that it is one undo step. */
export function useGesture(): { begin: () => void; name: () => string } {
  const now = useRef("");
  const last = useRef(0);
  const begin = useCallback(() => {
    gestures += 1;
    now.current = `g${gestures}`;
    last.current = performance.now();
  }, []);
  const name = useCallback(() => {
    const time = performance.now();
    if (!now.current || time - last.current > 900) begin();
    last.current = time;
    return now.current;
  }, [begin]);
  return { begin, name };
}

/** Setting and resetting one argument of one node. */
export function useSetter(key: string, argument: string) {
  const session = useSession();
  const set = useCallback(
    (value: Value, gesture = "") => {
      const id = gesture ? `${key}.${argument}.${gesture}` : "";
      session.edit([{ type: "set_argument", key, argument, value }], { gesture: id });
    },
    [session, key, argument],
  );
  const reset = useCallback(
    () => session.edit([{ type: "set_argument", key, argument, unset: true }]),
    [session, key, argument],
  );
  return { set, reset };
}
