// @ts-expect-error: types of Node are not installed
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PORT_LOOKS } from "../src/core/ports";

const HUES = [...new Set(Object.values(PORT_LOOKS).map((look) => look.hue)), "purple", "magenta"];
const TOKENS: string = readFileSync(new URL("../src/styles/tokens.css", import.meta.url), "utf8");
type Colour = readonly [number, number, number];

/** The colours that each theme gives a hue. */
const given = (hue: string) =>
  [...TOKENS.matchAll(new RegExp(`--ds-${hue}: #(\\w{6});`, "g"))].map((found) => found[1] ?? "");

/** What eyes without one kind of cones see of linear colours (Machado, Oliveira and Fernandes, 2009, severity 1). */
const SIGHTS: Readonly<Record<string, readonly Colour[]>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
const times = (rows: readonly Colour[], [a, b, c]: Colour) =>
  rows.map(([x, y, z]) => x * a + y * b + z * c) as unknown as Colour;

/** CIE L*a*b* of a colour as somebody sees it. */
function lab(hex: string, sight: readonly Colour[]): Colour {
  const linear = [0, 2, 4].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Colour;
  const seen = times(sight, linear).map((part) => Math.min(1, Math.max(0, part))) as unknown as Colour;
  const xyz = times(
    [
      [0.4124, 0.3576, 0.1805],
      [0.2126, 0.7152, 0.0722],
      [0.0193, 0.1192, 0.9505],
    ],
    seen,
  );
  const [x, y, z] = [xyz[0] / 0.9505, xyz[1], xyz[2] / 1.089].map((t) =>
    t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116,
  ) as unknown as Colour;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

describe("ports", () => {
  it("are told apart without colour: each kind has a letter of its own, and those of one colour have other shapes", () => {
    const looks = Object.values(PORT_LOOKS);
    expect(new Set(looks.map((look) => look.letter)).size).toBe(looks.length);
    const drawn = looks.map(({ hue, shape, dashed }) => `${hue} ${shape} ${dashed}`);
    expect(new Set(drawn).size).toBe(looks.length);
  });
  it("have colours that differ to any eyes, in light and in dark", () => {
    for (const theme of [0, 1])
      for (const [name, sight] of Object.entries(SIGHTS)) {
        const seen = HUES.map((hue) => [hue, lab(given(hue)[theme] ?? "", sight)] as const);
        for (const [hue, one] of seen)
          for (const [other, two] of seen)
            if (hue < other) {
              const apart = Math.hypot(one[0] - two[0], one[1] - two[1], one[2] - two[2]);
              expect(apart, `${hue} and ${other}, ${name}, theme ${theme}`).toBeGreaterThan(15);
            }
      }
  });
});
