import { describe, expect, it } from "vitest";
import { textInPng } from "../src/core/pngText";
import { muted, soloed } from "../src/core/solo";
import { GRAPH, ref } from "./fixtures";

const after = (change: ReturnType<typeof soloed>) => {
  const [edit] = change?.edits ?? [];
  return { ...GRAPH, outputs: edit?.type === "set_outputs" ? edit.outputs : [] };
};

describe("solo and mute", () => {
  it("return one node alone, then what was returned before", () => {
    const one = soloed(GRAPH, ["decode"], null);
    expect(after(one).outputs).toEqual([ref("decode")]);
    const other = soloed(after(one), ["angle"], one?.aside ?? null);
    expect(after(other).outputs).toEqual([ref("angle")]);
    expect(after(soloed(after(other), ["angle"], other?.aside ?? null)).outputs).toEqual(GRAPH.outputs);
  });

  it("leave out what depends on a node, then bring it back", () => {
    const quiet = muted(GRAPH, ["decode"], null);
    expect(after(quiet).outputs).toEqual([ref("reader", 1)]);
    expect(after(muted(after(quiet), ["decode"], quiet?.aside ?? null)).outputs).toEqual(GRAPH.outputs);
  });

  it("do nothing where nothing would be returned, and forget what other edits have changed", () => {
    expect(muted(GRAPH, ["reader"], null)).toBeNull();
    const quiet = muted(GRAPH, ["decode"], null);
    expect(muted({ ...GRAPH, outputs: [ref("reader", 0)] }, ["decode"], quiet?.aside ?? null)).toBeNull();
  });
});

describe("textInPng", () => {
  it("finds the document among the chunks", () => {
    const text = new TextEncoder().encode("dali-studio\0\0\0\0\0{ü}");
    const chunk = (kind: string, body: Uint8Array) => [
      0,
      0,
      0,
      body.length,
      ...Array.from(kind, (c) => c.charCodeAt(0)),
      ...body,
      0,
      0,
      0,
      0,
    ];
    const head = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
    const file = new Uint8Array([...head, ...chunk("IHDR", new Uint8Array(13)), ...chunk("iTXt", text)]);
    expect(textInPng(file)).toBe("{ü}");
    expect(textInPng(file.subarray(0, 30))).toBeNull();
    expect(textInPng(new Uint8Array([1, 2, 3]))).toBeNull();
  });
});
