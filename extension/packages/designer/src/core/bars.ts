import * as format from "./format";

/** More bars than this are hair lines on a card. */
const MOST = 24;
const SPANS = 12;

interface Bar {
  /** 0 to 1. */
  readonly height: number;
  /** Whether it has the shown sample. */
  readonly now: boolean;
  readonly title: string;
}

/** A bar for each sample; of more samples than that, how many have each value, or are in each span of values. */
export function barsOf(values: readonly (number | null)[], sample: number): readonly Bar[] {
  const known = values.filter((v) => v !== null);
  const low = Math.min(...known);
  const width = Math.max(...known) - low;
  if (values.length <= MOST)
    return values.map((v, i) => ({
      height: v === null ? 0 : width > 0 ? 0.2 + ((v - low) / width) * 0.8 : 0.5,
      now: i === sample,
      title: `sample ${i + 1}: ${v === null ? "–" : format.number(v)}`,
    }));
  const each = [...new Set(known)].sort((a, b) => a - b);
  const few = each.length <= SPANS;
  const starts = few ? each : Array.from({ length: SPANS }, (_, k) => low + (k * width) / SPANS);
  const placeOf = (v: number) => starts.findLastIndex((start) => v >= start);
  const places = known.map(placeOf);
  const counts = starts.map((_, k) => places.filter((place) => place === k).length);
  const now = values[sample] ?? null;
  return starts.map((start, k) => ({
    height: (counts[k] ?? 0) / Math.max(...counts),
    now: now !== null && placeOf(now) === k,
    title: `${few ? "" : "from "}${format.number(start)}: ${format.plural(counts[k] ?? 0, "sample")}`,
  }));
}
