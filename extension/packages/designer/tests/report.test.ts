import { expect, test } from "vitest";
import { reportText } from "../src/react/problems/Problem";

test("a report counts samples as cards do, from 1", () => {
  expect(reportText({ code: "DS401", message: "decode failed", node: "decode", sample: 0 })).toContain("sample: 1");
});
