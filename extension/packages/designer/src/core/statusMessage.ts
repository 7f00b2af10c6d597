import type { Diagnostic, Repair } from "../protocol/generated";
import { isBegun, isUnread } from "./data";
import { isAboutFile } from "./failures";
import type { Fix } from "./fixes";
import * as format from "./format";
import { nodeOf, OUTPUTS, sourcesOf } from "./graph";
import { differing, titleOf, toneOf } from "./problems";
import { findings, isOld, obstacle, repairOf, runFailures, severity, stepOf } from "./select";
import { isAway, type State } from "./state";

export interface StatusMessage {
  /** Changes when there is something new to say; a closed sentence stays closed until then. */
  readonly id: string;
  readonly tone: "error" | "warning" | "info";
  readonly lead: string;
  readonly rest: string;
  /** Where there is room. */
  readonly more?: string;
  readonly muted: string;
  readonly action: "show" | "code" | "data" | "reconnect" | "undo" | "restore" | "try" | "problems" | "stop" | null;
  readonly node: string;
  /** A button that takes the finding away. */
  readonly repair?: Repair | undefined;
  /** A button that makes a refused wire possible, or returns something. */
  readonly fix?: Fix | undefined;
  /** The advice that can be tried. */
  readonly advice?: string;
}

function fromDiagnostic(d: Diagnostic, lead: string): StatusMessage {
  // A message that begins with the node's name needs no lead: it is the lead.
  const whole = !lead.startsWith("Stopped") && d.node !== undefined && d.message.startsWith(`${d.node} `);
  return {
    id: ["d", d.code, d.node, d.argument, d.sample, d.message].join("|"),
    tone: severity(d),
    lead: whole ? format.sentence(d.message) : lead,
    rest: whole
      ? ""
      : (d.code === "DS105" && d.argument && !d.message.startsWith(d.argument) ? `${d.argument}: ` : "") +
        format.message(d.message),
    muted: d.hint ?? "",
    action: d.node ? "show" : null,
    // of labels that stay behind, what moves their image
    node: stepOf(d) ?? d.node ?? "",
  };
}

/** What a pipeline without outputs most likely should return: the last node that feeds nothing, one with pictures if possible. */
export function returned({ graph }: State): Fix | null {
  const nodes = graph?.nodes ?? [];
  const fed = new Set(nodes.flatMap((n) => sourcesOf(n).map((r) => r.node)));
  const leaves = nodes.filter((n) => n.output_kinds.length > 0 && !fed.has(n.key));
  const node = (leaves.findLast((n) => n.output_kinds[0] === "image") ?? leaves.at(-1))?.key;
  if (!node) return null;
  return { title: `Return ${node}`, edits: [{ type: "set_outputs", outputs: [{ node, output: 0 }] }], positions: {} };
}

function leadOf(d: Diagnostic, stopped: boolean): string {
  if (stopped && d.node) return `Stopped at ${format.name(d.node)}.`;
  if (d.node && d.code !== "DS210") return `${format.sentence(format.name(d.node))}:`;
  return "";
}

function kernelMessage(state: State): StatusMessage | null {
  const base = { tone: "warning" as StatusMessage["tone"], muted: "", node: "" };
  if (state.link === "gone") {
    const count = state.pending.length;
    const edits = `Your ${count === 1 ? "edit is" : `${count} edits are`} kept, and sent when you reconnect. `;
    const kept = count > 0 ? edits : state.confirmed?.can_undo ? "Your edits are kept. " : "";
    const rest = `${state.keeps ? kept : ""}Pictures are from the last run.`;
    const why = state.refused[0]?.message ?? "";
    if (!state.keeps)
      return { ...base, id: "gone", lead: "The kernel is gone.", rest: `${rest} Run the cell again.`, action: null };
    return {
      ...base,
      id: `gone|${count}|${why}`,
      lead: `The kernel ${state.ended ? "ended" : "restarted"}.`,
      rest,
      muted: why,
      action: "reconnect",
    };
  }
  if (isAway(state)) {
    const rest = state.pending.length > 0 ? "Your edits are sent then." : "";
    return { ...base, tone: "info", id: "starting", lead: "Connecting to the kernel…", rest, action: null };
  }
  if (state.link === "silent") {
    const rest = state.opening ? "Pictures are from the last answer." : "Is it busy with another cell?";
    return { ...base, id: "silent", lead: "The kernel does not answer.", rest, action: "reconnect" };
  }
  return null;
}

