import { describe, expect, it } from "vitest";
import { Saved } from "../src/saved";

const text = (angle: number, positions: Record<string, readonly number[]>, view: object = {}) =>
  JSON.stringify({ pipeline: { nodes: [{ key: "rotate", angle }] }, view: { positions, ...view } });

describe("what is in a file", () => {
  it("is told from edits", () => {
    const saved = new Saved("file", text(10, { rotate: [0, 0] }));
    expect(saved.equals(text(10, { rotate: [0, 0] }))).toBe(true);
    expect(saved.equals(text(20, { rotate: [0, 0] }))).toBe(false);
    expect(saved.equals(text(10, { rotate: [5, 0] }))).toBe(false);
    expect(saved.equals(text(10, { rotate: [0, 0] }, { marks: { note: 1 } }))).toBe(false);
    expect(saved.equals(text(10, { rotate: [0, 0] }, { program: "# a comment" }))).toBe(false);
    // the code of a node is not in its pipeline
    expect(saved.equals(text(10, { rotate: [0, 0] }, { functions: { code: { source: "def f(): ..." } } }))).toBe(false);
    expect(saved.equals(text(10, { rotate: [0, 0] }))).toBe(true);
  });
  it("is the same where only the first layout gave places", () => {
    const saved = new Saved("file", text(10, {}));
    expect(saved.equals(text(20, { rotate: [3, 4] }))).toBe(false);
    expect(saved.equals(text(10, { rotate: [3, 4] }))).toBe(true);
    expect(saved.equals(text(10, { rotate: [9, 4] }))).toBe(false);
    const other = new Saved("file", text(10, {}));
    expect(other.placed).toBe(false);
    expect(other.equals(text(10, { rotate: [3, 4] }, { program: "# a comment" }))).toBe(false);
    expect(other.placed).toBe(true);
    expect(other.equals(text(10, { rotate: [3, 4] }))).toBe(true);
  });
  it("is rearranged by notes, comments, and cards that have a place", () => {
    const saved = new Saved("file", text(10, { rotate: [0, 0] }));
    expect(saved.rearranged(text(10, { rotate: [0, 0], reader: [5, 5] }))).toBe(false);
    expect(saved.rearranged(text(10, { rotate: [0, 9] }))).toBe(true);
    expect(saved.rearranged(text(10, { rotate: [0, 0] }, { marks: { note: 1 } }))).toBe(true);
    expect(saved.rearranged(text(10, { rotate: [0, 0] }, { program: "# a comment" }))).toBe(true);
    expect(saved.rearranged(text(10, { rotate: [0, 0] }, { pins: { rotate: {} } }))).toBe(true);
    expect(saved.rearranged(text(10, { rotate: [0, 0] }, { functions: { code: {} } }))).toBe(true);
  });
  it("is left when a card without a place was moved first", () => {
    expect(new Saved("file", text(10, {})).equals(text(10, { rotate: [3, 4] }))).toBe(false);
  });
});
