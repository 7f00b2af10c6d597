import { OUTPUTS } from "../../core/graph";
import { CARD, type Size } from "../../core/layout";
import type { Rect } from "../../core/route";
import { cardHeight, previewOf } from "../../core/select";
import type { State } from "../../core/state";

/** Sizes of all cards, known before they are drawn. */
export function sizesOf(state: State): Map<string, Size> {
  const sizes = new Map<string, Size>();
  for (const node of state.graph?.nodes ?? []) {
    const operator = state.opening?.catalog.byName.get(node.operator);
    sizes.set(node.key, { width: CARD, height: cardHeight(node, operator, previewOf(state, node.key)) });
  }
  sizes.set(OUTPUTS, { width: CARD, height: 52 + 20 * Math.max(1, state.graph?.outputs.length ?? 0) });
  return sizes;
}

/** Keys of all cards on the canvas. The card of the outputs is there as soon as there is a node. */
export function cardKeys(state: State): string[] {
  const keys = (state.graph?.nodes ?? []).map((n) => n.key);
  return keys.length > 0 ? [...keys, OUTPUTS] : keys;
}

/** Where the cards are, all but one if that is named. */
export function cardRects(state: State, except = ""): Rect[] {
  const sizes = sizesOf(state);
  return cardKeys(state).flatMap((key) => {
    const at = key === except ? undefined : state.positions[key];
    const size = sizes.get(key);
    return at && size ? [{ ...at, ...size }] : [];
  });
}
