/** The only curve by which D3 moves the canvas: bundlers cannot leave out the others of its module. */
export function easeCubicInOut(t: number): number {
  return t < 0.5 ? 4 * t ** 3 : 1 - 4 * (1 - t) ** 3;
}
