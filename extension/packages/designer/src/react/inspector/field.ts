import { useCallback, useRef } from "react";
import type { Argument } from "../../core/catalog";
import type { Edit, Value } from "../../protocol/generated";
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

const ENDS = ["pointerup", "pointercancel"] as const;
let gestures = 0;

/** A name for one drag or one burst of key strokes, so that it is one undo step; `begin` is for pointers that are pressed. */
export function useGesture(): { begin: () => void; name: () => string } {
  const now = useRef("");
  const last = useRef(0);
  const renew = useCallback(() => {
    gestures += 1;
    now.current = `g${gestures}`;
  }, []);
  // A drag may rest: it lasts until the pointer is released.
  const begin = useCallback(() => {
    renew();
    last.current = Number.POSITIVE_INFINITY;
    const end = () => {
      last.current = performance.now();
      for (const type of ENDS) removeEventListener(type, end, true);
    };
    for (const type of ENDS) addEventListener(type, end, true);
  }, [renew]);
  const name = useCallback(() => {
    const time = performance.now();
    if (!now.current || time - last.current > 900) renew();
    last.current = Math.max(last.current, time);
    return now.current;
  }, [renew]);
  return { begin, name };
}

type Span = readonly [number, number];

/**
 * The interval of what moves `values`: it is held while a pointer is pressed, and while keys move them, though it grows
 * where they are at its end.
 */
export function useSpan(fresh: Span, values: Span) {
  const held = useRef<Span | null>(null);
  const ends = held.current ?? fresh;
  const release = () => {
    held.current = null;
  };
  return {
    ends,
    hold: () => {
      held.current = ends;
    },
    holds: {
      onPointerUp: release,
      onBlur: release,
      onKeyDown: () => {
        held.current = [
          values[0] <= ends[0] ? Math.min(values[0], fresh[0]) : ends[0],
          values[1] >= ends[1] ? Math.max(values[1], fresh[1]) : ends[1],
        ];
      },
    },
  };
}

/** Setting and resetting one argument, of one node or of all `keys`. */
export function useSetter(keys: readonly string[], argument: string) {
  const session = useSession();
  const list = keys.join(" ");
  const set = useCallback(
    (value: Value, gesture = "") => {
      const id = gesture ? `${list}.${argument}.${gesture}` : "";
      const edits = list.split(" ").map((key): Edit => ({ type: "set_argument", key, argument, value }));
      session.edit(edits, { gesture: id });
    },
    [session, list, argument],
  );
  const reset = useCallback(
    () => session.edit(list.split(" ").map((key): Edit => ({ type: "set_argument", key, argument, unset: true }))),
    [session, list, argument],
  );
  return { set, reset };
}
