import type { GraphView, PortRef } from "../protocol/generated";
import { wiresFrom } from "./graph";
import { CARD, type Size } from "./layout";

/** How much a card shows: all of it; name, ports and picture; the picture alone; or the tile of its category. */
export type Detail = "full" | "compact" | "picture" | "quiet";

/** The least width of a card on the screen, in px, at which it shows that much: all of it while its rows have room for 10 px type. */
export const WIDTHS = { full: 120, compact: 64, picture: 20 } as const;

/** What cards show at a zoom: by their width on the screen. */
export function detailOf(zoom: number): Detail {
  const width = CARD * zoom;
  if (width >= WIDTHS.full) return "full";
  if (width >= WIDTHS.compact) return "compact";
  return width >= WIDTHS.picture ? "picture" : "quiet";
}

/** Whether below a card without a head there is room for its name. */
export function isNamed(zoom: number): boolean {
  return CARD * zoom >= 44;
}

/** Whether a card has room for a name alone in its head. */
export function isTight(zoom: number): boolean {
  return CARD * zoom < 80;
}

/** What stays free left and right of the cards, in px: wires run up to 19 px outside of them. */
export const EDGE = 20;

/** The smallest scale at which a graph is shown. */
export const MIN_SCALE = 0.05;

/** How large the cards are shown when all of them are in the box; 1 at most. */
export function fittingScale(width: number, height: number, box: Size): number {
  const wide = width + 2 * EDGE;
  if (wide <= box.width && height + 24 <= box.height) return 1;
  const scale = Math.min(box.width / wide, (box.height - 16) / (height + 24));
  return Math.min(1, Math.max(MIN_SCALE, scale));
}

/** Cards from which on a graph gets the room of the panels around it, and cards show no more than name and picture. */
const MANY = 35;

export function isMany(cards: number): boolean {
  return cards > MANY;
}

/** Arguments that a number feeds when all of its wires are drawn, at most. */
const FEW = 2;

/** Whether wires from a number to arguments are drawn whole only where one of their ends is looked at: they would be a cage. */
export function isPale(graph: GraphView | null, source: PortRef, dense: boolean): boolean {
  const wires = (graph && wiresFrom(graph).get(source.node)) ?? [];
  return dense || wires.filter((wire) => wire.source.output === source.output).length > FEW;
}

/** Whether cards are too small for ports. */
export function isFar(detail: Detail): boolean {
  return detail === "picture" || detail === "quiet";
}

/** Height of a card's header on the canvas: lower in a graph that is too large for whole cards, and where rows of cards would touch. */
export function headOf(detail: Detail, zoom: number, dense = true): number {
  if (detail === "full") return dense ? 24 : 28;
  return (isFar(detail) ? 0 : isTight(zoom) ? 17 : 20) / Math.min(1, zoom);
}
