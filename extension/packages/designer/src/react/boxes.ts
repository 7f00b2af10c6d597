import { pathOf } from "../core/inside";
import { framesOf, groupMarks } from "../core/marks";
import type { Session } from "../core/session";
import type { State } from "../core/state";
import { cardOf, collapseMarks, placeOf, pushed, selectedBox } from "../core/subgraph";
import type { Mark, Position } from "../protocol/generated";
import { isLaid, layoutOf, sizesOf } from "./canvas/sizes";

/**
 * Collapse what is selected into one box, or expand the box that is selected. Cards in its way give room; where nobody has
 * moved a card, all keep their rows.
 */
export function toggleBox(session: Session): void {
  const state = session.store.get();
  const marks = collapseMarks(state, groupMarks);
  const kept = Object.entries({ ...state.marks, ...marks }).filter((e): e is [string, Mark] => e[1] !== null);
  const after: State = { ...state, marks: Object.fromEntries(kept) };
  const sizes = sizesOf(after);
  const ids = [...new Set(state.view.selection.map((key) => cardOf(after, key)))];
  const cards = new Map(
    ids.flatMap((id) => {
      const [at, size] = [placeOf(after, id), sizes.get(id)];
      return at && size ? [[id, { ...at, ...size }] as const] : [];
    }),
  );
  const frames = Object.values(marks).flatMap((mark) =>
    mark?.type === "group" && !mark.collapsed ? framesOf({ ...mark, keys: ids }, cards) : [],
  );
  const stands = ([key, { x, y }]: [string, Position]) =>
    x === state.positions[key]?.x && y === state.positions[key]?.y;
  const boxed = Object.entries(layoutOf(state, session.room)).every(stands);
  const laid = boxed || (state.graph !== null && isLaid(state, state.graph));
  session.edit([], { marks, positions: laid ? layoutOf(after, session.room) : pushed(after, ids, frames, sizes) });
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
  session.view({ inside: path.slice(0, depth), selection: left?.type === "group" ? left.keys : [], wires: [] });
}
