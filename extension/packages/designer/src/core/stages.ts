import type { Rect } from "./route";

/** A card of a large graph, and what is known of its operator. */
export interface Member extends Pick<Rect, "x" | "y" | "width"> {
  readonly category: string;
  /** In the last run, in ms. */
  readonly time: number;
}

/** Neighbouring columns of cards that all do one kind of work. */
export interface Stage {
  readonly category: string;
  readonly left: number;
  readonly right: number;
  readonly count: number;
  readonly time: number;
}

/** How much lower than the first row a column may begin, in px: the name of its stage stands over that row. */
const LOWER = 60;

/** The stages of a graph from left to right; a column of several kinds, of conditions or below the first row has none. */
export function stagesOf(members: readonly Member[]): readonly Stage[] {
  const top = Math.min(...members.map((m) => m.y)) + LOWER;
  const columns = new Map<number, Member[]>();
  for (const m of members) columns.set(m.x, [...(columns.get(m.x) ?? []), m]);
  const stages: Stage[] = [];
  let before = "";
  for (const [left, column] of [...columns].sort(([a], [b]) => a - b)) {
    const kind = column[0]?.category ?? "";
    const alike = kind !== "conditional" && column.every((m) => m.category === kind);
    const named = alike && column.some((m) => m.y < top);
    const category = named ? kind : "";
    const last = named && category === before ? stages.pop() : undefined;
    const { count = 0, time = 0 } = last ?? {};
    if (named)
      stages.push({
        category,
        left: last?.left ?? left,
        right: left + Math.max(...column.map((m) => m.width)),
        count: count + column.length,
        time: column.reduce((sum, m) => sum + m.time, time),
      });
    before = category;
  }
  return stages;
}
