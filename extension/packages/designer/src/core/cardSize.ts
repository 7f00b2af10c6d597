import type { NodeView } from "../protocol/generated";
import type { Operator } from "./catalog";
import { SPLIT } from "./graph";
import { argumentRows, cardShape, extraInputs } from "./select";
import type { Preview } from "./state";

/** Whether a card takes two columns: that of a sequence or volume, where cards are more than name and picture. */
export function isWide(node: NodeView, dense: boolean): boolean {
  return node.wide === true && !dense;
}

/** Rows of a card below its picture: of its inputs and arguments, and of its results. */
function rowsOf(node: NodeView, operator: Operator | undefined): readonly [number, number] {
  const left = argumentRows(node, operator).length + extraInputs(node, operator).length;
  return [left, Math.max(0, node.output_kinds.length - 1)];
}

/** The picture's height on a near card of a large graph: what its rows leave of the card, which is about as high at every zoom. */
export function lowPictureOf(node: NodeView, operator: Operator | undefined): number {
  const [left, right] = rowsOf(node, operator);
  return Math.max(40, 86 - 16 * (left + right));
}

/** Rows of ports of a small card: those at its left are beside those at its right. An `if` says what its first result is, too. */
export function portRows(node: NodeView, operator: Operator | undefined): number {
  const [left, right] = rowsOf(node, operator);
  return Math.max(left, right + (node.operator === SPLIT ? 1.5 : 0));
}

/** Height of a card in px, known without measuring, so that the layout is right at once. */
export function cardHeight(
  node: NodeView,
  operator: Operator | undefined,
  preview: Preview | undefined,
  dense = false,
): number {
  const shape = cardShape(node, preview);
  const [left, right] = rowsOf(node, operator);
  const rows = left + right;
  if (dense) {
    const tall = shape === "tall";
    return Math.max(tall ? 129 : 62, 43 + 20 * portRows(node, operator), (tall ? 75 : 56) + 18 * rows);
  }
  const body = shape === "tall" ? (isWide(node, dense) ? 135 : 101) : 34;
  return 28 + body + 20 * rows + 22;
}
