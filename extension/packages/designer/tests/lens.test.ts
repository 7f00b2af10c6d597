import { describe, expect, it } from "vitest";
import { panned, WHOLE, zoomed } from "../src/core/lens";

describe("a lens", () => {
  it("leaves the point that it enlarges about where it is", () => {
    const near = zoomed(zoomed(WHOLE, 4, { x: 0.25, y: 0.5 }), 2, { x: 0.75, y: 0.5 });
    expect(near.zoom).toBe(8);
    // the point 0.25 of the picture was at 0.25; then what was at 0.75 (0.375 of the picture) stayed there
    expect(near.x + near.zoom * 0.375).toBeCloseTo(0.75);
  });
  it("shows no gap beside the picture, and goes back to the whole of it", () => {
    const near = zoomed(WHOLE, 2, { x: 0.5, y: 0.5 });
    expect(panned(near, 3, -3)).toEqual({ zoom: 2, x: 0, y: -1 });
    expect(zoomed(panned(near, 3, -3), 0.1, { x: 0.9, y: 0.1 })).toEqual({ zoom: 1, x: 0, y: 0 });
  });
});
