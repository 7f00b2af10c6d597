import type { Position } from "../protocol/generated";
import { around, type Rect } from "./route";

/** Ways to bring cards in line. */
export type Arrangement = "left" | "centre" | "right" | "top" | "middle" | "bottom" | "across" | "down";

export type Places = Readonly<Record<string, Rect>>;

/** Equal gaps between the first and the last card along an axis. */
function distributed(places: Places, axis: "x" | "y", extent: "width" | "height"): Record<string, Position> {
  const rows = Object.entries(places).sort(([, a], [, b]) => a[axis] - b[axis]);
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
  const rows = Object.entries(places).sort(([, a], [, b]) => a[axis] - b[axis] || a[across] - b[across]);
  let free = Number.NEGATIVE_INFINITY;
  return Object.fromEntries(
    rows.map(([key, r]) => {
      const at = r[axis] < free ? free + GAP : r[axis];
      free = at + r[extent];
      return [key, { ...place(r), [axis]: at }];
    }),
  );
}

/** New places of cards that are aligned or spread evenly. */
export function arranged(places: Places, how: Arrangement): Record<string, Position> {
  const { x: left, y: top, width, height } = around(Object.values(places));
  const [right, bottom] = [left + width, top + height];
  switch (how) {
    case "left":
      return inLine(places, "y", (r) => ({ x: left, y: r.y }));
    case "centre":
      return inLine(places, "y", (r) => ({ x: Math.round((left + right - r.width) / 2), y: r.y }));
    case "right":
      return inLine(places, "y", (r) => ({ x: right - r.width, y: r.y }));
    case "top":
      return inLine(places, "x", (r) => ({ x: r.x, y: top }));
    case "middle":
      return inLine(places, "x", (r) => ({ x: r.x, y: Math.round((top + bottom - r.height) / 2) }));
    case "bottom":
      return inLine(places, "x", (r) => ({ x: r.x, y: bottom - r.height }));
    case "across":
      return distributed(places, "x", "width");
    case "down":
      return distributed(places, "y", "height");
    default:
      return how satisfies never;
  }
}
