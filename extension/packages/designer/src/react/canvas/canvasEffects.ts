import type { Node } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { EDGE } from "../../core/detail";
import { CARD } from "../../core/layout";
import { notesBeside } from "../../core/marks";
import type { View } from "../../core/sight";
import type { State } from "../../core/state";
import { cardOf } from "../../core/subgraph";
import { type Routed, type Run, settled } from "../../core/wires";
import { useFrame, useSel } from "../context";
import { flowEdges } from "./edges";
import { isLaid, layoutOf, SMALL } from "./sizes";
import { obstaclesOf } from "./useFlow";
import type { Touch } from "./useSight";
import type { Routes } from "./WireEdge";

/** How long a card that is pointed out has its ring, in ms. */
const POINTED = 2000;

/** Give a card the keyboard; `point`: and a ring for a while, also after a click. */
export function focusCard(root: HTMLElement, key: string, point = false): void {
  for (const card of root.querySelectorAll<HTMLElement>(".react-flow__node")) {
    if (card.dataset.id !== key) continue;
    card.focus({ preventScroll: true });
    const ring = { outline: "var(--ds-ring) solid var(--ds-sel)", outlineOffset: "4px", borderRadius: "8px" };
    if (point) card.animate([ring, ring], POINTED);
  }
}

/** Cards as obstacles, and the ways of the wires around them, refreshed when nothing moves; those that stay are told. */
export function useRoutes(
  nodes: readonly Node[],
  dragging: { readonly current: boolean },
  told: (paths: readonly string[]) => void,
): Routes {
  const { session } = useFrame();
  const runs = useRef(new Map<string, Run>());
  const before = useRef<{ text: string; found: Routed } | null>(null);
  const wait = useRef<ReturnType<typeof setTimeout>>();
  const marks = useSel((s) => s.marks);
  const now = useMemo(() => {
    const cards = obstaclesOf(nodes, marks);
    return [...cards, ...notesBeside(cards, marks)];
  }, [nodes, marks]);
  const text = useMemo(() => JSON.stringify(now), [now]);
  const latest = useRef(now);
  latest.current = now;
  const refresh = useCallback(() => {
    clearTimeout(wait.current);
    const find = () => {
      if (wait.current !== mine) return undefined;
      if (dragging.current) return refresh();
      const cards = latest.current;
      const text = JSON.stringify(cards);
      // whichever of them was told last, they find the same ways
      const all = flowEdges(session.store.get()).flatMap(({ id }) => runs.current.get(id) ?? []);
      const lasting = all.filter((run) => !run.brief);
      let { found } = before.current ?? {};
      // what comes and goes with the pointer leaves the others where they are
      if (
        !found ||
        text !== before.current?.text ||
        found.paths.size !== lasting.length ||
        !lasting.every((run) => found?.paths.has(run))
      ) {
        found = settled(lasting, cards);
        before.current = { text, found };
        if (lasting.length > 0) told([...found.paths.values()]);
      }
      const brief = settled(
        all.filter((run) => run.brief),
        cards,
        found.parts,
      );
      setRoutes((old) => ({ ...old, cards, parts: found.parts, paths: new Map([...found.paths, ...brief.paths]) }));
    };
    // the ends of wires follow their cards within two frames
    const mine = setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(find)), 30);
    wait.current = mine;
  }, [session, dragging, told]);
  const [routes, setRoutes] = useState<Routes>(() => ({
    cards: [],
    live: latest,
    paths: new Map(),
    parts: [],
    tell: (id, run) => {
      runs.current.set(id, run);
      refresh();
      return () => void runs.current.delete(id);
    },
  }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: cards have moved
  useEffect(refresh, [refresh, text]);
  useEffect(() => {
    return () => {
      clearTimeout(wait.current);
      wait.current = undefined;
    };
  }, []);
  return routes;
}

/** What the floating inspector covers at the right of the canvas, in px. */
export const COVERED = 276 + 10;

/**
 * A view moved to the left, so that the selected card is not under the floating inspector; with `spare` also where cards
 * leave so much room at the left that none is.
 */
export function pushed(state: State, nodes: readonly Node[], wide: number, view: View, spare = false): View {
  const [first = "", ...others] = state.view.selection;
  const id = cardOf(state, first);
  const card = others.length === 0 || id !== first ? nodes.find((n) => n.id === id) : undefined;
  const room = wide - COVERED - 22;
  if (!card || room < 120) return view;
  const left = (of: Node) => of.position.x * view.zoom + view.x;
  const beyond = (of: Node) => left(of) + (of.measured?.width ?? CARD) * view.zoom - room;
  // its name, at the left, stays in sight
  const own = Math.min(left(card) - EDGE / 2, beyond(card));
  const all = Math.max(...nodes.map(beyond));
  const over = spare && Math.min(...nodes.map(left)) - EDGE >= all ? all : own;
  return over > 0 ? { ...view, x: view.x - over } : view;
}

/** Fit when cards were added by the kernel, which are laid out with the others if nobody has moved one. */
export function useRefit(count: number, fit: () => void): void {
  const { session } = useFrame();
  const before = useRef(count);
  const wanted = useSel((s) => s.view.refit);
  const laid = useRef(false);
  useEffect(() => {
    const state = session.store.get();
    if (wanted) laid.current = state.graph !== null && isLaid(state, state.graph, session.put);
  }, [wanted, session]);
  useEffect(() => {
    const grew = count > before.current;
    before.current = count;
    const state = session.store.get();
    if (!grew || !state.view.refit) return;
    session.view({ refit: 0 });
    // one undo step with what brought them
    const gesture = `repair ${state.confirmed?.revision}`;
    if (laid.current) session.edit([], { positions: layoutOf(state, session.room), gesture });
    requestAnimationFrame(fit);
  }, [count, fit, session]);
}

/** How long a room keeps its size before cards are laid out for it, and how long after its width the drawer follows, in ms. */
const REST = 150;
const FOLLOWS = 1000;

/**
 * Fit when the first card appears and while the room changes; cards find their places at first, and when it rests. Once
 * tabs of the drawer are opened and closed, cards stay where they are, as large as they are while they can; they give way
 * to a tab that would make them small, until it is closed.
 */
export function useFirstFit(
  count: number,
  fit: () => void,
  keep: (back: boolean) => void,
  reflow: (animated: boolean, least?: number) => boolean,
  box: { readonly current: HTMLDivElement | null },
  touched: { readonly current: Touch },
): void {
  const { session } = useFrame();
  const shown = count > 0;
  const opening = useSel((s) => s.opening);
  useEffect(() => {
    if (shown && opening) reflow(false);
  }, [shown, opening, reflow]);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let last = { wide: 0, high: 0 };
    const first = session.store.get().view.drawer;
    let chosen = false;
    /** The least scale at which cards stay where they are, and whether they have given way to the drawer. */
    let least = 0;
    let moved = false;
    let wait: ReturnType<typeof setTimeout> | undefined;
    let widened = 0;
    const observer = new ResizeObserver(() => {
      const { clientWidth: wide, clientHeight: high } = element;
      if (wide !== last.wide) widened = performance.now();
      const still = performance.now() - widened > FOLLOWS;
      chosen ||= session.store.get().view.drawer !== first;
      if (last.wide && (wide !== last.wide || high !== last.high) && touched.current !== "hand") {
        clearTimeout(wait);
        // another width asks for all, also where the drawer follows it
        least = Math.max(least, chosen && still && !moved ? SMALL : 2);
        if (least < 1 && !touched.current) keep(true);
        else fit();
        wait = setTimeout(() => {
          const { drawer } = session.store.get().view;
          if (!touched.current && reflow(true, least)) moved = chosen && drawer !== null && drawer !== "code";
          least = 0;
        }, REST);
      }
      last = { wide, high };
    });
    observer.observe(element);
    return () => {
      clearTimeout(wait);
      observer.disconnect();
    };
  }, [box, fit, keep, reflow, session, touched]);
}
