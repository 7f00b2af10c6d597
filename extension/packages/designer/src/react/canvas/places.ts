import type { Node } from "@xyflow/react";
import type { Position } from "../../protocol/generated";

/** The middle of an element, in px of the window. */
export function middleOf(box: HTMLElement | null): Position {
  const rect = box?.getBoundingClientRect();
  return { x: (rect?.left ?? 0) + (rect?.width ?? 0) / 2, y: (rect?.top ?? 0) + (rect?.height ?? 0) / 2 };
}

/** The middle of the selected cards, else of the card nearest to a place: there is something to see around it. */
export function nearest(nodes: readonly Node[], selection: readonly string[], place: Position): Position | null {
  const middles = nodes.map((n) => ({
    id: n.id,
    x: n.position.x + (n.measured?.width ?? 148) / 2,
    y: n.position.y + (n.measured?.height ?? 171) / 2,
  }));
  const chosen = middles.filter((m) => selection.includes(m.id));
  const mean = (side: "x" | "y") => chosen.reduce((sum, m) => sum + m[side], 0) / chosen.length;
  if (chosen.length > 0) return { x: mean("x"), y: mean("y") };
  const far = (m: Position) => Math.hypot(m.x - place.x, m.y - place.y);
  return middles.reduce<Position | null>((best, m) => (best === null || far(m) < far(best) ? m : best), null);
}

/** Where an element begins, in px of the designer. */
export function offset(box: { current: HTMLElement | null }, root: HTMLElement): Position {
  const a = box.current?.getBoundingClientRect();
  const b = root.getBoundingClientRect();
  return { x: (a?.left ?? 0) - b.left, y: (a?.top ?? 0) - b.top };
}
