import { findings, stepOf } from "./select";
import type { DrawerTab, State } from "./state";
import { toldBy } from "./statusMessage";

/** Heights in px that tabs of the drawer have until somebody gives them others. */
const HEIGHTS: Readonly<Partial<Record<DrawerTab, number>>> = { code: 151, batch: 300 };
export const TABS = 28;
export function isSweep({ view }: State): boolean {
  return view.drawer === "batch" && view.sweeping;
}

/** Whose height a tab is given: the program has its own, all others have one. */
export function heightTab(tab: DrawerTab | null): DrawerTab {
  return tab && tab !== "code" ? "batch" : "code";
}

export function tabHeight({ view }: State, tab: DrawerTab): number {
  return view.drawerHeights[tab] ?? HEIGHTS[tab] ?? 0;
}

export function drawerHeight(state: State): number {
  const { drawer } = state.view;
  // what a trial measured stands above the lanes, which stay seen
  const more = drawer === "timeline" && state.trial && isSnug(state) ? 70 : 0;
  return tabHeight(state, heightTab(drawer)) + more;
}

/** What the canvas gains, in px, when the program is folded to the tabs' names. */
export function roomOfCode(state: State): number {
  return state.view.drawer === "code" ? drawerHeight(state) - TABS : 0;
}

/** Whether a tab is as high as what it holds, at most `heightOf`: until somebody gives it another height. */
export function isSnug({ view: { drawer, drawerHeights } }: State): boolean {
  return drawer !== "code" && drawerHeights.batch === undefined;
}

/** How high a sweep may be in a frame so high below its bar: nearly all rows of five values are seen, where cards keep their room. */
export function sweepHeight(column: number): number {
  return Math.max(0.55 * column, Math.min(column - 240, 614));
}

/** How high the drawer is, or may be where it is as high as what it holds: the graph keeps about half of the frame then. */
export function heightOf(state: State): string {
  // as `sweepHeight`
  if (isSweep(state) && isSnug(state)) return "max(55%, min(100% - 240px, 614px))";
  return `min(${isSnug(state) ? 55 : 74}%, ${drawerHeight(state)}px)`;
}

/** Whether the card of a label that stays behind its image is open. */
function isGuarded(state: State): boolean {
  const { folded, selection } = state.view;
  const [chosen] = selection;
  return findings(state).some(
    (d) => d.code === "DS210" && (d.node === chosen || stepOf(d) === chosen) && !folded.includes(toldBy(d)),
  );
}

/** Whether an inspector that floats is open: the cells of a sweep, which is high, and such a card need all of the frame. */
export function isFloating(state: State): boolean {
  const { view } = state;
  return view.inspector && !isSweep(state) && (view.settings || (view.selection.length > 0 && !isGuarded(state)));
}

/** Whether an open gallery takes the inspector's place: the frame has no room for both beside the canvas. */
export function isCrowded(state: State, breadth: string): boolean {
  return state.view.palette && breadth !== "wide";
}
