import { useEffect } from "react";
import type { Session } from "../core/session";
import { cardOf } from "../core/subgraph";
import { focusCard } from "./canvas/canvasEffects";

/**
 * Keeps the keys in the designer where what has the focus goes away, such as a button that its own press makes needless: the
 * selected card has them then, else the canvas. A press elsewhere ends them.
 */
export function useKeptFocus(root: HTMLElement, session?: Session): void {
  useEffect(() => {
    const page = root.ownerDocument;
    let last: Node | null = null;
    const remember = ({ target, type }: Event) => {
      last = target instanceof Node && root.contains(target) ? target : null;
      // what cannot have the focus, such as a tab, would leave it here
      const holder = page.activeElement as (Element & HTMLOrSVGElement) | null;
      if (!last && type === "pointerdown" && root.contains(holder)) holder?.blur();
    };
    const watch = new MutationObserver(() => {
      if (!last || last.isConnected) return;
      last = null;
      const lost = () => page.activeElement === page.body;
      const state = session?.store.get();
      if (lost() && state) focusCard(root, cardOf(state, state.view.selection[0] ?? ""));
      if (lost())
        (root.querySelector<HTMLElement>(".ds-canvas") ?? root.querySelector<HTMLElement>(".ds-root"))?.focus({
          preventScroll: true,
        });
    });
    const events = ["focusin", "pointerdown"] as const;
    for (const type of events) page.addEventListener(type, remember, true);
    watch.observe(root, { childList: true, subtree: true });
    return () => {
      for (const type of events) page.removeEventListener(type, remember, true);
      watch.disconnect();
    };
  }, [root, session]);
}
