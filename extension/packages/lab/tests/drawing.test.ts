import { describe, expect, it } from "vitest";
import { operators } from "../src/drawing";

describe("the list of a document", () => {
  it("has its operators in order", () => {
    const nodes = [
      { key: "reader", operator: "readers.file" },
      { key: "images", operator: "decoders.image", inputs: [["reader", 0]] },
    ];
    const listed = [
      ["reader", "readers.file"],
      ["images", "decoders.image"],
    ];
    expect(operators(JSON.stringify({ pipeline: { nodes } }))).toEqual(listed);
  });

  it("is empty where there is none", () => {
    for (const text of ["", "{}", "no document", '{"pipeline": {}}']) expect(operators(text)).toEqual([]);
  });
});
