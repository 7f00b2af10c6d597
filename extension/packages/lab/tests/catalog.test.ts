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
    expect(found.some(({ context, text }) => context === "schema" && text === "Language of the code")).toBe(true);
  });

  it("gives the words of commands", () => {
    const catalog: Record<string, string> = { "Lay Out": "Anordnen" };
    const { layout, fit } = actions({ __: (text) => catalog[text] ?? text });
    expect([layout, fit]).toEqual(["Anordnen", "Show Everything"]);
  });
});
