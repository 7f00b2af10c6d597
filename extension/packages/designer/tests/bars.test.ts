import { describe, expect, it } from "vitest";
import { barsOf } from "../src/core/bars";

describe("bars of values", () => {
  it("are one for each sample of a small batch", () => {
    const bars = barsOf([1, null, 3], 2);
    expect(bars.map((bar) => [bar.height, bar.now])).toEqual([
      [0.2, false],
      [0, false],
      [1, true],
    ]);
    expect(bars[1]?.title).toBe("sample 2: –");
  });
  it("are how many have each value where there are many samples and few values", () => {
    const bars = barsOf(
      Array.from({ length: 64 }, (_, i) => [5, 7, 7, 7][i % 4] ?? null),
      4,
    );
    expect(bars.map((bar) => [bar.title, bar.height, bar.now])).toEqual([
      ["5: 16 samples", 1 / 3, true],
      ["7: 48 samples", 1, false],
    ]);
  });
  it("are how many are in each span of many values", () => {
    const bars = barsOf(
      Array.from({ length: 60 }, (_, i) => i),
      59,
    );
    expect(bars.map((bar) => bar.height)).toEqual(Array(12).fill(1));
    expect(bars.map((bar) => bar.now).lastIndexOf(true)).toBe(11);
  });
});
