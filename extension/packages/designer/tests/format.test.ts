import { describe, expect, it } from "vitest";
import * as format from "../src/core/format";

describe("time", () => {
  it.each([
    [0.0004, "< 1 µs"],
    [0.011, "11 µs"],
    [0.42, "0.42 ms"],
    [18.42, "18.4 ms"],
    [184.2, "184 ms"],
    [1240, "1.24 s"],
    [null, "–"],
    [Number.NaN, "–"],
  ])("%s ms is %s", (milliseconds, text) => expect(format.time(milliseconds)).toBe(text));
});

describe("bytes", () => {
  it.each([
    [999, "999 B"],
    [38_500_000, "38.5 MB"],
    [5.5340232e19, "55.3 EB"],
    [2e12, "2.0 TB"],
    [1e22, "10000.0 EB"],
  ])("%s is %s", (count, text) => expect(format.bytes(count)).toBe(text));
});

describe("numbers", () => {
  it("groups thousands with thin spaces and keeps three figures", () => {
    expect(format.throughput(2863.2)).toBe("2\u2009860");
    expect(format.throughput(42.318)).toBe("42.3");
    expect(format.throughput(0)).toBe("–");
  });
  it("has a true minus and no binary noise", () => {
    expect(format.number(-0.1 - 0.2)).toBe("\u22120.3");
    expect(format.value(17.34567, "deg")).toBe("17.35°");
    expect(format.value(256, "px")).toBe("256 px");
    expect(format.value([1, 2.5])).toBe("1, 2.5");
    expect(format.number(1234567)).toBe("1234567");
  });
  it("says what is drawn with one precision", () => {
    expect([9.3047, -0.6471, 0.02, -13.55].map((v) => format.drawn(v, "deg"))).toEqual([
      "9.3°",
      "−0.6°",
      "0°",
      "−13.6°",
    ]);
    expect(format.drawn(0.123456)).toBe("0.123");
    expect(format.drawn(113.26, "px")).toBe("113 px");
  });
  it("says what several samples draw with as many decimals", () => {
    expect(format.drawnAlike([9.3047, 0.02, undefined, 28], "deg")).toEqual(["9.3°", "0.0°", "", "28.0°"]);
    expect(format.drawnAlike([0.5, -0.123456, 2])).toEqual(["0.500", "−0.123", "2.000"]);
    expect(format.drawnAlike([90, 180], "deg")).toEqual(["90°", "180°"]);
    expect(format.drawnAlike([0.00012, 0.5])).toEqual(["1.2e-4", "0.5"]);
  });
  it("says sizes beside each other with as many decimals", () => {
    expect(format.alike([35, 79.82, 0, 0.004])).toEqual(["35.0", "79.8", "0", "0.004"]);
    expect(format.alike([203, 35.2])).toEqual(["203", "35"]);
    expect(format.alike([0.8, 0.0123])).toEqual(["0.800", "0.012"]);
    expect(format.alike([2.266e-6, 0])).toEqual(["2.3e-6", "0"]);
  });
  it("reads what people type", () => {
    expect(format.parseNumber("1,5")).toBe(1.5);
    expect(format.parseNumber("\u22123")).toBe(-3);
    expect(format.parseNumber(" 2\u2009860 ")).toBe(2860);
    expect(format.parseNumber("abc")).toBeNull();
    expect(format.parseNumber("")).toBeNull();
  });
  it("has five heat steps", () => {
    expect([0, 0.049, 0.05, 0.15, 0.35, 0.65, 0.66].map(format.heatStep)).toEqual([1, 1, 2, 3, 4, 4, 5]);
  });
  it("begins sentences with a large letter, but leaves names of files alone", () => {
    expect(format.sentence("rotate needs an angle.")).toBe("Rotate needs an angle.");
    expect(format.sentence("dog-14.jpg ends early.")).toBe("dog-14.jpg ends early.");
    expect(format.sentence("/nowhere is no folder.")).toBe("/nowhere is no folder.");
  });
  it("cuts long names as cards do, and writes extents with their sign", () => {
    expect(format.name("brightness_contrast")).toBe("brightness_contrast");
    expect(format.name("photos_turned_by_a_very_small_angle")).toBe("photos_turn…_small_angle");
    expect(["brightness_contrast_12", "brightness_contrast", "uniform_4"].map((text) => format.cut(text, 7))).toEqual([
      "bri…t_12",
      "bri…rast",
      "unif…m_4",
    ]);
    expect(["brightness_2", "brightness_contrast_2"].map((text) => format.cut(text, 8))).toEqual([
      "brigh…s_2",
      "brigh…t_2",
    ]);
    expect(format.cut("uniform_4", 2)).toBe("u…4");
    expect(format.cut("window", 3)).toBe("win…");
    expect(format.cut("uniform_4", 9)).toBe("uniform_4");
    expect(format.message("part of its 451x300 pixels is missing: 0x5f")).toBe(
      "part of its 451×300 pixels is missing: 0x5f",
    );
  });
  it("leaves out what most names share where a name has no room", () => {
    const names = ["resize", "blur", "twist"].flatMap((what) => [1, 2, 3].map((n) => `view${n}_${what}`));
    const start = format.shared([...names, "reader"], /^[a-z]+(?=[\d_])/i);
    expect(start).toBe("view");
    expect(format.shared(["rotate", "rotate_2"], /^[a-z]+(?=[\d_])/i)).toBe("");
    expect(format.cut("view3_resize", 11, start)).toBe("…3_resize");
    expect(format.cut("view3_resize", 7, start)).toBe("…3…resize");
    expect(format.cut("view13_normalize", 5, start)).toBe("…13…ize");
    expect(format.cut("subscript_17", 3, "subscript")).toBe("…17");
    expect(format.cut("view3_resize", 12, start)).toBe("view3_resize");
    expect(format.cut("view3_resize", 8, "", "_resize")).toBe("view3…");
    expect(format.cut("view13_resize", 5, start, "_resize")).toBe("…13…");
    expect(format.cut("s0_view12_hue2", 5, "", "_hue2")).toBe("s0_…12…");
    expect(format.cut("reader", 4, start)).toBe("re…er");
    expect(format.cutTo("s0_view1_hue2", 6, "", "_hue2")).toBe("s0_…1…");
    expect(format.cutTo("labels", 6, "", "_hue2")).toBe("labels");
  });
  it("never shows a false zero", () => {
    expect(format.percent(0.004)).toBe("< 1 %");
    expect(format.plural(1, "sample")).toBe("1 sample");
    expect(format.plural(2, "batch", "batches")).toBe("2 batches");
  });
  it("shortens numbers to three figures", () => {
    expect([0, 0.12345, -3.6721, 2.266e-6, 123456].map(format.short)).toEqual([
      "0",
      "0.123",
      "−3.67",
      "2.3e-6",
      "1.2e5",
    ]);
  });
});

describe("value", () => {
  it("is short where it has many digits, so that its name stands beside it", () => {
    expect(format.value([-123456789012, 123456789012])).toBe("−1.2e11, 1.2e11");
    expect(format.value(123456789)).toBe("123456789");
  });
});
