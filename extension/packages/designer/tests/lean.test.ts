// @ts-expect-error the front end has no types of Node
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

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
