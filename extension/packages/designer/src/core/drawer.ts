import type { DrawerTab, State } from "./state";

/** Heights in px that tabs of the drawer have until somebody gives them others. */
const HEIGHTS: Readonly<Record<DrawerTab, number>> = {
  code: 151,
  batch: 250,
  timeline: 330,
  runs: 200,
  problems: 220,
  data: 260,
};
/** Height of a sheet of several values: all of them are to be seen. */
const SWEEP = 470;

/** Height of the open tab: each has its own, so that a tall one leaves the canvas as it was when another is chosen. */
export function drawerHeight({ view }: State): number {
  const tab = view.drawer ?? "code";
  return view.drawerHeights[tab] ?? (tab === "batch" && view.sweeping ? SWEEP : HEIGHTS[tab]);
}
