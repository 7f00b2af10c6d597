import { describe, expect, it } from "vitest";
import {
  type Affine,
  dragged,
  type Handle,
  inverse,
  joined,
  partsOf,
  pointIn,
  roomFor,
  stageOf,
  turn,
  turnedBy,
  wrapped,
} from "../src/core/placement";

const SIZE = [40, 20] as const;
const PLACED: Affine = [1.5, 0.25, -3, -0.5, 2, 7];
const corner = (u: number, v: number): Handle => ({ does: "size", at: [u, v] });
const near = (found: readonly number[], wanted: readonly number[]) =>
  wanted.forEach((n, i) => {
    expect(found[i]).toBeCloseTo(n, 9);
  });

describe("a picture on a canvas", () => {
  it("goes there and back", () => {
    const back = inverse(PLACED);
    if (!back) throw new Error("it has a way back");
    near(joined(PLACED, back), [1, 0, 0, 0, 1, 0]);
    near(joined(back, PLACED), [1, 0, 0, 0, 1, 0]);
    near(
      pointIn(joined(PLACED, [1, 0, 5, 0, 1, 6]), 2, 3),
      pointIn(PLACED, 2, 3).map((n, i) => n + 5 + i),
    );
    expect(inverse([1, 2, 0, 2, 4, 0])).toBeNull();
  });
  it("turns counter-clockwise, as it is seen", () => {
    near(pointIn(turn(90, [10, 10]), 20, 10), [10, 0]);
    near(roomFor(SIZE, 90), [20, 40]);
    expect(turnedBy([10, 10], [20, 10], [10, 0])).toBeCloseTo(90);
    expect(turnedBy([0, 0], [-1, 0.1], [-1, -0.1])).toBeCloseTo(-11.42, 2);
    expect([190, -190, 180, 540, 30].map(wrapped)).toEqual([-170, 170, 180, -180, 30]);
  });
});

describe("what a placement is made of", () => {
  it("is a shear where an axis stays as it is, and a turn of both axes otherwise", () => {
    expect(partsOf([1, -0.2, 0, 0, 1, 0])).toEqual({ across: 1, down: 1, turned: 0, shear: -0.2, along: "x" });
    expect(partsOf([2, 0, 5, 0.5, 3, 0])).toEqual({ across: 2, down: 3, turned: 0, shear: 0.25, along: "y" });
    expect(partsOf([-1, 0, 0, 0, -1, 0]).turned).toBe(180);
    const { across, down, turned, shear } = partsOf(joined([2, 0, 0, 0, 3, 0], turn(30, [0, 0])));
    near([across, down, turned, shear], [2, 3, 30, 0]);
  });
});

describe("a handle", () => {
  it("follows the pointer, and the other side stays", () => {
    for (const [u, v] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ] as const) {
      const now = dragged(PLACED, SIZE, corner(u, v), [3, -2], false);
      const before = pointIn(PLACED, u * SIZE[0], v * SIZE[1]);
      near(pointIn(now, u * SIZE[0], v * SIZE[1]), [before[0] + 3, before[1] - 2]);
      const still = [(1 - u) * SIZE[0], (1 - v) * SIZE[1]] as const;
      near(pointIn(now, ...still), pointIn(PLACED, ...still));
    }
  });
  it("keeps the proportions when asked, and never folds a picture", () => {
    const [a, b, , d, e] = dragged([1, 0, 0, 0, 1, 0], SIZE, corner(1, 1), [20, 0], true);
    near([a, b, d, e], [1.5, 0, 0, 1.5]);
    const folded = dragged([1, 0, 0, 0, 1, 0], SIZE, corner(1, 1), [-90, -90], false);
    near(folded, [0.02, 0, 0, 0, 0.02, 0]);
  });
  it("shears along its edge", () => {
    const plain: Affine = [1, 0, 0, 0, 1, 0];
    near(dragged(plain, SIZE, { does: "shear", at: [0.5, 1] }, [10, 5], false), [1, 0.5, 0, 0, 1, 0]);
    near(dragged(plain, SIZE, { does: "shear", at: [1, 0.5] }, [10, 5], false), [1, 0, 0, 0.125, 1, 0]);
  });
  it("moves it", () => {
    near(dragged(PLACED, SIZE, { does: "move", at: [0.5, 0.5] }, [4, -4], false), [1.5, 0.25, 1, -0.5, 2, 3]);
  });

  it("is on the stage with its canvas, as large as both fit", () => {
    const same: Affine = [1, 0, 0, 0, 1, 0];
    near(stageOf(SIZE, same, SIZE, [200, 132]), [5, 0, 0, 0, 5, 16]);
    // half of it is left of the canvas
    near(stageOf(SIZE, [1, 0, -20, 0, 1, 0], SIZE, [120, 60]), [2, 0, 40, 0, 2, 10]);
    // turned about the middle both keep it
    const turned = stageOf(SIZE, turn(90, [20, 10]), SIZE, [80, 80]);
    near(pointIn(turned, 20, 10), [40, 40]);
    near(pointIn(turned, 20, -10), [40, 0]);
  });
});
