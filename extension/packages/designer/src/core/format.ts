/** Numbers as people read them: 3 figures, thin spaces, a true minus, never a false 0. */

const THIN = "\u2009";
const MINUS = "\u2212";

function figures(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(2);
}

export function grouped(value: number): string {
  const text = Math.abs(Math.round(value))
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
  return value < 0 ? MINUS + text : text;
}

/** `11 µs`, `0.42 ms`, `18.4 ms`, `1.24 s`; below 1 µs `< 1 µs`. */
export function time(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined || !Number.isFinite(milliseconds)) return "–";
  if (milliseconds < 0.001) return "< 1 µs";
  if (milliseconds < 0.0995) return `${Math.round(milliseconds * 1000)} µs`;
  if (milliseconds < 999.5) return `${figures(milliseconds)} ms`;
  return `${figures(milliseconds / 1000)} s`;
}

/** `256 B`, `38.5 MB`: decimal units, three figures. */
export function bytes(count: number): string {
  let value = count;
  for (const unit of ["B", "kB", "MB", "GB", "TB", "PB"]) {
    if (value < 999.5) return `${unit === "B" || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${unit}`;
    value /= 1000;
  }
  return `${value.toFixed(1)} EB`;
}

/** Three figures with thin spaces: 2 860. */
export function throughput(perSecond: number): string {
  if (!Number.isFinite(perSecond) || perSecond <= 0) return "–";
  if (perSecond < 100) return figures(perSecond);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(perSecond)) - 2);
  return grouped(Math.round(perSecond / unit) * unit);
}

/** How a program calls an operator: what conditions are made of has no name there. */
export function called(operator: string): string {
  const [, part = ""] = /^_conditional\.(.+)/.exec(operator) ?? [];
  return part ? ({ merge: "the end of an if", not_: "not" }[part] ?? "if") : `fn.${operator}`;
}

/** What a card is called: nothing in a program may be called `if`. */
export function cardName(key: string, operator: string): string {
  return called(operator) === "if" ? key.replace(/^split(_?)/, "if$1") : key;
}

/** Of a node whose data is pinned, which. */
export function pinWords({ pin_old, pin_batch }: { readonly pin_old: boolean; readonly pin_batch: number }): string {
  return pin_old ? "pinned before the edit" : `pinned, batch ${pin_batch + 1}`;
}

export function percent(share: number): string {
  const value = share * 100;
  return value > 0 && value < 1 ? "< 1 %" : `${Math.round(value)} %`;
}

/** A number in a field or row: short, without noise from binary fractions. */
export function number(value: number, digits = 6): string {
  if (!Number.isFinite(value)) return String(value);
  const text = Number.isInteger(value) ? String(value) : String(Number.parseFloat(value.toPrecision(digits)));
  return text.replace("-", MINUS);
}

/** The short sign of a unit, with its leading space where one belongs. */
export function unitSign(unit: string): string {
  if (!unit) return "";
  return unit === "deg" ? "°" : ` ${unit}`;
}

/** A path: its last part, since what stands before it is much the same for all. */
function path(text: string): string {
  const parts = text.split("/").filter(Boolean);
  return parts.length > 1 ? `…/${parts.at(-1)}` : text;
}

/** A value on a card's row. */
export function value(v: unknown, unit = ""): string {
  if (typeof v === "string" && v.includes("/")) return path(v);
  if (v === null || v === undefined) return "–";
  if (typeof v === "number") return (Math.abs(v) < 1e10 ? number(v, 4) : short(v)) + unitSign(unit);
  if (typeof v === "boolean") return v ? "on" : "off";
  if (Array.isArray(v)) return v.map((x) => value(x)).join(", ");
  return String(v);
}

/** What a generator draws, everywhere alike: tenths of degrees, else three figures. */
export function drawn(v: number, unit = ""): string {
  return (unit === "deg" ? number(Number(v.toFixed(1))) : short(v)) + unitSign(unit);
}

