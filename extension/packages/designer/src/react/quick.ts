import { type AddOptions, addStep } from "../core/actions";
import type { Operator } from "../core/catalog";
import { freePlace } from "../core/layout";
import type { Session } from "../core/session";
import type { QuickAdd } from "../core/state";
import type { Position } from "../protocol/generated";
import { cardRects } from "./canvas/sizes";
import { contextOf } from "./canvas/useWiring";

const WIDTH = 456;
const HEIGHT = 300;

type Opening = Pick<QuickAdd, "place" | "from" | "to"> & {
  /** In px of the screen. */
  readonly at: Position;
  readonly query?: string;
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
  const { place, from, to, query = "", mode = "add" } = options;
  session.view({ quickAdd: { mode, at, place, from, to, query } });
}

/** Add an operator as one undo step and select it. */
export function insertOperator(session: Session, operator: Operator, options: AddOptions): string | null {
  const context = contextOf(session);
  if (!context) return null;
  const at = freePlace(options.at, cardRects(session.store.get()));
  const step = addStep(context, operator, { ...options, at });
  session.edit(step.edits, { positions: step.positions });
  session.select(step.select);
  return step.select[0] ?? null;
}
