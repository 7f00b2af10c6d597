import type { Rect } from "./route";

/** A card of a large graph, and what is known of its operator. */
export interface Member extends Pick<Rect, "x" | "y" | "width"> {
  readonly category: string;
  /** In the last run, in ms. */
  readonly time: number;
}

/** Neighbouring columns of cards, most of which do one kind of work. */
export interface Stage {
  readonly category: string;
  readonly left: number;
  readonly right: number;
  readonly count: number;
  readonly time: number;
}

/** How much lower than the first row a column may begin, in px: the name of its stage stands over that row. */
const LOWER = 60;

/** The stages of a graph from left to right; a column without a kind that half of its cards, and the first, are of has none. */
export function stagesOf(members: readonly Member[]): readonly Stage[] {
  const top = Math.min(...members.map((m) => m.y)) + LOWER;
  const columns = new Map<number, Member[]>();
  for (const m of members) columns.set(m.x, [...(columns.get(m.x) ?? []), m]);
  const stages: Stage[] = [];
  let before = "";
  for (const [left, column] of [...columns].sort(([a], [b]) => a - b)) {
    const of = (category: string) => column.filter((m) => m.category === category);
    const first = column.reduce((a, b) => (b.y < a.y ? b : a));
    const named = first.y < top && 2 * of(first.category).length >= column.length;
    const category = named ? first.category : "";
    const last = stages.at(-1);
    const time = of(category).reduce((sum, m) => sum + m.time, 0);
    const part = { right: left + Math.max(...column.map((m) => m.width)), count: of(category).length, time };
    if (last && category === before)
      stages[stages.length - 1] = {
        ...last,
        right: part.right,
        count: last.count + part.count,
        time: last.time + time,
      };
    else if (category) stages.push({ category, left, ...part });
    before = category;
  }
  return stages;
}
