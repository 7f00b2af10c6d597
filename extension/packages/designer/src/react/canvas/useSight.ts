import { type Node, useReactFlow } from "@xyflow/react";
import { type MutableRefObject, type RefObject, useCallback, useEffect, useRef } from "react";
import { detailOf, isFar, isMany, isNamed } from "../../core/detail";
import { isFloating } from "../../core/drawer";
import { pathOf } from "../../core/inside";
import { CARD, type Size } from "../../core/layout";
import { boxesAlong, type Rect } from "../../core/route";
import { CONTROLS, type Covers, keptView, LOW, NAMED, STRIP, type View, viewOf } from "../../core/sight";
import { reducedMotion } from "../canvasApi";
import { useFrame } from "../context";
import { COVERED, pushed } from "./canvasEffects";
import { sizesOf } from "./sizes";
import { obstaclesOf, roomOf } from "./useFlow";

/** Who chose what is in view: nobody, a card of a finding that needed room, or the person. */
export type Touch = false | "card" | "hand";

/** How long after the view's end wires have found their ways, in ms. */
const SETTLED = 150;

/** Whether two views are one: a way that has been gone ends a little beside its end. */
function isSame(a: View, b: View): boolean {
  return Math.hypot(a.x - b.x, a.y - b.y, 1e3 * (a.zoom - b.zoom)) < 1;
}

/** Where cards are, as a text. */
function placesOf(nodes: readonly Node[]): string {
  return nodes.map(({ position: { x, y } }) => `${x} ${y}`).join();
}

