import { useEffect } from "react";
import type { PixelValue, PortRef } from "../protocol/generated";
import { useSel, useSession } from "./context";

/** A point of a picture, in parts of its extents. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Ask for the numbers of outputs at a point, of sequences those of a frame, at most some twenty times a second. */
export function usePixel(
  ports: readonly PortRef[],
  at: Point | null,
  plane: number,
): readonly (PixelValue | undefined)[] {
  const session = useSession();
  const text = JSON.stringify(ports);
  const sample = useSel((s) => `${s.sample}|${s.iteration}|${s.confirmed?.revision}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another sample or revision is asked for again
  useEffect(() => {
    if (!at) return undefined;
    const wait = setTimeout(() => session.send({ type: "request_pixel", ports: JSON.parse(text), ...at, plane }), 40);
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
  return ports.map((port) =>
    items.find((i) => i.port.node === port.node && (i.port.output ?? 0) === (port.output ?? 0)),
  );
}
