import { describe, expect, it } from "vitest";
import { actions } from "../src/actions";

// plain JavaScript, without types
const { texts } = (await import("../../../catalog.mjs" as string)) as {
  texts(): Promise<{ context: string; text: string; places: string[] }[]>;
};

describe("the catalog", () => {
  it("has what the extension says and the titles of its settings", async () => {
    const found = await texts();
    const plain = found.filter(({ context }) => context === "").map(({ text }) => text);
    expect(plain).toEqual(expect.arrayContaining([...Object.values(actions({ __: (text) => text })), "DALI gallery"]));
    const contextOf = (text: string) => found.filter((one) => one.text === text).map(({ context }) => context);
    expect(contextOf("Language of the code")).toEqual(["settings"]);
    expect(contextOf("DALI Studio Toolbar")).toEqual(["schema"]);
    expect(contextOf("DALI Studio").sort()).toEqual(["", "schema", "settings"]);
  });

  it("gives the words of commands", () => {
    const catalog: Record<string, string> = { "Lay Out": "Anordnen" };
    const { layout, fit } = actions({ __: (text) => catalog[text] ?? text });
    expect([layout, fit]).toEqual(["Anordnen", "Show Everything"]);
  });
});
