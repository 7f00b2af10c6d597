import { expect, it } from "vitest";
import { playable } from "../src/core/sound";

it("takes the channels apart", () => {
  const data = new Int16Array([16384, -32768, 0, 8192]).buffer;
  expect(playable(data, 2).map((c) => [...c])).toEqual([
    [0.5, 0],
    [-1, 0.25],
  ]);
  expect(playable(new DataView(data, 2), 1)[0]?.length).toBe(3);
  expect(playable(undefined, 1)).toEqual([]);
});
