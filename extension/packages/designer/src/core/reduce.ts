import type {
  Diagnostic,
  Edit,
  Effects,
  KernelMessage,
  Mark,
  PipelineOptions,
  Position,
  Previews,
  RevisionChanged,
  Sheet,
} from "../protocol/generated";
import { indexCatalog } from "./catalog";
import { applyEdits } from "./edits";
import * as format from "./format";
import { descendants, nodeOf, OUTPUTS, sourcesOf, wiresOf } from "./graph";
import { kept } from "./kept";
import { differing } from "./problems";
import { redrawn } from "./seeds";
import { findings, severity } from "./select";
import { type Command, cellKey, effectsOf, INITIAL, type Preview, portKey, type State, type View } from "./state";
import { boxesOf, selectedBox } from "./subgraph";

/** The graph that is drawn: the last confirmed one with every unanswered edit on top. */
export function project(state: State): State {
  const { confirmed, pending, opening } = state;
  if (!confirmed) return state;
  const edits = pending.flatMap((c) => (c.kind === "edits" ? c.edits : []));
  const graph = edits.length > 0 ? applyEdits(confirmed.graph, edits, opening?.catalog ?? null) : confirmed.graph;
  let options: PipelineOptions = confirmed.options;
  const placed: Record<string, Position> = {};
  const marked: Record<string, Mark | null> = { ...confirmed.marks };
  for (const command of pending) {
    if (command.kind !== "edits") continue;
    Object.assign(placed, command.positions);
    Object.assign(marked, command.marks);
  }
  const marks = Object.fromEntries(
    Object.entries(marked).filter((entry): entry is [string, Mark] => entry[1] !== null),
  );
  for (const edit of edits)
    if (edit.type === "set_pipeline" && edit.option in options) options = { ...options, [edit.option]: edit.value };
  const positions = { ...confirmed.positions, ...state.moved, ...placed };
  const { graph: drawn, options: chosen, marks: old, positions: stood } = state;
  return {
    ...state,
    graph: kept(drawn, graph),
    options: kept(chosen, options),
    marks: kept(old, marks),
    positions: kept(stood, positions),
  };
}

/** Places that a step brings with it hold over places sent before: those are not waited for any more. */
function forgetMoves(state: State, command: Command): State {
  if (command.kind !== "edits" || Object.keys(command.positions).length === 0) return state;
  const moved = Object.fromEntries(Object.entries(state.moved).filter(([key]) => !(key in command.positions)));
  return { ...state, moved };
}

/** A run of batches that does not go on. */
export function halted(run: State["run"]): State["run"] {
  return { ...run, running: false, stopping: false };
}

/** Without sentences about what was done. */
export function quiet(view: View): View {
  return view.notice || view.saving ? { ...view, notice: null, saving: false } : view;
}

/** With a word on a parameter of the program that has no effect since an edit. */
function withIdle({ code, view }: State, found: readonly Diagnostic[]): View {
  const text = found.find((d) => / no effect any more/.test(d.message))?.message;
  const old = !text || code?.diagnostics.some((d) => d.message === text);
  return old ? view : { ...view, notice: { text, node: "" } };
}

/** Queue a command; edits of the same gesture that still wait are joined, so that the latest value wins. */
export function enqueue(before: State, command: Command): State {
  // What was said of the step before, with its [Undo], and of a file that has what was before, is over.
  const state = forgetMoves({ ...before, unsent: [], savedFile: null, view: quiet(before.view) }, command);
  const last = state.pending.at(-1);
  const waits = state.pending.length > (state.inFlight ? 1 : 0);
  if (
    waits &&
    last?.kind === "edits" &&
    command.kind === "edits" &&
    command.gesture &&
    last.gesture === command.gesture
  ) {
    const what = (e: Edit) => JSON.stringify({ ...e, value: 0, part: 0, unset: 0 });
    const again = new Set(command.edits.filter((e) => /^set_(argument|chance|pipeline)/.test(e.type)).map(what));
    const replaced = last.edits.filter((old) => !again.has(what(old)));
    const joined: Command = {
      ...command,
      edits: [...replaced, ...command.edits],
      positions: { ...last.positions, ...command.positions },
      marks: { ...last.marks, ...command.marks },
      pins: { ...last.pins, ...command.pins },
    };
    return awaiting(project({ ...state, pending: [...state.pending.slice(0, -1), joined] }), keysOf(command));
  }
  return awaiting(project({ ...state, pending: [...state.pending, command] }), keysOf(command));
}

