import { nodeOf } from "../core/graph";
import { pathOf } from "../core/inside";
import { clearedJunctions } from "../core/junctions";
import type { Size } from "../core/layout";
import { framesOf, groupMarks } from "../core/marks";
import type { Session } from "../core/session";
import type { Marks, State } from "../core/state";
import { cardOf, collapseMarks, placeOf, pushed, selectedBox } from "../core/subgraph";
import type { Mark, Position } from "../protocol/generated";
import { layoutOf, sizesOf, together } from "./canvas/sizes";

/**
 * Collapse what is selected into one box, or expand the box that is selected. Cards in its way give room; where nobody has
 * moved a card, all keep their rows.
 */
export function toggleBox(session: Session): void {
  const state = session.store.get();
  const marks = collapseMarks(state, groupMarks);
  const kept = Object.entries({ ...state.marks, ...marks }).filter((e): e is [string, Mark] => e[1] !== null);
  const after: State = { ...state, marks: Object.fromEntries(kept) };
  const stands = ([key, { x, y }]: [string, Position]) =>
    x === state.positions[key]?.x && y === state.positions[key]?.y;
  const boxed = Object.entries(layoutOf(state, session.room)).every(stands);
  const laid = boxed || session.laid();
  const positions = laid ? layoutOf(after, session.room) : besides(after, marks, session.room);
  session.edit([], { marks: { ...clearedJunctions(state, positions), ...marks }, positions });
}

/** Places after a box was opened or closed among cards that somebody has moved: its own stand together. */
function besides(after: State, marks: Marks, room: Size): Record<string, Position> {
  const sizes = sizesOf(after);
  const ids = [...new Set(after.view.selection.map((key) => cardOf(after, key)))];
  const framesAt = (state: State) => {
    const cards = ids.flatMap((id) => {
      const [at, size] = [placeOf(state, id), sizes.get(id)];
      return at && size ? [[id, { ...at, ...size }] as const] : [];
    });
    return Object.values(marks).flatMap((mark) =>
      mark?.type === "group" && !mark.collapsed ? framesOf({ ...mark, keys: ids }, new Map(cards)) : [],
    );
  };
  const own = framesAt(after).length > 1 ? Object.keys(marks).map((name) => together(after, name, room)) : [];
  const placed: Record<string, Position> = Object.assign({}, ...own);
  const now = { ...after, positions: { ...after.positions, ...placed } };
  return { ...placed, ...pushed(now, ids, framesAt(now), sizes) };
}

/** Show what is in the selected box; false if none is. */
export function enterBox(session: Session): boolean {
  const state = session.store.get();
  const box = selectedBox(state);
  if (box) session.view({ inside: [...pathOf(state), box.name], selection: [], wires: [] });
  return box !== undefined;
}

/** Go back to so many entered subgraphs; the one that was left is selected. */
export function leaveTo(session: Session, depth: number): void {
  const state = session.store.get();
  const path = pathOf(state);
  const left = state.marks[path[depth] ?? ""];
  // without what is on the card of another node
  const selection = left?.type === "group" ? left.keys.filter((key) => nodeOf(state.graph, key)) : [];
  session.view({ inside: path.slice(0, depth), selection, wires: [] });
}
