import { describe, expect, it } from "vitest";
import { linesOf, numberOf, pointed, type Voxel, voxelOf } from "../src/core/volume";

const EXTENTS: Voxel = [12, 30, 40];
const DEPTH = 20;

describe("volumes", () => {
  it("number their voxels", () => {
    for (const voxel of [
      [0, 0, 0],
      [11, 29, 39],
      [3, 7, 31],
    ] as const)
      expect(voxelOf(numberOf(voxel, EXTENTS), EXTENTS)).toEqual(voxel);
    expect(voxelOf(numberOf([99, -1, 40], EXTENTS), EXTENTS)).toEqual([11, 0, 39]);
  });

  it("find the voxel of their lines again, on each plane", () => {
    const [voxel, now]: Voxel[] = [
      [3, 7, 31],
      [5, 5, 5],
    ];
    if (!voxel || !now) throw new Error("both are given");
    const at = linesOf(voxel, EXTENTS, DEPTH);
    expect(pointed(now, EXTENTS, DEPTH, at.x, at.y)).toEqual([5, 7, 31]);
    expect(pointed(now, EXTENTS, DEPTH, at.x, at.coronal)).toEqual([3, 5, 31]);
    expect(pointed(now, EXTENTS, DEPTH, at.sagittal, at.y)).toEqual([3, 7, 5]);
    expect(pointed(now, EXTENTS, DEPTH, 0.99, 0.99)).toEqual(now);
  });
});
