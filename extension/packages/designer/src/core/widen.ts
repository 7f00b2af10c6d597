import type { GraphView, Position } from "../protocol/generated";
import { isMany, isPale } from "./detail";
import { wiresOf } from "./graph";
import { CARD, COLUMN, PORT, type Size } from "./grid";
import { outputRows } from "./outputs";
import { goesUnder } from "./ports";
import type { Rect } from "./route";
import { type Run, uprights } from "./wires";

type Places = Readonly<Record<string, Position>>;
type Sizes = ReadonlyMap<string, Size>;

/** Height of a row of a card, and what is below the last one. */
const ROW = 20;
const FOOT = 32;

/** The wires that are drawn whole as cards stand: main ports are on the header's line, the others below the picture. */
export function runsOf(graph: GraphView, at: Places, sizes: Sizes): Run[] {
  const rows = outputRows(graph, at);
  const byKey = new Map(graph.nodes.map((n) => [n.key, n]));
  const height = (key: string) => sizes.get(key)?.height ?? 0;
  return wiresOf(graph).flatMap(({ source, slot }) => {
    const [from, to] = [at[source.node], at[slot.node]];
    const [begin, end] = [byKey.get(source.node), byKey.get(slot.node)];
    if (!from || !to || !begin || (slot.kind === "argument" && isPale(graph, source, isMany(graph.nodes.length))))
      return [];
    const names = Object.keys(end?.argument_inputs ?? {});
    const low = height(slot.node) - FOOT - ROW * names.length;
    const row =
      slot.kind === "output"
        ? (rows[slot.index] ?? 0) + ROW / 2
        : slot.kind === "argument"
          ? low + ROW * (1 + names.indexOf(slot.argument))
          : slot.input > 0
            ? low - ROW * ((end?.inputs.length ?? 0) - 1 - slot.input)
            : PORT;
    const out =
      source.output > 0 ? height(source.node) - FOOT - ROW * (begin.output_kinds.length - 1 - source.output) : PORT;
    const a = { x: from.x + (sizes.get(source.node)?.width ?? CARD), y: from.y + out };
    const b = { x: to.x, y: to.y + row };
    const under = goesUnder(begin.output_kinds[source.output] ?? "any", a, b);
    return [{ source: `${source.node} ${source.output}`, a, b, under }];
  });
}

/** Cards of more nodes stand as closely as ever: their wires are found once, after they are there. */
const MOST = 100;
/** How near to cards wires between two columns run, and to each other, in px. */
const BESIDE = 8;
const APART = 11;

/** What was found last: cards are laid out several times for one change. */
const known = new Map<string, ReadonlyMap<number, number>>();
const KNOWN = 8;

/** Places with more room between two columns of cards where so many wires pass that they would be too near to each other. */
export function widened(graph: GraphView, sizes: Sizes, places: Record<string, Position>): Record<string, Position> {
  if (graph.nodes.length > MOST) return places;
  const cards = Object.entries(places).map(([key, at]) => ({ width: CARD, height: 0, ...sizes.get(key), ...at }));
  const runs = runsOf(graph, places, sizes);
  const key = JSON.stringify([runs, cards]);
  const shifts = known.get(key) ?? shiftsOf(cards, uprights(runs, cards));
  if (known.size > KNOWN) known.clear();
  known.set(key, shifts);
  const shift = (x: number) => shifts.get(x) ?? 0;
  return Object.fromEntries(Object.entries(places).map(([key, { x, y }]) => [key, { x: x + shift(x), y }]));
}

/** How far to the right cards move, by where they stand. */
function shiftsOf(cards: readonly Rect[], parts: ReturnType<typeof uprights>): Map<number, number> {
  const shifts = new Map<number, number>();
  let shift = 0;
  for (const left of [...new Set(cards.map((c) => c.x))].sort((a, b) => a - b)) {
    const here = parts.filter(({ at }) => at > left - (COLUMN - CARD) && at < left);
    const beside = here.map(
      ({ from }) => new Set(here.flatMap((p) => (p.from < from + APART && p.to > from - APART ? p.source : []))).size,
    );
    shift += Math.max(0, 2 * BESIDE + APART * (Math.max(1, ...beside) - 1) - (COLUMN - CARD));
    shifts.set(left, shift);
  }
  return shifts;
}
