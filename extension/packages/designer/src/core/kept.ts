const PLAIN = [Object, Array, Map, Set] as const;

/** What a value consists of, if it is no more than data. */
function partsOf(value: unknown): Map<unknown, unknown> | null {
  const kind = PLAIN.find((k) => (value as object | null)?.constructor === k);
  if (!kind) return null;
  return new Map(kind === Map || kind === Set ? (value as Set<unknown>).entries() : Object.entries(value as object));
}

/**
 * The new value with every part of the old one that says the same, so that nothing is drawn again for it.
 *
 * The old value itself if all is the same, the new one itself if nothing of the old one is left.
 */
export function kept<T>(old: unknown, now: T): T {
  if (Object.is(old, now)) return now;
  const [before, after] = [partsOf(old), partsOf(now)];
  if (!before || !after || (old as object).constructor !== (now as object).constructor) return now;
  let same = before.size === after.size;
  let own = true;
  for (const [key, part] of after) {
    const found = kept(before.get(key), part);
    same &&= before.has(key) && Object.is(found, before.get(key));
    own &&= Object.is(found, part);
    after.set(key, found);
  }
  if (same) return old as T;
  if (own || now instanceof Set) return now;
  return (now instanceof Map ? after : Array.isArray(now) ? [...after.values()] : Object.fromEntries(after)) as T;
}
