import type {
  Device,
  DeviceTime,
  Diagnostic,
  LabelTwin,
  NodeTiming,
  NodeView,
  PortRef,
  PreviewBody,
  Repair,
  RunFinished,
  Value,
} from "../protocol/generated";
import { argumentOf, inputOf, inputPorts, type Operator, outputName, sameValue, wiredInputs } from "./catalog";
import * as format from "./format";
import { descendants, nodeOf, SPLIT } from "./graph";
import { kept } from "./kept";
import { isAway, type Preview, portKey, type State } from "./state";

/** What a card shows below its name: a picture's room, or one line. */
export type CardShape = "tall" | "short";

function shapeOf(body: PreviewBody): CardShape {
  switch (body.type) {
    case "image":
    case "planes":
    case "volume":
    case "wave":
    case "boxes":
    case "points":
    case "statistics":
    case "text":
      return "tall";
    case "table":
      return body.rows.length > 1 ? "tall" : "short";
    case "values":
      return "short";
    default:
      return body satisfies never;
  }
}

/** The room of a card's preview: from the preview if there is one, else from what the node is known to give. */
export function cardShape(node: NodeView, preview: Preview | undefined): CardShape {
  if (node.operator === SPLIT) return "short";
  if (preview) return shapeOf(preview.body);
  const kind = node.output_kinds[0] ?? "any";
  const few = kind === "scalar" || kind === "label";
  if ((few || kind === "any") && (node.output_ranks[0] ?? (few ? 0 : 2)) < 2) return "short"; // as a rule
  return node.output_kinds.length === 0 ? "short" : "tall";
}

/** What one line can say of an output: its few numbers, or how many boxes or points there are. */
export function figures(body: PreviewBody | undefined): string {
  if (body?.type === "boxes") return format.plural(body.count, "box", "boxes");
  if (body?.type === "points") return format.plural(body.count, "point");
  if (body?.type !== "table" || body.rows.length !== 1) return "";
  return (body.rows[0] ?? [])
    .map((cell) => (Number.isFinite(Number(cell)) ? format.short(Number(cell)) : cell))
    .join(" ");
}

/** What an `if` does: how many samples go either way, where that is known, and where the shown one goes. */
export function waysOf(
  state: State,
  node: NodeView,
): { readonly rows: readonly [string, string]; readonly said: string } {
  const { predicate } = node.argument_inputs;
  const body = predicate && previewOf(state, predicate.node, predicate.output)?.body;
  // samples that another branch takes have none
  const values = body?.type === "values" ? body.values.filter((v) => v !== null) : [];
  const yes = values.filter((v) => v !== 0).length;
  const shown = previewOf(state, node.key);
  const rows = [yes, values.length - yes].map((n) => (values.length > 0 ? `${n} of ${values.length}` : ""));
  // of a sample that goes the other way there are no facts
  const said = shown ? `${shown.facts !== ""}` : "";
  return { rows: [rows[0] ?? "", rows[1] ?? ""], said };
}

/** The value of a scalar for a sample of the batch. */
export function scalarOf(preview: Preview | undefined, sample: number): number | undefined {
  return (preview?.body.type === "values" ? preview.body.values[sample] : null) ?? undefined;
}

/** Whether the code is that of the graph as it is drawn: the kernel writes it after the images. */
export function codeIsCurrent(state: State): boolean {
  return state.code !== null && state.pending.length === 0 && state.code.revision === state.confirmed?.revision;
}

export function previewOf(state: State, key: string, output = 0): Preview | undefined {
  return state.previews[portKey(key, output)];
}

/** Whether a node's output has pixels of its own. */
export function hasPicture(state: State, key: string): boolean {
  return (previewOf(state, key)?.atlas_width ?? 0) > 0;
}

/** Whether a card leaves its picture to the one canvas of all: in large graphs, where it is a picture and nothing to scrub; an `if` shows none. */
export function isOpen(state: State, key: string): boolean {
  const own = nodeOf(state.graph, key)?.operator === SPLIT || "shown" in (previewOf(state, key)?.body ?? {});
  return hasPicture(state, key) && !own;
}

