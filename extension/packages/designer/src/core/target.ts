import * as format from "./format";
import { nodeOf } from "./graph";
import { operatorOf } from "./select";
import type { State } from "./state";

/** The two speeds of a run: what each is called everywhere, and what is divided by what. */
export const PIPELINED = {
  name: "in the pipeline",
  about: "Samples divided by the time that they took together, while batches are made ahead, as in training",
} as const;
export const ALONE = {
  name: "one batch at a time",
  about:
    "Samples of a batch divided by the average time of one: batches are made one after the other while every node is measured",
} as const;

/** What a pipeline makes, and how it stands to what the model takes. */
export interface Headroom {
  /** Samples a second; 0 if that is not known. */
  readonly speed: number;
  /** Which of the two numbers it is. */
  readonly measured: typeof PIPELINED.name | typeof ALONE.name;
  readonly target: number;
  readonly enough: boolean;
  /** "28 % under 4 000", "12 % over 2 400", "62 times 10"; empty without a target. */
  readonly words: string;
}

/** Bytes of a batch that readers take out of files; of videos it is not known: they give frames. */
export function bytesRead(state: State): number {
  const sizes = state.run.finished?.timings.map((timing) => {
    const node = nodeOf(state.graph, timing.key);
    const reads = operatorOf(state, node)?.role === "reader" && node?.output_kinds[0] !== "video";
    return reads ? timing.outputs.reduce((sum, size) => sum + size, 0) : 0;
  });
  return (sizes ?? []).reduce((sum, size) => sum + size, 0);
}

/** Bytes a second that readers take out of files in the pipeline, where batches may come several at once. */
export function readingRate(state: State): number {
  return (bytesRead(state) * (state.run.finished?.pipelined.samples_per_second ?? 0)) / state.batchSize;
}

export function headroomOf(speed: number, target: number): string {
  if (target <= 0 || speed <= 0) return "";
  const times = speed / target;
  const share = Math.abs(times - 1);
  const few = (value: number) => format.number(Number(value.toPrecision(2)));
  const apart = times >= 2 ? `${few(times)} times` : `${format.percent(share)} ${times < 1 ? "under" : "over"}`;
  return `${share < 0.005 ? "at" : apart} ${target < 100 ? few(target) : format.throughput(target)}`;
}

/** The speed in the pipeline where it was measured; else that of one batch at a time, which says so. */
export function headroom(state: State): Headroom | null {
  const run = state.run.finished;
  if (!run || run.failed.length > 0 || run.until) return null;
  const ahead = run.pipelined.samples_per_second;
  const speed = ahead || run.samples_per_second;
  const target = state.confirmed?.target ?? 0;
  return {
    speed,
    measured: ahead > 0 ? PIPELINED.name : ALONE.name,
    target,
    enough: speed >= target,
    words: headroomOf(speed, target),
  };
}

/** "2400", "2400 img/s" or "26.7 ms" a batch of so many samples: samples a second; null if it is neither. */
export function parseTarget(text: string, batchSize: number): number | null {
  const milliseconds = /^(.*?)ms\b.*$/i.exec(text.trim());
  const plain = (milliseconds?.[1] ?? text).replace(/[a-z/].*$/i, "");
  const value = format.parseNumber(plain);
  if (value === null || value < 0 || (milliseconds && value === 0)) return text.trim() === "" ? 0 : null;
  return milliseconds ? (batchSize * 1000) / value : value;
}
