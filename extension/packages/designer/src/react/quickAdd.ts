import { type AddOptions, addStep } from "../core/actions";
import type { Operator } from "../core/catalog";
import { nearestFor } from "../core/compat";
import { freePlace, freeSpot } from "../core/freeSpot";
import { nodeOf, OUTPUTS } from "../core/graph";
import { CARD, COLUMN, PORT, ROW, type Size } from "../core/layout";
import type { Rect } from "../core/route";
import type { Session } from "../core/session";
import type { QuickAdd, State } from "../core/state";
import { cardOf } from "../core/subgraph";
import type { PortRef, Position } from "../protocol/generated";
import { cardRects, placeBehind, placesIn, readable, relaid } from "./canvas/sizes";
import { contextOf } from "./canvas/useWiring";
import type { CanvasApi } from "./canvasApi";

const WIDTH = 456;
const HEIGHT = 270;
/** What is not to be covered. */
const COVERED = ".react-flow__node, .ds-inspector.ds-floating";
/** Height of the bar above the canvas, with a little room. */
const BAR = 48;
/** Of the drawer's tabs. */
const TABS = 36;

type Opening = Pick<QuickAdd, "place" | "from" | "to"> & {
  /** In px of the screen. */
  readonly at: Position;
  readonly query?: string;
  readonly selected?: boolean;
  readonly pointed?: boolean;
  readonly mode?: QuickAdd["mode"];
};

/** The part of a length in which all that is so long is at a point. */
function about(at: number, from: number, length: number, size: number): readonly [from: number, length: number] {
  const low = Math.max(from, Math.min(at, from + length) - size);
  return [low, Math.min(from + length, Math.max(at, from) + size) - low];
}

/** How much more the card that a new one will hang on weighs than others. */
const OWN = 9;

/** Open the search box at a point, or near the card that a new one is put behind, where it covers least of the cards; below the row of a list. */
export function openQuickAdd(session: Session, root: HTMLElement, options: Opening): void {
  const { place, from, to, query = "", selected = false, mode = "add" } = options;
  const { pointed = !from && !to && !selected } = options;
  const box = root.getBoundingClientRect();
  const inside = ({ x, y, width, height }: Rect) => ({ x: x - box.left, y: y - box.top, width, height });
  const parts = [...root.querySelectorAll<HTMLElement>(COVERED)];
  const cards = parts.map((card) => inside(card.getBoundingClientRect()));
  const end = cardOf(session.store.get(), (from ?? to)?.node ?? "");
  const own = cards[parts.findIndex((card) => card.dataset.id === end)];
  const behind = selected && !pointed ? own : undefined;
  const anchor = behind
    ? { ...behind, x: behind.x + behind.width, width: 0 }
    : inside({ ...options.at, width: 0, height: 0 });
  const covered = own ? [...cards, ...Array.from({ length: OWN }, () => own)] : cards;
  const canvas = root.querySelector(".ds-canvas")?.getBoundingClientRect();
  const room = canvas && canvas.width >= WIDTH + 24 ? canvas : box;
  const x = room.left - box.left + 12;
  // a wire that was let go ends at the box
  const [left, width] = about(anchor.x, x, room.width - 24, behind ? room.width : WIDTH);
  const [y, height] = about(anchor.y, BAR, box.height - BAR - TABS, behind ? box.height : HEIGHT);
  const frame = { x: left, y, width, height };
  const list = root.querySelector(".ds-outline .ds-outline-now"); // not the one for screen readers
  const free = () => freeSpot({ width: WIDTH, height: HEIGHT }, anchor, covered, frame, { gap: behind ? 12 : 0 });
  const at = list
    ? { x, y: box.height - HEIGHT - TABS }
    : parts.length === 0 && !pointed
      ? { x: x - 12 + Math.max(8, (room.width - WIDTH) / 2), y: Math.max(BAR, anchor.y - HEIGHT / 2) }
      : (free() ?? { x: 8, y: BAR });
  session.view({ quickAdd: { mode, at, place, from, to, selected, pointed, query } });
}

/** A wire that was dropped beside all cards: the settings of JupyterLab's extension, which it leaves on the page, say what comes. */
export function openDropped(session: Session, root: HTMLElement, { at, place, from, to }: Opening): void {
  const { wireDropped } = root.ownerDocument.body.dataset;
  const box = root.getBoundingClientRect();
  const spot = { x: at.x - box.left, y: at.y - box.top };
  if (wireDropped === "menu" && place)
    session.view({ menu: { kind: "dropped", id: "", at: spot, place, wire: { from, to } } });
  else if (wireDropped !== "nothing") openQuickAdd(session, root, { at, place, from, to });
}