/**
 * Compute an answer anew only when what it depends on has changed: many cards ask the same, at every move of the pointer.
 * What is the same in the new answer stays the same object.
 */
export function derived<T>(
  needs: (state: State) => readonly unknown[],
  compute: (state: State) => T,
): (state: State) => T {
  let state: State | null = null;
  let before: readonly unknown[] = [];
  let value: T | undefined;
  return (now) => {
    if (now === state) return value as T;
    const needed = needs(now);
    if (state === null || needed.some((part, i) => part !== before[i])) value = kept(value, compute(now));
    state = now;
    before = needed;
    return value as T;
  };
}

/** Steps back and forth as they are once what waits is done: keys come faster than answers. */
function steps({ confirmed, pending }: State): { undo: boolean; redo: boolean } {
  let { can_undo: undo, can_redo: redo } = confirmed ?? { can_undo: false, can_redo: false };
  for (const { kind } of pending) {
    redo = kind === "undo" ? undo : kind === "redo" && redo;
    undo ||= kind !== "undo";
  }
  return { undo, redo };
}

export const canUndo = (s: State): boolean => (s.link === "gone" ? s.pending.length > 0 : steps(s).undo);
export const canRedo = (s: State): boolean => s.link !== "gone" && steps(s).redo;

/** Whether the last run was one of another graph than this: an undo makes its times hold again. */
export function isOld({ run, confirmed }: State): boolean {
  return run.revision < 0 || (run.revision !== confirmed?.revision && run.revision !== confirmed?.measured);
}

/** What stopped the last run, unless the graph was changed since: then nobody knows whether it still would. */
export function runFailures(state: State): readonly Diagnostic[] {
  return isOld(state) ? [] : (state.run.finished?.failed ?? []);
}

/** What failed when pictures were made, less what lies behind another error: that was found before it, and is not tried now. */
export function previewFailures(state: State): readonly Diagnostic[] {
  const diagnostics = state.confirmed?.diagnostics ?? [];
  const failed = [...state.previewFailures, ...diagnostics.filter((d) => severity(d) === "error")];
  const { graph } = state;
  const behind = new Set(failed.flatMap((d) => (graph && d.node ? [...descendants(graph, [d.node])] : [])));
  return state.previewFailures.filter((d) => !behind.has(d.node ?? ""));
}

/** What samples of the shown batch fail with; warnings where a run goes on without the sample. */
export const batchFailures = derived(
  (s) => [s.strip, s.iteration, s.previewFailures],
  ({ strip, iteration, previewFailures: shown }): readonly Diagnostic[] => [
    ...((strip?.iteration === iteration && strip.failed) || []),
    ...shown.filter((d) => typeof d.sample === "number"),
  ],
);

/** Nodes that have nothing for the shown sample, since they or one before them leave its file out. */
export const withoutSample = derived(
  (s) => [s.previewFailures, s.sample, s.graph],
  ({ previewFailures: failed, sample, graph }): ReadonlySet<string> => {
    const skips = (d: Diagnostic) => d.sample === sample && nodeOf(graph, d.node ?? "")?.arguments.on_error === "skip";
    const keys = failed.flatMap((d) => (d.node && severity(d) === "warning" && skips(d) ? [d.node] : []));
    return new Set(graph ? [...keys, ...descendants(graph, keys)] : []);
  },
);

/** Whether somebody has stopped a function, which then has not failed. */
export const isStopped = (d: Diagnostic | undefined): boolean => /^the function was stopped/i.test(d?.message ?? "");

/** How many samples of the shown batch fail at a node, if there are several. */
export function failShare(state: State, key: string): string {
  const failed = batchFailures(state).filter((d) => d.node === key && severity(d) === "error" && !isStopped(d));
  const { size } = new Set(failed.map((d) => d.sample));
  const count = state.strip?.count ?? 0;
  const first = count < state.batchSize ? "the first " : "";
  return size > 1 ? `${size} of ${first}${count} samples of this batch fail here.` : "";
}

