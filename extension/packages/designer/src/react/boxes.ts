import { frameOf, groupMarks } from "../core/marks";
import type { Session } from "../core/session";
import type { State } from "../core/state";
import { cardOf, collapseMarks, placeOf, pushed, selectedBox } from "../core/subgraph";
import type { Mark } from "../protocol/generated";
import { sizesOf } from "./canvas/sizes";

/** Collapse what is selected into one box, or expand the box that is selected; cards in its way give room. */
export function toggleBox(session: Session): void {
  const state = session.store.get();
  const marks = collapseMarks(state, groupMarks);
  const kept = Object.entries({ ...state.marks, ...marks }).filter((e): e is [string, Mark] => e[1] !== null);
  const after: State = { ...state, marks: Object.fromEntries(kept) };
  const sizes = sizesOf(after);
  const fixed = [...new Set(state.view.selection.map((key) => cardOf(after, key)))].flatMap((id) => {
    const [at, size] = [placeOf(after, id), sizes.get(id)];
    return at && size ? [{ ...at, ...size }] : [];
  });
  const cards = new Map(fixed.map((rect, i) => [String(i), rect]));
  const frames = Object.values(marks).flatMap((mark) => {
    const rect =
      mark?.type === "group" && !mark.collapsed ? frameOf({ ...mark, keys: [...cards.keys()] }, cards) : null;
    return rect ?? [];
  });
  session.edit([], { marks, positions: pushed(after, [...fixed, ...frames], sizes) });
}

/** Expand the selected box; false if none is. */
export function openBox(session: Session): boolean {
  if (!selectedBox(session.store.get())) return false;
  toggleBox(session);
  return true;
}
