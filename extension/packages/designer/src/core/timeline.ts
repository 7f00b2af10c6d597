import type { Timeline } from "../protocol/generated";

/** A part of the time that is shown, in ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A bar of a lane, in px; several neighbours that are too narrow to be seen are one. */
export interface Bar {
  readonly lane: number;
  readonly x: number;
  readonly width: number;
  /** The node; of several the one that took longest. */
  readonly key: string;
  /** How many steps it stands for, and how long they took. */
  readonly count: number;
  readonly milliseconds: number;
  readonly batch: number;
}

/** Bars that are narrower, and gaps that are smaller, are not drawn one by one. */
const NARROW = 1.5;

export function wholeSpan(timeline: Timeline): Span {
  const ends = [...timeline.steps.map(([, end]) => end), ...timeline.slices.map(([, , , end]) => end)];
  return { from: 0, to: Math.max(0.001, ...ends) };
}

/** Which batch a moment belongs to. */
function batchAt(timeline: Timeline, at: number): number {
  const found = timeline.steps.findLastIndex(([begin]) => begin <= at);
  return timeline.first + Math.max(0, found);
}

interface Open {
  readonly bar: Bar;
  readonly longest: number;
}

/** What is drawn of a timeline, lane by lane. */
export function barsOf(timeline: Timeline, { from, to }: Span, width: number): readonly Bar[] {
  const scale = width / (to - from);
  const bars: Bar[] = [];
  const open = new Map<number, Open>();
  const inOrder = [...timeline.slices].sort((a, b) => a[1] - b[1] || a[2] - b[2]);
  for (const [key, lane, begin, end] of inOrder) {
    if (end < from || begin > to) continue;
    const x = (begin - from) * scale;
    const wide = (end - begin) * scale;
    const name = timeline.keys[key] ?? "";
    const last = open.get(lane);
    const joins = last && x - (last.bar.x + last.bar.width) < NARROW && wide < NARROW && last.bar.width < 8 * NARROW;
    if (joins) {
      const longer = end - begin > last.longest;
      const bar: Bar = {
        ...last.bar,
        width: Math.max(last.bar.width, x + wide - last.bar.x),
        key: longer ? name : last.bar.key,
        count: last.bar.count + 1,
        milliseconds: last.bar.milliseconds + end - begin,
      };
      bars[bars.indexOf(last.bar, Math.max(0, bars.length - 4))] = bar;
      open.set(lane, { bar, longest: Math.max(last.longest, end - begin) });
      continue;
    }
    const bar: Bar = {
      lane,
      x,
      width: wide,
      key: name,
      count: 1,
      milliseconds: end - begin,
      batch: batchAt(timeline, begin),
    };
    bars.push(bar);
    open.set(lane, { bar, longest: end - begin });
  }
  return bars;
}

/** Places of the marks of the axis: a round distance, at least 70 px. */
export function ticksOf({ from, to }: Span, width: number): readonly number[] {
  const least = ((to - from) * 70) / Math.max(width, 1);
  const unit = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= least) ?? least;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(Number(at.toPrecision(12)));
  return ticks;
}

/** Closer or farther about a moment, never beyond the whole nor closer than 2 µs. */
export function zoomed(span: Span, whole: Span, factor: number, about: number): Span {
  const length = Math.min(Math.max((span.to - span.from) * factor, 0.002), whole.to - whole.from);
  const part = (about - span.from) / (span.to - span.from);
  return shifted({ from: about - part * length, to: about + (1 - part) * length }, whole, 0);
}

/** Moved by so many ms, as far as the whole goes. */
export function shifted({ from, to }: Span, whole: Span, by: number): Span {
  const length = to - from;
  const start = Math.min(Math.max(from + by, whole.from), whole.to - length);
  return { from: start, to: start + length };
}
