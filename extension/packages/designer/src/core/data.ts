import type { DataSample, Diagnostic, NodeView } from "../protocol/generated";
import type { State } from "./state";

/** The nodes that read data sets, in the order of the graph. */
export function readersOf(state: State): readonly NodeView[] {
  const role = (node: NodeView) => state.opening?.catalog.byName.get(node.operator)?.role;
  return (state.graph?.nodes ?? []).filter((n) => role(n) === "reader");
}

/** Whether something is only not given yet: a wire, or what a reader is to read. */
export function isBegun(d: Diagnostic): boolean {
  return d.code === "DS201" || (d.code === "DS103" && /^nothing to read/i.test(d.message));
}

/** What a card says of what is only not given yet; "" of other findings. */
export function begunWord(d: Diagnostic | undefined): string {
  return d === undefined || !isBegun(d) ? "" : d.code === "DS201" ? "not wired" : "no data";
}

/** Whether a reader cannot read what it is told to, or is told nothing: a folder can be chosen for it. */
export function isUnread(state: State, d: Diagnostic): boolean {
  return (d.code === "DS302" || (d.code === "DS103" && isBegun(d))) && readersOf(state).some((n) => n.key === d.node);
}

/** How many files lie in a folder of which a reader takes only those of its sub-folders. */
export function looseFiles(d: Diagnostic): number {
  return d.code === "DS302"
    ? Number(/; the ([\d,]+) files? directly in it/.exec(d.message)?.[1]?.replaceAll(",", "") ?? 0)
    : 0;
}

const PLACES = ["file_root", "file_list", "annotations_file", "paths", "path", "files", "filenames"] as const;

/** What a reader is told to read, for the field that changes it. */
export function placeOf(node: NodeView | undefined): string {
  if (!node) return "";
  const { file_root: root, dir_filters: only } = node.arguments;
  if (typeof root === "string" && Array.isArray(only) && only.length === 1)
    return `${root.replace(/\/$/, "")}/${String(only[0]).replace(/\[(.)\]/g, "$1")}`;
  for (const name of PLACES.toSorted((a, b) => Number(a === "file_root") - Number(b === "file_root"))) {
    const value = node.arguments[name];
    if (typeof value === "string" && value) return value;
    const first = Array.isArray(value) ? value[0] : undefined;
    if (typeof first === "string") return name.startsWith("file") ? first.replace(/\/[^/]*$/, "") : first;
  }
  return "";
}

/** How often there is each label, the most frequent first. */
export function labelCounts(samples: readonly DataSample[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const label of samples.flatMap((s) => s.labels)) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

/** What a sample says of its labels, "cat, dog ×2": numbers say what they are. */
export function labelWords(sample: DataSample): string {
  const words = labelCounts([sample]).map(([label, count]) => (count > 1 ? `${label} ×${count}` : label));
  return words.length === 0 ? "no label" : (/^-?\d/.test(words[0] ?? "") ? "label " : "") + words.join(", ");
}