function paceMessage(state: State): StatusMessage | null {
  const run = state.run.finished;
  if (!run || run.stopped || run.failed.length > 0 || isOld(state)) return null;
  // the timeline tells it, and pictures that are compared have nothing to do with it
  if (state.view.comparison || (state.view.drawer === "timeline" && run.advice.length > 0)) return null;
  const muted = run.missed.length > 0 ? "" : run.note; // the list of problems names the files
  const advice = run.advice.find((a) => a.measurable);
  if (advice) {
    const { name, proof: rest, node } = advice;
    const lead = format.sentence(advice.lead);
    return { id: `pace|${name}|${rest}`, tone: "warning", lead, rest, muted, action: "try", node, advice: name };
  }
  const slowest = [...run.timings].sort((a, b) => b.share - a.share)[0];
  if (!slowest || run.timings.length < 2 || slowest.share < 0.4) return null;
  // who has selected it sees as much
  if (!nodeOf(state.graph, slowest.key)?.in_run || state.view.selection[0] === slowest.key) return null;
  return {
    id: `pace|${slowest.key}|${run.samples_per_second}`,
    tone: slowest.share > 0.65 ? "warning" : "info",
    lead: `${format.sentence(format.name(slowest.key))} sets the pace:`,
    rest: `${format.percent(slowest.share)} of the work.`,
    more: `${format.time(slowest.milliseconds)} over all threads in the median batch.`,
    muted,
    action: "show",
    node: slowest.key,
  };
}

/** Whether images are made by a function that may not end: nothing else of them can be stopped. */
export function runsCode(state: State): boolean {
  return state.progress !== null && (state.graph?.nodes.some((n) => n.code) ?? false);
}

function progressMessage(state: State): StatusMessage | null {
  if (!state.progress) return null;
  const { doing, seconds } = state.progress;
  // The seconds are muted, so that they are not read aloud one after the other.
  return {
    id: "progress",
    tone: "info",
    lead: "Computing images:",
    rest: `${doing},`,
    muted: `${seconds} s`,
    action: runsCode(state) ? "stop" : null,
    node: "",
  };
}

function noticeMessage(state: State): StatusMessage | null {
  const { notice } = state.view;
  // what did nothing has nothing to undo
  const idle = notice?.node === OUTPUTS;
  if (!notice || notice.below || !(notice.fix || idle || state.confirmed?.can_undo)) return null;
  return {
    id: `notice|${notice.text}`,
    tone: "info",
    lead: notice.text,
    rest: "",
    muted: "",
    action: notice.fix || idle ? null : "undo",
    fix: notice.fix,
    node: "",
  };
}

/** Where the program is not shown, which tells it below: nothing is measured or saved of what is written there. */
function codeMessage(state: State, aloud: boolean): StatusMessage | null {
  const found = state.draft?.found.length ? obstacle(state) : undefined;
  if (!found || (state.view.drawer === "code" && !aloud)) return null;
  return { ...fromDiagnostic(found, "Not in the graph:"), action: "code" };
}

function savedMessage(state: State): StatusMessage | null {
  const path = state.savedFile?.path;
  if (!path || !state.view.saving) return null;
  return { id: `saved|${path}`, tone: "info", lead: "Wrote", rest: path, muted: "", action: null, node: "" };
}

function gpuMessage(state: State): StatusMessage | null {
  const reason = state.opening?.gpu;
  if (!reason || (state.options?.device_id ?? -1) < 0 || !state.graph?.nodes.some((n) => n.device !== "cpu"))
    return null;
  return {
    id: "gpu",
    tone: "info",
    lead: "No GPU here.",
    rest: "Running on the CPU; the graph stays the same.",
    muted: reason,
    action: null,
    node: "",
  };
}

