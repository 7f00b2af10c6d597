/** Where a picture lies in another one: x' = a x + b y + c and y' = d x + e y + f. */
export type Affine = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
type Size = readonly [width: number, height: number];

/** What is taken hold of: its kind, and where it is on the picture, from 0 to 1. */
export interface Handle {
  readonly does: "move" | "size" | "shear" | "turn";
  readonly at: readonly [number, number];
}

/** `first`, then `second`. */
export function joined([a, b, c, d, e, f]: Affine, second: Affine): Affine {
  const [g, h, i, j, k, l] = second;
  return [g * a + h * d, g * b + h * e, g * c + h * f + i, j * a + k * d, j * b + k * e, j * c + k * f + l];
}

export function pointIn([a, b, c, d, e, f]: Affine, x: number, y: number): readonly [number, number] {
  return [a * x + b * y + c, d * x + e * y + f];
}

/** The way back; null if there is none. */
export function inverse([a, b, c, d, e, f]: Affine): Affine | null {
  const det = a * e - b * d;
  return Math.abs(det) < 1e-9
    ? null
    : [e / det, -b / det, (b * f - c * e) / det, -d / det, a / det, (c * d - a * f) / det];
}

/** What leaves the point (x, y) where it is. */
function about(x: number, y: number, a: number, b: number, d: number, e: number): Affine {
  return [a, b, x - a * x - b * y, d, e, y - d * x - e * y];
}

/** Counter-clockwise about a point, as it is seen. */
export function turn(degrees: number, [x, y]: readonly [number, number]): Affine {
  const cos = Math.cos((degrees * Math.PI) / 180);
  const sin = Math.sin((degrees * Math.PI) / 180);
  return about(x, y, cos, sin, -sin, cos);
}

/** The canvas on which a turned picture has room. */
export function roomFor([width, height]: Size, degrees: number): Size {
  const [cos, sin] = turn(degrees, [0, 0]).map(Math.abs) as [number, number];
  return [width * cos + height * sin, width * sin + height * cos];
}

/** How what has both a canvas and the picture placed on it lies in the middle of a room: as large as fits. */
export function stageOf(canvas: Size, placed: Affine, [width, height]: Size, room: Size): Affine {
  const corners = [
    [0, 0],
    canvas,
    ...[0, width].flatMap((x) => [0, height].map((y) => pointIn(placed, x, y))),
  ] as const;
  const along = [0, 1].map((i) => corners.map((corner) => corner[i] ?? 0));
  const [x, y] = along.map((all) => (Math.min(...all) + Math.max(...all)) / 2) as [number, number];
  const [w, h] = along.map((all) => Math.max(...all) - Math.min(...all)) as [number, number];
  const scale = Math.min(room[0] / w, room[1] / h);
  return [scale, 0, room[0] / 2 - scale * x, 0, scale, room[1] / 2 - scale * y];
}

/** A picture whose handle was dragged by (dx, dy); `even`: it keeps its proportions. */
export function dragged(
  placed: Affine,
  [width, height]: Size,
  { does, at: [u, v] }: Handle,
  [dx, dy]: readonly [number, number],
  even: boolean,
): Affine {
  const back = inverse(placed);
  if (does === "move" || !back) return joined(placed, [1, 0, dx, 0, 1, dy]);
  const [x, y] = pointIn([back[0], back[1], 0, back[3], back[4], 0], dx, dy);
  const across = (2 * u - 1) * width;
  const down = (2 * v - 1) * height;
  const still = [(1 - u) * width, (1 - v) * height] as const;
  if (does === "shear")
    return joined(across ? about(...still, 1, 0, y / across, 1) : about(...still, 1, x / down, 0, 1), placed);
  const [wider, taller] = [Math.max(0.02, 1 + x / across), Math.max(0.02, 1 + y / down)];
  const both = Math.max(wider, taller);
  return joined(about(...still, even ? both : wider, 0, 0, even ? both : taller), placed);
}

/** What makes up a placement: scales of both axes, degrees, and a shear along one of them. */
export function partsOf([a, b, , d, e]: Affine) {
  // what leaves an axis as it is does not turn the picture
  if (Math.abs(b * d) < 1e-9) {
    const along = Math.abs(b) > Math.abs(d) ? "x" : "y";
    const [across, down] = [Math.abs(a), Math.abs(e)];
    return { across, down, turned: a < 0 && e < 0 ? 180 : 0, shear: along === "x" ? b / e : d / a, along };
  }
  const down = Math.hypot(b, e);
  const area = a * e - b * d;
  const turned = turnedBy([0, 0], [0, -1], [-b, -e]);
  return { across: Math.abs(area) / down, down, turned, shear: (a * b + d * e) / area, along: "y" };
}

/** By how many degrees a point has gone about another one, counter-clockwise, from -180 to 180. */
export function turnedBy(
  [x, y]: readonly [number, number],
  from: readonly [number, number],
  to: readonly [number, number],
): number {
  const angle = ([px, py]: readonly [number, number]) => Math.atan2(y - py, px - x);
  return wrapped(((angle(to) - angle(from)) * 180) / Math.PI);
}

/** The same angle, from -180 to 180. */
export function wrapped(degrees: number): number {
  return Math.abs(degrees) <= 180 ? degrees : degrees - 360 * Math.round(degrees / 360);
}
