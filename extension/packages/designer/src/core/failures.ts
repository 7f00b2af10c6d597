import type { Diagnostic, Edit } from "../protocol/generated";
import { argumentOf } from "./catalog";
import { nodeOf } from "./graph";
import { batchFailures, findings, findingsAt, severity, withoutSample } from "./select";
import type { State } from "./state";

/** A button that takes a problem with a file away for this run and the next ones. */
export interface Remedy {
  readonly title: string;
  /** Whether nothing is left to see of samples with such files. */
  readonly leaves: boolean;
  readonly edits: readonly Edit[];
}

const WAYS = [
  ["skip", "Leave such files out"],
  ["placeholder", "Use a placeholder"],
] as const;

/** What a node can do about files that it cannot use, other than what it does now. */
export function remediesOf(state: State, key: string): readonly Remedy[] {
  const node = nodeOf(state.graph, key);
  const operator = node ? state.opening?.catalog.byName.get(node.operator) : undefined;
  const argument = operator ? argumentOf(operator, "on_error") : undefined;
  if (!node || !argument) return [];
  const now = node.arguments.on_error ?? "raise";
  const choices = argument.choices;
  return WAYS.filter(([value]) => value !== now && (choices.length === 0 || choices.includes(value))).map(
    ([value, title]) => ({
      title,
      leaves: value === "skip",
      edits: [{ type: "set_argument", key, argument: "on_error", value }],
    }),
  );
}

/** The shown sample, or the next one with which nothing is wrong. */
export function soundSample(state: State): number {
  const failed = new Set(batchFailures(state).map((d) => d.sample));
  const { sample, strip } = state;
  const count = strip?.count ?? 0;
  const all = Array.from({ length: count }, (_, k) => (sample + k) % count);
  return all.find((k) => !failed.has(k)) ?? sample;
}

/** A finding about one file: it cannot be read or decoded. Where a value is wrong for a sample, its file is not at fault. */
export function isAboutFile(d: Diagnostic): boolean {
  const sampled = Boolean(d.node && d.source && typeof d.sample === "number");
  return /^DS30[12]$/.test(d.code) && sampled && !/ into memory\b/.test(d.message);
}

/** Whether a finding is about the shown sample: a run may have stopped at another one. */
export function isShown(state: State, d: Diagnostic): boolean {
  return state.previewFailures.some((p) => p.sample === state.sample && p.node === d.node && p.source === d.source);
}

/** What is wrong with a node, if anything: the worst. */
export function worstAt(state: State, key: string): Diagnostic | undefined {
  const found = findingsAt(state, key);
  return found.find((d) => severity(d) === "error") ?? found.find((d) => severity(d) === "warning");
}

/** The file of the shown sample, if a node has none of it: it fails there, or leaves it out. */
export function brokenFile(state: State, key: string): string | undefined {
  return hasPlaceholder(state, key) === false ? worstAt(state, key)?.source : undefined;
}

/** Whether a black picture stands in for the file of the shown sample; undefined where nothing is wrong with it. */
export function hasPlaceholder(state: State, key: string): boolean | undefined {
  const problem = worstAt(state, key);
  if (!problem || !isAboutFile(problem) || !isShown(state, problem)) return undefined;
  return severity(problem) === "warning" && !withoutSample(state).has(key);
}

/** The batch of the sample that a finding is about. */
export function batchOf(state: State, d: Diagnostic): number {
  const { failed = [], failed_in: at = -1 } = state.run.finished ?? {};
  return at >= 0 && !isShown(state, d) && failed.some((f) => f.source === d.source) ? at : state.iteration;
}

/** Findings, with all files of the batch, less those that the last run went on without, which are listed by themselves. */
export function problems(state: State): readonly Diagnostic[] {
  const missed = new Set(state.run.finished?.missed.map((file) => file.source));
  const told = (d: Diagnostic) => severity(d) === "error" || !isAboutFile(d) || !missed.has(d.source ?? "");
  const found = findings(state).filter(told);
  const known = new Set(found.map((d) => d.source));
  const more = batchFailures(state).filter((d) => told(d) && isAboutFile(d) && !known.has(d.source));
  return [...found, ...more];
}

/** How much the tab of problems has: findings, and files that the last run missed; and whether all of it are hints. */
export function problemCount(state: State): { readonly count: number; readonly hints: boolean } {
  const told = problems(state);
  const missed = state.run.finished?.missed.length ?? 0;
  return { count: told.length + missed, hints: missed === 0 && told.every((d) => severity(d) === "info") };
}
