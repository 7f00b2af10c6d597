import { describe, expect, it } from "vitest";
import { type Member, stagesOf } from "../src/core/stages";
import { interpolateZoom } from "../src/core/zoomWay";

const card = (x: number, category: string, time = 0, y = 14): Member => ({ x, y, width: 148, category, time });

describe("stagesOf", () => {
  it("joins neighbouring columns that do the same, with their cards and times", () => {
    const cards = [card(20, "read", 1), card(204, "colour", 2), card(204, "colour", 3), card(388, "colour", 4)];
    expect(stagesOf(cards)).toEqual([
      { category: "read", left: 20, right: 168, count: 1, time: 1 },
      { category: "colour", left: 204, right: 536, count: 3, time: 9 },
    ]);
  });
  it("names no column with anything else in it, below the first row, or of conditions, and joins none across one", () => {
    const cards = [
      card(20, "readers"),
      card(20, "colour", 0, 143),
      card(204, "decoders"),
      card(204, "conditional", 0, 143),
      card(388, "colour"),
      card(388, "colour", 0, 143),
      card(572, "geometry"),
      card(572, "colour", 0, 143),
      card(756, "colour"),
      card(940, "colour", 0, 143),
      card(1124, "conditional"),
    ];
    expect(stagesOf(cards).map((s) => [s.category, s.left, s.right, s.count])).toEqual([
      ["colour", 388, 536, 2],
      ["colour", 756, 904, 1],
    ]);
  });
});

describe("interpolateZoom", () => {
  it("begins and ends where it is told, and keeps the point that both views have at the same place", () => {
    const way = interpolateZoom([0, 0, 100], [300, 60, 400]);
    const screen = (x: number, t: number) => (x - way(t)[0]) / way(t)[2];
    expect(way(0)).toEqual([0, 0, 100]);
    expect(way(1)).toEqual([300, 60, 400]);
    for (const t of [0.25, 0.5, 0.75]) expect(screen(-100, t)).toBeCloseTo(screen(-100, 0));
    expect(way(0.5)[2]).toBeCloseTo(200);
  });
  it("moves evenly where nothing grows", () => {
    expect(interpolateZoom([0, 0, 100], [80, 40, 100])(0.25)).toEqual([20, 10, 100]);
  });
});
