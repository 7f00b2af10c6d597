import type {
  AddTransform,
  ClientMessage,
  Edit,
  KernelMessage,
  LabelTwin,
  Name,
  Names,
  PasteCode,
  PortRef,
  Position,
  Previews,
  Repair,
  RevisionChanged,
  Sound,
} from "../protocol/generated";
import { batchOf, isAboutFile } from "./failures";
import { nodeOf, OUTPUTS } from "./graph";
import { decode, Images } from "./images";
import { joinedMarks } from "./inside";
import { renamedJunctions } from "./junctions";
import type { Size } from "./layout";
import { renamedIn } from "./marks";
import { Pictures } from "./pictures";
import { awaiting, enqueue, halted, isOther, isWanted, project, quiet, receive, withdraw } from "./reduce";
import { type Command, INITIAL, type Marks, type Pins, type State, type View } from "./state";
import { messageOf } from "./steps";
import { createStore, type Store } from "./store";
import { keepUnsent, leftOf, untold, withLeft } from "./unsent";

/** How messages travel; the widget wraps its model in this. */
export interface Transport {
  send(message: ClientMessage): void;
  onMessage(listener: (message: KernelMessage, buffers: readonly Bytes[]) => void): () => void;
  /** Try a line that was cut at once. */
  retry?(): void;
  close?(): void;
}

export type Bytes = DataView | ArrayBuffer;

/**
 * Opens a document, with its steps, in the kernel that runs now; rejected with a sentence if there is none that can.
 * `of` is what the kernel said with it.
 */
export type Attach = (document: readonly Bytes[], of: RevisionChanged) => Promise<Transport>;

/** Batches of each turn of a trial. */
const TRIAL_BATCHES = 8;

/** How long an answer may take before the kernel counts as silent, in ms. */
const TIMEOUT = 12_000;

function isAtlas(message: KernelMessage): message is Previews | LabelTwin {
  return message.type === "previews" || message.type === "label_twin";
}