/** Code that was written and has not run, where no editor says so. */
function unrun({ graph, written, view: { inspector, selection } }: State): Diagnostic[] {
  const isOpen = (key: string) => inspector && selection.length === 1 && selection[0] === key;
  return Object.keys(written).flatMap((node) =>
    isOpen(node) || !nodeOf(graph, node)?.code
      ? []
      : {
          code: "",
          severity: "warning",
          node,
          message: "the node runs the code from before your edit.",
          hint: "Select it, and run the new one.",
        },
  );
}

/** Every finding that stands now: of the graph, of the previews and of the last run, without repetitions. */
export const findings = derived(
  (s) => [s.refused, s.run, s.previewFailures, s.confirmed, s.graph, s.written, s.view.inspector && s.view.selection],
  (state: State): readonly Diagnostic[] => {
    // of the shown sample before those of a run, which may have stopped at another
    const all = [
      ...state.refused,
      ...previewFailures(state),
      ...runFailures(state),
      ...(state.confirmed?.diagnostics ?? []),
      ...unrun(state),
    ];
    const seen = new Set<string>();
    const begun = !state.graph?.nodes.some((n) => n.output_kinds[0] && n.output_kinds[0] !== "encoded");
    return all.filter((d) => {
      // before there is anything that is worth it, that nothing is returned is no problem yet
      if (begun && d.code === "DS205") return false;
      // that a data root is not known here is told again by the reader that fails
      if (
        d.code === "DS302" &&
        severity(d) === "warning" &&
        all.some((e) => e !== d && e.code === d.code && e.node === d.node)
      )
        return false;
      const id = [d.code, d.node, d.argument, d.message].join("|");
      if (seen.has(id)) return false;
      seen.add(id);
      return true;
    });
  },
);

const NONE: readonly Diagnostic[] = [];

const findingsByNode = derived(
  (s) => [findings(s)],
  (state) => {
    const found = new Map<string, Diagnostic[]>();
    for (const d of findings(state)) if (d.node) found.set(d.node, [...(found.get(d.node) ?? []), d]);
    return found;
  },
);

/** What was found about a node. */
export function findingsAt(state: State, key: string): readonly Diagnostic[] {
  return findingsByNode(state).get(key) ?? NONE;
}

/** The node that moves a picture without its labels; nothing for other findings. */
export function stepOf(d: Diagnostic | undefined): string | undefined {
  return d?.code === "DS210" ? /: (\S+) works on/.exec(d.message)?.[1] : undefined;
}

/** What would make a label move, while a card tells of it. */
export function twinOf({ twin, confirmed, view }: State): LabelTwin | null {
  return twin?.revision === confirmed?.revision && twin && view.told.startsWith(`${twin.node}|DS210`) ? twin : null;
}

/** What the label guard says of a node's result: it does not move with its image. */
export function unmovedLabel(state: State, key: string): string {
  return findingsAt(state, key).find((d) => d.code === "DS210")?.message ?? "";
}

export function severity(d: Diagnostic): "error" | "warning" | "info" {
  return d.severity ?? "error";
}

/** The line of an edited text that a finding is about; of other findings it is one of the program that was traced. */
export function lineOf(found: Diagnostic): number {
  return Number(/:(\d+)$/.exec(found.source ?? "")?.[1] ?? 0);
}

/** Why the graph does not run as it is: what the kernel finds before it tries, or in a text that is to be the graph. */
export function obstacle({ confirmed, pending, draft }: State): Diagnostic | undefined {
  if (!confirmed || pending.length > 0) return undefined;
  const [unread] = draft?.found ?? [];
  const line = unread && lineOf(unread);
  if (unread)
    return { code: unread.code, message: `${line ? `line ${line}` : "your edit"} of the code: ${unread.message}` };
  const { diagnostics } = confirmed;
  const found = diagnostics.find((d) => severity(d) === "error");
  // that nothing is returned is the last of its faults
  const begun = found?.code === "DS205" && diagnostics.find((d) => d.node && severity(d) === "warning");
  return begun || found;
}

/** Nodes that have an error. */
export function failedKeys(state: State): string[] {
  return findings(state).flatMap((d) => (severity(d) === "error" && d.node ? [d.node] : []));
}

/**
 * Keys whose pictures are from before a failure there or upstream, or of another sample than the chosen one.
 * Where a run has stopped at another sample, the pictures of this one are as good as before.
 */
