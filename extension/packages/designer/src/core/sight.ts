import { detailOf, EDGE, fittingScale, isFar, isMany } from "./detail";
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

/** What stays free above the cards, in px, and below them for a wire. */
const ABOVE = 14;
const LANE = 14;
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

/** The view of the whole graph, at 100 % from the upper left corner when it fits; null where there is nothing to see. */
export function viewOf(
  cards: readonly Rect[],
  { width: wide, height: high }: Size,
  { top: above, controls }: Covers,
): View | null {
  if (cards.length === 0 || wide === 0) return null;
  const box = { width: wide, height: high - above };
  const { x: left, y: top, width, height } = around(cards);
  const place = (room: Size) => {
    const scale = fittingScale(width, height, room);
    const x = scale < 1 ? (room.width - width * scale) / 2 : EDGE;
    const y = scale < 1 ? Math.max(8, Math.min(ABOVE, (room.height - height * scale) / 2)) : ABOVE;
    return { scale, x, y };
  };
  let { scale, x, y } = place(box);
  // Names of stages stand over the cards of large graphs.
  const head = isMany(cards.length) && isFar(detailOf(scale)) ? STAGE : 0;
  if (head > 0) ({ scale, x, y } = place({ width: box.width, height: box.height - head }));
  const under = (from: number, to: number) =>
    x + from * scale < controls && y + head + to * scale > box.height - CONTROLS.height;
  // A wire may run below a card; what is low needs all of its height.
  const lane = box.height > LOW ? LANE : 0;
  const hidden = cards.some((c) => under(c.x - left, c.y + c.height - top + lane / scale));
  // Beside the controls if there is room, else above them.
  if (hidden && controls + width * scale + EDGE <= box.width) x = controls;
  else if (hidden) ({ scale, x, y } = place({ width: box.width, height: box.height - head - CONTROLS.height + 8 }));
  return { x: x - left * scale, y: above + head + y - top * scale, zoom: scale };
}

/** What stays free above and below cards for which the view was moved; a card may be so much too near to the sides, in px. */
const SLACK = 8;
/** At which cards can be read. */
export const READABLE = 134 / CARD;
/** At which names can. */
const NAMED = 91 / CARD;
/** What larger cards must gain before they are shown larger. */
const GROWTH = 1.06;

/**
 * The view after cards came, went or moved: the one that there is, while all cards are in sight, else moved as far as it
 * must be, else that of the whole graph, or of what is around the chosen card where that would take the names away. It
 * grows again where cards were made small for others that have gone.
 */
export function keptView(cards: readonly Rect[], size: Size, covers: Covers, now: View, chosen?: Rect): View | null {
  const whole = viewOf(cards, size, covers);
  if (!whole) return null;
  const rects = ({ x, y, zoom }: View) =>
    cards.map((c) => ({
      x: c.x * zoom + x,
      y: c.y * zoom + y,
      right: (c.x + c.width) * zoom + x,
      bottom: (c.y + c.height) * zoom + y,
    }));
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
