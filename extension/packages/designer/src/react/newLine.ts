import type { KeyboardEvent } from "react";

/** Enter in a text of Python: the next line is indented as this one, or deeper after a colon. Whether it was that key. */
export function newLine({ key, shiftKey, nativeEvent, currentTarget }: KeyboardEvent<HTMLTextAreaElement>): boolean {
  if (key !== "Enter" || shiftKey || nativeEvent.isComposing) return false;
  const before = currentTarget.value.slice(0, currentTarget.selectionStart);
  const [, indent = "", colon] = /([ \t]*)[^\n]*?(:[ \t]*)?$/.exec(before) ?? [];
  // the only way that the browser's own undo knows of
  document.execCommand("insertText", false, `\n${indent}${colon ? "    " : ""}`);
  return true;
}
