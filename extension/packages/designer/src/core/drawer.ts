import type { DrawerTab, State } from "./state";

/** Heights in px that tabs of the drawer have until somebody gives them others. */
const HEIGHTS: Readonly<Partial<Record<DrawerTab, number>>> = { code: 151, batch: 300 };

/** Whose height a tab has: the program has its own, all others have one, so that the tabs stay under the pointer. */
export function heightTab(tab: DrawerTab | null): DrawerTab {
  return tab && tab !== "code" ? "batch" : "code";
}

export function drawerHeight({ view }: State): number {
  const tab = heightTab(view.drawer);
  return view.drawerHeights[tab] ?? HEIGHTS[tab] ?? 0;
}

/** Whether an inspector that floats is open: what is done with cells of a batch needs all of the frame. */
export function isFloating({ view }: State): boolean {
  return view.inspector && view.drawer !== "batch" && (view.settings || view.selection.length > 0);
}