/** Take back the last edit that no kernel has seen. */
export function withdraw(state: State): State {
  return project({ ...state, pending: state.pending.slice(0, -1) });
}

function keysOf(command: Command): string[] | null {
  if (command.kind !== "edits") return null;
  return command.edits.flatMap((e) => {
    switch (e.type) {
      case "add_node":
      case "set_argument":
      case "set_device":
      case "set_bypass":
      case "set_chance":
        return [e.key];
      case "connect":
      case "disconnect":
        return [e.target];
      default:
        return [];
    }
  });
}

/** Remember which pictures a change of nodes makes old: of all of them where none are named. */
export function awaiting(state: State, keys: readonly string[] | null): State {
  if (!state.graph) return state;
  const touched = keys ? [...keys, ...descendants(state.graph, keys)] : state.graph.nodes.map((n) => n.key);
  return { ...state, awaited: [...new Set([...state.awaited, ...touched])] };
}

function samePosition(a: Position | undefined, b: Position | undefined): boolean {
  return a === b || Math.hypot((a?.x ?? NaN) - (b?.x ?? NaN), (a?.y ?? NaN) - (b?.y ?? NaN)) < 0.01;
}

/** Whether this revision begins another document. */
export function isOther(state: State, message: RevisionChanged): boolean {
  return state.reopening && state.confirmed?.revision !== message.revision;
}

/** Everything of the old document goes; the panels stay as they are, and what somebody writes. */
function resetDocument(state: State): State {
  const { drawer, drawerHeights, palette, heat, measure, inspector } = state.view;
  const view = { ...INITIAL.view, drawer, drawerHeights, palette, heat, measure, inspector };
  const { link, opening, runs, draft } = state;
  return { ...INITIAL, link, opening, runs, draft, view };
}

function failedBefore(state: State, sent: Command | undefined): string[] {
  const about = sent && keysOf(sent);
  if (!about) return [];
  const failed = findings(state).flatMap((d) => (severity(d) === "error" && d.node ? [d.node] : []));
  return failed.filter((key) => !about.includes(key));
}

/** What was sent, where this answers it; of a refusal nobody says what it is of. */
function asked({ inFlight, pending }: State, message: KernelMessage): Command | undefined {
  return inFlight && (message.type !== "revision_changed" || message.answers === inFlight) ? pending[0] : undefined;
}

