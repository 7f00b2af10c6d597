import type { Position } from "../protocol/generated";
import { around, type Rect } from "./route";

/** Ways to bring cards in line. */
export type Arrangement = "left" | "centre" | "right" | "top" | "middle" | "bottom" | "across" | "down";

export type Places = Readonly<Record<string, Rect>>;

function sorted(places: Places, axis: "x" | "y", across = axis) {
  return Object.entries(places).sort(([, a], [, b]) => a[axis] - b[axis] || a[across] - b[across]);
}

/** Equal gaps between the first and the last card along an axis. */
function distributed(places: Places, axis: "x" | "y", extent: "width" | "height"): Record<string, Position> {
  const rows = sorted(places, axis);
  const first = rows[0]?.[1];
  const last = rows.at(-1)?.[1];
  if (!first || !last || rows.length < 3) return {};
  const room = last[axis] + last[extent] - first[axis];
  const gap = (room - rows.reduce((sum, [, r]) => sum + r[extent], 0)) / (rows.length - 1);
  let at = first[axis];
  return Object.fromEntries(
    rows.map(([key, r]) => {
      const place = { x: r.x, y: r.y, [axis]: Math.round(at) };
      at += r[extent] + gap;
      return [key, place];
    }),
  );
}

/** Between cards that would lie on each other. */
const GAP = 16;

/** Cards in line, one after the other: those that would lie on each other give way along the line. */
function inLine(places: Places, axis: "x" | "y", place: (r: Rect) => Position): Record<string, Position> {
  const [extent, across] = axis === "x" ? (["width", "y"] as const) : (["height", "x"] as const);
  const rows = sorted(places, axis, across);
  let free = Number.NEGATIVE_INFINITY;
  return Object.fromEntries(
    rows.map(([key, r]) => {
      const at = r[axis] < free ? free + GAP : r[axis];
      free = at + r[extent];
      return [key, { ...place(r), [axis]: at }];
    }),
  );
}

/** Along which axis cards come in line, and where on each card: from its left or upper edge to the other one. */
const LINES = {
  left: ["x", 0],
  centre: ["x", 0.5],
  right: ["x", 1],
  top: ["y", 0],
  middle: ["y", 0.5],
  bottom: ["y", 1],
} as const;

/** New places of cards that are aligned or spread evenly. */
export function arranged(places: Places, how: Arrangement): Record<string, Position> {
  if (how === "across") return distributed(places, "x", "width");
  if (how === "down") return distributed(places, "y", "height");
  const all = around(Object.values(places));
  const [axis, share] = LINES[how];
  const [extent, along] = axis === "x" ? (["width", "y"] as const) : (["height", "x"] as const);
  const line = (r: Rect) => Math.round(all[axis] + share * (all[extent] - r[extent]));
  return inLine(places, along, (r) => ({ x: r.x, y: r.y, [axis]: line(r) }));
}
