/** A light tint for Python: words, strings, numbers, comments and called names. */
export interface Piece {
  readonly text: string;
  readonly tint: "" | "keyword" | "string" | "number" | "comment" | "call";
}

const TOKEN =
  /(#.*$)|((?:[rbf]{0,2})(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))|(\b\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b)|(\b(?:False|None|True|and|as|assert|break|class|continue|def|del|elif|else|except|finally|for|from|if|import|in|is|lambda|not|or|pass|raise|return|try|while|with|yield)\b)|([A-Za-z_]\w*(?=\())/g;

const TINTS = ["comment", "string", "number", "keyword", "call"] as const;

export function tint(line: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of line.matchAll(TOKEN)) {
    if (match.index > end) pieces.push({ text: line.slice(end, match.index), tint: "" });
    const group = TINTS.findIndex((_, i) => match[i + 1] !== undefined);
    pieces.push({ text: match[0], tint: TINTS[group] ?? "" });
    end = match.index + match[0].length;
  }
  if (end < line.length) pieces.push({ text: line.slice(end), tint: "" });
  return pieces;
}
