import { type CatalogIndex, indexCatalog } from "../src/core/catalog";
import { nodeOf } from "../src/core/graph";
import { type Bytes, Session, type Transport } from "../src/core/session";
import type {
  ArgumentSchema,
  Catalog,
  ClientMessage,
  Edit,
  GraphView,
  KernelMessage,
  Kind,
  NodeTiming,
  NodeView,
  Opened,
  OperatorSchema,
  PortRef,
  PreviewItem,
  Previews,
  RevisionChanged,
  RunFinished,
} from "../src/protocol/generated";

export function argument(name: string, rest: Partial<ArgumentSchema> = {}): ArgumentSchema {
  return { name, type: "float", ...rest };
}

function operator(name: string, rest: Partial<OperatorSchema>): OperatorSchema {
  return { name, class_name: name, category: "tests", summary: `Does ${name}.`, ...rest };
}

const EVERY: readonly Kind[] = [
  "encoded",
  "image",
  "video",
  "audio",
  "boxes",
  "mask",
  "points",
  "label",
  "scalar",
  "any",
];
const takes = (...kinds: readonly Kind[]): readonly Kind[] => [...kinds, "label", "scalar", "any"];
const PIXELS = takes("image", "video", "mask", "audio");
const NUMBERS = takes("boxes", "points");

export const CATALOG: Catalog = {
  inputs_take: {
    encoded: ["encoded", "any"],
    image: PIXELS,
    video: PIXELS,
    mask: PIXELS,
    audio: takes("audio"),
    boxes: NUMBERS,
    points: NUMBERS,
    label: NUMBERS,
    scalar: NUMBERS,
    any: EVERY,
  },
  arguments_take: EVERY.filter((kind) => kind !== "encoded"),
  keep_kind: [],
  operators: [
    operator("readers.file", {
      category: "readers",
      outputs: [
        { name: "files", kind: "encoded" },
        { name: "labels", kind: "label" },
      ],
      role: "reader",
    }),
    operator("decoders.image", {
      category: "decoders",
      devices: ["cpu", "mixed"],
      inputs: [{ name: "files", kind: "encoded" }],
      outputs: [{ name: "images", kind: "image" }],
    }),
    operator("rotate", {
      category: "geometry",
      devices: ["cpu", "gpu"],
      keywords: ["turn", "RandomRotation"],
      inputs: [{ name: "images", kind: "image", layouts: ["HWC"] }],
      outputs: [{ name: "images", kind: "image" }],
      arguments: [
        argument("angle", { tensor: true, required: true, common: true, span: [-180, 180], unit: "deg" }),
        argument("axis", { type: "float_list", tensor: true, length: [3] }),
        argument("fill_value", { minimum: 0, maximum: 255 }),
      ],
    }),
    operator("cat", {
      category: "tensor",
      inputs: [{ name: "parts", kind: "any", repeated: [1, 3] }],
      outputs: [{ name: "output", kind: "any" }],
    }),
    operator("warp_affine", {
      category: "geometry",
      keywords: ["rotation"],
      inputs: [
        { name: "images", kind: "image" },
        { name: "matrix", optional: true },
      ],
      outputs: [{ name: "images", kind: "image" }],
    }),
    operator("random.uniform", {
      category: "random",
      outputs: [{ name: "numbers", kind: "scalar" }],
      arguments: [argument("range", { type: "float_list", length: [2], default: [-1, 1] })],
    }),
    operator("random.coin_flip", { category: "random", outputs: [{ name: "numbers", kind: "scalar" }] }),
    operator("to_cpu", {
      category: "copies",
      inputs: [{ name: "input" }],
      outputs: [{ name: "output" }],
      role: "copy",
    }),
    operator("shapes", {
      hidden: true,
      devices: ["cpu", "gpu"],
      inputs: [{ name: "data", shape_only: true }],
      outputs: [{ name: "shapes", on_cpu: true }],
    }),
    operator("old", { hidden: true }),
  ],
};

export const INDEX: CatalogIndex = indexCatalog(CATALOG);

export function node(key: string, name: string, rest: Partial<NodeView> = {}): NodeView {
  return {
    key,
    operator: name,
    device: "cpu",
    arguments: {},
    inputs: [],
    argument_inputs: {},
    output_ranks: [],
    output_names: [],
    output_kinds: INDEX.byName.get(name)?.outputs.map((o) => o.kind) ?? [],
    facts: [],
    in_run: true,
    unknown: false,
    bypassed: false,
    pin: "",
    pin_batch: 0,
    seed: null,
    followers: {},
    wide: INDEX.byName.get(name)?.outputs[0]?.kind === "video",
    chance: null,
    pin_old: false,
    coin: "",
    shared: [],
    parts: [],
    code: null,
    ...rest,
  };
}

