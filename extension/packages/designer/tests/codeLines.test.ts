import { describe, expect, it } from "vitest";
import { cardLines, meant } from "../src/core/codeLines";
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

describe("meant", () => {
  const source = "a = fn.resize(b)\nb = fn.resze(\n    a, resize_xx=3)\n";
  const found = (message: string, hint: string, line: number) => ({
    code: "DS101",
    message,
    hint,
    source: `program:${line}`,
  });
  it("writes the word that may be meant in the place of the wrong one", () => {
    const resze = found("There is no operator called 'resze'.", "Did you mean 'resize'?", 2);
    expect(meant(source, resze)).toEqual(["resize", source.replace("resze", "resize")]);
    // an argument in a line below the first of its call
    const width = found("fn.resize has no argument 'resize_xx'.", "Did you mean 'resize_x'?", 2);
    expect(meant(source, width)).toEqual(["resize_x", source.replace("resize_xx", "resize_x")]);
  });
  it("is nothing where no word is known, or the wrong one is no longer there", () => {
    expect(meant(source, found("'(' was never closed.", "Correct it first.", 1))).toBeUndefined();
    expect(meant(source, found("Nothing is called 'c' here.", "Did you mean 'b'?", 1))).toBeUndefined();
  });
});
