import type { GraphView, Position } from "../protocol/generated";
import { OUTPUTS } from "./graph";
import { CARD, PORT, ROW } from "./grid";

/** Height of a card of outputs above its first row, of each row, below the last one, and of a row that ends a branch. */
const OUTPUTS_PARTS = { head: 30, row: 20, foot: 22, cell: 48 } as const;

/** From how many branches on each of them ends on its own line, though that makes a tall card. */
const BRANCHES = 4;

/**
 * Where each output's row begins in its card: on the line of its branch if the card stands right of many, else in turn. Of
 * branches in several blocks that end on one line the last block's is on it and the others follow.
 */
export function outputRows(graph: GraphView, positions: Readonly<Record<string, Position>>): readonly number[] {
  const card = positions[OUTPUTS];
  const { head, row, cell } = OUTPUTS_PARTS;
  const sources = graph.outputs.map((ref) => (ref.output > 0 ? undefined : positions[ref.node]));
  const left = sources.filter((at) => at !== undefined);
  const below = left.every((at, i) => i === 0 || at.y > (left[i - 1]?.y ?? 0));
  const many = left.length >= BRANCHES && left.every((at) => at.x + CARD <= (card?.x ?? 0));
  const blocks = left.length / new Set(left.map((at) => at.y)).size;
  const beside = card !== undefined && many && (below || (blocks > 1 && left.length > 2 * BRANCHES));
  const order = [...sources.keys()];
  if (beside && !below)
    order.sort((i, j) => {
      const [a, b] = [sources[i] ?? card, sources[j] ?? card];
      return Number(a === card) - Number(b === card) || a.y - b.y || b.x - a.x;
    });
  const step = beside ? cell / Math.max(1, blocks / 3) : row;
  const rows: number[] = [];
  let next = head;
  for (const i of order) {
    const at = sources[i];
    const line = beside && at ? at.y + PORT - row / 2 - card.y : next;
    // A branch that somebody has moved far away does not stretch the card.
    const here = line - next < 2 * ROW ? Math.max(next, line) : next;
    next = here + Math.max(row, step);
    rows[i] = here;
  }
  return rows;
}

export function outputsHeight(graph: GraphView, positions: Readonly<Record<string, Position>>): number {
  const { head, row, foot } = OUTPUTS_PARTS;
  return Math.max(head, ...outputRows(graph, positions)) + row + foot;
}

/** Outputs from the uppermost row to the lowest one. */
export function fromTop(rows: readonly number[]): readonly number[] {
  return [...rows.keys()].sort((i, j) => (rows[i] ?? 0) - (rows[j] ?? 0));
}

/** Height of a name on a small card, in px of the screen, and by how much it may stand above or below its dot. */
const NAME = 12;
const OFF = 6;
/** So many names are all shown. */
const FEW = 5;

/**
 * By how much names of outputs stand below their dots, or above them, in px of the screen, to be clear of each other; null
 * of those that have no room.
 */
export function nameShifts(rows: readonly number[], zoom: number): readonly (number | null)[] {
  const shifts: (number | null)[] = [];
  let free = Number.NEGATIVE_INFINITY;
  /** Names without room between them, and how much there is above the first. */
  let crowd: number[] = [];
  let above = OFF;
  const centre = () => {
    const lift = Math.min(OFF, above, Math.ceil(Math.max(0, ...crowd.map((i) => shifts[i] ?? 0)) / 2));
    for (const i of crowd) shifts[i] = (shifts[i] ?? 0) - lift;
  };
  for (const i of fromTop(rows)) {
    const at = (rows[i] ?? 0) * zoom;
    const shift = Math.max(0, Math.ceil(free - at));
    shifts[i] = null;
    if (rows.length > FEW && shift > 2 * OFF) continue;
    if (shift === 0) {
      centre();
      crowd = [];
      above = Math.floor(at - free);
    }
    crowd.push(i);
    shifts[i] = shift;
    free = at + shift + NAME;
  }
  centre();
  return shifts;
}

/** Whether it is taller than its rows need. */
export function isTall(graph: GraphView, positions: Readonly<Record<string, Position>>): boolean {
  const { head, row } = OUTPUTS_PARTS;
  return outputRows(graph, positions).some((at, i) => at > head + row * i);
}
