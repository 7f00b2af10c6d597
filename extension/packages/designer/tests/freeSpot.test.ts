import { describe, expect, it } from "vitest";
import { freeSpot } from "../src/core/freeSpot";
import { titleOf } from "../src/core/problems";
import { boxesAlong } from "../src/core/route";

const FRAME = { x: 0, y: 0, width: 1000, height: 600 };
const POPUP = { width: 300, height: 190 };
const card = (x: number, y: number) => ({ x, y, width: 148, height: 171 });

describe("freeSpot", () => {
  it("stands below its card where nothing is", () => {
    expect(freeSpot(POPUP, card(20, 14), [], FRAME)).toEqual({ x: 20, y: 193 });
  });

  it("covers no card while there is room elsewhere", () => {
    const others = [card(204, 14), card(388, 14), card(20, 218), card(204, 218)];
    const spot = freeSpot(POPUP, card(20, 14), others, FRAME);
    const hit = others.filter(
      (c) => spot && spot.x < c.x + 148 && spot.x + 300 > c.x && spot.y < c.y + 171 && spot.y + 190 > c.y,
    );
    expect(spot).not.toBeNull();
    expect(hit).toEqual([]);
  });

  it("is farther away where the nearest spots cover more than is allowed", () => {
    const others = [0, 180, 360, 540].map((x) => card(x, 180));
    const free = freeSpot(POPUP, card(0, 0), [...others, card(160, 0)], FRAME, { most: 0 }) ?? { x: 0, y: 0 };
    expect(free.x >= 160 + 148 || free.y >= 351).toBe(true);
  });

  it("covers no wire while there is room elsewhere", () => {
    const wires = boxesAlong("M0 260L300 260Q320 260 320 280L320 600");
    expect(wires).toHaveLength(3);
    // the line from a card to what is said about it
    expect(boxesAlong("M94 185V194H300V240").map(({ width, height }) => width > height)).toEqual([false, true, false]);
    const { x, y } = freeSpot(POPUP, card(20, 14), [], FRAME, { wires }) ?? { x: 0, y: 0 };
    expect(wires.some((w) => x < w.x + w.width && x + 300 > w.x && y < w.y + w.height && y + 190 > w.y)).toBe(false);
  });

  it("stays inside of the frame, and is nowhere if that is too small", () => {
    const spot = freeSpot(POPUP, card(900, 500), [], FRAME);
    expect(spot && spot.x + 300 <= 1000 && spot.y + 190 <= 600).toBe(true);
    expect(freeSpot(POPUP, card(0, 0), [], { ...FRAME, height: 180 })).toBeNull();
    const around = [0, 180, 360, 540, 720].flatMap((x) => [0, 180, 360].map((y) => card(x, y)));
    expect(freeSpot(POPUP, card(0, 0), around, { ...FRAME, width: 1300 })?.x).toBeGreaterThan(800);
    expect(freeSpot(POPUP, card(0, 0), around, { ...FRAME, width: 1300 }, { most: 3000, far: 120 })).toBeNull();
  });
});

describe("titleOf", () => {
  it("says in plain words what is wrong with a sample", () => {
    const found = (message: string) => titleOf({ code: "DS301", message });
    expect(found("The JPEG file ends after 3.0 kB without its end marker")).toBe("This JPEG file ends early");
    expect(found("Not a supported image: it begins with 89 50")).toBe("This file is not an image");
    expect(found("The image has no bytes; the file is empty.")).toBe("This file is empty");
    expect(found("something else")).toBe("This sample could not be made");
    const wired = { code: "DS105", argument: "angle", message: "The wired value has shape (8, 8, 3); angle takes" };
    expect(titleOf(wired)).toBe("The wire to angle does not fit");
    const window = { code: "DS105", argument: "crop_w", message: "the window of 9×9 does not fit into the image of 9×8." };
    expect(titleOf(window)).toBe("The window does not fit");
    expect(titleOf({ code: "DS204", message: "" })).toBe("The wires run in a circle");
  });
});
