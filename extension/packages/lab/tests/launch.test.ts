import { describe, expect, it } from "vitest";

const read = async (path: string) => (await import(path)).default;

describe("the launcher", () => {
  it("says how many operators its recipes have", async () => {
    const source: string = await read("../src/launch.ts?raw");
    const cards = [...source.matchAll(/\["(\w+)", words.__\(".+"\), \w+, (\d+)\]/g)];
    expect(cards).toHaveLength(3);
    for (const [, name, count] of cards) {
      const { pipeline } = await read(`../../../../gallery/${name}/pipeline.dali.json`);
      expect(pipeline.nodes, name).toHaveLength(Number(count));
    }
  });
});