/** One view's conversation with the kernel. */
export class Session {
  /** The room that cards were last fitted into. */
  room: Size = { width: 900, height: 440 };
  /** Where cards were put: what stands elsewhere, somebody has moved. */
  put: Readonly<Record<string, Position>> = {};
  /** Whether all cards are where the layout has put them; the view knows. */
  laid: () => boolean = () => false;
  readonly store: Store<State> = createStore(INITIAL);
  readonly images = new Images();
  private readonly pictures = new Pictures(this.images);
  /** Plays the sound that was asked for last. */
  heard: (message: Sound, data: Bytes | undefined) => void = () => undefined;
  private stopListening: () => void;
  /** The document as the kernel had it last, and its undo steps: they outlive the kernel. */
  private document: readonly Bytes[] | null = null;
  /** So do its runs. */
  private runs: readonly Bytes[] = [];
  private readonly shown = new Set<string>();
  private readonly asked = new Set<string>();
  private reproduced: (program: string) => void = () => undefined;
  private named: (found: Names) => void = () => undefined;
  /** Done when what has come of pictures is decoded and shown. */
  private decoding: Promise<void> | null = null;
  /** What is decoded when the kernel is lost is not shown. */
  private losses = 0;
  /** Edits that wait for what the kernel has left to be restored. */
  private after: Command[] = [];
  /** Other pages may ask the same kernel. */
  private readonly page = Math.random();
  private steps = 0;
  private watch: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private transport: Transport,
    private readonly previewWidth: number,
    private readonly attach: Attach | null = null,
  ) {
    this.stopListening = transport.onMessage((message, buffers) => this.receive(message, buffers));
    keepUnsent(this.store, this.tell);
  }

  /** Say that a view is there; also how a silent kernel is called again. What was not answered is sent again. */
  start(): void {
    this.store.set((s) => ({
      ...s,
      unsure: s.inFlight ? (s.confirmed?.revision ?? null) : null,
      inFlight: "",
      link: s.opening && s.link !== "gone" ? s.link : "starting",
    }));
    this.send({ type: "ready", preview_width: this.previewWidth });
    this.expectAnswer();
  }

  /** Find a kernel again. One that has lost the document gets it back, then the edits that were made meanwhile. */
  async reconnect(): Promise<void> {
    const { link, confirmed, sample, iteration } = this.store.get();
    if (link !== "gone" || !this.attach || !this.document || !confirmed) {
      this.transport.retry?.();
      this.start();
      return;
    }
    this.store.set((s) => ({ ...s, link: "starting", inFlight: "", refused: [] }));
    try {
      const transport = await this.attach([...this.document, ...this.runs], confirmed);
      this.stopListening();
      this.transport.close?.();
      this.transport = transport;
      this.stopListening = transport.onMessage((message, buffers) => this.receive(message, buffers));
      this.start();
      // a new kernel begins with the first one
      if (sample > 0 || iteration > 0) this.chooseSample(sample, iteration);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.store.set((s) => ({ ...s, link: "gone", refused: [{ code: "DS305", message }] }));
    }
  }

  /** Bring back what an earlier kernel has left, and then what none has had. */
  restore(): void {
    const { confirmed, unsent } = this.store.get();
    if (confirmed?.waiting) {
      this.after = [...unsent];
      this.send({ type: "restore_edits" });
    } else this.redoAll(unsent);
  }

  private redoAll(commands: readonly Command[]): void {
    this.pump((s) => commands.reduce(enqueue, s));
  }

  close(): void {
    clearTimeout(this.watch);
    this.losses += 1;
    this.stopListening();
    this.transport.close?.();
    this.images.clear();
  }

  send(message: ClientMessage): void {
    try {
      this.transport.send(message);
    } catch {
      this.lost();
    }
  }

  /** One undo step. Shown at once, sent when the one before was answered. */
  edit(
    edits: readonly Edit[],
    options: {
      gesture?: string;
      positions?: Readonly<Record<string, Position>>;
      marks?: Marks;
      pins?: Pins;
    } = {},
  ): void {
    const { gesture = "", positions = {}, pins = {} } = options;
    const marks = { ...joinedMarks(this.store.get(), edits), ...options.marks };
    if ([edits, positions, marks, pins].every((part) => Object.keys(part).length === 0)) return;
    this.pump((s) => enqueue(s, { kind: "edits", edits, gesture, positions, marks, pins }));
  }

  /** Show what somebody writes; nothing is sent. */
  write(source: string): void {
    this.store.set((s) => {
      const base = s.draft?.base ?? s.code?.source ?? "";
      return { ...s, draft: source === s.code?.source ? null : { source, base, found: [], taken: false } };
    });
  }

  /** Make the graph what was written, as one undo step. Cards that the layout has put are laid out anew. */
  applyCode(): void {
    const { draft, pending } = this.store.get();
    if (!draft || draft.taken || pending.some((c) => c.kind === "code" && c.source === draft.source)) return;
    const { source } = draft;
    this.pump((s) => enqueue({ ...s, draft: { ...draft, found: [] } }, { kind: "code", source, laid: this.laid() }));
  }

  /** Keep what is written for a code node, which has another text until it runs. */
  keepWritten(key: string, text: string): void {
    this.store.set((s) => ({ ...s, written: { ...s.written, [key]: text } }));
  }

  /** Give a code node another function: its pictures, and those behind it, are waited for. */
  runFunction(key: string, source: string): void {
    this.store.set((s) => awaiting(s, [key]));
    this.send({ type: "apply_function", key, source });
  }

  /** Have the document keep what is written and not applied: into the code pane, or for a code node. */
  private readonly tell = (source: string, key = ""): void => this.send({ type: "keep_draft", source, key });

  /** Done when the kernel has answered all edits, or is gone; a text is applied first, and what has not run is kept. */
  answered(): Promise<void> {
    this.applyCode();
    const state = this.store.get();
    for (const key of untold(state)) this.tell(state.written[key] ?? "", key);
    return new Promise((resolve) => {
      const look = () => {
        const now = this.store.get();
        if (now.link !== "gone" && (now.pending.length > 0 || untold(now).length > 0)) return;
        unsubscribe();
        resolve();
      };
      const unsubscribe = this.store.subscribe(look);
      look();
    });
  }

  discardCode(): void {
    this.store.set((s) => ({ ...s, draft: null }));
  }

  undo(): void {
    this.pump((s) => (s.link === "gone" ? withdraw(s) : enqueue(s, { kind: "undo" })));
  }

  redo(): void {
    if (this.store.get().link === "gone") return;
    this.pump((s) => enqueue(s, { kind: "redo" }));
  }

  /** Keep places that were not chosen by the user; `edit` moves cards as an undo step. */
  move(positions: Readonly<Record<string, Position>>): void {
    if (Object.keys(positions).length === 0) return;
    this.put = { ...this.put, ...positions };
    this.store.set((s) => project({ ...s, moved: { ...s.moved, ...positions } }));
    this.send({ type: "move_nodes", positions });
  }

  view(change: Partial<View> | ((view: View) => Partial<View>)): void {
    this.store.set((s) => {
      const part = typeof change === "function" ? change(s.view) : change;
      const same = Object.entries(part).every(([key, value]) => value === s.view[key as keyof View]);
      return same ? s : { ...s, view: { ...s.view, ...part } };
    });
  }

  /** Say why something was not done. */
  refuse(text: string): void {
    this.view({ notice: { text, node: OUTPUTS } });
  }

  select(selection: readonly string[]): void {
    this.view({ selection, wires: [], renaming: false });
  }

  /** Rename a node; the selection follows it. */
  rename(key: string, newKey: string): void {
    this.edit([{ type: "rename", key, new_key: newKey }], {
      positions: { [newKey]: this.store.get().positions[key] ?? { x: 0, y: 0 } },
      marks: {
        ...renamedIn(this.store.get().marks, key, newKey),
        ...renamedJunctions(this.store.get(), key, newKey),
      },
    });
    this.view((v) => ({ renaming: false, selection: v.selection.map((k) => (k === key ? newKey : k)) }));
  }

  chooseSample(sample: number, iteration: number): void {
    if (this.store.get().link === "gone") return;
    const count = Math.max(1, this.store.get().batchSize);
    const wanted = { sample: Math.min(Math.max(0, sample), count - 1), iteration: Math.max(0, iteration) };
    this.store.set((s) => ({ ...s, ...wanted, wanted, awaited: (s.graph?.nodes ?? []).map((n) => n.key) }));
    this.send({ type: "choose_sample", ...wanted });
  }

  /** `until`: only this node and what it depends on. */
  run(batches = 0, until = ""): void {
    void this.measure({ type: "run", batches, until }, 0);
  }

  /** Measure the pipeline as it is and after edits that nobody keeps. */
  tryAdvice(name: string, batches = TRIAL_BATCHES): void {
    const trial = { trying: name, trial: null, trialKept: false };
    void this.measure({ type: "try_advice", name, batches }, 4 * batches, trial);
  }

  /** Change the pipeline as was tried; what was measured stays told until the next run. */
  keepTrial(name: string): void {
    this.store.set((s) => ({ ...s, trialKept: true }));
    this.send({ type: "take_advice", name });
  }

  forgetTrial(): void {
    this.store.set((s) => ({ ...s, trying: "", trial: null }));
  }

  /** Measure what is seen: a text that is no graph yet is applied before, and nothing measured where it cannot be. */
  private async measure(message: ClientMessage, total: number, change: Partial<State> = {}): Promise<void> {
    const open = () => this.store.get().draft?.taken === false;
    if (open()) await this.answered();
    if (open()) return;
    this.store.set((s) => ({
      ...s,
      ...change,
      refused: [],
      view: quiet(s.view),
      run: { ...s.run, running: true, stopping: false, done: 0, reached: [], samples: 0, total },
    }));
    this.send(message);
  }

  /** Measure every node on the CPU and on the GPU. */
  compareDevices(batches: number): void {
    void this.measure({ type: "compare_devices", batches }, 2 * batches);
  }

  /** Do what the kernel offers; it may add cards, so everything is shown afterwards, and stands where it puts it. */
  repair(repair: Repair): void {
    this.store.set((s) => ({ ...s, moved: {}, view: { ...s.view, refit: s.view.refit + 1 } }));
    this.send({ type: "apply_repair", ...repair });
  }

  /** Ask once for what can be seen of a file. */
  requestFile(node: string, source: string): void {
    if (this.asked.has(source)) return;
    this.asked.add(source);
    this.send({ type: "request_file", node, source });
  }

  /** The smallest program in which a node fails so. */
  reproduction(node: string, source: string): Promise<string> {
    return new Promise((resolve) => {
      this.reproduced = resolve;
      this.send({ type: "request_reproduction", node, source });
    });
  }

  /** The names that may follow at a place in the text of a code node. */
  namesAt(source: string, place: number): Promise<readonly Name[]> {
    const lines = source.slice(0, place).split("\n");
    const line = lines.length;
    const column = [...(lines.at(-1) ?? "")].length; // Python counts characters, not UTF-16
    return new Promise((resolve) => {
      this.named = (found) => {
        if (found.line === line && found.column === column) resolve(found.names);
      };
      this.send({ type: "request_names", source, line, column });
    });
  }

  /** Say something no more. */
  dismiss(id: string): void {
    this.view((v) => ({ dismissed: [...v.dismissed.slice(-40), id] }));
  }

  stop(): void {
    this.store.set((s) => ({ ...s, run: { ...s.run, stopping: s.run.running } }));
    this.send({ type: "stop" });
  }

  /** `plane`: a frame or slice, -1 for the one that is shown first. */
  requestDetail(ref: PortRef, plane = -1): void {
    const { whole } = this.store.get().view;
    this.send({ type: "request_detail", key: ref.node, output: ref.output, plane, whole });
  }

  /** Add the calls of a program's text, or the steps of a Compose behind a selected card; the kernel reads it. */
  pasteCode(text: string, at: Position): void {
    const { graph, view } = this.store.get();
    const node = nodeOf(graph, view.selection[0] ?? "");
    const source = node ? { node: node.key, output: 0 } : null;
    // a graph of its own is looked at as a whole
    const expecting = (graph?.nodes.length ?? 0) > 0;
    this.addBehind({ type: "paste_code", text, at, source, laid: this.laid() }, expecting);
  }

  /** Put a transform of another package behind a picture. */
  addTransform(what: Omit<AddTransform, "type">): void {
    this.addBehind({ type: "add_transform", ...what }, "last");
  }

  private addBehind(message: AddTransform | PasteCode, expecting: State["view"]["expecting"]): void {
    this.view({ expecting });
    this.pump((s) => enqueue(s, { kind: "transform", message }));
  }

  /** The comm was closed by the host, which may say of the kernel what has become of it. */
  lost(status?: string): void {
    clearTimeout(this.watch);
    this.losses += 1;
    const ended = status === "autorestarting" || status === "dead";
    this.store.set((s) => ({
      ...s,
      link: "gone",
      ended: ended || (s.ended && s.link === "gone"),
      keeps: this.attach !== null && this.document !== null,
      inFlight: "",
      busy: false,
      busyKeys: [],
      progress: null,
      run: halted(s.run),
    }));
  }

  /** Change what waits, and send the first of it; told once, since all that is shown looks at every change. */
  private pump(change: (state: State) => State = (s) => s): void {
    const id = `${this.page} ${this.steps}`;
    let sent = null as ClientMessage | null;
    this.store.set((s) => {
      const state = change(s);
      const next = state.pending[0];
      // while it starts, what comes first is no answer
      if (state.inFlight || !next || !state.confirmed || state.link === "gone" || state.link === "starting")
        return state;
      sent = messageOf(next, id, state.confirmed.revision);
      return { ...state, inFlight: id };
    });
    if (!sent) return;
    this.steps += 1;
    this.send(sent);
    this.expectAnswer();
  }

  /** A message that the kernel could not even read gets no revision: do not wait for one for ever. */
  private releaseSoon(): void {
    const stuck = this.store.get().pending[0];
    if (!stuck) return;
    setTimeout(() => {
      this.pump((s) =>
        s.inFlight && s.pending[0] === stuck ? project({ ...s, pending: s.pending.slice(1), inFlight: "" }) : s,
      );
    }, 1500);
  }

  private expectAnswer(): void {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => {
      this.store.set((s) => (s.inFlight || !s.opening ? { ...s, link: "silent" } : s));
      // the first words may have been lost while the kernel connected
      if (!this.store.get().opening) this.send({ type: "ready", preview_width: this.previewWidth });
    }, TIMEOUT);
  }

  /** Pictures and what is said of them are shown together, as soon as they are decoded; what comes later waits. */
  private receive(sent: KernelMessage, buffers: readonly Bytes[]): void {
    const picture = isAtlas(sent) ? buffers[0] : undefined;
    const { decoding: before, losses } = this;
    if (!picture && !before) {
      this.take(sent, buffers, null);
      return;
    }
    const take = async () => {
      const bitmap = await decode(picture);
      await Promise.allSettled([before]);
      if (this.decoding === taken) this.decoding = null;
      if (this.losses === losses) this.take(sent, buffers, bitmap);
    };
    const taken = take();
    this.decoding = taken;
  }

  private take(message: KernelMessage, buffers: readonly Bytes[], bitmap: ImageBitmap | null): void {
    if (message.type === "revision_changed") this.document = buffers[0] ? buffers : this.document;
    if (message.type === "run_history") this.runs = buffers;
    const wanted = message.type !== "previews" || isWanted(this.store.get(), message);
    if (message.type === "revision_changed" && isOther(this.store.get(), message)) this.images.clear();
    const first = this.store.get().confirmed === null;
    this.store.set((s) => {
      const next = receive(s, message);
      if (first && next.confirmed) return withLeft(next, leftOf(next));
      return next.link === "silent" || next.link === "gone" ? { ...next, link: "live" } : next;
    });
    // the file at which a run has stopped is shown
    const [stop] = message.type === "run_finished" ? message.failed : [];
    if (stop && isAboutFile(stop)) this.chooseSample(stop.sample ?? 0, batchOf(this.store.get(), stop));
    if (message.type === "reproduction") this.reproduced(message.program);
    if (message.type === "names") this.named(message);
    if (message.type === "sound") this.heard(message, buffers[0]);
    if (!isAtlas(message)) void this.pictures.take(message, buffers);
    else if (wanted) {
      // those of the label guard are of no node
      if (message.type === "previews") for (const item of message.items) this.shown.add(`${item.key}#${item.output}`);
      this.images.putAtlas(message, bitmap);
    } else bitmap?.close();
    if (message.type === "refused") this.releaseSoon();
    this.dropOrphans();
    if (message.type !== "revision_changed") return;
    this.redoAll(message.waiting ? [] : this.after.splice(0));
  }

  /** Forget the pictures of what is shown no more. */
  private dropOrphans(): void {
    const { previews } = this.store.get();
    for (const id of this.shown) {
      if (!(id in previews)) {
        this.images.remove(id);
        this.shown.delete(id);
      }
    }
  }
}
