import { detailOf, EDGE, fittingScale, isFar, isMany, MIN_SCALE } from "./detail";
import { CARD, type Size } from "./layout";
import { around, type Rect } from "./route";

/** What of the canvas is in view: x and y are where its origin is, in px of the frame. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** Height of the sentence that may come over the canvas: cards leave it free, so that nothing moves then. */
export const STRIP = 30;

/** A canvas that is no higher keeps no room for what may come over it, in px. */
export const LOW = 240;

/** What stays free beside the cards at least, in px. */
const LEAST = 10;
/** What stays free above the cards, in px. */
const ABOVE = 14;
/** Height of the names of stages. */
const STAGE = 14;
/** What the zoom controls cover at least, in the lower left corner. */
export const CONTROLS = { width: 220, height: 46 };

/** What lies over the canvas: so much at its top, now and at most, and controls so wide in its lower left corner. */
export interface Covers {
  readonly strip: number;
  readonly top: number;
  readonly controls: number;
}

/** How far wires run out of the cards, left, right and below. */
function outside(cards: Rect, wires: readonly Rect[]) {
  const { x, y, width, height } = around([cards, ...wires]);
  const [right, bottom] = [cards.x + cards.width, cards.y + cards.height];
  return { left: cards.x - x, right: x + width - right, below: y + height - bottom };
}

/** The view of the whole graph, at 100 %, or `most`, from the upper left corner when it fits; null where there is nothing to see. */
export function viewOf(
  cards: readonly Rect[],
  { width: wide, height: high }: Size,
  { top: above, controls }: Covers,
  wires: readonly Rect[] = [],
  most = 1,
): View | null {
  if (cards.length === 0 || wide === 0) return null;
  const box = { width: wide, height: high - above };
  const all = around(cards);
  const { x: left, y: top, width, height } = all;
  const out = outside(all, wires);
  // What is low needs all of its height.
  const low = box.height <= LOW;
  // Beside a card it shrinks with the cards, but not to nothing; beside a wire it does not.
  const edge = (by: number, scale: number) => (by > 0 ? EDGE + by * scale : Math.max(LEAST, EDGE * scale));
  const place = (room: Size, whole = low) => {
    const sides = [out.left, out.right];
    const across = Math.min(
      ...[EDGE, 0].map((side) => {
        const free = sides.reduce((sum, by) => sum - (by > 0 ? EDGE : side > 0 ? 0 : LEAST), room.width);
        return free / sides.reduce((sum, by) => sum + (by > 0 ? by : side), width);
      }),
    );
    const down = out.below > 0 && !whole ? (room.height - ABOVE - EDGE) / (height + out.below) : 1;
    const scale = Math.max(MIN_SCALE, Math.min(fittingScale(width, height, room), across, down, most));
    const [from, to] = [edge(out.left, scale), edge(out.right, scale)];
    const x = scale < 1 ? from + (room.width - from - width * scale - to) / 2 : from;
    const y = scale < 1 ? Math.max(8, Math.min(ABOVE, (room.height - height * scale) / 2)) : ABOVE;
    return { scale, x, y };
  };
  let { scale, x, y } = place(box);
  // Names of stages stand over the cards of large graphs.
  const head = isMany(cards.length) && isFar(detailOf(scale)) ? STAGE : 0;
  if (head > 0) ({ scale, x, y } = place({ width: box.width, height: box.height - head }));
  const under = (c: Rect) =>
    x + (c.x - left) * scale < controls && y + head + (c.y + c.height - top) * scale > box.height - CONTROLS.height;
  // Beside the controls if there is room and cards are larger there, else above them; wires of what is low, where that takes
  // no names away.
  const covered = [...cards, ...wires].filter(under);
  if (covered[0]) {
    const card = cards.some(under);
    // what is higher may be over them
    const from = controls + (left - around(covered).x) * scale;
    const lift = CONTROLS.height - (card ? SLACK : EDGE + WIRE);
    const lifted = place({ width: box.width, height: box.height - head - lift }, low && card);
    if (lifted.scale < scale && from + width * scale + edge(out.right, scale) <= box.width) x = from;
    else if (card || !low || lifted.scale < NAMED === scale < NAMED) ({ scale, x, y } = lifted);
  }
  return { x: x - left * scale, y: above + head + y - top * scale, zoom: scale };
}

