import { type Node, useReactFlow, type Viewport } from "@xyflow/react";
import { type MutableRefObject, type RefObject, useCallback, useRef } from "react";
import { pathOf } from "../../core/inside";
import { CARD, type Size } from "../../core/layout";
import { headroom } from "../../core/marks";
import type { Rect } from "../../core/route";
import { CONTROLS, type Covers, keptView, LOW, STRIP, type View, viewOf } from "../../core/sight";
import { reducedMotion } from "../canvasApi";
import { useFrame } from "../context";
import { sizesOf } from "./sizes";
import { roomOf } from "./useFlow";

/** Who chose what is in view: nobody, a card of a finding that needed room, or the person. */
export type Touch = false | "card" | "hand";

/** What brings the cards into view; `touched` says who chose what is there. */
export function useSight(
  box: RefObject<HTMLElement | null>,
  latest: { readonly current: readonly Node[] },
  touched: MutableRefObject<Touch>,
  beside: (to: Viewport, width: number) => Viewport,
) {
  const { session, root } = useFrame();
  const flow = useReactFlow();
  /** Where the view is going. */
  const aim = useRef<View | null>(null);
  /** Where the view went last, and whence it went for want of room: it goes back when there is room again. */
  const at = useRef<View | null>(null);
  const home = useRef<View | null>(null);
  /** Bring into view what is to be seen: all of the graph, or no more than must be moved for it. */
  const look = useCallback(
    (choose: (cards: readonly Rect[], size: Size, covers: Covers, chosen?: Rect) => View | null, duration: number) => {
      const frame = box.current;
      if (!frame) return;
      const { width, height } = frame.getBoundingClientRect();
      session.room = roomOf(frame);
      const sizes = sizesOf(session.store.get());
      // Breadcrumbs stand above the cards.
      const crumbs = pathOf(session.store.get()).length > 0 ? 40 : 0;
      const head = headroom(session.store.get().marks);
      const cards = latest.current.map(({ id, position: { x, y }, measured: real }) => {
        // Small cards are lower than those that they may become by being fitted, and new ones have no size yet.
        const above = crumbs + head(id);
        const height = Math.max(real?.height ?? 0, sizes.get(id)?.height ?? 0) + above;
        return { x, y: y - above, width: real?.width ?? CARD, height };
      });
      const strip = root.querySelector<HTMLElement>(".ds-strip-over")?.offsetHeight ?? 0;
      const controls = frame.querySelector<HTMLElement>(".ds-zoom")?.offsetWidth ?? 0;
      const covers = {
        strip,
        top: strip || (height > LOW ? STRIP : 0),
        controls: 20 + Math.max(CONTROLS.width - 20, controls),
      };
      const view = choose(cards, { width, height }, covers, cards[latest.current.findIndex((n) => n.selected)]);
      if (!view || view === aim.current) return;
      const to = beside(view, width);
      aim.current = to;
      at.current = to;
      const arrived = () => {
        if (aim.current === to) aim.current = null;
      };
      void flow.setViewport(to, { duration: reducedMotion(root) ? 0 : duration }).then(arrived);
    },
    [flow, root, session, beside, box, latest],
  );
  const fit = useCallback(
    (duration = 0) => {
      touched.current = false;
      home.current = null;
      look(viewOf, duration);
    },
    [look, touched],
  );
  /**
   * Keep what is in view, but for cards that are out of sight; with `back`, as it was before the room changed, as far as
   * cards are in sight then.
   */
  const keep = useCallback(
    (back = false) => {
      const now = aim.current ?? flow.getViewport();
      // a way that has been gone ends a little beside its end
      const same = (v: View | null) => !!v && Math.hypot(v.x - now.x, v.y - now.y, 1e3 * (v.zoom - now.zoom)) < 1;
      if (!back || !same(at.current)) home.current = null;
      const from = home.current ?? now;
      if (back) home.current = from;
      at.current = now;
      look((cards, size, covers, chosen) => {
        const to = keptView(cards, size, covers, from, chosen);
        return same(to) ? null : to;
      }, 200);
    },
    [look, flow],
  );
  /** Where a card is, in px of the frame. */
  const screenRect = useCallback(
    ({ position, measured }: Node): Rect => {
      const { x, y, zoom: z } = flow.getViewport();
      const [width, height] = [(measured?.width ?? CARD) * z, (measured?.height ?? 171) * z];
      return { x: position.x * z + x, y: position.y * z + y, width, height };
    },
    [flow],
  );
  return { fit, keep, screenRect };
}
