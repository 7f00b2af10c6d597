import type { Value } from "../protocol/generated";
import { type Argument, isInteger } from "./catalog";
import * as format from "./format";

export type Parsed = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly reason: string };

const fail = (reason: string): Parsed => ({ ok: false, reason });

function limits(argument: Argument): string {
  const { minimum, maximum } = argument;
  if (minimum !== null && maximum !== null) return `from ${format.number(minimum)} to ${format.number(maximum)}`;
  if (minimum !== null) return `${format.number(minimum)} or more`;
  return maximum !== null ? `${format.number(maximum)} or less` : "";
}

/** One number typed into a field, against the argument's hard limits. */
export function parseOne(argument: Argument, text: string): Parsed {
  const value = format.parseNumber(text);
  if (value === null) return fail("A number is needed here.");
  if (isInteger(argument) && !Number.isInteger(value)) return fail("A whole number is needed here.");
  const low = argument.minimum !== null && value < argument.minimum;
  const high = argument.maximum !== null && value > argument.maximum;
  if (low || high) return fail(`${argument.name} is ${limits(argument)}.`);
  return { ok: true, value };
}

/** Several numbers: by fields, or typed with commas or spaces between them. */
export function parseMany(argument: Argument, texts: readonly string[]): Parsed {
  const numbers: number[] = [];
  for (const text of texts) {
    const one = parseOne(argument, text);
    if (!one.ok) return one;
    if (typeof one.value === "number") numbers.push(one.value);
  }
  const { length } = argument;
  if (length.length > 0 && !length.includes(numbers.length))
    return fail(`${argument.name} takes ${length.join(" or ")} numbers.`);
  return { ok: true, value: numbers };
}

/** The interval of a slider: the handy one, widened so that the value that is set lies in it. */
export function sliderSpan(argument: Argument, value: number): readonly [number, number] {
  // of angles the usual ones: a dial reaches the others
  const near = argument.widget === "dial" && Math.abs(value) <= 60;
  const [from, to] = near ? [-60, 60] : argument.span;
  // limits of what can be stored at all are none of what is of use
  const limit = (end: number | null | undefined) => (typeof end === "number" && Math.abs(end) < 1e6 ? end : undefined);
  const low = from ?? limit(argument.minimum) ?? Math.min(0, value * 2);
  const high = to ?? limit(argument.maximum) ?? Math.max(1, Math.abs(value) * 2);
  return [Math.min(low, value), Math.max(high, value)];
}

/** The interval of two knobs: the handy one, or what is about them where they would be hard to tell apart in it. */
export function rangeSpan({ span, minimum, maximum }: Argument, low: number, high: number): readonly [number, number] {
  const reach = Math.max(1, Math.abs(low), Math.abs(high)) * 1.5;
  const [from, to] = [span[0] ?? minimum ?? -reach, span[1] ?? maximum ?? reach];
  const apart = high - low;
  const room = apart > 0 && apart < (to - from) / 8 ? 2 * apart : to - from;
  return [Math.min(low, Math.max(from, low - room)), Math.max(high, Math.min(to, high + room))];
}

/** A step that gives about 200 places on the slider, round in base 10. */
export function sliderStep(argument: Argument, low: number, high: number): number {
  if (isInteger(argument)) return Math.max(1, 10 ** Math.floor(Math.log10(Math.max(1, (high - low) / 200))));
  return 10 ** Math.floor(Math.log10(Math.max(1e-9, (high - low) / 100)));
}

/** Removes the noise that adding binary fractions leaves behind. */
export function snap(value: number, step: number): number {
  const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step))));
  return Number((Math.round(value / step) * step).toFixed(digits));
}
