import type { GraphView } from "../protocol/generated";
import { OUTPUTS, wiresOf } from "./graph";
import { type Cell, endOf } from "./grid";

/**
 * Branches in several blocks side by side: of a graph with many short branches, each block takes as many as a column of
 * the frame has room for.
 */
export function folded(cells: ReadonlyMap<string, Cell>, rows: number): Map<string, Cell> {
  const blocks = new Map<number, (readonly [string, Cell])[]>();
  for (const [key, cell] of cells) {
    const block = key === OUTPUTS ? 0 : Math.floor(cell.lane / rows);
    blocks.set(block, [...(blocks.get(block) ?? []), [key, cell]]);
  }
  const placed = new Map<string, Cell>();
  let end = 0;
  for (const block of [...blocks.keys()].sort((a, b) => a - b)) {
    const members = (blocks.get(block) ?? []).filter(([key]) => key !== OUTPUTS);
    const left = block === 0 ? 0 : Math.min(...members.map(([, c]) => c.column));
    for (const [key, c] of members)
      placed.set(key, { ...c, column: end + c.column - left, lane: c.lane - block * rows });
    end = endOf(placed.values());
  }
  if (cells.has(OUTPUTS)) placed.set(OUTPUTS, { column: end, lane: 0, span: 1 });
  return placed;
}

/** Steps that compute numbers for arguments, of nothing but numbers. */
function computing(graph: GraphView, cells: ReadonlyMap<string, Cell>): Set<string> {
  const found = new Set(cells.keys());
  found.delete(OUTPUTS);
  const wires = wiresOf(graph).filter(({ source }) => cells.has(source.node));
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const { source, slot } of wires) {
      if (slot.kind !== "argument" && !found.has(slot.node)) found.delete(source.node);
      if (!found.has(source.node)) found.delete(slot.node);
    }
  }
  return found;
}

/** Steps that compute numbers in a block of their own, left of all others but the first that reads, in lanes of their own; null if there are none. */
export function aside(graph: GraphView, cells: ReadonlyMap<string, Cell>): Map<string, Cell> | null {
  const numbers = computing(graph, cells);
  const own = [...numbers].flatMap((key) => cells.get(key) ?? []);
  if (own.length === 0) return null;
  const left = Math.min(...own.map((c) => c.column));
  const by = endOf(own) - left;
  return new Map(
    [...cells].map(([key, c]) =>
      numbers.has(key)
        ? [key, { ...c, column: c.column - left, lane: c.lane + cells.size }]
        : [key, { ...c, column: c.column + c.lane && c.column + by }],
    ),
  );
}
