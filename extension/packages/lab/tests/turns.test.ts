import { describe, expect, it } from "vitest";
import { inTurn } from "../src/turns";

describe("saves", () => {
  it("wait for each other, and for one that fails", async () => {
    const told: string[] = [];
    const ends: ((failed: boolean) => void)[] = [];
    const save = inTurn(() => {
      told.push("begins");
      return new Promise<void>((resolve, reject) => {
        ends.push((failed) => {
          told.push("ends");
          if (failed) reject(new Error("no disk"));
          else resolve();
        });
      });
    });
    const settled = () => new Promise((resolve) => setTimeout(resolve));
    const first = save();
    const second = save();
    await settled();
    expect(told).toEqual(["begins"]);
    ends[0]?.(true);
    await expect(first).rejects.toThrow("no disk");
    await settled();
    expect(told).toEqual(["begins", "ends", "begins"]);
    ends[1]?.(false);
    await second;
  });
});
