import { useRef } from "react";
import { drawerHeight, heightTab } from "../core/drawer";
import { useSel, useSession } from "./context";

const MIN = 80;
const MAX = 1200;

/** The drawer's upper edge: drag it, or use the arrow keys, to change its height; a double click returns to the tab's own. */
export function DrawerEdge() {
  const session = useSession();
  const height = useSel(drawerHeight);
  const start = useRef<{ readonly y: number; readonly height: number } | null>(null);
  const keep = (value: number | undefined) =>
    session.view((v) => ({ drawerHeights: { ...v.drawerHeights, [heightTab(v.drawer)]: value } }));
  const set = (value: number) => keep(Math.round(Math.min(MAX, Math.max(MIN, value))));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that moves has no element of its own
    <div
      className="ds-drawer-edge"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the drawer"
      aria-valuenow={height}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      tabIndex={0}
      data-testid="drawer-edge"
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        // What is shown may be less than what is kept: a low widget limits it.
        start.current = { y: e.clientY, height: e.currentTarget.parentElement?.clientHeight ?? height };
      }}
      onPointerMove={(e) => start.current && set(start.current.height + start.current.y - e.clientY)}
      onPointerUp={() => {
        start.current = null;
      }}
      onDoubleClick={() => keep(undefined)}
      onKeyDown={(e) => {
        const step = e.key === "ArrowUp" ? 17 : e.key === "ArrowDown" ? -17 : 0;
        if (step === 0) return;
        e.preventDefault();
        e.stopPropagation();
        set((e.currentTarget.parentElement?.clientHeight ?? height) + step);
      }}
    />
  );
}