/** What is drawn for several samples, which is looked along: with as many decimals each. */
export function drawnAlike(values: readonly (number | undefined)[], unit = ""): readonly string[] {
  const texts = values.map((v) => (v === undefined ? "" : drawn(v, unit)));
  const digits = Math.max(...texts.map((text) => /\.(\d+)/.exec(text)?.[1]?.length ?? 0));
  if (texts.some((text) => text.includes("e"))) return texts;
  return values.map((v) => (v === undefined ? "" : v.toFixed(digits).replace("-", MINUS) + unitSign(unit)));
}

/** Sizes that stand beside each other: the largest in three figures, and all with as many decimals, but never a false 0. */
export function alike(values: readonly number[]): readonly string[] {
  const digits = Math.max(0, Math.min(5, 2 - Math.floor(Math.log10(Math.max(...values)))));
  return values.map((v) => (Number(v.toFixed(digits)) ? v.toFixed(digits) : short(v)));
}

/** Parse what a person typed: comma or point, minus or true minus; null if it is no number. */
export function parseNumber(text: string): number | null {
  const plain = text.trim().replace(MINUS, "-").replace(",", ".").replaceAll(THIN, "").replaceAll(" ", "");
  if (plain === "") return null;
  const parsed = Number(plain);
  return Number.isFinite(parsed) ? parsed : null;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** What the engine says, with the sign that extents have everywhere in the designer. */
export function message(text: string): string {
  return text.replace(/(\b\d+)x(?=\d+ pixels)/g, "$1×").replace(/ -(?=\d)/g, " −");
}

/** A sentence where code cannot look like code. */
export function plain(text: string): string {
  return text.replace(/`/g, "");
}

/** First letter large, for sentences that begin with a node's name; names of files and the like stay as they are. */
export function sentence(text: string): string {
  const [first = ""] = text.split(/[\s:,]/, 1);
  if (!/^[a-z]+$/.test(first)) return text;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What most of many names begin or end with, so that it tells none of them from the others: a word, or nothing. */
export function shared(names: readonly string[], word: RegExp): string {
  const counts = new Map<string, number>();
  for (const one of names) {
    const [found = ""] = word.exec(one) ?? [];
    counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  const [most = "", count = 0] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
  return count > 5 && count > names.length / 2 ? most : "";
}

/**
 * A name of which so many characters are kept: as many of its end as of its beginning, or the number at one of these, with
 * the letter before it where there is room (of brightness_2 and brightness_contrast_2), or of two or three the beginning alone. What it shares with most others there goes first.
 */
export function cut(text: string, kept: number, start = "", last = ""): string {
  if (kept >= text.length) return text;
  if (last && text.endsWith(last)) return `${cut(text.slice(0, -last.length), kept, start)}…`;
  if (start && text.startsWith(start)) return `…${cut(text.slice(start.length).replace(/^_/, ""), kept)}`;
  const begin = /^\d{1,4}(?=\D)/.exec(text)?.[0].length;
  const end = Math.min(
    begin
      ? kept - begin
      : ((kept > 6 ? /\w?_?\d{1,4}$/ : /\d{1,4}$/).exec(text)?.[0].length ?? (kept > 3 ? Math.ceil(kept / 2) : 0)),
    kept - 1,
  );
  return `${text.slice(0, kept - end)}…${end > 0 ? text.slice(-end) : ""}`;
}

/** A name in so many characters at most, the ellipses among them. */
export function cutTo(text: string, letters: number, start: string, last: string): string {
  let words = text;
  for (let kept = letters - 1; kept > 0 && words.length > letters; kept--) words = cut(text, kept, start, last);
  return words;
}

/** The name of a node in a sentence that has more to say: cut as on cards, where the whole one stands. */
export function name(text: string): string {
  return text.length > 24 ? cut(text, 23) : text;
}

/** Heat step 1 to 5 of a share of the whole: < 5, 5-15, 15-35, 35-65, > 65 %. */
export function heatStep(share: number): 1 | 2 | 3 | 4 | 5 {
  if (share < 0.05) return 1;
  if (share < 0.15) return 2;
  if (share < 0.35) return 3;
  if (share <= 0.65) return 4;
  return 5;
}

/** A number in at most three figures: "0.123", "2.3e-6". */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(1).replace("e+", "e").replace(/^-/, MINUS);
  return number(Number(value.toPrecision(3)));
}