export function ref(key: string, output = 0): PortRef {
  return { node: key, output };
}

/** reader -> decode -> rotate(angle) -> out; the labels are returned too. */
export const GRAPH: GraphView = {
  name: "pipe",
  nodes: [
    node("reader", "readers.file"),
    node("decode", "decoders.image", { inputs: [ref("reader")] }),
    node("angle", "random.uniform"),
    node("rotate", "rotate", { inputs: [ref("decode")], argument_inputs: { angle: ref("angle") } }),
  ],
  outputs: [ref("rotate"), ref("reader", 1)],
};

export const OPENED: Opened = {
  type: "opened",
  catalog: CATALOG,
  dialects: [{ name: "d", title: "D" }],
  recipes: [],
  version: "0",
  gpu: "",
  preview_width: 296,
};

export function revision(
  number: number,
  graph: GraphView = GRAPH,
  rest: Partial<RevisionChanged> = {},
): RevisionChanged {
  return {
    type: "revision_changed",
    revision: number,
    graph,
    options: { batch_size: 8, num_threads: 2, seed: null, device_id: null, prefetch_queue_depth: 2 },
    positions: {},
    marks: {},
    diagnostics: [],
    coins: {},
    repairs: [],
    can_undo: false,
    can_redo: false,
    document: "",
    saved: false,
    waiting: "",
    target: 0,
    measured: -1,
    runs: [],
    origin: 0,
    variable: "",
    place: "",
    answers: "",
    draft: "",
    written: {},
    ...rest,
  };
}

export function previews(rest: Partial<Previews> = {}): Previews {
  return {
    type: "previews",
    revision: 1,
    sample: 0,
    iteration: 0,
    batch_size: 8,
    items: [],
    failed: [],
    milliseconds: 1,
    ...rest,
  };
}

export function timing(key: string, rest: Partial<NodeTiming> = {}): NodeTiming {
  const zero = { p95: 0, share: 0, cpu: 0, gpu: 0, copies: [], host: 0, gpu_memory: 0, passing: 0 };
  return { key, device: "cpu", milliseconds: 0, ...zero, group: [], outputs: [], largest: null, ...rest };
}

export function finished(timings: readonly NodeTiming[], rest: Partial<RunFinished> = {}): RunFinished {
  return {
    type: "run_finished",
    failed_in: -1,
    revision: 1,
    batches: 8,
    samples_per_second: 100,
    milliseconds_per_batch: 10,
    timings,
    stopped: false,
    failed: [],
    note: "",
    pipelined: { samples_per_second: 0, median: 0, p95: 0 },
    left_out: 0,
    advice: [],
    until: "",
    when: "",
    missed: [],
    ...rest,
  };
}

/** A kernel that remembers what it was sent and says what a test tells it to. */
export class FakeKernel implements Transport {
  readonly sent: ClientMessage[] = [];
  private listener: (message: KernelMessage, buffers: readonly Bytes[]) => void = () => undefined;

  send(message: ClientMessage): void {
    this.sent.push(message);
  }

  retry?: () => void;

  onMessage(listener: (message: KernelMessage, buffers: readonly Bytes[]) => void): () => void {
    this.listener = listener;
    return () => undefined;
  }

  /** A revision is the answer to what was asked last, unless it says otherwise. */
  say(message: KernelMessage, buffers: readonly Bytes[] = []): void {
    const id = this.sent.flatMap((m) => ("id" in m ? (m.id ?? "") : [])).at(-1) ?? "";
    this.listener(
      message.type === "revision_changed" ? { ...message, answers: message.answers || id } : message,
      buffers,
    );
  }

  open(session: Session, graph: GraphView = GRAPH): void {
    session.start();
    this.say(OPENED);
    this.say(revision(1, graph));
    this.sent.length = 0;
  }
}

/** A session whose kernel has opened a document. */
export function opened(): { kernel: FakeKernel; session: Session } {
  const kernel = new FakeKernel();
  const session = new Session(kernel, 296);
  kernel.open(session);
  return { kernel, session };
}

export const fill = (value: number): Edit => ({ type: "set_argument", key: "rotate", argument: "fill_value", value });
export const shown = (session: Session) => nodeOf(session.store.get().graph, "rotate")?.arguments.fill_value;
export const item = (key: string, facts: string): PreviewItem => ({
  key,
  output: 0,
  facts,
  atlas_x: 0,
  atlas_y: 0,
  atlas_width: 0,
  atlas_height: 0,
  body: { type: "image", axes: false },
  note: "",
});