export const staleKeys = derived(
  (s) => [
    s.graph,
    s.confirmed,
    s.refused,
    s.previewFailures,
    s.busy,
    s.awaited,
    s.previews,
    s.sample,
    s.iteration,
    s.link,
    s.pending,
  ],
  (state: State): ReadonlySet<string> => {
    const stale = new Set<string>();
    if (!state.graph) return stale;
    const now = [...state.refused, ...previewFailures(state), ...(state.confirmed?.diagnostics ?? [])];
    const failed = now.flatMap((d) => (severity(d) === "error" && d.node ? [d.node] : []));
    const pinned = state.graph.nodes.filter((n) => n.pin_old).map((n) => n.key);
    const first = [...failed, ...pinned];
    for (const key of [...first, ...descendants(state.graph, first)]) stale.add(key);
    for (const node of state.graph.nodes) if (node.pin === "behind") stale.add(node.key);
    if (isAway(state) && state.pending.length > 0) for (const key of state.awaited) stale.add(key);
    if (!state.busy && state.awaited.length === 0)
      for (const p of Object.values(state.previews))
        if (p.sample !== state.sample || p.iteration !== state.iteration) stale.add(p.key);
    return stale;
  },
);

/** What is known of a node's data where there is none of the shown sample. */
export const typeOnly = ({ facts }: NodeView) => facts[0]?.replace(/^[A-Z×]+ /, "– ");

/** Where a picture comes from that is no longer that of its node. */
export function pictureFrom(state: State, key: string, preview: Preview | undefined): string {
  const { sample, iteration } = state;
  const old = preview?.iteration !== iteration || (isAway(state) && !staleKeys(state).has(key));
  if (preview && old) return `batch ${preview.iteration + 1}`;
  return preview && preview.sample !== sample ? `sample ${preview.sample + 1}` : "before the edit";
}

/** Whether there is nothing of a node for the shown sample, but perhaps a picture of another one. */
export function isAbsent(state: State, key: string): boolean {
  const { sample, iteration } = previewOf(state, key) ?? {};
  const old = sample !== state.sample || iteration !== state.iteration;
  return withoutSample(state).has(key) || (old && staleKeys(state).has(key));
}

/** Nodes that are being computed. */
export const busyKeys = derived(
  (s) => [s.awaited, s.busyKeys, s.link, s.confirmed, s.progress],
  (state): ReadonlySet<string> => {
    const [now = ""] = state.progress?.doing.split(",") ?? [];
    return new Set(isAway(state) ? [] : [now, ...state.awaited, ...state.busyKeys]);
  },
);

const timingsByNode = derived(
  (s) => [s.run.finished],
  (state) => {
    const found = new Map<string, NodeTiming>();
    for (const timing of state.run.finished?.timings ?? [])
      for (const key of [timing.key, ...timing.group]) if (!found.has(key)) found.set(key, timing);
    return found;
  },
);

export function timingOf(state: State, key: string): NodeTiming | undefined {
  return timingsByNode(state).get(key);
}

/** What was measured for a node on a device, if that ever was. */
export function timeOn(state: State, key: string, device: Device): DeviceTime | undefined {
  return state.deviceTimes.find((t) => t.key === key && t.device === device);
}

/** What the kernel offers to do about a finding. */
export function repairsOf(state: State, d: Diagnostic): readonly Repair[] {
  const fits = (r: Repair) => r.code === d.code && r.node === (d.node ?? "") && r.argument === (d.argument ?? "");
  return state.confirmed?.repairs.filter(fits) ?? [];
}

export function repairOf(state: State, d: Diagnostic): Repair | undefined {
  return repairsOf(state, d)[0];
}

/** Bytes of a node's results in a batch, wherever they are. */
export function bytesOf(timing: NodeTiming): number {
  return timing.host + timing.gpu_memory + timing.passing;
}

/** How many batches of the run that goes on all of some nodes are through with, of how many. */
export function reachedBy({ run }: State, ...keys: readonly string[]): readonly [number, number] {
  return [Math.min(run.total, run.done + Number(keys.every((key) => run.reached.includes(key)))), run.total];
}