function waitingMessage(state: State): StatusMessage | null {
  const { confirmed, unsent } = state;
  const edits = unsent.length > 0 && `${format.plural(unsent.length, "edit")} made without a kernel`;
  const waiting = [confirmed?.waiting, edits].filter(Boolean).join("; ");
  if (!waiting) return null;
  return {
    id: `waiting|${waiting}`,
    tone: "info",
    lead: "Unsaved edits are kept:",
    rest: `${waiting}.`,
    muted: confirmed?.waiting && confirmed.can_undo ? "They take the place of this graph." : "",
    action: "restore",
    node: "",
  };
}

/** What a card beside its node says, as the view has it. */
export function toldBy(d: Diagnostic): string {
  return [d.node, d.code, d.message].join("|");
}

/** Whether a card beside its node tells of a finding: that of one file says how many there are, that of a reader without data goes for all. */
export function isBeside({ view }: State, d: Diagnostic): boolean {
  return (
    view.told === toldBy(d) ||
    (isAboutFile(d) && view.told.startsWith(`${d.node}|`)) ||
    (d.code === "DS103" && isBegun(d) && view.told.endsWith(`|${d.code}|${d.message}`))
  );
}

/** Whether a finding is told in full beside its node, where its node is shown or its code is written, or in the list of all. */
function isTold(state: State, d: Diagnostic): boolean {
  const { view } = state;
  const [chosen, ...more] = view.selection;
  return (
    isBeside(state, d) ||
    view.drawer === "problems" ||
    (view.inspector &&
      !more[0] &&
      !!chosen &&
      (chosen === d.node || (!d.node && state.refused.includes(d) && chosen in state.written)))
  );
}

/** The one sentence that the strip shows: the most pressing one that was not closed, and that no card says: aloud, that too. */
export function statusMessage(state: State, aloud = false): StatusMessage | null {
  const all = findings(state);
  const stopped = new Set(runFailures(state));
  const ranked = (tone: "error" | "warning" | "info") =>
    all
      .filter((d) => severity(d) === tone)
      .flatMap((d): StatusMessage[] => {
        const lead = leadOf(d, tone === "error" && (stopped.has(d) || state.previewFailures.includes(d)));
        // what is wrong with a file is told in full beside its node
        const brief = !aloud && isAboutFile(d) && { rest: `${titleOf(d)}.`, muted: "" };
        const said = { ...fromDiagnostic(d, lead), ...brief, repair: repairOf(state, d) };
        if (d.code === "DS503")
          return [{ ...said, id: d.code, lead: differing(all).trim(), rest: "", action: "problems" }];
        const fix = d.code === "DS205" && returned(state);
        // it is begun, not broken
        if (fix) return [{ ...said, tone: "info", fix }];
        // of a file that a node goes on without, its card and the list of problems tell
        if (!aloud && (isTold(state, d) || (tone === "warning" && isAboutFile(d)))) return [];
        return [{ ...said, tone: toneOf(d), ...(isUnread(state, d) ? { action: "data" as const } : {}) }];
      });
  const notice = noticeMessage(state);
  // the answer to what somebody has just tried comes before what was wrong already
  const answer = notice?.action ? null : notice;
  const candidates = [
    kernelMessage(state),
    codeMessage(state, aloud),
    // where nothing was done yet; else what is said of that comes first
    state.confirmed?.can_undo ? null : waitingMessage(state),
    answer,
    ...ranked("error"),
    progressMessage(state),
    ...ranked("warning"),
    notice,
    savedMessage(state),
    paceMessage(state),
    waitingMessage(state),
    ...ranked("info"),
    gpuMessage(state),
  ];
  return candidates.find((s): s is StatusMessage => s !== null && !state.view.dismissed.includes(s.id)) ?? null;
}
