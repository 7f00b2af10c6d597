import { useEffect } from "react";
import { portKey } from "../core/state";
import type { PixelValue, Side } from "../protocol/generated";
import { useSel, useSession } from "./context";

/** A point of a picture, in parts of its extents. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Ask for the numbers of outputs at a point, of sequences those of a frame, at most some twenty times a second. */
export function usePixel(sides: readonly Side[], at: Point | null, plane: number): readonly (PixelValue | undefined)[] {
  const session = useSession();
  const text = JSON.stringify(sides);
  const sample = useSel((s) => `${s.sample}|${s.iteration}|${s.confirmed?.revision}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another sample or revision is asked for again
  useEffect(() => {
    if (!at) return undefined;
    const wait = setTimeout(() => session.send({ type: "request_pixel", sides: JSON.parse(text), ...at, plane }), 40);
    return () => clearTimeout(wait);
  }, [session, text, at, plane, sample]);
  // answers may come after the pointer has gone
  const stale = useSel((s) => s.pixel !== null) && !at;
  const forget = () => session.store.set((s) => (s.pixel ? { ...s, pixel: null } : s));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the session stays
  useEffect(() => (stale ? forget() : undefined), [stale]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what pointed has gone
  useEffect(() => forget, []);
  const items = useSel((s) => s.pixel?.items ?? []);
  const key = ({ port, steps }: Side) => `${portKey(port.node, port.output ?? 0)}|${steps ?? 0}`;
  return sides.map((side) => items.find((i) => key(i.side) === key(side)));
}
