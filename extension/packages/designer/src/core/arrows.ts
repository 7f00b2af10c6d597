/** Which way arrow keys lead: right and down. */
export const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** 1 for keys that make a number larger, -1 for those that make it smaller, else 0. */
export function signOf(key: string): number {
  const [right, down] = ARROWS[key] ?? [0, 0];
  return right - down;
}
