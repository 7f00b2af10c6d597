import { describe, expect, it } from "vitest";
import { cardLines } from "../src/core/codeLines";
import { GRAPH, node } from "./fixtures";

describe("cardLines", () => {
  const lines = { reader: [6, 7, 8], coin: [9], rotate: [10, 11] };
  it("has the coin and the condition of a node with a probability", () => {
    const coin = node("coin", "random.coin_flip");
    const held = { ...GRAPH, nodes: [node("rotate", "rotate", { chance: 0.5, parts: [coin] })] };
    expect(cardLines(held, lines, "rotate")).toEqual([9, 10, 11]);
    expect(cardLines(held, lines, "reader")).toEqual([6, 7, 8]);
  });
  it("is empty for a node that the program leaves out", () => {
    expect(cardLines(null, lines, "unknown")).toEqual([]);
  });
});
