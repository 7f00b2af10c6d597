/** Kinds of operators by which lists of them are filtered, and the categories of each. */
export const KINDS: Readonly<Record<string, readonly string[]>> = {
  Shape: ["geometry"],
  Colour: ["color"],
  Noise: ["effects", "filters"],
  "Boxes ok": ["color", "effects", "filters"],
  Pipelines: ["examples"],
  Read: ["readers", "decoders"],
  Labels: ["detection", "segmentation", "coordinates"],
  Numbers: ["tensor", "random", "math", "sources", "conditional", "copies"],
  Sound: ["audio"],
};

/** Whether something of a category, which moves what boxes surround or not, is of a kind; all is of the empty one. */
export function isOfKind(kind: string, category: string, moves: boolean): boolean {
  if (kind === "Boxes ok" && moves) return false;
  return kind === "" || (KINDS[kind]?.includes(category) ?? false);
}