export interface Heat {
  readonly timing: NodeTiming;
  /** The run in which it was measured. */
  readonly run: RunFinished;
  /** Part of the time or memory of the whole, 0 to 1. */
  readonly share: number;
  readonly text: string;
}

/** What the card and the heat map tell about a node: its time or its memory in the last run. */
export function heatOf(state: State, key: string): Heat | undefined {
  const timing = timingOf(state, key);
  const run = state.run.finished;
  if (!timing || !run) return undefined;
  if (state.view.measure === "time")
    return { timing, run, share: timing.share, text: format.time(timing.milliseconds) };
  const size = bytesOf(timing);
  const whole = run.timings.reduce((sum, t) => sum + bytesOf(t), 0);
  return { timing, run, share: whole > 0 ? size / whole : 0, text: format.bytes(size) };
}

export interface ArgumentRow {
  readonly name: string;
  readonly wired: boolean;
  readonly value: Value | undefined;
  readonly unit: string;
}

/** Rows of a card: every wired argument, then one that is needed, or the most telling one that differs from its default. */
export function argumentRows(node: NodeView, operator: Operator | undefined, bad = ""): readonly ArgumentRow[] {
  const wired = Object.keys(node.argument_inputs).map((name) => ({
    name,
    wired: true,
    value: undefined,
    unit: argumentOf(operator, name)?.unit ?? "",
  }));
  const first = (row: { name: string; schema: ReturnType<typeof argumentOf> }) =>
    rank(row.schema) + (row.name === bad ? 9 : 0);
  const set = Object.entries(node.arguments)
    .filter(([name]) => !(name in node.argument_inputs) && name !== "seed")
    .map(([name, value]) => ({ name, wired: false, value, schema: argumentOf(operator, name) }))
    .filter(({ value, schema }) => value !== null && !(schema && sameValue(schema.default, value)))
    .sort((a, b) => first(b) - first(a) || placeOf(operator, a.name) - placeOf(operator, b.name))
    .map(({ name, value, schema }) => ({ name, wired: false, value, unit: schema?.unit ?? "" }));
  const needed = (operator?.arguments ?? [])
    .filter((a) => a.required && a.type !== "object" && !(a.name in node.argument_inputs))
    .filter(({ name }) => (node.arguments[name] ?? null) === null)
    .map(({ name, unit }) => ({ name, wired: false, value: undefined, unit }));
  return [...wired, ...[...needed, ...set].slice(0, wired.length < 2 ? 1 : 0)];
}

/** Arguments of one rank have the order of the operator's declaration, whatever was set last. */
function placeOf(operator: Operator | undefined, name: string): number {
  return operator?.arguments.findIndex((a) => a.name === name) ?? 0;
}

function rank(schema: ReturnType<typeof argumentOf>): number {
  if (!schema) return 0;
  return (schema.common ? 4 : 0) + (schema.required ? 2 : 0) + (schema.tensor ? 1 : 0);
}

/** Inputs below the header line: wired ones and required ones; the first sits on the header itself. */
export function extraInputs(node: NodeView, operator: Operator | undefined): readonly number[] {
  const count = inputPorts(operator, wiredInputs(node));
  const shown: number[] = [];
  for (let i = 1; i < count; i += 1) {
    const optional = inputOf(operator, i)?.optional ?? false;
    if (!optional || (node.inputs[i] ?? null) !== null) shown.push(i);
  }
  return shown;
}

/** Whether the header has an input port: optional first inputs show only when they are wired. */
export function hasFirstInput(node: NodeView, operator: Operator | undefined): boolean {
  const first = operator?.inputs[0];
  return (first !== undefined && !first.optional) || (node.inputs[0] ?? null) !== null;
}

/** What a node is one of. */
export function operatorOf({ opening }: State, node: NodeView | undefined): Operator | undefined {
  return opening?.catalog.byName.get(node?.operator ?? "");
}

/** A result as the operator calls it; where that is its only one, by its node. */
export function resultName(state: State, { node, output }: PortRef): string {
  const view = nodeOf(state.graph, node);
  const operator = operatorOf(state, view);
  return view && view.output_kinds.length > 1
    ? outputName(state.graph, operator, view, output ?? 0, `${node}[${output}]`)
    : node;
}
