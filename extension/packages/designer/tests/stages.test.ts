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
  it("leaves out what stands among or below other things, and a column of everything", () => {
    const below = [
      card(572, "read"),
      card(572, "colour", 0, 143),
      card(572, "colour", 0, 272),
      card(756, "colour", 0, 143),
    ];
    const mixed = ["read", "decode", "geometry"].map((name) => card(204, name));
    const cards = [card(20, "colour"), card(20, "colour"), card(20, "random"), ...mixed, card(388, "colour"), ...below];
    expect(stagesOf(cards).map((s) => [s.category, s.left, s.count])).toEqual([
      ["colour", 20, 2],
      ["colour", 388, 1],
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
