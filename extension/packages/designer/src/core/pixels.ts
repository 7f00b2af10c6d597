import type { Value } from "../protocol/generated";
import type { Operator } from "./catalog";

/** Pixels of two pictures of the same size, as `getImageData` gives them. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** |B - A| times `gain`, without transparency; into `out`, which has the same size. */
export function difference(a: Pixels, b: Pixels, gain: number, out: Uint8ClampedArray): void {
  for (let i = 0; i < out.length; i += 4) {
    for (let c = 0; c < 3; c += 1) out[i + c] = Math.abs((b.data[i + c] ?? 0) - (a.data[i + c] ?? 0)) * gain;
    out[i + 3] = 255;
  }
}

/** What differences are multiplied by to be seen: a power of two that brings the mean to an eighth of white. */
export function gainFor(mean: number): number {
  return 2 ** Math.min(6, Math.max(0, Math.floor(Math.log2(32 / mean))));
}

/** Height and width of an image by what its card says of it (`256×385×3 u8`, `3×256×385 f32`); zeros if it is none. */
export function extentsIn(facts: string): readonly [height: number, width: number] {
  const [a = 0, b = 0, c = 0] = (/^(\d+)×(\d+)×(\d+) /.exec(facts) ?? []).slice(1).map(Number);
  return a <= 4 && c > 4 ? [b, c] : [a, b];
}

/** By what two contained pictures shrink to have one scale; those of the same proportions lie on each other as they are. */
export function oneScale(
  [ah, aw]: readonly [number, number],
  [bh, bw]: readonly [number, number],
  room: { readonly width: number; readonly height: number },
  operator?: Pick<Operator, "arguments">,
): readonly [number, number] {
  // what changes the scale itself would be a stamp beside a part of its input
  if (operator?.arguments.some(({ name }) => name === "antialias")) return [1, 1];
  if (!ah || !bh || Math.abs((aw * bh) / (ah * bw) - 1) < 0.02) return [1, 1];
  const fit = (width: number, height: number) => Math.min(room.width / width, room.height / height);
  const scale = fit(Math.max(aw, bw), Math.max(ah, bh));
  return [scale / fit(aw, ah), scale / fit(bw, bh)];
}

/** A number, or the first of several. */
export function firstNumber(value: Value | undefined, otherwise: number): number {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "number" ? one : otherwise;
}

/** The largest box of the proportions of `width` x `height` in the middle of a room. */
export function contained(
  width: number,
  height: number,
  room: { readonly width: number; readonly height: number },
): { readonly x: number; readonly y: number; readonly width: number; readonly height: number } {
  const scale = Math.min(room.width / Math.max(1, width), room.height / Math.max(1, height));
  const w = width * scale;
  const h = height * scale;
  return { x: (room.width - w) / 2, y: (room.height - h) / 2, width: w, height: h };
}
