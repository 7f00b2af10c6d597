import type { GraphView, PortRef } from "../protocol/generated";
import { nodeOf } from "./graph";

/** What people put behind what, in pipelines of the gallery and in programs of the field: where the own graphs say nothing. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  "": ["resize", "rotate", "crop_mirror_normalize", "flip", "brightness_contrast"],
  "readers.file": ["decoders.image", "decoders.image_random_crop"],
  "readers.coco": ["decoders.image"],
  "decoders.image": ["resize", "crop_mirror_normalize", "rotate"],
  "decoders.image_random_crop": ["resize"],
  resize: ["crop_mirror_normalize", "rotate", "flip"],
  rotate: ["crop_mirror_normalize", "flip"],
  crop_mirror_normalize: ["to_gpu"],
  "decoders.audio": ["spectrogram", "preemphasis_filter"],
  spectrogram: ["mel_filter_bank"],
  mel_filter_bank: ["to_decibels", "mfcc"],
};

/** What a graph begins with. */
const BEGINNINGS: readonly string[] = ["readers.file", "readers.coco", "readers.webdataset", "readers.video"];

/** Storage of this browser: pinned operators and what was put behind what. Without it, nothing is remembered. */
interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const PINS = "dali-studio-pins";
const USED = "dali-studio-used";

export class Habits {
  constructor(private readonly storage: Storage | null) {}

  private read<T>(name: string, otherwise: T): T {
    try {
      return (JSON.parse(this.storage?.getItem(name) ?? "null") as T | null) ?? otherwise;
    } catch {
      return otherwise;
    }
  }

  private write(name: string, value: unknown): void {
    try {
      this.storage?.setItem(name, JSON.stringify(value));
    } catch {
      // a full or forbidden storage costs the habit, not the work
    }
  }

  pins(): readonly string[] {
    return this.read<readonly string[]>(PINS, []);
  }

  pin(operator: string): void {
    const pins = this.pins();
    this.write(PINS, pins.includes(operator) ? pins.filter((p) => p !== operator) : [...pins, operator]);
  }

  /** Remember that an operator was put behind another. */
  note(before: string, operator: string): void {
    const used = this.read<Record<string, number>>(USED, {});
    const key = `${before}>${operator}`;
    this.write(USED, { ...used, [key]: (used[key] ?? 0) + 1 });
  }

  /** How much an operator is likely to be wanted behind `from`: pins, habits, and what is usual. */
  weight(graph: GraphView, from: PortRef | null): (operator: string) => number {
    const pins = this.pins();
    const used = this.read<Record<string, number>>(USED, {});
    const before = nodeOf(graph, from?.node ?? "")?.operator ?? "";
    const usual = graph.nodes.length > 0 ? (USUAL[before] ?? []) : BEGINNINGS;
    return (operator) => {
      const times = used[`${before}>${operator}`] ?? 0;
      const place = usual.indexOf(operator);
      const trial = operator.startsWith("experimental.") ? -6 : 0;
      return trial + (pins.includes(operator) ? 60 : 0) + Math.min(24, times * 6) + (place >= 0 ? 18 - place * 4 : 0);
    };
  }
}