/** What brings the cards into view, beside an inspector that `floats`; `touched` says who chose what is there. */
export function useSight(
  box: RefObject<HTMLElement | null>,
  latest: { readonly current: readonly Node[] },
  touched: MutableRefObject<Touch>,
  floats: boolean,
) {
  const { session, root } = useFrame();
  const flow = useReactFlow();
  /** Where the view is going. */
  const aim = useRef<View | null>(null);
  /** Where the view went last, and whence it went for want of room: it goes back when there is room again. */
  const at = useRef<View | null>(null);
  const home = useRef<View | null>(null);
  /** Whether the view is that of the whole graph. */
  const whole = useRef(false);
  /** Along which ways wires ran, and between cards of which places. */
  const ways = useRef<{ places: string; boxes: readonly Rect[] }>({ places: "", boxes: [] });
  /** Whether a hand has moved cards since they were brought into view. */
  const moved = useRef(false);
  /** What brings wires into view where the view has come to rest, and when. */
  const see = useRef(() => {});
  const due = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(due.current), []);
  const go = useCallback(
    (to: View, duration: number) => {
      const now = aim.current ?? flow.getViewport();
      at.current = to;
      // a way that another one broke off is not told to have ended
      if (isSame(to, now) && isSame(to, flow.getViewport())) return;
      aim.current = to;
      const arrived = () => {
        if (aim.current === to) aim.current = null;
      };
      clearTimeout(due.current);
      due.current = setTimeout(() => see.current(), duration + SETTLED);
      void flow.setViewport(to, { duration: reducedMotion(root) ? 0 : duration }).then(arrived);
    },
    [flow, root],
  );
  /**
   * Bring into view what is to be seen: all of the graph, or no more than must be moved for it. Cards without names that
   * `rests` may not move make no way for the inspector.
   */
  const look = useCallback(
    (
      choose: (
        cards: readonly Rect[],
        size: Size,
        covers: Covers,
        wires: readonly Rect[],
        chosen?: Rect,
      ) => View | null,
      duration: number,
      rests = false,
    ) => {
      const frame = box.current;
      if (!frame) return;
      const { width, height } = frame.getBoundingClientRect();
      session.room = roomOf(frame);
      const sizes = sizesOf(session.store.get());
      const { marks } = session.store.get();
      // Breadcrumbs stand above the cards.
      const crumbs = pathOf(session.store.get()).length > 0 ? 40 : 0;
      const cards = obstaclesOf(latest.current, marks).map((rect, i): Rect => {
        // Small cards are lower than those that they may become by being fitted, and new ones have no size yet.
        const { id = "", position } = latest.current[i] ?? {};
        const least = (sizes.get(id)?.height ?? 0) + (position?.y ?? 0) - rect.y;
        return { ...rect, y: rect.y - crumbs, height: Math.max(rect.height, least) + crumbs };
      });
      cards.push(...Object.values(marks).flatMap((mark) => (mark.type === "note" && crumbs === 0 ? mark : [])));
      const strip = root.querySelector<HTMLElement>(".ds-strip-over")?.offsetHeight ?? 0;
      const controls = frame.querySelector<HTMLElement>(".ds-zoom")?.offsetWidth ?? 0;
      const covers = {
        strip,
        top: strip || (height > LOW ? STRIP : 0),
        controls: Math.max(CONTROLS.width, controls + 20),
      };
      const over = floats && isFloating(session.store.get());
      const { places, boxes } = ways.current;
      const wires = places === placesOf(latest.current) ? boxes : [];
      const beside = over ? choose(cards, { width: width - COVERED, height }, covers, wires) : null;
      const chosen = cards[latest.current.findIndex((n) => n.selected)];
      const [around, bare] = [wires, []].map((some) => choose(cards, { width, height }, covers, some, chosen));
      // names, and values, are worth more than room around the wires
      const shown = ({ zoom }: View) => +isNamed(zoom) + +(detailOf(zoom) === "full");
      const view = around && bare && shown(bare) > shown(around) ? bare : around;
      const less = beside?.zoom ?? 0;
      const all = view?.zoom ?? 0;
      // many cards stay below the pointer that chose one
      const stays = rests && isMany(cards.length);
      const loses = all >= NAMED || isNamed(less) !== isNamed(all) || (rests && isFar(detailOf(less)));
      if (beside && !stays && (less >= NAMED || !loses)) return go(beside, duration);
      // where names of all cards could no longer be read beside it, it covers some, but not the selected one
      if (view) go(over ? pushed(session.store.get(), latest.current, width, view, true) : view, duration);
    },
    [go, session, root, floats, box, latest],
  );
  const fit = useCallback(
    (duration = 0) => {
      touched.current = false;
      moved.current = false;
      home.current = null;
      whole.current = true;
      look((cards, size, covers, wires) => viewOf(cards, size, covers, wires), duration);
    },
    [look, touched],
  );
  /**
   * Keep what is in view, but for cards that are out of sight; with `back`, as it was before the room changed, as far as
   * cards are in sight then.
   */
  const keep = useCallback(
    (back = false) => {
      moved.current = false;
      const now = aim.current ?? flow.getViewport();
      if (!back || !at.current || !isSame(at.current, now)) home.current = null;
      const from = home.current ?? now;
      if (back) home.current = from;
      const kept = (cards: readonly Rect[], size: Size, covers: Covers, wires: readonly Rect[], chosen?: Rect) => {
        const to = keptView(cards, size, covers, from, wires, chosen);
        // no longer once there are other cards, or a hand has moved those of a frame: the view stays then
        const same = () => isSame(viewOf(cards, size, covers, wires) ?? now, now);
        whole.current &&= back && (to === null || (isSame(to, now) && same()));
        return to;
      };
      look(kept, 200, true);
    },
    [look, flow],
  );
  /** Wires have found their ways: they are to be in sight, too. Cards become no larger, as other wires could follow from that. */
  const seeWires = useCallback(() => {
    due.current = undefined;
    if (touched.current || moved.current) return;
    const now = aim.current ?? flow.getViewport();
    look((cards, size, covers, wires, chosen) => {
      if (whole.current) return viewOf(cards, size, covers, wires, now.zoom);
      const to = keptView(cards, size, covers, now, wires, chosen);
      return to && to.zoom > now.zoom ? null : to;
    }, 200);
  }, [look, flow, touched]);
  see.current = seeWires;
  const told = useCallback(
    (paths: readonly string[]) => {
      ways.current = { places: placesOf(latest.current), boxes: paths.flatMap(boxesAlong) };
      // on the way there cards have not the sizes of its end, which the wires follow
      if (!due.current) seeWires();
    },
    [latest, seeWires],
  );
  /** Move what somebody has chosen to see, so that the inspector does not cover the selected card. */
  const uncover = useCallback(() => {
    const { clientWidth = 0 } = box.current ?? {};
    const state = session.store.get();
    if (isFloating(state)) go(pushed(state, latest.current, clientWidth, aim.current ?? flow.getViewport()), 200);
  }, [box, flow, go, latest, session]);
  /** Where a card is, in px of the frame. */
  const screenRect = useCallback(
    ({ position, measured }: Node): Rect => {
      const { x, y, zoom: z } = flow.getViewport();
      const [width, height] = [(measured?.width ?? CARD) * z, (measured?.height ?? 171) * z];
      return { x: position.x * z + x, y: position.y * z + y, width, height };
    },
    [flow],
  );
  const moves = useCallback(() => {
    moved.current = true;
  }, []);
  return { fit, keep, told, moves, uncover, screenRect };
}
