import type { Diagnostic, Edit } from "../protocol/generated";
import { argumentOf } from "./catalog";
import { nodeOf } from "./graph";
import { batchFailures, findings, severity } from "./select";
import type { State } from "./state";

/** A button that takes a problem with a file away for this run and the next ones. */
export interface Remedy {
  readonly title: string;
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
    ([value, title]) => ({ title, edits: [{ type: "set_argument", key, argument: "on_error", value }] }),
  );
}

/** A finding about one file: it cannot be read or decoded. Where a value is wrong for a sample, its file is not at fault. */
export function isAboutFile(d: Diagnostic): boolean {
  const sampled = Boolean(d.node && d.source && typeof d.sample === "number");
  return /^DS30[12]$/.test(d.code) && sampled && !/ into memory\b/.test(d.message);
}

/** Findings, with all files of the batch, less those that the last run went on without, which are listed by themselves. */
export function problems(state: State): readonly Diagnostic[] {
  const missed = new Set(state.run.finished?.missed.map((file) => file.source));
  const found = findings(state).filter(
    (d) => severity(d) === "error" || !isAboutFile(d) || !missed.has(d.source ?? ""),
  );
  const known = new Set(found.map((d) => d.source));
  const more = batchFailures(state).filter((d) => severity(d) === "error" && isAboutFile(d) && !known.has(d.source));
  return [...found, ...more];
}

/** How many problems the tab names: findings that are no hints, and files that the last run missed. */
export function problemCount(state: State): number {
  const told = problems(state).filter((d) => severity(d) !== "info").length;
  return told + (state.run.finished?.missed.length ?? 0);
}
