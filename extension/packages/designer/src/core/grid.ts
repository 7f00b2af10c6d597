import type { Position } from "../protocol/generated";

export const COLUMN = 184;
export const ROW = 204;
export const CARD = 148;
/** The line of a card's main ports, under its upper edge. */
export const PORT = 14;
export const SIDE = 20;
export const TOP = 14;

/** How closely cards stand: the room that a row of them keeps at least, and what is free below it. */
export interface Pitch {
  readonly row: number;
  readonly gap: number;
}

/** Rows keep the height of a card with one argument, so that neighbours line up. */
export const WIDE: Pitch = { row: 171, gap: ROW - 171 };
/** Of cards that have a name and a picture and nothing else. */
export const DENSE: Pitch = { row: 129, gap: 21 };

/** What is free below a small card: cards that are seen small are taller, since their names are not. */
export const SMALL_GAP = 30;

export interface Size {
  readonly width: number;
  readonly height: number;
  /** What there is of it above its line. */
  readonly head?: number;
}

/** Columns that a card takes. */
export type Span = (key: string) => number;

export interface Cell {
  column: number;
  lane: number;
  readonly span: number;
}

export function columnsIn({ column, span }: Pick<Cell, "column" | "span">): number[] {
  return Array.from({ length: span }, (_, i) => column + i);
}

/** The first column right of all cells. */
export function endOf(cells: Iterable<Pick<Cell, "column" | "span">>): number {
  return Math.max(0, ...[...cells].map((c) => c.column + c.span));
}

export type Height = (key: string) => number;

/** How much lower a small card may come to stand for those beside it to be on one line, in px. */
const NEAR = 100;

/** What stands in each column, in px: from where, and from where on the next card may. */
export class Floor {
  readonly positions: Record<string, Position> = {};
  private readonly taken: { key: string; top: number; bottom: number }[][];

  constructor(
    readonly columns: number,
    readonly height: Height,
    private readonly pitch: Pitch,
  ) {
    this.taken = Array.from({ length: columns }, () => []);
  }

  /** How low all that stands there ends. */
  end(): number {
    return Math.max(
      ...this.taken.flat().map((t) => (t.key ? (this.positions[t.key]?.y ?? 0) + this.height(t.key) : 0)),
    );
  }

  /** The first height of a column below all that stands there, and what runs straight through it. */
  top(column: number): number {
    return Math.max(TOP, ...(this.taken[column] ?? []).map((t) => t.bottom));
  }

  /** The first height of a column, `from` one on, at which there is room for a card. */
  free(column: number, from: number, height: number): number {
    const others = (this.taken[column] ?? []).sort((a, b) => a.top - b.top);
    return others.reduce((y, t) => (t.top < y + height && t.bottom > y ? t.bottom : y), Math.max(TOP, from));
  }

  /** Keep a height of a column free for a wire. */
  pass(column: number, top: number, bottom: number): void {
    this.taken[column]?.push({ key: "", top, bottom });
  }

  /** The first height that is free in all of these columns. */
  topOf(columns: readonly number[]): number {
    return Math.max(TOP, ...columns.map((c) => this.top(c)));
  }

  put(key: string, column: number, y: number, gap = this.pitch.gap, span = 1): void {
    this.positions[key] = { x: SIDE + column * COLUMN, y };
    const tall = gap === this.pitch.gap && this.height(key) > 120;
    const row = tall ? Math.max(this.height(key), this.pitch.row) : this.height(key);
    const bottom = y + row + (tall ? gap : Math.max(gap, SMALL_GAP));
    for (const taken of columnsIn({ column, span })) this.taken[taken]?.push({ key, top: y, bottom });
  }

  /** Let two cards of one size change places. */
  swap(one: string, other: string): void {
    const at = this.positions;
    for (const t of this.taken.flat()) t.key = t.key === one ? other : t.key === other ? one : t.key;
    Object.assign(at, { [one]: at[other], [other]: at[one] });
  }

  /** Bring cards that stand below each other down to the line of those in other columns, where these are a little lower and there is room; unless it `grows`, the whole becomes no higher. */
  align(cards: readonly string[], grows: boolean): void {
    const top = (keys: readonly string[]) => Math.min(...keys.map((key) => this.positions[key]?.y ?? 0));
    const stacks = this.taken.map((column) => column.flatMap(({ key }) => (cards.includes(key) ? key : [])));
    const tops = stacks.map(top);
    const end = this.end();
    for (const [column, keys] of stacks.entries()) {
      const from = top(keys);
      const by = Math.max(...tops.filter((y) => y < from + NEAR)) - from;
      const below = this.taken[column]?.filter((t) => t.top >= from) ?? [];
      const low = Math.max(...keys.map((key) => (this.positions[key]?.y ?? 0) + this.height(key)));
      if ((!grows && low + by > end) || below.some((t) => !keys.includes(t.key))) continue;
      for (const one of below) {
        one.top += by;
        one.bottom += by;
        const at = this.positions[one.key];
        if (at) this.positions[one.key] = { ...at, y: at.y + by };
      }
    }
  }
}
