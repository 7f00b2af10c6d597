import { useRef, useSyncExternalStore } from "react";

/** What is selected from a store; the component draws again only when that changed, as `keep` tells. */
export function useSelected<S, T>(
  subscribe: (listener: () => void) => () => void,
  get: () => S,
  select: (state: S) => T,
  keep: (old: T | undefined, now: T) => T,
): T {
  const last = useRef<{ state: S; select: (state: S) => T; value: T } | null>(null);
  const read = (): T => {
    const state = get();
    const before = last.current;
    if (before && before.state === state && before.select === select) return before.value;
    const value = keep(before?.value, select(state));
    last.current = { state, select, value };
    return value;
  };
  return useSyncExternalStore(subscribe, read);
}

/** In place of the package of this name, by which React Flow reads its store. */
export default {
  useSyncExternalStoreWithSelector: <S, T>(
    subscribe: (listener: () => void) => () => void,
    get: () => S,
    _: unknown,
    select: (state: S) => T,
    same: (a: T, b: T) => boolean = Object.is,
  ): T => useSelected(subscribe, get, select, (old, now) => (old !== undefined && same(old, now) ? old : now)),
};