/** What stays free above and below cards for which the view was moved; a card may be so much too near to the sides, in px. */
const SLACK = 8;
/** What stays free between a wire and the controls that it runs above, in px. */
const WIRE = 4;
/** At which cards can be read. */
export const READABLE = 134 / CARD;
/** At which names can. */
export const NAMED = 91 / CARD;
/** What larger cards must gain before they are shown larger. */
const GROWTH = 1.06;

/**
 * The view after cards came, went or moved: the one that there is, while all cards are in sight, else moved as far as it
 * must be, else that of the whole graph, or of what is around the chosen card where that would take the names away. It
 * grows again where cards were made small for others that have gone.
 */
export function keptView(
  cards: readonly Rect[],
  size: Size,
  covers: Covers,
  now: View,
  wires: readonly Rect[] = [],
  chosen?: Rect,
): View | null {
  const whole = viewOf(cards, size, covers, wires);
  if (!whole) return null;
  const rects = ({ x, y, zoom }: View) => {
    const shown = (some: readonly Rect[], side: number, below: number) =>
      some.map((c) => ({
        x: c.x * zoom + x - side,
        y: c.y * zoom + y,
        right: (c.x + c.width) * zoom + x + side,
        bottom: (c.y + c.height) * zoom + y + below,
      }));
    const below = size.height - covers.top > LOW ? WIRE : Number.NEGATIVE_INFINITY;
    return [...shown(cards, 0, 0), ...shown(wires, EDGE * (1 - zoom) - SLACK, below)];
  };
  const inSight = (view: View) =>
    rects(view).every(
      (c) =>
        Math.min(c.x, size.width - c.right) > EDGE * view.zoom - SLACK &&
        Math.min(c.y - covers.strip, size.height - c.bottom) > 0 &&
        (c.x > covers.controls - SLACK || c.bottom < size.height - CONTROLS.height + SLACK),
    );
  if (whole.zoom > GROWTH * now.zoom) return whole;
  if (inSight(now)) return now;
  const shift = (from: number, least: number[], most: number[], to: number) =>
    Math.max(from - Math.min(...least), Math.min(0, to - Math.max(...most)));
  const moved = (view: View): View => {
    const all = rects(view);
    return {
      x:
        view.x +
        shift(
          EDGE * view.zoom,
          all.map((c) => c.x),
          all.map((c) => c.right),
          size.width - EDGE * view.zoom,
        ),
      // the room of a sentence that may come stays free, so that it covers no card
      y:
        view.y +
        shift(
          covers.top + SLACK,
          all.map((c) => c.y),
          all.map((c) => c.bottom),
          size.height - SLACK,
        ),
      zoom: view.zoom,
    };
  };
  if (inSight(moved(now))) return moved(now);
  if (!chosen || !isFar(detailOf(whole.zoom)) || isFar(detailOf(now.zoom))) return whole;
  const zoom = Math.min(now.zoom, NAMED);
  const all = around(cards);
  /** The card in the middle, but nothing empty beside the graph. */
  const middle = (top: number, end: number, at: number, length: number, first: number, whole: number) => {
    const begin = top + EDGE - first * zoom;
    const wanted = (top + end - (2 * at + length) * zoom) / 2;
    return Math.min(begin, Math.max(begin + end - top - 2 * EDGE - whole * zoom, wanted));
  };
  return {
    x: middle(0, size.width, chosen.x, chosen.width, all.x, all.width),
    y: middle(covers.top, size.height, chosen.y, chosen.height, all.y, all.height),
    zoom,
  };
}