function onRevision(before: State, message: RevisionChanged): State {
  const state = isOther(before, message) ? resetDocument(before) : before;
  const { run, timeline } = state;
  const { origin = 0 } = message;
  const { origin: old = 0 } = state.confirmed ?? message;
  const exchanged = old !== origin && {
    ...(state.ran[origin] ?? { run: INITIAL.run, timeline: null }),
    ran: { ...state.ran, [old]: { run, timeline } },
  };
  const sent = asked(state, message);
  // the kernel knew of them when it undid a step, or took places away for a program
  const told = exchanged || (sent && sent.kind !== "edits");
  // what another view has placed since is there
  const known = { ...state.confirmed?.positions, ...(sent?.kind === "edits" && sent.positions) };
  const moved = Object.fromEntries(
    Object.entries(state.moved).filter(([key, at]) => {
      const now = message.positions[key];
      return !told && !samePosition(now, at) && samePosition(now, known[key]);
    }),
  );
  const done = sent || (state.unsure !== null && message.revision > state.unsure);
  const answered = done ? state.pending.slice(1) : state.pending;
  const keys = new Set(message.graph.nodes.map((n) => n.key));
  const previews = Object.fromEntries(Object.entries(state.previews).filter(([, p]) => keys.has(p.key)));
  const changed = state.confirmed !== null && state.confirmed.revision !== message.revision;
  const next = project({
    ...state,
    ...exchanged,
    link: "live",
    reopening: false,
    confirmed: message,
    draft: draftOf(before, message, !state.confirmed || exchanged !== false),
    pending: answered,
    inFlight: sent ? "" : state.inFlight,
    unsure: null,
    moved,
    previews,
    written: writtenOf(before, message, !state.confirmed || exchanged !== false),
    // of other wires nobody knows yet, and where something else is wrong, nobody asks
    previewFailures: state.previewFailures.filter((d) => wiredTo(message, d) === wiredTo(state.confirmed, d)),
    refused: changed ? [] : state.refused,
    ailing: changed ? failedBefore(state, sent) : state.ailing,
    batchSize: message.options.batch_size,
    detail: state.detail && keys.has(state.detail.key) ? state.detail : null,
  });
  const drawn = new Set(next.graph?.nodes.map((n) => n.key));
  if (changed && next.view.expecting) {
    const known = new Set(before.confirmed?.graph.nodes.map((n) => n.key));
    const added = (next.graph?.nodes ?? []).filter((n) => !known.has(n.key));
    const fed = next.graph ? wiresOf(next.graph).filter((w) => added.some((n) => n.key === w.slot.node)) : [];
    const ends = added.filter((n) => !fed.some((w) => w.source.node === n.key));
    const selection = (next.view.expecting === "last" ? ends : added).map((n) => n.key);
    const [node] = selection;
    let { quickAdd } = next.view;
    // what is added next follows it
    if (quickAdd?.selected && node && sent?.kind === "transform" && !("branch" in sent.message && sent.message.branch))
      quickAdd = { ...quickAdd, from: { node, output: 0 } };
    return { ...next, view: { ...next.view, selection, wires: [], expecting: false, inside: [], quickAdd } };
  }
  // what an undo brings back is looked at again
  const undone = !exchanged && sent?.kind === "undo" && state.confirmed?.graph.nodes;
  const back = undone ? [...drawn].filter((k) => !undone.some((n) => n.key === k)) : [];
  // a box that gets a probability, or loses it, is selected with what decides
  const box = selectedBox(state);
  const grown = box && boxesOf(next).get(box.id);
  const own = grown ? grown.nodes.map((n) => n.key) : back;
  const selection = own.length > 0 ? own : state.view.selection.filter((k) => k === OUTPUTS || drawn.has(k));
  const edited = sent?.kind === "edits" && changed;
  const said = next.view.notice;
  const other = edited && redrawn(state.confirmed.graph, message.graph, sent.edits);
  // what was done is said first, then what follows from it
  const notice = other ? { ...other, text: `${said ? `${said.text} ` : ""}${other.text}` } : said;
  const same = (grown || back.length === 0) && selection.length === state.view.selection.length;
  if (same && !other) return next;
  return { ...next, view: { ...next.view, notice, selection: same ? state.view.selection : selection } };
}

/** What is wired to the node of a finding. */
function wiredTo(message: RevisionChanged | null, d: Diagnostic): string {
  const at = nodeOf(message?.graph ?? null, d.node ?? "");
  return JSON.stringify(at && sourcesOf(at));
}

/** A text that is no graph yet: what the kernel keeps of it, where a document is opened or its own was put aside. */
function draftOf(state: State, message: RevisionChanged, opens: boolean): State["draft"] {
  const { draft, confirmed } = state;
  const { draft: source } = message;
  const follows = draft ? draft.source === confirmed?.draft && draft.source !== source : opens;
  if (!follows) return draft;
  return source ? { source, base: "", found: [], taken: false } : null;
}

/** Likewise what is written for code nodes and has not run. */
function writtenOf(state: State, message: RevisionChanged, opens: boolean): State["written"] {
  const { written: mine, confirmed } = state;
  const { written: theirs } = message;
  const found: Record<string, string> = {};
  for (const key of Object.keys({ ...mine, ...theirs })) {
    const [own, kept, now] = [mine[key], confirmed?.written[key], theirs[key]];
    const follows = own === undefined ? opens || now !== kept : own === kept && now !== kept;
    const text = follows ? now : own;
    const code = nodeOf(message.graph, key)?.code;
    if (text !== undefined && code && code.source !== text) found[key] = text;
  }
  return JSON.stringify(found) === JSON.stringify(mine) ? mine : found;
}

/** Whether a reply is for the sample that is asked for; older ones are dropped. */
export function isWanted(state: State, message: Previews): boolean {
  if (!state.wanted) return true;
  return message.sample === state.wanted.sample && message.iteration === state.wanted.iteration;
}

