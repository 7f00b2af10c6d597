import { isDense } from "../../core/detail";
import { cardsOf, OUTPUTS } from "../../core/graph";
import { CARD, DENSE, layoutInBox, outputsHeight, type Size } from "../../core/layout";
import type { Rect } from "../../core/route";
import { cardHeight, previewOf } from "../../core/select";
import type { State } from "../../core/state";
import type { Position } from "../../protocol/generated";

/** Sizes of all cards, known before they are drawn. */
export function sizesOf(state: State): Map<string, Size> {
  const sizes = new Map<string, Size>();
  const dense = isDense(state.graph);
  for (const node of state.graph?.nodes ?? []) {
    const operator = state.opening?.catalog.byName.get(node.operator);
    sizes.set(node.key, { width: CARD, height: cardHeight(node, operator, previewOf(state, node.key), dense) });
  }
  if (state.graph) sizes.set(OUTPUTS, { width: CARD, height: outputsHeight(state.graph, state.positions) });
  return sizes;
}

/** Keys of all cards on the canvas. The card of the outputs is there as soon as there is a node. */
/** Places for all cards that fill the room. */
export function layoutOf(state: State, room: Size): Record<string, Position> {
  if (!state.graph) return {};
  return layoutInBox(state.graph, sizesOf(state), room, isDense(state.graph) ? DENSE : undefined);
}

const NO_CARDS: readonly string[] = [];

export function cardKeys(state: State): readonly string[] {
  return state.graph ? cardsOf(state.graph) : NO_CARDS;
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
