// @ts-expect-error the front end has no types of Node
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
// @ts-expect-error the build's modules have no types
import { innerNames } from "../../../inner.mjs";

const extension = new URL("../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, extension), "utf8");

/** The names of settings that the build takes for fixed, with their values. */
function fixed(): Map<string, string> {
  const [table = ""] = /const VALUES = [\s\S]*?\n\]\);/.exec(read("lean.mjs")) ?? [];
  const rows = [...table.matchAll(/\["([\w ]+)", ([^\]]+)\]/g)];
  return new Map(rows.flatMap(([, names = "", value = ""]) => names.split(" ").map((name) => [name, value])));
}

/** The settings of a component that stand in a module, with their values. */
function given(path: string, component: string): Map<string, string> {
  const [tag = ""] = new RegExp(`<${component}\\n[\\s\\S]*?\\n +/?>`).exec(read(path)) ?? [];
  return new Map(
    [...tag.matchAll(/^ +(\w+)(?:=\{?(.*?)\}?)?$/gm)].map(([, name = "", value]) => [name, value ?? "true"]),
  );
}

describe("what the build leaves out of React Flow", () => {
  it("are no settings that are given otherwise", () => {
    const values = fixed();
    const settings = [
      ...given("packages/designer/src/react/canvas/Canvas.tsx", "ReactFlow"),
      ...given("packages/designer/src/react/canvas/Overview.tsx", "MiniMap"),
    ];
    const both = settings.filter(([name]) => values.has(name));
    expect(both.map(([name]) => name)).toContain("disableKeyboardA11y");
    expect(both.map(([name]) => name)).toContain("pannable");
    for (const [name, value] of both) expect(`${name}: ${value}`).toBe(`${name}: ${values.get(name)}`);
  });
});

describe("names that are short in the widget", () => {
  it("are those that React Flow alone has for something", async () => {
    const path = (file: string): string => new URL(file, extension).pathname;
    const program = 'a.nodeLookup; a["panZoom"]; b("[data-flowId]")';
    const files = ["node_modules/@xyflow/system/dist/esm/index.js", "packages/designer/src/core/state.ts"].map(path);
    const names: string[] = await innerNames(program, files);
    expect(names).toContain("nodeLookup");
    const others = ["panZoom", "flowId", "strokeWidth", "selection", "error001"];
    expect(names.filter((name) => others.includes(name))).toEqual([]);
  });
});
