import { describe, expect, it, vi } from "vitest";
import type { Operator } from "../src/core/catalog";
import { search, subsequence } from "../src/core/fuzzy";
import { nearHits } from "../src/react/QuickAddBox";
import { INDEX } from "./fixtures";

// what cuts names measures them as soon as it is loaded
vi.hoisted(() => {
  vi.stubGlobal("document", { createElement: () => ({ getContext: () => null }) });
  vi.stubGlobal("ResizeObserver", class {});
});

const names = (query: string) => search(INDEX.operators, query).map((h) => h.operator.name);

describe("search", () => {
  it("puts names before keywords", () => expect(names("rot").slice(0, 2)).toEqual(["rotate", "warp_affine"]));
  it("puts an exact name first, whatever is usual", () => {
    const [rotate] = INDEX.operators.filter((o) => o.name === "rotate");
    if (!rotate) throw new Error("the fixture has no rotate");
    const long = { ...rotate, name: "rotate_and_more" };
    const hits = search([long, rotate], "rotate", (o) => (o === long ? 90 : 0));
    expect(hits.map((h) => h.operator.name)).toEqual(["rotate", "rotate_and_more"]);
  });
  it("puts experimental ones behind what is found as well", () => {
    const [rotate] = INDEX.operators.filter((o) => o.name === "rotate");
    if (!rotate) throw new Error("the fixture has no rotate");
    const named = (name: string) => ({ ...rotate, name });
    const hits = search([named("experimental.median_blur"), named("gaussian_blur")], "blur");
    expect(hits.map((h) => h.operator.name)).toEqual(["gaussian_blur", "experimental.median_blur"]);
    const begun = search([named("noise.gaussian"), named("gaussian_blur")], "gauss");
    expect(begun.map((h) => h.operator.name)).toEqual(["gaussian_blur", "noise.gaussian"]);
  });
  it("offers no private ones", () => {
    const inner = INDEX.operators.map((o) => ({ ...o, name: `_conditional.${o.name}` }));
    expect(search(inner, "")).toEqual([]);
  });
  it("puts a keyword before letters within a name, and behind a word of one", () => {
    const made = (name: string, keywords: string[]) => ({ name, category: "", summary: "", keywords, hidden: false });
    const all = [made("decoders.image", []), made("python_function", ["user", "code"]), made("code_book", [])];
    expect(search(all, "code").map((h) => h.operator.name)).toEqual(["code_book", "python_function", "decoders.image"]);
  });
  it("takes names of other libraries with blanks", () => {
    const crop = { name: "torchvision.RandomCrop", category: "geometry", summary: "", keywords: [], hidden: false };
    const boxes = { ...crop, name: "random_bbox_crop", category: "detection" };
    expect(search([boxes, crop], "random crop").map((h) => h.operator.name)).toEqual([crop.name, boxes.name]);
  });
  it("finds words of other libraries", () => expect(names("random rotation")).toContain("rotate"));
  it("finds by category and by summary", () => {
    expect(names("decoders")).toEqual(["decoders.image"]);
    expect(names("does warp")).toEqual(["warp_affine"]);
  });
  it("marks the letters that were found", () => {
    expect(search(INDEX.operators, "image")[0]?.marks).toEqual([9, 10, 11, 12, 13]);
  });
  it("shows all but hidden operators without a query", () => expect(names("")).toHaveLength(8));
  it("finds hidden ones by their exact name only", () => {
    expect(names("old")).toContain("old");
    expect(names("ol")).not.toContain("old");
  });
  it("finds words in any order, with blanks for the marks of a name", () => {
    expect(names("warp affine")).toEqual(["warp_affine"]);
    expect(names("flip coin")).toEqual(["random.coin_flip"]);
  });
  it("forgives a slip in each word", () => {
    for (const slip of ["rotaet", "rotte", "rotaate", "ritate"]) expect(names(slip)).toEqual(["rotate"]);
    expect(names("file raeder")).toEqual(["readers.file"]);
    expect(names("decodres imaeg")).toEqual(["decoders.image"]);
    expect(names("old2")).toEqual([]);
  });
  it("takes names as a program writes them", () => expect(names("fn.rotate")[0]).toBe("rotate"));
  it("finds nothing for nonsense", () => expect(names("xyzzy")).toEqual([]));
  it("lets a preference decide between equals", () => {
    const first = search(INDEX.operators, "", (o) => (o.name === "rotate" ? 5 : 0))[0];
    expect(first?.operator.name).toBe("rotate");
  });
});

describe("subsequence", () => {
  it("accepts letters with few gaps", () =>
    expect(subsequence("wrpaff", "warp_affine")?.marks).toEqual([0, 2, 3, 5, 6, 7]));
  it("refuses scattered letters", () => expect(subsequence("dmg", "decoders.image")).toBeNull());
});

describe("words that nothing has", () => {
  it("offer a code node, of whose name no letter is marked, and what begins like them", () => {
    const [rotate] = search(INDEX.operators, "rotate").map((hit) => hit.operator);
    const code = { ...rotate, name: "python_function" } as Operator;
    const [own, near] = nearHits([...INDEX.operators, code], "rotatzz");
    expect([own?.operator.name, own?.marks, own?.why]).toEqual(["python_function", [], "python_function"]);
    expect(near?.operator.name).toBe("rotate");
  });
});
