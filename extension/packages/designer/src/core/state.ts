import type {
  AddTransform,
  Code,
  DataSet,
  DeviceTime,
  Diagnostic,
  DialectInfo,
  Draws,
  Edit,
  FileRemains,
  FolderFound,
  GraphDifference,
  GraphView,
  ImageDetail,
  KnownRun,
  LabelTwin,
  Mark,
  MemoryFreed,
  Pair,
  PairBatch,
  PasteCode,
  PipelineOptions,
  Pixel,
  PortRef,
  Position,
  PreviewItem,
  Progress,
  RecipeInfo,
  RevisionChanged,
  RunFinished,
  SampleStrip,
  Saved,
  Sheet,
  SheetCell,
  Side,
  Snapshot,
  Timeline,
  Trial,
} from "../protocol/generated";
import type { CatalogIndex } from "./catalog";
import type { Fix } from "./fixes";
import type { Slot } from "./graph";
import type { Aside } from "./solo";
import type { Sweep } from "./sweep";

/** `starting`: no answer yet; `live`: the kernel answers; `silent`: it should have answered; `gone`: the comm is closed. */
export type Link = "starting" | "live" | "silent" | "gone";

/** No kernel answers for what is shown: it is gone, or another one is being asked. */
export const isAway = (s: State): boolean => s.link === "gone" || (s.link === "starting" && s.confirmed !== null);

/** Notes and groups that change; null takes one away. */
export type Marks = Readonly<Record<string, Mark | null>>;

/** Nodes whose outputs previews are to keep, or no longer. */
export type Pins = Readonly<Record<string, boolean>>;

export type Command =
  | {
      readonly kind: "edits";
      readonly edits: readonly Edit[];
      readonly gesture: string;
      readonly positions: Readonly<Record<string, Position>>;
      readonly marks: Marks;
      readonly pins: Pins;
    }
  | { readonly kind: "code"; readonly source: string; readonly laid: boolean }
  | { readonly kind: "transform"; readonly message: AddTransform | PasteCode }
  | { readonly kind: "undo" }
  | { readonly kind: "redo" };

/** The program as somebody is writing it. */
export interface Draft {
  readonly source: string;
  /** The program that it began with. */
  readonly base: string;
  /** Why it is not the graph yet: what was found when the kernel read it last. */
  readonly found: readonly Diagnostic[];
  /** The graph is what it says; the kernel's own text of it is on its way. */
  readonly taken: boolean;
}

export interface Opening {
  readonly catalog: CatalogIndex;
  readonly dialects: readonly DialectInfo[];
  readonly recipes: readonly RecipeInfo[];
  readonly version: string;
  /** Why there is no GPU, or empty. */
  readonly gpu: string;
}

/** Text and numbers of a preview; its pixels live in `Images`. */
export interface Preview extends PreviewItem {
  readonly revision: number;
  readonly sample: number;
  readonly iteration: number;
}

export interface RunState {
  readonly running: boolean;
  readonly stopping: boolean;
  readonly done: number;
  readonly total: number;
  readonly left: number;
  /** Nodes that are through with the batch after those that are done, or at it. */
  readonly reached: readonly string[];
  /** How many samples of that batch are made, where it takes long. */
  readonly samples: number;
  readonly finished: RunFinished | null;
  /** Revision that `finished` measured. */
  readonly revision: number;
  /** To which part of the samples each node was applied in it. */
  readonly parts: Readonly<Record<string, number>>;
}

/** What an operator makes of an output. */
export interface EffectState {
  /** What it was made of, as `effectsOf` names it. */
  readonly of: string;
  readonly there: boolean;
  readonly whole: boolean;
  /** In ms, 0 before it was measured. */
  readonly time: number;
}

/** What has come of a sheet; its pictures live in `Images`. */
export interface SheetState extends Omit<Sheet, "cells"> {
  /** By `variant:sample`. */
  readonly cells: Readonly<Record<string, SheetCell>>;
}

/** Where the quick-add search is open, and what it is for. */
export interface QuickAdd {
  readonly mode: "add" | "connect";
  /** In px of the widget. */
  readonly at: Position;
  /** In px of the canvas: where the node goes. */
  readonly place: Position | null;
  readonly from: PortRef | null;
  readonly to: Slot | null;
  /** Whether `from` is what was selected, and not a wire's end. */
  readonly selected: boolean;
  /** Whether somebody pointed at `place`: the node stands there, whatever it follows. */
  readonly pointed?: boolean | undefined;
  readonly query: string;
}

/** What a context menu is about. */
export interface Menu {
  readonly kind: "nodes" | "wire" | "canvas" | "more" | "dropped";
  readonly id: string;
  /** The wire that was dropped there. */
  readonly wire?: Pick<QuickAdd, "from" | "to">;
  /** In px of the widget. */
  readonly at: Position;
  /** In px of the canvas. */
  readonly place: Position;
  /** The lower right corner of what is in view, in px of the canvas. */
  readonly end?: Position;
}

