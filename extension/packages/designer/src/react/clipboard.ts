import type { ClipboardEvent } from "react";
import { type Clip, copyClip, pasteStep, removeStep } from "../core/actions";
import { overlap } from "../core/freeSpot";
import { OUTPUTS, wiresOf } from "../core/graph";
import { copiedTags, tagOf } from "../core/marks";
import { pythonText } from "../core/python";
import type { Session } from "../core/session";
import { cardOf, copiedGroups, cornerOf, selectedGroups } from "../core/subgraph";
import type { Position } from "../protocol/generated";
import { cardRects, rectsOf, relaid } from "./canvas/sizes";

/** Nodes travel between notebooks under this type; beside it stands a program, for cells and editors. */
const NODES = "application/x-dali-studio-nodes";

/** What was copied last: menus cannot read the browser's clipboard without asking. */
let last: Clip | null = null;

/** Put text on the clipboard; where the browser does not allow it, nothing happens. */
export function copyText(text: string): void {
  void globalThis.navigator?.clipboard?.writeText(text).catch(() => undefined);
}

/** Remove what is selected, as one undo step. */
export function removeSelection(session: Session): void {
  const state = session.store.get();
  const { graph, view } = state;
  if (!graph) return;
  const step = removeStep(graph, view.selection, view.wires);
  if (step.edits.length === 0) {
    session.refuse("Outputs stay: a pipeline always has them.");
    return;
  }
  // What has lost its input stays where it is: laid out anew, it would be at the other end.
  const gone = new Set(view.selection);
  const broken = wiresOf(graph).filter(
    (w) => gone.has(w.source.node) && !gone.has(w.slot.node) && w.slot.kind !== "output",
  );
  const whole = step.edits.filter((e) => e.type === "connect").length >= broken.length;
  const positions = whole && gone.size > 0 ? relaid(state, step.edits, session.room) : {};
  session.edit(step.edits, { positions });
  session.select([]);
}

function selectedClip(session: Session): Clip | null {
  const state = session.store.get();
  const { graph, positions, view } = state;
  if (!graph || view.selection.length === 0) return null;
  const clip = copyClip(graph, positions, view.selection);
  const cards = rectsOf(state, [...new Set(Object.keys(clip.positions).map((key) => cardOf(state, key)))]);
  const tags = clip.nodes.flatMap(({ key }) => tagOf(state, key)?.[1] ?? []);
  return clip.nodes.length > 0 ? { ...clip, cards, groups: selectedGroups(state), tags } : null;
}

function isClip(value: unknown): value is Clip {
  const { nodes, positions } = (value ?? {}) as { nodes?: unknown; positions?: unknown };
  return Array.isArray(nodes) && typeof positions === "object" && positions !== null;
}

/** How far pasted cards are moved, so that none of them covers a card. */
function freeShift(session: Session, clip: Clip, shift: number): Position {
  const state = session.store.get();
  const taken = cardRects(state);
  const hits = (dy: number) =>
    (clip.cards ?? []).some(({ x, y, width, height }) =>
      taken.some((t) => overlap({ x: x - 8, y: y + dy - 12, width: width + 16, height: height + 24 }, t) > 0),
    );
  let y = shift;
  while (hits(y) && y < 8000) y += 16;
  return { x: 0, y };
}

/** Add the nodes of a clip: with their left upper corner at `at`, or below where they were. */
function pasteClip(session: Session, clip: Clip, at?: Position): void {
  const state = session.store.get();
  if (!state.graph || clip.nodes.length === 0) return;
  const corner = cornerOf(Object.keys(clip.positions), clip.positions);
  const shift = at && corner ? { x: at.x - corner.x, y: at.y - corner.y } : freeShift(session, clip, 32);
  const { edits, positions, select, names, lost } = pasteStep(state.graph, clip, shift);
  const marks = { ...copiedGroups(state, clip.groups ?? [], names), ...copiedTags(state, clip.tags ?? [], names) };
  session.edit(edits, { positions, marks });
  session.select(select);
  const text = `Pasted without the wire of ${lost.join(", ")}: its source was not copied.`;
  // before what is wrong with the pipeline beside it
  if (lost.length > 0) session.view({ notice: { text, node: OUTPUTS } });
}

/** Copy what is selected, from a menu. */
export function copySelection(session: Session): void {
  last = selectedClip(session) ?? last;
  const { view } = session.store.get();
  if (view.selection.length > 0) copyText(pythonText(session.store.get(), view.selection));
}

export function cutSelection(session: Session): void {
  copySelection(session);
  removeSelection(session);
}

export function duplicateSelection(session: Session): void {
  const clip = selectedClip(session);
  if (clip) pasteClip(session, clip);
}

export function canPaste(): boolean {
  return last !== null;
}

/** Paste what was copied here, from a menu. */
export function pasteLast(session: Session, at?: Position): void {
  if (last) pasteClip(session, last, at);
}

/** Whether an element takes what is typed and pasted. */
export function takesText(target: HTMLElement): boolean {
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** Whether the browser's own copy and paste are meant: in fields, and where text is selected. */
function isText(event: ClipboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (takesText(target)) return true;
  const selected = target.ownerDocument.getSelection();
  return event.type !== "paste" && selected !== null && !selected.isCollapsed;
}

/** Copy, cut and paste of the designer, as the browser asks for them: no permission is needed so. */
export function onClipboard(event: ClipboardEvent, session: Session, place: () => Position | undefined): void {
  if (event.defaultPrevented || isText(event)) return;
  if (event.type === "paste") {
    const text = event.clipboardData.getData("text/plain");
    const nodes = event.clipboardData.getData(NODES);
    if (nodes) {
      const clip: unknown = JSON.parse(nodes);
      if (isClip(clip)) pasteClip(session, clip);
    } else if (text.trim()) {
      session.pasteCode(text, place() ?? { x: 20, y: 14 });
    } else {
      return;
    }
  } else {
    const clip = selectedClip(session);
    if (!clip) return;
    last = clip;
    event.clipboardData.setData(NODES, JSON.stringify(clip));
    event.clipboardData.setData("text/plain", pythonText(session.store.get(), session.store.get().view.selection));
    if (event.type === "cut") removeSelection(session);
  }
  event.preventDefault();
  event.stopPropagation();
}
