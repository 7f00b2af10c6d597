import { describe, expect, it } from "vitest";
import { definingLines } from "../src/core/codeLines";

describe("definingLines", () => {
  const lines = { reader: [6, 7, 8, 14], decode: [9, 10], rotate: [10, 14], alone: [] };
  it("ends where the next statement begins", () => {
    expect(definingLines(lines, "reader", [])).toEqual([6, 7, 8]);
    expect(definingLines(lines, "decode", [])).toEqual([9]);
    expect(definingLines(lines, "rotate", [])).toEqual([10]);
  });
  it("leaves the return statement out", () => {
    const text = ["def f():", "    a = fn.flip(x)", "    return a"];
    expect(definingLines({ a: [2, 3] }, "a", text)).toEqual([2]);
  });
  it("is empty for a node that the program leaves out", () => {
    expect(definingLines(lines, "alone", [])).toEqual([]);
    expect(definingLines(lines, "unknown", [])).toEqual([]);
  });
});
