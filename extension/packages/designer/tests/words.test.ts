import { isValidElement, type ReactElement } from "react";
import { expect, it } from "vitest";
import { plain } from "../src/core/format";
import { worded } from "../src/react/parts";

const HINT = "`dali-studio catalog` lists what there is.";

it("shows the code in a sentence as code, and no backticks in a tooltip", () => {
  const [, code, rest] = worded(HINT) as [string, ReactElement<{ children: string }>, string];
  expect(isValidElement(code) && [code.type, code.props.children, rest]).toEqual([
    "code",
    "dali-studio catalog",
    " lists what there is.",
  ]);
  expect(plain(HINT)).toBe("dali-studio catalog lists what there is.");
});
