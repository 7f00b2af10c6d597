import type { Position, Route } from "../protocol/generated";
import { type Wire, wiresOf } from "./graph";
import { type Rect, route } from "./route";
import type { Marks, State } from "./state";

/** Under which name the junctions of a wire are kept beside notes and groups. */
function nameOf(id: string): string {
  return `wire ${id}`;
}

const NONE: readonly Position[] = [];

/** The points through which a wire is drawn. They are of one wire: not of another one that ends where it did. */
export function junctionsOf(marks: State["marks"], wire: Wire): readonly Position[] {
  const mark = marks[nameOf(wire.id)];
  if (mark?.type !== "route" || mark.source.node !== wire.source.node || mark.source.output !== wire.source.output)
    return NONE;
  return mark.points;
}

export function junctionMarks({ id, source }: Wire, points: readonly Position[]): Marks {
  const rounded = points.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) }));
  return { [nameOf(id)]: points.length > 0 ? { type: "route", source, wire: id, points: rounded } : null };
}

/** A way with one more point, where that makes it the least longer. */
export function withJunction(from: Position, points: readonly Position[], to: Position, at: Position): Position[] {
  const way = [from, ...points, to];
  const far = (a: Position | undefined, b: Position | undefined) => (a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0);
  const detours = way.slice(1).map((p, i) => far(way[i], at) + far(at, p) - far(way[i], p));
  return points.toSpliced(detours.indexOf(Math.min(...detours)), 0, at);
}

/** The path of a wire through points, from each to the next around cards. */
export function pathThrough(points: readonly Position[], cards: readonly Rect[]): string {
  return points
    .slice(1)
    .map((to, i) => route(points[i] ?? to, to, cards))
    .join("");
}

function routesOf(state: State): readonly (readonly [string, Route])[] {
  return Object.entries(state.marks).flatMap(([name, mark]) => (mark.type === "route" ? [[name, mark] as const] : []));
}

/** Junctions move with the cards at both ends of their wire. */
export function movedJunctions(state: State, positions: Readonly<Record<string, Position>>): Marks {
  const routes = routesOf(state);
  if (!state.graph || routes.length === 0) return {};
  const shift = (key: string) => {
    const [to, from] = [positions[key], state.positions[key]];
    return to && from ? { x: to.x - from.x, y: to.y - from.y } : null;
  };
  const moved: Record<string, Route> = {};
  for (const wire of wiresOf(state.graph)) {
    const points = junctionsOf(state.marks, wire);
    const [a, b] = points.length > 0 ? [shift(wire.source.node), shift(wire.slot.node)] : [null, null];
    if (a && b && a.x === b.x && a.y === b.y)
      Object.assign(
        moved,
        junctionMarks(
          wire,
          points.map((p) => ({ x: p.x + a.x, y: p.y + a.y })),
        ),
      );
  }
  return moved;
}

/** No junctions where cards get other places. */
export function clearedJunctions(state: State, positions: Readonly<Record<string, Position>>): Marks {
  const stay = Object.entries(positions).every(
    ([k, { x, y }]) => x === state.positions[k]?.x && y === state.positions[k]?.y,
  );
  if (stay) return {};
  const moves = ({ wire, source }: Route) => [wire.split("|")[0] ?? "", source.node].some((key) => key in positions);
  return Object.fromEntries(routesOf(state).flatMap(([name, mark]) => (moves(mark) ? [[name, null]] : [])));
}

/** Junctions follow the names of the cards at their wire's ends. */
export function renamedJunctions(state: State, key: string, newKey: string): Marks {
  const changed: Record<string, Route | null> = {};
  for (const [name, mark] of routesOf(state)) {
    const ends = mark.wire.startsWith(`${key}|`);
    if (!ends && mark.source.node !== key) continue;
    const wire = ends ? newKey + mark.wire.slice(key.length) : mark.wire;
    const source = mark.source.node === key ? { ...mark.source, node: newKey } : mark.source;
    changed[name] = null;
    changed[nameOf(wire)] = { ...mark, wire, source };
  }
  return changed;
}
