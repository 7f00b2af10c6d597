import { describe, expect, it } from "vitest";
import { commandOf } from "../../designer/src/react/commands";
import schema from "../schema/documents.json";
import { actions, Keys, keyName } from "../src/actions";

const words = { __: (text: string) => text };
const bindings = schema["jupyter.lab.shortcuts"].map(({ command, keys }) => ({
  command,
  keys: keys.map((key) => key.replace("Accel", "Ctrl")),
}));

describe("commands of JupyterLab", () => {
  it("are those of the designer", () => {
    expect(Object.keys(actions(words)).filter((action) => !commandOf(action))).toEqual([]);
  });
  it("have the designer's keys, unless the settings say otherwise", () => {
    const keys = new Keys(bindings, words);
    for (const action of Object.keys(actions(words)).filter((a) => keys.binds(a)))
      for (const key of commandOf(action)?.keys ?? []) expect([key, keys.commandFor(key)]).toEqual([key, action]);
  });
  it("lose keys that the settings take away", () => {
    const keys = new Keys([{ command: "dali-studio:layout", keys: ["Ctrl K"] }], words);
    expect(keys.commandFor("Ctrl+K")).toBe("layout");
    expect(keys.commandFor("L")).toBeUndefined();
    expect(keys.binds("layout")).toBe(true);
    expect(keys.binds("help")).toBe(false);
  });
  it("take keystrokes as JupyterLab writes them", () => {
    expect(["Ctrl Shift Z", "Cmd Z", "Shift ArrowLeft", "L", "Delete", "Alt B"].map(keyName)).toEqual([
      "Ctrl+Shift+Z",
      "Ctrl+Z",
      "Shift+ArrowLeft",
      "L",
      "Del",
      "",
    ]);
  });
});
