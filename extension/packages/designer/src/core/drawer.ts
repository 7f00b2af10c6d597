import type { DrawerTab, State } from "./state";

/** Heights in px that tabs of the drawer have until somebody gives them others. */
const HEIGHTS: Readonly<Partial<Record<DrawerTab, number>>> = { code: 151, batch: 300 };

/** Whose height a tab is given: the program has its own, all others have one. */
export function heightTab(tab: DrawerTab | null): DrawerTab {
  return tab && tab !== "code" ? "batch" : "code";
}

export function drawerHeight({ view }: State): number {
  const tab = heightTab(view.drawer);
  return view.drawerHeights[tab] ?? HEIGHTS[tab] ?? 0;
}

/** Whether a tab is as high as what it holds, at most `drawerHeight`: until somebody gives it another height. */
export function isSnug({ view }: State): boolean {
  return view.drawer !== "code" && view.drawer !== "batch" && view.drawerHeights.batch === undefined;
}

/** Whether an inspector that floats is open: what is done with cells of a batch needs all of the frame. */
export function isFloating({ view }: State): boolean {
  return view.inspector && view.drawer !== "batch" && (view.settings || view.selection.length > 0);
}
