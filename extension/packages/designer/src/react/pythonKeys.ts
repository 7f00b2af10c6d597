import type { KeyboardEvent } from "react";

type Area = HTMLTextAreaElement;

/** Write as one step of the browser's own undo, which would join it with what is typed before and behind it. */
function put(area: Area, text: string, from = area.selectionStart, to = area.selectionEnd): void {
  area.setSelectionRange(0, 0);
  area.setSelectionRange(from, to);
  document.execCommand(text ? "insertText" : "delete", false, text);
  const { selectionEnd: end } = area;
  area.setSelectionRange(0, 0);
  area.setSelectionRange(end, end);
}

/** Enter: the next line is indented as this one, or deeper after a colon. */
function newLine(area: Area): void {
  const before = area.value.slice(0, area.selectionStart);
  const [, indent = "", colon] = /([ \t]*)[^\n]*?(:[ \t]*)?$/.exec(before) ?? [];
  put(area, `\n${indent}${colon ? "    " : ""}`);
}

/** Change the lines of the selection, which stays on them. */
function onLines(area: Area, change: (line: string, all: readonly string[]) => string): void {
  const { value, selectionStart: from, selectionEnd: to } = area;
  const begin = value.slice(0, from).lastIndexOf("\n") + 1;
  const several = value.slice(from, to).includes("\n");
  const end = `${value}\n`.indexOf("\n", several ? to - 1 : to);
  const lines = value.slice(begin, end).split("\n");
  const text = lines.map((line) => change(line, lines)).join("\n");
  const by = text.length - (end - begin);
  if (by === 0) return;
  put(area, text, begin, end);
  area.setSelectionRange(several ? begin : Math.max(begin, from + by), several ? end + by : Math.max(begin, to + by));
}

/** Put `#` before lines, or take it away where all have it. */
function commented(line: string, all: readonly string[]): string {
  const full = all.filter((one) => one.trim());
  if (full.every((one) => /^\s*#/.test(one))) return line.replace(/# ?/, "");
  const depth = Math.min(...full.map((one) => one.search(/\S/)));
  return line.trim() && `${line.slice(0, depth)}# ${line.slice(depth)}`;
}

/**
 * The keys of a text of Python: Enter; Tab, four columns, or the selected lines deeper, with Shift less deep; Ctrl+/;
 * undo and redo. Whether it was one of them.
 *
 * Esc leaves the text, so that nobody is held in it.
 */
export function pythonKey(event: KeyboardEvent<Area>): boolean {
  const { key, shiftKey, currentTarget: area } = event;
  if (area.readOnly || event.nativeEvent.isComposing) return false;
  const command = event.ctrlKey || event.metaKey;
  const back = key.toLowerCase() === "z" && !shiftKey;
  // JupyterLab takes the browser's own for one of a notebook's cells
  if (command && (back || /^[zy]$/i.test(key))) document.execCommand(back ? "undo" : "redo");
  else if (command && key === "/") onLines(area, commented);
  else if (key === "Enter" && !shiftKey) newLine(area);
  else if (key !== "Tab") return false;
  else if (shiftKey) onLines(area, (line) => line.replace(/^(\t| {1,4})/, ""));
  else if (area.value.slice(area.selectionStart, area.selectionEnd).includes("\n"))
    onLines(area, (line) => line && `    ${line}`);
  else {
    const before = area.value.slice(0, area.selectionStart);
    put(area, " ".repeat(4 - ((before.length - before.lastIndexOf("\n") - 1) % 4)));
  }
  return true;
}