/** Two outputs that are compared in place of the canvas, or one that is looked at there. */
export interface Comparison {
  readonly a: Side;
  readonly b?: Side;
  /** Frame of sequences, or slice of volumes. */
  readonly plane?: number;
}

export type DrawerTab = "code" | "batch" | "timeline" | "runs" | "problems" | "data";

export type Measure = "time" | "memory";

export interface View {
  readonly selection: readonly string[];
  readonly wires: readonly string[];
  readonly hovered: string | null;
  /** The wires that the pointer is at, else the keyboard: one, or all of a port or a card. */
  readonly traced: readonly string[];
  readonly palette: boolean;
  /** The operator that the gallery is to show. */
  readonly sought: string;
  /** The reader for which a folder is being chosen; empty: for an empty pipeline. */
  readonly folders: string | null;
  /** What an empty pipeline was last told to read, and why it cannot. */
  readonly tried: { readonly path: string; readonly why: string } | null;
  readonly drawer: DrawerTab | null;
  /** Heights in px that somebody gave to tabs of the drawer. */
  readonly drawerHeights: Readonly<Partial<Record<DrawerTab, number>>>;
  /** The program is open although there is no graph yet. */
  readonly writing: boolean;
  readonly inspector: boolean;
  /** The pipeline's settings are shown where the inspector floats and nothing is selected. */
  readonly settings: boolean;
  readonly heat: boolean;
  /** What cards and the heat map tell about the last run. */
  readonly measure: Measure;
  readonly quickAdd: QuickAdd | null;
  readonly menu: Menu | null;
  readonly help: boolean;
  /** What is searched for on the canvas; null while the box is closed. */
  readonly find: string | null;
  readonly comparison: Comparison | null;
  readonly sweep: Sweep | null;
  readonly sweeping: boolean;
  /** Whether statistics in the inspector are those of the whole batch. */
  readonly whole: boolean;
  /** Whether their histogram has a log scale. */
  readonly log: boolean;
  /** What was done just now, with [Undo]; or what was refused, with a fix, or told below the slider of `node`. */
  readonly notice: {
    readonly text: string;
    readonly node: string;
    readonly fix?: Fix;
    readonly below?: boolean;
  } | null;
  /** The wire into which what is dragged would go. */
  readonly target: string;
  /** Select the nodes that the next revision brings, or the last one alone. */
  readonly expecting: boolean | "last";
  readonly minimap: boolean;
  /** Names of the subgraphs that were entered, the outermost first. */
  readonly inside: readonly string[];
  readonly renaming: boolean;
  /** Outputs that solo or mute has put aside. */
  readonly aside: Aside | null;
  /** A file was asked for where no panel tells of it: the sentence above the graph does. */
  readonly saving: boolean;
  /** What a name is being asked for. */
  readonly asking: "document" | "code" | null;
  /** Show everything when the next cards come. */
  readonly refit: number;
  readonly dismissed: readonly string[];
  /** Error cards that were folded, by node and code. */
  readonly folded: readonly string[];
  /** The finding that an error card on the screen tells of, as `toldBy` has it. */
  readonly told: string;
}

