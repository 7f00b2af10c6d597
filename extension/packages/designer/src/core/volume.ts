import type { VolumeBody } from "../protocol/generated";

/** Z, y and x: numbers along D, H and W. */
export type Voxel = readonly [number, number, number];

/** The number of a voxel, D being the slowest axis and W the fastest. */
export function numberOf([z, y, x]: Voxel, [depth, height, width]: Voxel): number {
  const at = (index: number, count: number) => Math.max(0, Math.min(count - 1, index));
  return (at(z, depth) * height + at(y, height)) * width + at(x, width);
}

export function voxelOf(number: number, [, height, width]: Voxel): Voxel {
  return [Math.floor(number / (height * width)), Math.floor(number / width) % height, number % width];
}

/** How the picture of a volume is divided: parts of its width and height that the first plane takes. */
function parts([, height, width]: Voxel, depth: number) {
  return { across: width / (width + depth), down: height / (height + depth) };
}

/** The voxel that is meant by a place in the picture, in parts of it; `now` says what the place does not. */
export function pointed(now: Voxel, extents: Voxel, depth: number, fx: number, fy: number): Voxel {
  const { across, down } = parts(extents, depth);
  const index = (part: number, count: number) => Math.max(0, Math.min(count - 1, Math.floor(part * count)));
  const [left, above] = [fx < across, fy < down];
  if (!left && !above) return now;
  const z = left ? index((fy - down) / (1 - down), extents[0]) : index((fx - across) / (1 - across), extents[0]);
  return [
    left && above ? now[0] : z,
    above ? index(fy / down, extents[1]) : now[1],
    left ? index(fx / across, extents[2]) : now[2],
  ];
}

/** Where the lines of a voxel stand, in parts of the picture. */
export function linesOf([z, y, x]: Voxel, extents: Voxel, depth: number) {
  const { across, down } = parts(extents, depth);
  const middle = (index: number, count: number) => (index + 0.5) / count;
  const deep = middle(z, extents[0]);
  return {
    across,
    down,
    x: middle(x, extents[2]) * across,
    y: middle(y, extents[1]) * down,
    coronal: down + deep * (1 - down),
    sagittal: across + deep * (1 - across),
  };
}

/** Which of some places along an axis is the nearest to one. */
export function nearest(places: readonly number[], place: number): number {
  const far = places.map((one) => Math.abs(one - place));
  return far.indexOf(Math.min(...far));
}

/** Which of the slices of a card along an axis is that in the middle. */
export function middleOf({ shown, extents }: VolumeBody, axis: 0 | 1 | 2): number {
  return nearest(shown[axis], Math.floor(extents[axis] / 2));
}
