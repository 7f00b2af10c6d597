/** What is no more than data. */
const PLAIN: readonly unknown[] = [Object, Array, Map, Set];

const keysOf = (value: object): unknown[] =>
  value instanceof Map || value instanceof Set ? [...value.keys()] : Object.keys(value);

const partOf = (value: object, key: unknown): unknown =>
  value instanceof Map ? value.get(key) : value instanceof Set ? value.has(key) : value[key as keyof object];

/**
 * The new value with every part of the old one that says the same, so that nothing is drawn again for it.
 *
 * The old value itself if all is the same, the new one itself if nothing of the old one is left. It is asked hundreds of
 * times at each change of the state, so that nothing is built that need not be.
 */
export function kept<T>(old: unknown, now: T): T {
  const kind = (old as object | null)?.constructor;
  if (Object.is(old, now) || !kind || !PLAIN.includes(kind) || (now as object | null)?.constructor !== kind) return now;
  const [before, after] = [old as object, now as object];
  const [was, is] = [keysOf(before), keysOf(after)];
  let same = was.length === is.length;
  let own = true;
  const parts = is.map((key) => {
    const [first, second] = [partOf(before, key), partOf(after, key)];
    const part = kept(first, second);
    same &&= Object.is(part, first) && (first !== undefined || was.includes(key));
    own &&= Object.is(part, second);
    return part;
  });
  if (same) return old as T;
  if (own || kind === Set) return now;
  if (kind === Array) return parts as T;
  const entries = is.map((key, i) => [key, parts[i]] as const);
  return (kind === Map ? new Map(entries) : Object.fromEntries(entries as [string, unknown][])) as T;
}