function onPreviews(state: State, message: Previews): State {
  if (!isWanted(state, message)) return state;
  // pictures of a graph whose place this one has taken stay until it has its own
  const { origin = 0 } = state.confirmed ?? {};
  const own = Object.entries(state.previews).filter(([, p]) => p.revision >= Math.min(origin, message.revision));
  const previews: Record<string, Preview> = Object.fromEntries(own);
  const fresh = new Set<string>();
  for (const item of message.items) {
    const id = portKey(item.key, item.output);
    const old = previews[id];
    if (old && old.revision > message.revision) continue;
    fresh.add(item.key);
    const { revision, sample, iteration } = message;
    previews[id] = kept(old, { ...item, revision, sample, iteration });
  }
  // A failure stands until its node answers with data again, or another sample is shown.
  const failedNow = new Set(message.failed.map((d) => d.node ?? ""));
  const sameSample = message.sample === state.sample && message.iteration === state.iteration;
  const stands = (node: string) => sameSample && !fresh.has(node) && !failedNow.has(node);
  const standing = state.previewFailures.filter((d) => stands(d.node ?? ""));
  return {
    ...state,
    previews,
    previewFailures: kept(state.previewFailures, [...standing, ...message.failed]),
    sample: message.sample,
    iteration: message.iteration,
    batchSize: message.batch_size || state.batchSize,
    awaited: state.pending.length === 0 && message.revision >= (state.confirmed?.revision ?? 0) ? [] : state.awaited,
    wanted: null,
  };
}

/** Cells replace those of the sheet before one by one, so that nothing goes blank while others come. */
function onSheet(state: State, message: Sheet): State {
  const { name, port } = message;
  const old = state.sheets[name];
  const kept = old && old.port.node === port.node && old.port.output === port.output ? old.cells : {};
  const cells = { ...kept, ...Object.fromEntries(message.cells.map((c) => [cellKey(c.variant, c.sample), c])) };
  return { ...state, sheets: { ...state.sheets, [name]: { ...message, cells } } };
}

/** Effects of an earlier state stay until the new ones are there. */
function onEffects(state: State, message: Effects): State {
  const of = effectsOf(message.port, message);
  const made = message.items.map(
    (i) => [i.operator, { of, there: (i.width ?? 0) > 0, whole: i.whole ?? false, time: i.milliseconds ?? 0 }] as const,
  );
  return { ...state, effects: { ...state.effects, ...Object.fromEntries(made) } };
}

