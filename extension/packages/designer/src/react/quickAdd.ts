import { type AddOptions, addStep } from "../core/actions";
import type { Operator } from "../core/catalog";
import { OUTPUTS } from "../core/graph";
import { COLUMN, freePlace, ROW } from "../core/layout";
import type { Session } from "../core/session";
import type { QuickAdd, State } from "../core/state";
import type { Position } from "../protocol/generated";
import { cardRects } from "./canvas/sizes";
import { contextOf } from "./canvas/useWiring";

const WIDTH = 456;
const HEIGHT = 300;

type Opening = Pick<QuickAdd, "place" | "from" | "to"> & {
  /** In px of the screen. */
  readonly at: Position;
  readonly query?: string;
  readonly selected?: boolean;
  readonly mode?: QuickAdd["mode"];
};

/** Open the search box at a point, kept inside the widget. */
export function openQuickAdd(session: Session, root: HTMLElement, options: Opening): void {
  const box = root.getBoundingClientRect();
  const clamp = (v: number, most: number) => Math.max(8, Math.min(v, most));
  const at = {
    x: clamp(options.at.x - box.left, box.width - WIDTH - 8),
    y: clamp(options.at.y - box.top, box.height - HEIGHT - 8),
  };
  const { place, from, to, query = "", selected = false, mode = "add" } = options;
  session.view({ quickAdd: { mode, at, place, from, to, selected, query } });
}

/** The outputs card gives way to a new card. */
function makeRoom(state: State, at: Position): Record<string, Position> {
  const outputs = state.positions[OUTPUTS];
  if (!outputs || Math.abs(outputs.x - at.x) >= COLUMN - 20 || Math.abs(outputs.y - at.y) >= ROW - 20) return {};
  return { [OUTPUTS]: { x: at.x + COLUMN, y: at.y } };
}

/** Add an operator as one undo step and select it. */
export function insertOperator(session: Session, operator: Operator, options: AddOptions): string | null {
  const context = contextOf(session);
  if (!context) return null;
  const state = session.store.get();
  const at = freePlace(options.at, cardRects(state, OUTPUTS));
  const step = addStep(context, operator, { ...options, at });
  session.edit(step.edits, { positions: { ...step.positions, ...makeRoom(state, at) } });
  session.select(step.select);
  return step.select[0] ?? null;
}
