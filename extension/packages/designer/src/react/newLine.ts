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

/**
 * Tab in a text of Python: four columns, or the selected lines deeper; with Shift less deep. Whether it was that key.
 *
 * Esc leaves the text, so that nobody is held in it.
 */
export function indent({ key, shiftKey, currentTarget: area }: KeyboardEvent<HTMLTextAreaElement>): boolean {
  if (key !== "Tab" || area.readOnly) return false;
  const { value, selectionStart: from, selectionEnd: to } = area;
  const begin = value.lastIndexOf("\n", from - 1) + 1;
  const several = value.slice(from, to).includes("\n");
  if (!several && !shiftKey) {
    document.execCommand("insertText", false, " ".repeat(4 - ((from - begin) % 4)));
    return true;
  }
  const end = `${value}\n`.indexOf("\n", several ? to - 1 : to);
  const lines = value.slice(begin, end).split("\n");
  const moved = lines.map((line) => (shiftKey ? line.replace(/^(\t| {1,4})/, "") : line && `    ${line}`)).join("\n");
  const change = moved.length - (end - begin);
  if (change === 0) return true;
  area.setSelectionRange(begin, end);
  document.execCommand(moved ? "insertText" : "delete", false, moved);
  area.setSelectionRange(
    several ? begin : Math.max(begin, from + change),
    several ? end + change : Math.max(begin, to + change),
  );
  return true;
}
