import type { Operator } from "./catalog";

/** What can be searched: an operator, or a tile of the gallery. */
export type Findable = Pick<Operator, "name" | "category" | "summary" | "keywords" | "hidden">;

export interface Hit<T extends Findable = Operator> {
  readonly operator: T;
  readonly score: number;
  /** Positions of matched letters in the name. */
  readonly marks: readonly number[];
  /** Why it was found, if not by its name. */
  readonly why: string;
}

/** Letters of `query` in order within `text`: a score (more is better) and their positions; null without a match. */
export function subsequence(query: string, text: string): { score: number; marks: number[] } | null {
  const lower = text.toLowerCase();
  const at = lower.indexOf(query);
  if (at >= 0) {
    const start = at === 0 || !/[a-z0-9]/.test(lower[at - 1] ?? "");
    const marks = Array.from(query, (_, i) => at + i);
    return { score: 100 + (start ? 40 : 0) + (at === 0 ? 20 : 0) - (lower.length - query.length), marks };
  }
  const marks: number[] = [];
  let from = 0;
  let gaps = 0;
  for (const letter of query) {
    const next = lower.indexOf(letter, from);
    if (next < 0) return null;
    if (marks.length > 0 && next !== from) gaps += 1;
    marks.push(next);
    from = next + 1;
  }
  // Letters scattered over a long name are no match that a person would see.
  if (gaps > Math.max(1, query.length / 2)) return null;
  return { score: 60 - gaps * 10 - (lower.length - query.length), marks };
}

/** Whether a word begins so: "turn" is not what "returns" is about. */
function wordHit(query: string, words: string): boolean {
  return ` ${words.toLowerCase().replace(/[^a-z0-9]+/g, " ")}`.includes(` ${query}`);
}

/** What a keyword counts: more than letters within a name, less than a word of it. */
const WORD = 212;

function match<T extends Findable>(operator: T, query: string): Hit<T> | null {
  const last = operator.name.lastIndexOf(".") + 1;
  const own = subsequence(query, operator.name.slice(last));
  const path = subsequence(query, operator.name);
  const marks = own ? own.marks.map((m) => m + last) : (path?.marks ?? []);
  const byName = Math.max(own ? own.score + (last > 0 ? 10 : 18) : 0, path?.score ?? 0);
  const exact = operator.name.slice(last) === query || operator.name === query ? 200 : 0;
  // letters that stand apart say less than what is said of it
  const whole = (marks.at(-1) ?? 0) - (marks[0] ?? 0) < query.length;
  const plain = (text: string) => text.toLowerCase().replace(/[\s_.-]/g, "");
  const keyword = operator.keywords.find((k) => plain(k) === plain(query));
  // "code" is a code node before it is a part of "decoders"
  const score = byName > 0 && whole ? byName + 100 + exact : 0;
  if (keyword && score < WORD) return { operator, score: WORD, marks: [], why: keyword };
  if (score > 0) return { operator, score, marks, why: "" };
  // "random crop" is RandomCrop
  if (plain(operator.name.slice(last)) === plain(query)) return { operator, score: 160, marks: [], why: "" };
  const at = operator.keywords.findIndex((k) => plain(k).includes(plain(query)));
  if (at >= 0) return { operator, score: 90 - at, marks: [], why: operator.keywords[at] ?? "" };
  if (wordHit(query, operator.category)) return { operator, score: 60, marks: [], why: operator.category };
  if (wordHit(query, operator.summary)) return { operator, score: 40, marks: [], why: "" };
  return byName > 0 ? { operator, score: byName / 2, marks, why: "" } : null;
}

/** Whether one letter that is wrong, missing, too many or exchanged with the next turns `word` into `other`. */
function slip(word: string, other: string): boolean {
  let start = 0;
  while (start < word.length && word[start] === other[start]) start += 1;
  const rest = (text: string, skip: number) => text.slice(start + skip);
  const exchanged = word[start] === other[start + 1] && word[start + 1] === other[start];
  return (
    rest(word, 1) === rest(other, 1) ||
    rest(word, 1) === rest(other, 0) ||
    rest(word, 0) === rest(other, 1) ||
    (exchanged && rest(word, 2) === rest(other, 2))
  );
}

/** Each word of the query stands somewhere, or, from four letters on, begins a word of the name or a keyword but for a slip. */
function byWords<T extends Findable>(operator: T, query: string): Hit<T> | null {
  const named = operator.name.toLowerCase().split(/[._]/);
  const known = [...named, ...operator.keywords.map((k) => k.toLowerCase())];
  const words = `${operator.category} ${operator.summary}`;
  let score = 30;
  for (const word of query.split(/[\s._-]+/).filter((w) => w !== "")) {
    if (named.some((n) => n.startsWith(word))) score += 10;
    else if (known.some((k) => k.includes(word)) || wordHit(word, words)) score += 5;
    else if (word.length < 4 || !known.some((k) => slip(word, k) || slip(word, k.slice(0, word.length)))) return null;
  }
  return { operator, score, marks: [], why: "" };
}

/** What programs write as `if` and not by name is not what people look for. */
export function isOffered(operator: Findable): boolean {
  return !operator.hidden && !operator.name.startsWith("_");
}

/** Operators that a query finds, best first; all of them for an empty query. Hidden ones only by their exact name. */
export function search<T extends Findable>(
  operators: readonly T[],
  query: string,
  prefer?: (o: T) => number,
): Hit<T>[] {
  const text = query
    .trim()
    .toLowerCase()
    .replace(/^(fn|ops)\./, "")
    .replace("colour", "color");
  // of two that are found alike, the one that may still change comes later
  const bonus = (o: T) => (prefer?.(o) ?? 0) - (o.name.startsWith("experimental.") ? 12 : 0);
  const visible = operators.filter((o) => isOffered(o) || o.name.toLowerCase() === text);
  const hits = text
    ? visible.map((o) => match(o, text) ?? byWords(o, text)).filter((h): h is Hit<T> => h !== null)
    : visible.map((operator) => ({ operator, score: 0, marks: [], why: "" }));
  return hits.map((h) => ({ ...h, score: h.score + bonus(h.operator) })).sort((a, b) => b.score - a.score);
}
