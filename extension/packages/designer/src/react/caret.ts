/** Where letter `at` of a tinted line, whose first child is its number, begins on the page. */
function letterX(line: Element, at: number): number {
  let left = at;
  for (const { firstChild } of [...line.children].slice(1)) {
    if (!(firstChild instanceof Text)) continue;
    if (left <= firstChild.length) {
      const range = new Range();
      range.setStart(firstChild, left);
      return range.getBoundingClientRect().left;
    }
    left -= firstChild.length;
  }
  return 0;
}

/** Scroll the view of a text that has the keys so far that its caret is seen; the tinted lines of the text lie under it. */
export function showCaret(text: HTMLTextAreaElement, view: Element): void {
  if (!text.matches(":focus")) return;
  const before = text.value.slice(0, text.selectionDirection === "backward" ? text.selectionStart : text.selectionEnd);
  const above = before.split("\n");
  const at = above.pop()?.length ?? 0;
  const lines = text.previousElementSibling?.children ?? [];
  const high = lines[0]?.clientHeight ?? 0;
  const { scrollTop, clientHeight, clientWidth } = view;
  view.scrollTop = Math.min(Math.max(scrollTop, (above.length + 1) * high - clientHeight), above.length * high);
  const line = lines[above.length];
  const x = line ? letterX(line, at) - view.getBoundingClientRect().left : 0;
  // some letters around it, and what is left of the first one
  view.scrollLeft += Math.max(0, x + 40 - clientWidth) + Math.min(0, x - 60);
}