export interface State {
  readonly link: Link;
  /** The kernel that is gone has ended by itself: nobody has restarted it. */
  readonly ended: boolean;
  /** Nodes that had failed before the last step, which was not about them. */
  readonly ailing: readonly string[];
  /** Whether the document outlives a lost kernel, so that another one can go on with it. */
  readonly keeps: boolean;
  /** The revision at which an edit was sent that nobody answered: a later one says that it was done. */
  readonly unsure: number | null;
  readonly opening: Opening | null;
  /** `Opened` came again: the next revision tells whether it is another document, or another view was mounted. */
  readonly reopening: boolean;
  readonly confirmed: RevisionChanged | null;
  /** Not answered yet. */
  readonly pending: readonly Command[];
  /** What an earlier page has left of such; the next edit says that it is not wanted. */
  readonly unsent: readonly Command[];
  /** The id of the first, where it is on its way. */
  readonly inFlight: string;
  /** `confirmed` with `pending` on top; what is the same keeps its identity. */
  readonly graph: GraphView | null;
  readonly options: PipelineOptions | null;
  readonly positions: Readonly<Record<string, Position>>;
  readonly marks: Readonly<Record<string, Mark>>;
  /** Positions that this view sent and the kernel has not repeated yet. */
  readonly moved: Readonly<Record<string, Position>>;
  readonly code: Code | null;
  /** Texts of code nodes that were written and have not run, by node. */
  readonly written: Readonly<Record<string, string>>;
  readonly draft: Draft | null;
  readonly previews: Readonly<Record<string, Preview>>;
  readonly previewFailures: readonly Diagnostic[];
  readonly refused: readonly Diagnostic[];
  readonly run: RunState;
  /** What runs have told about the nodes as they are now, by device. */
  readonly deviceTimes: readonly DeviceTime[];
  readonly freed: MemoryFreed | null;
  readonly strip: SampleStrip | null;
  readonly sample: number;
  readonly iteration: number;
  readonly batchSize: number;
  /** The sample that was asked for and not shown yet. */
  readonly wanted: { readonly sample: number; readonly iteration: number } | null;
  readonly detail: ImageDetail | null;
  readonly busy: boolean;
  readonly busyKeys: readonly string[];
  /** Nodes whose pictures are older than what was asked for: edited ones and all that depend on them. */
  readonly awaited: readonly string[];
  /** What images wait for, once that takes long. */
  readonly progress: Progress | null;
  readonly savedFile: Saved | null;
  /** The folder that was looked into last. */
  readonly folder: FolderFound | null;
  readonly sheets: Readonly<Record<string, SheetState>>;
  /** By operator; the pictures live in `Images`. */
  readonly effects: Readonly<Record<string, EffectState>>;
  /** By node. */
  readonly draws: Readonly<Record<string, Draws>>;
  readonly pair: Pair | null;
  readonly pairBatch: PairBatch | null;
  readonly pixel: Pixel | null;
  /** What would make a label move with its image. */
  readonly twin: LabelTwin | null;
  /** What the threads did in the last run. */
  readonly timeline: Timeline | null;
  /** Runs of graphs whose places others have taken since, by where these came from. */
  readonly ran: Readonly<Record<number, Pick<State, "run" | "timeline">>>;
  /** The advice that is tried, by name, and what was measured of it. */
  readonly trying: string;
  readonly trial: Trial | null;
  /** Whether the pipeline was changed so. */
  readonly trialKept: boolean;
  /** The newest first. */
  readonly runs: readonly KnownRun[];
  /** States in which the document was saved, the newest first. */
  readonly snapshots: readonly Snapshot[];
  readonly dataSet: DataSet | null;
  readonly difference: GraphDifference | null;
  /** What is known of files that could not be used, by name; their pictures live in `Images`. */
  readonly files: Readonly<Record<string, FileRemains>>;
  readonly view: View;
}

export const INITIAL_VIEW: View = {
  selection: [],
  wires: [],
  hovered: null,
  traced: [],
  palette: false,
  sought: "",
  folders: null,
  tried: null,
  drawer: "code",
  drawerHeights: {},
  writing: false,
  inspector: true,
  settings: false,
  heat: false,
  measure: "time",
  quickAdd: null,
  menu: null,
  help: false,
  find: null,
  comparison: null,
  sweep: null,
  sweeping: false,
  whole: false,
  log: false,
  notice: null,
  target: "",
  expecting: false,
  minimap: false,
  inside: [],
  renaming: false,
  aside: null,
  saving: false,
  asking: null,
  refit: 0,
  dismissed: [],
  folded: [],
  told: "",
};

export const INITIAL: State = {
  link: "starting",
  ended: false,
  ailing: [],
  keeps: false,
  unsure: null,
  opening: null,
  reopening: false,
  confirmed: null,
  pending: [],
  unsent: [],
  inFlight: "",
  graph: null,
  options: null,
  positions: {},
  marks: {},
  moved: {},
  code: null,
  draft: null,
  written: {},
  previews: {},
  previewFailures: [],
  refused: [],
  run: {
    running: false,
    stopping: false,
    done: 0,
    total: 0,
    left: 0,
    reached: [],
    samples: 0,
    finished: null,
    revision: -1,
    parts: {},
  },
  deviceTimes: [],
  freed: null,
  strip: null,
  sample: 0,
  iteration: 0,
  batchSize: 0,
  wanted: null,
  detail: null,
  busy: false,
  busyKeys: [],
  awaited: [],
  progress: null,
  savedFile: null,
  folder: null,
  sheets: {},
  effects: {},
  draws: {},
  pair: null,
  pairBatch: null,
  pixel: null,
  twin: null,
  timeline: null,
  ran: {},
  trying: "",
  trial: null,
  trialKept: false,
  runs: [],
  snapshots: [],
  dataSet: null,
  difference: null,
  files: {},
  view: INITIAL_VIEW,
};

export function portKey(key: string, output: number): string {
  return `${key}#${output}`;
}

/** Name of a cell of a sheet, and of its picture. */
export function cellKey(variant: number, sample: number): string {
  return `${variant}:${sample}`;
}

/** Names one sample of an output of one state of the graph. */
export function effectsOf(port: PortRef, of: { revision: number; iteration: number; sample: number }): string {
  return `${portKey(port.node, port.output ?? 0)}@${of.revision}.${of.iteration}.${of.sample}`;
}

/** The picture of what an operator makes of an output; without a name that output itself. */
export function effectImage(operator: string): string {
  return `@effect-${operator}`;
}

export function recipeImage(name: string): string {
  return `@recipe-${name}`;
}
