import { type Node, useReactFlow } from "@xyflow/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { CARD } from "../../core/layout";
import type { Rect } from "../../core/route";
import { cardOf } from "../../core/subgraph";
import { reducedMotion } from "../canvasApi";
import { useFrame, useSel } from "../context";
import { obstaclesOf } from "./useFlow";

/** Give a card the keyboard. */
export function focusCard(root: HTMLElement, key: string): void {
  const cards = root.querySelectorAll<HTMLElement>(".react-flow__node");
  for (const card of cards) if (card.dataset.id === key) card.focus({ preventScroll: true });
}

/** When the focused card is taken away, the selected card or the canvas itself is focused instead. */
export function useKeptFocus(root: HTMLElement, focused: boolean): void {
  const { session } = useFrame();
  useEffect(() => {
    const tree = root.getRootNode();
    const active = tree instanceof Document || tree instanceof ShadowRoot ? tree.activeElement : null;
    if (!focused || (active !== null && active !== root.ownerDocument.body)) return;
    const key = session.store.get().view.selection[0];
    if (key) focusCard(root, cardOf(session.store.get(), key));
    const now = tree instanceof Document || tree instanceof ShadowRoot ? tree.activeElement : null;
    if (now === null || now === root.ownerDocument.body)
      root.querySelector<HTMLElement>(".ds-canvas")?.focus({ preventScroll: true });
  });
}

/** Cards as obstacles, refreshed when nothing moves. */
export function useObstacles(nodes: readonly Node[], dragging: { readonly current: boolean }): readonly Rect[] {
  const [rects, setRects] = useState<readonly Rect[]>([]);
  const text = useMemo(() => JSON.stringify(obstaclesOf(nodes)), [nodes]);
  useEffect(() => {
    const wait = setTimeout(() => {
      if (!dragging.current) setRects(JSON.parse(text) as Rect[]);
    }, 30);
    return () => clearTimeout(wait);
  }, [text, dragging]);
  return rects;
}

/** What the floating inspector covers at the right of the canvas, with a gap before it, in px. */
const COVERED = 276 + 10 + 22;

/** The selected card moves out from under the inspector where that floats. */
export function useBeside(
  floats: boolean,
  nodes: readonly Node[],
  box: { readonly current: HTMLElement | null },
): void {
  const { root, session } = useFrame();
  const flow = useReactFlow();
  const selection = useSel((s) => s.view.selection);
  const latest = useRef(nodes);
  latest.current = nodes;
  useEffect(() => {
    const [first = "", ...others] = selection;
    const id = cardOf(session.store.get(), first);
    const card = others.length === 0 || id !== first ? latest.current.find((n) => n.id === id) : undefined;
    const room = (box.current?.clientWidth ?? 0) - COVERED;
    if (!floats || !card || room < 120) return;
    const { x, y, zoom } = flow.getViewport();
    const width = (card.measured?.width ?? CARD) * zoom;
    const over = card.position.x * zoom + x + width - room;
    if (over > 0) void flow.setViewport({ x: x - over, y, zoom }, { duration: reducedMotion(root) ? 0 : 200 });
  }, [floats, selection, flow, root, box, session]);
}

/** Fit when cards were added by the kernel. */
export function useRefit(count: number, fit: () => void): void {
  const { session } = useFrame();
  const before = useRef(count);
  useEffect(() => {
    const grew = count > before.current;
    before.current = count;
    if (!grew || !session.store.get().view.refit) return;
    session.view({ refit: false });
    requestAnimationFrame(fit);
  }, [count, fit, session]);
}

/** How long a room keeps its size before cards are laid out for it, in ms. */
const REST = 150;

/** Fit when the first card appears and while the room changes; cards find their places at first, and when it rests. */
export function useFirstFit(
  count: number,
  fit: () => void,
  reflow: (animated: boolean) => void,
  box: { readonly current: HTMLDivElement | null },
  touched: { readonly current: boolean },
): void {
  const shown = count > 0;
  const opening = useSel((s) => s.opening);
  useEffect(() => {
    if (shown && opening) reflow(false);
  }, [shown, opening, reflow]);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let last = "";
    let wait: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(() => {
      const now = `${element.clientWidth}x${element.clientHeight}`;
      if (last && now !== last && !touched.current) {
        fit();
        clearTimeout(wait);
        wait = setTimeout(() => !touched.current && reflow(true), REST);
      }
      last = now;
    });
    observer.observe(element);
    return () => {
      clearTimeout(wait);
      observer.disconnect();
    };
  }, [box, fit, reflow, touched]);
}