/** The outputs card gives way to a new card, and stands right of what it returns. */
function makeRoom(state: State, at: Position, returned: boolean, room: Size): Record<string, Position> {
  // Where it stood before everything was undone does not matter to a new graph.
  // The next operator, which the first one's wire is dragged to, stands between.
  if (state.graph?.nodes.length === 0) return { [OUTPUTS]: { x: at.x + 2 * COLUMN, y: at.y } };
  const outputs = state.positions[OUTPUTS];
  const [right = 0, below = 0] = outputs ? [outputs.x - at.x, outputs.y - at.y] : [];
  const covered = Math.abs(right) < COLUMN - 20 && Math.abs(below) < ROW - 20;
  if (!outputs || !(covered || (returned && right < COLUMN - 20))) return {};
  return { [OUTPUTS]: placeBehind(state, at, room, at.x) };
}

/** What the next operator goes behind: the selected node; while none is, what the pipeline returns first, unless a node is needed. */
export function followed(
  session: Session,
  needed = false,
  [selected = ""] = session.store.get().view.selection,
): PortRef | null {
  const { graph, view } = session.store.get();
  const node = nodeOf(graph, selected);
  if (node && node.output_kinds.length > 0) return { node: node.key, output: 0 };
  const idle = view.selection.every((key) => key === OUTPUTS) && view.inside.length === 0;
  return (idle && !needed && graph?.outputs[0]) || null;
}

/** What an operator goes behind: while nothing is selected that is a guess, of which one is taken that fits. */
export function behind(
  { graph, view }: State,
  { from = null, selected, pointed }: Pick<AddOptions, "from" | "selected" | "pointed">,
  operator?: Operator,
) {
  const guess = selected && !pointed && view.selection.every((key) => key === OUTPUTS);
  return graph && from && guess && operator ? nearestFor(graph, from, operator) : from;
}

/** Add an operator behind what it follows; else where the pointer is, or in the middle. */
export function insertInView(session: Session, api: CanvasApi | null, operator: Operator): void {
  const from = followed(session);
  const at = api?.centre().place ?? { x: 20, y: 14 };
  insertOperator(session, operator, { at, from, to: null, selected: from !== null });
}

/** Whether a wire was let go beside all cards: what comes stands where that was. */
function isDropped({ from, to, pointed, selected }: AddOptions): boolean {
  return !pointed && !selected && Boolean(from) !== Boolean(to);
}

/** Where a card stands at the end of a wire that was let go: its port is there. */
function atEnd(options: AddOptions): Position {
  const { at, from } = options;
  if (!isDropped(options)) return at;
  return { x: at.x - (from ? 0 : CARD), y: at.y - PORT };
}

/** Add an operator as one undo step and select it. */
export function insertOperator(session: Session, operator: Operator, wanted: AddOptions): string | null {
  const context = contextOf(session);
  if (!context) return null;
  const state = session.store.get();
  const options = { ...wanted, from: behind(state, wanted, operator) };
  if (operator.written_by) {
    const { from: source, at, branch = false } = options;
    session.addTransform({ name: operator.name, source, at, branch, laid: session.laid() });
    return null;
  }
  const step = addStep(context, operator, options);
  const returned = step.edits.some((edit) => edit.type === "set_outputs");
  // The first card of a graph is no reason to leave others where they are.
  const pointed = options.pointed && context.graph.nodes.length > 0;
  // What is wired to nothing leaves the others where they are, too.
  const loose = pointed || (!options.from && !options.to && !returned);
  const before = options.selected && !pointed && state.positions[options.from?.node ?? ""];
  const at = before
    ? placeBehind(state, before, session.room)
    : freePlace(atEnd(options), cardRects(state, loose ? "" : OUTPUTS));
  const [key = ""] = step.select;
  const chained = !pointed && (options.selected || (options.from && options.to));
  const laid = chained ? relaid(state, step.edits, session.room) : {};
  const between = options.to || (before && step.edits.some((e) => e.type === "connect" && e.source.node === key));
  const own =
    options.from && between
      ? placesIn(state, key, { source: options.from })
      : { [key]: at, ...(loose ? {} : makeRoom(state, at, returned, session.room)) };
  const stays = pointed || isDropped(options);
  const positions = Object.keys(laid).length > 0 ? laid : stays ? own : readable(state, step.edits, own, session);
  if (!pointed) session.put = { ...session.put, ...positions };
  session.edit(step.edits, { positions });
  session.select(step.select);
  return key;
}