/** What a message of the kernel changes. Pictures are decoded elsewhere. */
export function receive(state: State, message: KernelMessage): State {
  const sent = asked(state, message);
  switch (message.type) {
    case "opened": {
      const { dialects, recipes, version, gpu } = message;
      const opening = { catalog: indexCatalog(message.catalog), dialects, recipes, version, gpu };
      // it says again what it knows of devices; a new kernel knows nothing
      return { ...state, link: "live", opening, reopening: state.confirmed !== null, deviceTimes: [] };
    }
    case "revision_changed": {
      const next = onRevision(state, message);
      const { draft } = state;
      if (sent?.kind !== "code" || !draft || message.revision === state.confirmed?.revision) return next;
      const was = state.graph?.nodes ?? [];
      const now = next.graph?.nodes ?? [];
      const gone = was.filter((n) => !now.includes(n));
      const idle = !gone[0] && now.length === was.length && next.options === state.options;
      // what keeps its name has other arguments, as a reader that is given the folder of the text's loader
      const left = gone.filter((n) => !now.some((m) => m.key === n.key)).map((n) => n.key);
      const text = left[0]
        ? `The Compose stands in place of ${left.length > 3 ? format.plural(left.length, "step") : left.join(", ")}.`
        : idle
          ? "Nothing changed: the graph does as the Compose says."
          : "The Compose is in the graph.";
      const notice = { text: text + differing(message.diagnostics), node: idle ? OUTPUTS : "" };
      const composed = /^(?!.*pipeline_def).*Compose\(/s.test(sent.source);
      return {
        ...next,
        view: composed ? { ...next.view, notice } : next.view,
        // who goes on writing meanwhile writes on from there
        draft: { ...draft, base: sent.source, taken: draft.source === sent.source },
      };
    }
    case "refused": {
      // said beside the text, which stays as it is
      if (sent?.kind === "code" && state.draft)
        return {
          ...state,
          awaited: [],
          draft: state.draft.source === sent.source ? { ...state.draft, found: message.diagnostics } : state.draft,
        };
      // the graph is as it was, and no node is at fault
      if (sent?.kind === "edits" && sent.edits.some((e) => e.type === "connect")) {
        const text = `No wire was drawn: ${message.diagnostics[0]?.message ?? ""}`;
        return { ...state, awaited: [], view: { ...state.view, notice: { text, node: OUTPUTS } } };
      }
      const chance = sent?.kind === "edits" && sent.edits.find((e) => e.type === "set_chance");
      if (chance) {
        const [{ message: text = "", hint = "" } = {}] = message.diagnostics;
        const notice = { text: `${text} ${hint}`, node: chance.key, below: true };
        return { ...state, awaited: [], view: { ...state.view, notice } };
      }
      // said below the field; nothing is wrong with a pipeline that does not exist
      if (state.view.tried && state.graph?.nodes.length === 0 && message.diagnostics[0]?.code === "DS302") {
        const [{ message: cause, hint = "" }] = message.diagnostics;
        return { ...state, view: { ...state.view, tried: { ...state.view.tried, why: `${cause} ${hint}` } } };
      }
      return {
        ...state,
        refused: message.diagnostics,
        awaited: [],
        run: halted(state.run),
      };
    }
    case "previews":
      return onPreviews(state, message);
    case "sample_strip":
      return { ...state, strip: message };
    case "image_detail":
      return { ...state, detail: message };
    case "run_progress":
      return {
        ...state,
        run: {
          ...state.run,
          running: true,
          done: message.done,
          total: message.total,
          left: message.seconds_left,
          reached: message.keys,
          samples: message.samples,
        },
      };
    case "run_finished": {
      // it was one of the graph before
      if (message.revision < (state.confirmed?.origin ?? 0)) return { ...state, run: INITIAL.run };
      const parts = Object.fromEntries((state.graph?.nodes ?? []).map((n) => [n.key, n.chance ?? 1]));
      const run = { ...INITIAL.run, finished: message, revision: message.revision, parts };
      return { ...state, run, trial: null, trying: "" };
    }
    case "device_times":
      return { ...state, deviceTimes: message.times };
    case "memory_freed":
      return { ...state, freed: message };
    case "code":
      // written off the tick, it may come after that of a later revision
      if (message.revision < (state.code?.revision ?? -1)) return state;
      return {
        ...state,
        code: message,
        view: withIdle(state, message.diagnostics),
        draft:
          state.draft?.taken || state.draft?.source === message.source
            ? null
            : state.draft?.base === "" // the kernel kept it
              ? { ...state.draft, base: message.source }
              : state.draft,
      };
    case "progress":
      return { ...state, progress: message.doing ? message : null };
    case "saved":
      return { ...state, savedFile: message, refused: [] };
    case "effects":
      return onEffects(state, message);
    case "sheet":
      return onSheet(state, message);
    case "draws":
      return { ...state, draws: { ...state.draws, [message.port.node]: message } };
    case "pair": {
      // means of samples come after it, and those of before are told until then, but of another pair
      const { a, b, mean = 0 } = message;
      const known = state.pairBatch;
      const same = known && mean >= 0 && JSON.stringify([known.a, known.b]) === JSON.stringify([a, b]);
      return { ...state, pair: message, pairBatch: same ? known : null };
    }
    case "pair_batch":
      return { ...state, pairBatch: message };
    case "pixel":
      return { ...state, pixel: message };
    case "label_twin":
      return { ...state, twin: message };
    case "sound":
      return state; // who asked for it plays it
    case "timeline":
      return message.revision < (state.confirmed?.origin ?? 0) ? state : { ...state, timeline: message };
    case "trial":
      return { ...state, trial: message, run: halted(state.run) };
    case "run_history":
      return { ...state, runs: message.runs };
    case "saved_states":
      return { ...state, snapshots: message.snapshots };
    case "data_set":
      return { ...state, dataSet: message };
    case "file_remains":
      return { ...state, files: { ...state.files, [message.source]: message } };
    case "folder_found":
      return { ...state, folder: message };
    case "recipe_pictures":
    case "reproduction":
    case "names":
      return state; // who asked for it takes it from the session
    case "graph_difference":
      return { ...state, difference: message };
    case "busy":
      return {
        ...state,
        busy: message.busy,
        busyKeys: message.busy ? message.keys : [],
        run: message.busy ? state.run : halted(state.run),
      };
    default:
      message satisfies never;
      return state; // what is for others: the program that another page of the notebook has asked for
  }
}
