// Generated from the messages in dali_studio/studio. Do not edit: run
//   python -m dali_studio.studio.protocol.codegen_ts

export type Kind = "encoded" | "image" | "video" | "audio" | "boxes" | "mask" | "points" | "label" | "scalar" | "any";

export type ArgumentType = "float" | "int" | "bool" | "string" | "data_type" | "image_type" | "interp_type" | "layout" | "float_list" | "int_list" | "string_list" | "data_type_list" | "interp_type_list" | "features" | "object";

export type Widget = "slider" | "dial" | "number" | "switch" | "choice" | "text" | "numbers" | "range" | "path" | "files" | "none";

export type Device = "cpu" | "gpu" | "mixed";

export type Support = "used" | "ignored" | "refused";

export type Severity = "error" | "warning" | "info";

export type Value = null | boolean | number | string | readonly (boolean | number | string | null)[];

/** Place an operator. `key` is chosen by the sender and must be free. */
export interface AddNode {
  readonly type: "add_node";
  readonly key: string;
  readonly operator: string;
  readonly device?: Device;
  readonly arguments?: Readonly<Record<string, Value>>;
  readonly like?: string;
  readonly code?: string;
  readonly signature?: string;
}

/** Take a node and its wires away. */
export interface RemoveNode {
  readonly type: "remove_node";
  readonly key: string;
}

/** Give an argument a value; ``unset`` returns it to its default. */
export interface SetArgument {
  readonly type: "set_argument";
  readonly key: string;
  readonly argument: string;
  readonly value?: Value;
  readonly unset?: boolean;
}

/** Wire an output to input number `input`, or to the argument `argument`. Replaces what was wired there. */
export interface Connect {
  readonly type: "connect";
  readonly source: PortRef;
  readonly target: string;
  readonly input?: number | null;
  readonly argument?: string;
}

/** One output of a node. */
export interface PortRef {
  readonly node: string;
  readonly output: number;
}

/** Cut the wire that ends at an input or argument. */
export interface Disconnect {
  readonly type: "disconnect";
  readonly target: string;
  readonly input?: number | null;
  readonly argument?: string;
}

/** Give a node another name (its key). */
export interface Rename {
  readonly type: "rename";
  readonly key: string;
  readonly new_key: string;
}

/** Place a node on another device. */
export interface SetDevice {
  readonly type: "set_device";
  readonly key: string;
  readonly device: Device;
}

/** Leave a node out, so that what it feeds takes what feeds it, or use it again. */
export interface SetBypass {
  readonly type: "set_bypass";
  readonly key: string;
  readonly bypassed: boolean;
}

/** Choose what the pipeline returns, in order. */
export interface SetOutputs {
  readonly type: "set_outputs";
  readonly outputs: readonly PortRef[];
}

/** Change a pipeline option (`batch_size`, `num_threads`, `seed`, `name` ...). */
export interface SetPipeline {
  readonly type: "set_pipeline";
  readonly option: string;
  readonly value: Value;
}

/** Apply a node to a part of the samples; 1: to all of them; `like`: the node whose coin decides, if it has one. */
export interface SetChance {
  readonly type: "set_chance";
  readonly key: string;
  readonly part: number;
  readonly like?: string;
  readonly keys?: readonly string[];
}

/** A note on the canvas; it means nothing to the pipeline. */
export interface Note {
  readonly type: "note";
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly text: string;
  readonly hue: string;
}

/** A frame around nodes, which move with it. A subgraph can be one box, and is a function of programs. */
export interface Group {
  readonly type: "group";
  readonly keys: readonly string[];
  readonly title: string;
  readonly hue: string;
  readonly subgraph: boolean;
  readonly collapsed: boolean;
  readonly exposed: readonly (readonly [string, string])[];
  readonly about: string;
}

/** Junctions of a wire: points through which it is drawn. They mean nothing to the pipeline. */
export interface Route {
  readonly type: "route";
  readonly source: PortRef;
  readonly wire: string;
  readonly points: readonly Position[];
}

/** Upper left corner of a card, in canvas pixels. */
export interface Position {
  readonly x: number;
  readonly y: number;
}

/** A label that is to stay as it is: that this finding is made about a node is not told again. */
export interface Left {
  readonly type: "left";
  readonly node: string;
  readonly message: string;
}

/** What a node does otherwise than the transform of another package that it came from. */
export interface Differs {
  readonly type: "differs";
  readonly node: string;
  readonly message: string;
}

/** The colour that a node was given; it means nothing to the pipeline. */
export interface Tag {
  readonly type: "tag";
  readonly node: string;
  readonly hue: string;
}

/** A node whose card stays where it is when cards are laid out anew. */
export interface Fixed {
  readonly type: "fixed";
  readonly node: string;
}

/** An image; one between `axes` has their numbers at its left and lower edge. */
export interface ImageBody {
  readonly type: "image";
  readonly axes: boolean;
}

/** Frames of a sequence, in one row of the picture, each `width` wide. */
export interface PlanesBody {
  readonly type: "planes";
  readonly count: number;
  readonly shown: readonly number[];
  readonly width: number;
  readonly times: readonly number[];
}

/** Slices of a volume along D, then along H, then along W, in one row of the picture, each `width` wide. */
export interface VolumeBody {
  readonly type: "volume";
  readonly extents: readonly [number, number, number];
  readonly sides: readonly [number, number, number];
  readonly shown: readonly [readonly number[], readonly number[], readonly number[]];
  readonly width: number;
}

/** Sound: for each channel (at most 8) the lowest and the highest value of equal spans, over -`peak` to `peak`. */
export interface WaveBody {
  readonly type: "wave";
  readonly length: number;
  readonly peak: number;
  readonly channels: readonly (readonly (readonly [number, number])[])[];
}

/** Boxes over the picture of `over` (empty: there is none). */
export interface BoxesBody {
  readonly type: "boxes";
  readonly over: string;
  readonly count: number;
  readonly boxes: readonly (readonly [number, number, number, number])[];
  readonly labels: readonly string[];
  readonly colours: readonly string[];
  readonly outside: number;
}

/** Points over the picture of `over`, as in `BoxesBody`: x and y. */
export interface PointsBody {
  readonly type: "points";
  readonly over: string;
  readonly count: number;
  readonly points: readonly (readonly [number, number])[];
  readonly outside: number;
}

/** One number for each sample of the batch (at most 64), and that of the shown one. */
export interface ValuesBody {
  readonly type: "values";
  readonly values: readonly (number | null)[];
  readonly text: string;
}

/** All numbers of a small tensor, by row. */
export interface TableBody {
  readonly type: "table";
  readonly rows: readonly (readonly string[])[];
}

/** What the numbers of a large tensor are like: `histogram` counts them between `minimum` and `maximum`. */
export interface StatisticsBody {
  readonly type: "statistics";
  readonly minimum: number;
  readonly maximum: number;
  readonly mean: number;
  readonly deviation: number;
  readonly histogram: readonly number[];
}

/** Bytes: as text where they are text, else the first ones in hex. */
export interface TextBody {
  readonly type: "text";
  readonly text: string;
  readonly hex: boolean;
}

/** A view was mounted: answer with `Opened`. `preview_width` is in device pixels. */
export interface Ready {
  readonly type: "ready";
  readonly preview_width?: number;
}

/** Apply all edits as one undo step. With the same non-empty `gesture` as the step before, join it (slider drag). */
export interface ApplyEdits {
  readonly type: "apply_edits";
  readonly id?: string;
  readonly base_revision: number;
  readonly edits: readonly Edit[];
  readonly gesture?: string;
  readonly positions?: Readonly<Record<string, Position>>;
  readonly marks?: Readonly<Record<string, Note | Group | Route | Left | Differs | Tag | Fixed | null>>;
  readonly pins?: Readonly<Record<string, boolean>>;
}

/** Do what the `Repair` of this finding says, as one undo step; `title`: which of several. */
export interface ApplyRepair {
  readonly type: "apply_repair";
  readonly code: string;
  readonly node: string;
  readonly argument: string;
  readonly title?: string;
}

/** Take the last step back. */
export interface Undo {
  readonly type: "undo";
  readonly id?: string;
}

/** Do the step taken back again. */
export interface Redo {
  readonly type: "redo";
  readonly id?: string;
}

/** Keep positions that the view chose by itself: no undo step, and no answer. */
export interface MoveNodes {
  readonly type: "move_nodes";
  readonly positions: Readonly<Record<string, Position>>;
}

/** Show sample `sample` of iteration `iteration` everywhere. */
export interface ChooseSample {
  readonly type: "choose_sample";
  readonly sample: number;
  readonly iteration: number;
}

/** Give back memory that is only kept to be used again, on the host and on the GPU. */
export interface FreeMemory {
  readonly type: "free_memory";
}

/** Stop the run in progress, and functions of code nodes that do not end. */
export interface Stop {
  readonly type: "stop";
}

/** Ask for the code in a dialect; the choice stays until the next request. */
export interface RequestCode {
  readonly type: "request_code";
  readonly dialect: string;
}

/** Ask for the large picture and the statistics of one node's output, and of its first input. */
export interface RequestDetail {
  readonly type: "request_detail";
  readonly key: string;
  readonly output?: number;
  readonly plane?: number;
  readonly whole?: boolean;
}

/** Add the calls of ``fn`` in a text, which is read and never run, as one undo step; `at`: where the first goes. */
export interface PasteCode {
  readonly type: "paste_code";
  readonly id?: string;
  readonly text: string;
  readonly at: Position;
  readonly source?: PortRef | null;
  readonly laid?: boolean;
}

/** Put a transform that draws numbers behind a picture, as one undo step. */
export interface AddTransform {
  readonly type: "add_transform";
  readonly id?: string;
  readonly name: string;
  readonly source: PortRef | null;
  readonly at: Position;
  readonly branch?: boolean;
  readonly laid?: boolean;
}

/** Take an edited program for the pipeline, as one undo step; it is read and never run. */
export interface ApplyCode {
  readonly type: "apply_code";
  readonly id?: string;
  readonly source: string;
  readonly laid?: boolean;
}

/** Keep in the document what is written into the code pane and not applied yet; empty: nothing is. */
export interface KeepDraft {
  readonly type: "keep_draft";
  readonly source: string;
  readonly key?: string;
}

/** Make a text the function of a code node, as one undo step: its user trusts it, and it runs in the kernel. */
export interface ApplyFunction {
  readonly type: "apply_function";
  readonly key: string;
  readonly source: string;
}

/** Write to `path` in the kernel's working folder: the document, the program, a picture or diagram, or a trace. */
export interface SaveDocument {
  readonly type: "save_document";
  readonly path: string;
  readonly what?: "code" | "document" | "picture" | "trace";
  readonly over?: boolean;
}

/** Start a new graph that reads and decodes what lies at a path on the kernel's machine. */
export interface OpenFolder {
  readonly type: "open_folder";
  readonly path: string;
}

/** Start from a gallery example. */
export interface OpenRecipe {
  readonly type: "open_recipe";
  readonly name: string;
}

/** Open a document whose text the browser has, of a file that was dropped on the canvas. */
export interface OpenText {
  readonly type: "open_text";
  readonly text: string;
}

/** Open what this pipeline was edited to in a kernel that is gone. */
export interface RestoreEdits {
  readonly type: "restore_edits";
}

/** Run `batches` whole batches and measure every node; with `until`, only that node and what it depends on. */
export interface Run {
  readonly type: "run";
  readonly batches?: number;
  readonly until?: string;
}

/** Run the graph twice, on the CPU and as far as possible on the GPU, and measure every node on both. */
export interface CompareDevices {
  readonly type: "compare_devices";
  readonly batches?: number;
}

/** Measure the pipeline as it is and as it would be if the advice were taken, in turns. Nothing changes. */
export interface TryAdvice {
  readonly type: "try_advice";
  readonly name: string;
  readonly batches?: number;
}

/** Do what the advice of the last run says, as one undo step. */
export interface TakeAdvice {
  readonly type: "take_advice";
  readonly name: string;
}

/** Ask how the graph of one run or saved state became that of another one; an empty name is the graph now. */
export interface RequestDifference {
  readonly type: "request_difference";
  readonly before: string;
  readonly after?: string;
}

/** Go back to the graph of a run (its number) or of a saved state (its name), as one undo step. */
export interface OpenState {
  readonly type: "open_state";
  readonly name: string;
}

/** Say how many samples a second the model takes, as one undo step; 0: nobody knows. The document keeps it. */
export interface SetTarget {
  readonly type: "set_target";
  readonly samples_per_second: number;
}

/** Ask what can still be seen of a file that a node could not use. */
export interface RequestFile {
  readonly type: "request_file";
  readonly node: string;
  readonly source: string;
}

/** Ask for the smallest program in which a node fails as it did, with that file alone if one is named. */
export interface RequestReproduction {
  readonly type: "request_reproduction";
  readonly node: string;
  readonly source?: string;
}

/** Ask what a reader reads: how much, some samples, and how large they are. */
export interface RequestData {
  readonly type: "request_data";
  readonly key: string;
}

/** Make a reader read what lies at a path on the kernel's machine, as one undo step. */
export interface PointReader {
  readonly type: "point_reader";
  readonly key: string;
  readonly path: string;
}

/** Ask for an output as it would be after each of several lists of edits, for some samples of the batch. */
export interface RequestSheet {
  readonly type: "request_sheet";
  readonly name: string;
  readonly port: PortRef;
  readonly variants: readonly (readonly Edit[])[];
  readonly samples: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** Ask what operators would make of an output of the shown sample, in this order; the newest request counts. */
export interface RequestEffects {
  readonly type: "request_effects";
  readonly port: PortRef;
  readonly operators: readonly string[];
  readonly width: number;
  readonly height: number;
}

/** Ask for a picture of what each recipe gives of the sample photos. */
export interface RequestRecipes {
  readonly type: "request_recipes";
  readonly width: number;
  readonly height: number;
}

/** Ask what is in a folder on the kernel's machine, or in `name` within it; an empty path is the working folder. */
export interface RequestFolder {
  readonly type: "request_folder";
  readonly path?: string;
  readonly name?: string;
}

/** Ask for a thousand numbers that a node draws, if it depends on no data. */
export interface RequestDraws {
  readonly type: "request_draws";
  readonly port: PortRef;
}

/** Ask for two outputs of the shown sample, without loss, and how far they are apart; without `b` for `a` alone. */
export interface RequestPair {
  readonly type: "request_pair";
  readonly a: Side;
  readonly b?: Side | null;
  readonly plane?: number;
}

/** One side of a comparison: an output, as the graph was `steps` undo steps ago. */
export interface Side {
  readonly port: PortRef;
  readonly steps: number;
}

/** Ask for the numbers of outputs at one point, given in parts of the width and the height, and `plane` as above. */
export interface RequestPixel {
  readonly type: "request_pixel";
  readonly sides: readonly Side[];
  readonly x: number;
  readonly y: number;
  readonly plane?: number;
}

/** Ask for the shown sample of an output as sound to play. */
export interface RequestSound {
  readonly type: "request_sound";
  readonly port: PortRef;
}

/** Ask which names may follow in the text of a code node: lines count from 1, characters from 0. */
export interface RequestNames {
  readonly type: "request_names";
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

/** Ask what would make a label move with its image, of which a finding says that it stays behind. */
export interface RequestTwin {
  readonly type: "request_twin";
  readonly node: string;
}

/** The answer to `Ready`, and sent again whenever another document is opened. */
export interface Opened {
  readonly type: "opened";
  readonly catalog: Catalog;
  readonly dialects: readonly DialectInfo[];
  readonly recipes: readonly RecipeInfo[];
  readonly version: string;
  readonly gpu: string;
  readonly preview_width: number;
}

/** All operators, and what may be wired to what, as the browser receives them. */
export interface Catalog {
  readonly operators: readonly OperatorSchema[];
  readonly inputs_take: Readonly<Record<Kind, readonly Kind[]>>;
  readonly arguments_take: readonly Kind[];
  readonly keep_kind: readonly string[];
}

/** Everything that other parts may know of an operator. */
export interface OperatorSchema {
  readonly name: string;
  readonly class_name: string;
  readonly category: string;
  readonly summary: string;
  readonly doc?: string;
  readonly version?: number;
  readonly devices?: readonly Device[];
  readonly inputs?: readonly InputSchema[];
  readonly outputs?: readonly OutputSchema[];
  readonly arguments?: readonly ArgumentSchema[];
  readonly traits?: readonly string[];
  readonly seeded?: boolean;
  readonly stateful?: boolean;
  readonly keep?: boolean;
  readonly role?: "" | "arithmetic" | "constant" | "copy" | "external_source" | "merge" | "not" | "reader" | "split" | "subscript" | "transform";
  readonly by_name?: boolean;
  readonly icon?: string;
  readonly node_name?: string;
  readonly keywords?: readonly string[];
  readonly hidden?: boolean;
  readonly deprecated?: string;
  readonly dialects?: readonly InDialect[];
  readonly movement?: Movement | null;
  readonly former?: readonly string[];
  readonly shown?: Readonly<Record<string, Value>> | null;
  readonly written_by?: string;
}

/** One positional input. */
export interface InputSchema {
  readonly name: string;
  readonly kind?: Kind;
  readonly layouts?: readonly string[];
  readonly dtypes?: readonly string[];
  readonly optional?: boolean;
  readonly either_device?: boolean;
  readonly repeated?: readonly [number, number] | null;
  readonly shape_only?: boolean;
  readonly of_sound?: string;
  readonly doc?: string;
}

/** One output. */
export interface OutputSchema {
  readonly name: string;
  readonly kind?: Kind;
  readonly doc?: string;
  readonly on_cpu?: boolean;
  readonly of_input?: string;
}

/** One argument of an operator. */
export interface ArgumentSchema {
  readonly name: string;
  readonly type: ArgumentType;
  readonly doc?: string;
  readonly unit?: string;
  readonly default?: Value;
  readonly required?: boolean;
  readonly tensor?: boolean;
  readonly minimum?: number | null;
  readonly maximum?: number | null;
  readonly choices?: readonly string[];
  readonly spellings?: Readonly<Record<string, string>>;
  readonly length?: readonly number[];
  readonly widget?: Widget;
  readonly span?: readonly number[];
  readonly start?: Value;
  readonly common?: boolean;
  readonly per_output?: boolean;
  readonly any_number?: boolean;
  readonly truncated?: boolean;
  readonly support?: Support;
  readonly reason?: string;
  readonly deprecated?: string;
}

/** What an operator is in a dialect; without an entry it has the same name there. */
export interface InDialect {
  readonly dialect: string;
  readonly name?: string;
  readonly since?: string;
  readonly absent?: string;
  readonly instead?: string;
  readonly gpu_only?: boolean;
}

/** How an operator moves the points of its first input. */
export interface Movement {
  readonly unless?: Readonly<Record<string, Value>>;
  readonly by?: readonly string[];
  readonly drawn?: boolean;
  readonly windows?: Windows | null;
  readonly scales?: Readonly<Record<string, Value>> | null;
  readonly nearest?: readonly [string, Value] | null;
  readonly takes?: readonly [string, readonly string[]] | null;
  readonly twins?: readonly Twin[];
  readonly apart?: readonly Apart[];
  readonly core?: string;
  readonly computed?: Computed | null;
  readonly words?: readonly [string, string];
}

/** What draws windows for boxes, in place of an operator that draws them for pictures alone. */
export interface Windows {
  readonly twin: Twin;
  readonly drawn: Readonly<Record<string, string>>;
  readonly lengths: string;
  readonly cut: string;
  readonly sized?: string;
}

/** What moves labels of a kind as an operator moves pictures. */
export interface Twin {
  readonly kind: Kind;
  readonly operator: string;
  readonly arguments?: Readonly<Record<string, string>>;
  readonly shape?: string;
  readonly shape_layout?: string;
  readonly peek?: string;
  readonly corners?: readonly [string, Value, Value] | null;
  readonly normalized?: string;
  readonly free?: readonly string[];
  readonly fixed?: Readonly<Record<string, Value>>;
  readonly only?: Readonly<Record<string, Value>>;
}

/** What does behind an operator what some of its arguments do. */
export interface Apart {
  readonly operator: string;
  readonly arguments: Readonly<Record<string, string>>;
  readonly plain?: readonly number[];
}

/** What computes where labels are behind an operator, by sums and transforms. */
export interface Computed {
  readonly by: "angle" | "corner" | "matrix" | "perspective" | "position";
  readonly cut: Twin;
  readonly operators: Readonly<Record<string, string>>;
}

/** A language of the code pane. */
export interface DialectInfo {
  readonly name: string;
  readonly title: string;
}

/** A gallery example. */
export interface RecipeInfo {
  readonly name: string;
  readonly title: string;
  readonly operators: number;
}

/** The graph as it is now. Sent after every edit, undo, redo or opening, also when an edit was refused. */
export interface RevisionChanged {
  readonly type: "revision_changed";
  readonly revision: number;
  readonly graph: GraphView;
  readonly options: PipelineOptions;
  readonly positions: Readonly<Record<string, Position>>;
  readonly marks: Readonly<Record<string, Mark>>;
  readonly coins: Readonly<Record<string, string>>;
  readonly diagnostics: readonly Diagnostic[];
  readonly repairs: readonly Repair[];
  readonly can_undo: boolean;
  readonly can_redo: boolean;
  readonly document: string;
  readonly saved: boolean;
  readonly waiting: string;
  readonly target: number;
  readonly measured: number;
  readonly runs: readonly number[];
  readonly origin: number;
  readonly variable: string;
  readonly place: string;
  readonly answers: string;
  readonly draft: string;
  readonly written: Readonly<Record<string, string>>;
}

/** The whole graph: its nodes, those apart that are on the card of another. */
export interface GraphView {
  readonly name: string;
  readonly nodes: readonly NodeView[];
  readonly outputs: readonly PortRef[];
}

/** A node as the canvas draws it. */
export interface NodeView {
  readonly key: string;
  readonly operator: string;
  readonly device: Device;
  readonly arguments: Readonly<Record<string, Value>>;
  readonly inputs: readonly (PortRef | null)[];
  readonly argument_inputs: Readonly<Record<string, PortRef>>;
  readonly output_kinds: readonly Kind[];
  readonly facts: readonly string[];
  readonly in_run: boolean;
  readonly unknown: boolean;
  readonly bypassed: boolean;
  readonly code: NodeCode | null;
  readonly output_ranks: readonly (number | null)[];
  readonly output_names: readonly string[];
  readonly pin: "" | "behind" | "here";
  readonly pin_batch: number;
  readonly pin_old: boolean;
  readonly seed: number | null;
  readonly followers: Readonly<Record<string, string>>;
  readonly wide: boolean;
  readonly chance: number | null;
  readonly coin: string;
  readonly shared: readonly string[];
  readonly parts: readonly NodeView[];
}

/** The function of a code node: a module's text, and its name, if it is more than a proposal; `trusted`: it runs. */
export interface NodeCode {
  readonly source: string;
  readonly module: string;
  readonly trusted: boolean;
  readonly signature: string;
}

/** The options shown when nothing is selected. */
export interface PipelineOptions {
  readonly batch_size: number;
  readonly num_threads: number;
  readonly seed: number | null;
  readonly device_id: number | null;
  readonly prefetch_queue_depth: number;
}

/** One finding about a graph, a document or a run. */
export interface Diagnostic {
  readonly code: string;
  readonly message: string;
  readonly severity?: Severity;
  readonly hint?: string;
  readonly node?: string;
  readonly argument?: string;
  readonly sample?: number | null;
  readonly source?: string;
  readonly detail?: string;
}

/** A finding that edits can take away; it is named by its code, node and argument. */
export interface Repair {
  readonly code: string;
  readonly node: string;
  readonly argument: string;
  readonly title: string;
}

/** An edit or a request could not be done; nothing changed. */
export interface Refused {
  readonly type: "refused";
  readonly diagnostics: readonly Diagnostic[];
}

/** Outputs of some nodes (the changed ones); buffer 0 is a JPEG atlas, absent if `items` has no pictures. */
export interface Previews {
  readonly type: "previews";
  readonly revision: number;
  readonly sample: number;
  readonly iteration: number;
  readonly batch_size: number;
  readonly items: readonly PreviewItem[];
  readonly failed: readonly Diagnostic[];
  readonly milliseconds: number;
}

/** One node's output for the chosen sample. */
export interface PreviewItem {
  readonly key: string;
  readonly output: number;
  readonly facts: string;
  readonly body: PreviewBody;
  readonly atlas_x: number;
  readonly atlas_y: number;
  readonly atlas_width: number;
  readonly atlas_height: number;
  readonly note: string;
}

/** Thumbnails of every sample of the batch: buffer 0 is one JPEG, `count` cells of `cell` x `cell` px in one row. */
export interface SampleStrip {
  readonly type: "sample_strip";
  readonly iteration: number;
  readonly count: number;
  readonly cell: number;
  readonly names: readonly string[];
  readonly failed: readonly Diagnostic[];
}

/** Answer to `RequestDetail`. Buffers in order: output picture if `has_output`, input picture if `has_input`. */
export interface ImageDetail {
  readonly type: "image_detail";
  readonly key: string;
  readonly output: number;
  readonly has_output: boolean;
  readonly has_input: boolean;
  readonly facts: string;
  readonly layout: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly mean: number;
  readonly histogram: readonly (readonly number[])[];
  readonly samples: number;
  readonly bytes: number;
  readonly nan: number;
  readonly infinite: number;
  readonly before: readonly (readonly number[])[];
  readonly planes: number;
  readonly plane: number;
  readonly extents: readonly number[];
  readonly depth: number;
  readonly note: string;
}

/** Sent while a run goes on: batches of it, which are made twice, and how long the others will take. */
export interface RunProgress {
  readonly type: "run_progress";
  readonly done: number;
  readonly total: number;
  readonly seconds_left: number;
  readonly keys: readonly string[];
  readonly samples: number;
}

/** The measured run. `stopped`: by the user; `failed`: why it could not go on; `revision`: of the measured graph. */
export interface RunFinished {
  readonly type: "run_finished";
  readonly revision: number;
  readonly batches: number;
  readonly samples_per_second: number;
  readonly milliseconds_per_batch: number;
  readonly timings: readonly NodeTiming[];
  readonly stopped: boolean;
  readonly failed: readonly Diagnostic[];
  readonly failed_in: number;
  readonly note: string;
  readonly pipelined: Speed;
  readonly left_out: number;
  readonly advice: readonly Advice[];
  readonly until: string;
  readonly when: string;
  readonly missed: readonly MissedFile[];
}

/** What one node cost per batch: milliseconds in all (`cpu` + `gpu` + copies), its share of the whole, and bytes. */
export interface NodeTiming {
  readonly key: string;
  readonly device: Device;
  readonly milliseconds: number;
  readonly p95: number;
  readonly share: number;
  readonly cpu: number;
  readonly gpu: number;
  readonly copies: readonly CopyTiming[];
  readonly host: number;
  readonly gpu_memory: number;
  readonly passing: number;
  readonly group: readonly string[];
  readonly outputs: readonly number[];
  readonly largest: LargeSample | null;
}

/** What a node copied between host and GPU: bytes and milliseconds per batch. */
export interface CopyTiming {
  readonly direction: "D2H" | "H2D";
  readonly size: number;
  readonly milliseconds: number;
}

/** The largest sample of a result of a node: bytes, and where it was in the run, from 0; `source`: its file. */
export interface LargeSample {
  readonly size: number;
  readonly batch: number;
  readonly sample: number;
  readonly source: string;
}

/** Samples a second, and median and 95th percentile of the time between two batches, in milliseconds. */
export interface Speed {
  readonly samples_per_second: number;
  readonly median: number;
  readonly p95: number;
}

/** What sets the pace of a pipeline, the numbers that show it, and what may help. */
export interface Advice {
  readonly name: string;
  readonly lead: string;
  readonly proof: string;
  readonly offer: string;
  readonly node: string;
  readonly measurable: boolean;
}

/** A file that a run went on without (`on_error`), and how often it came. */
export interface MissedFile {
  readonly node: string;
  readonly source: string;
  readonly message: string;
  readonly action: string;
  readonly count: number;
}

/** What is known from runs about the nodes of the graph, by device; sent when a run or an edit has changed it. */
export interface DeviceTimes {
  readonly type: "device_times";
  readonly times: readonly DeviceTime[];
}

/** A time that was measured for a node on a device, with the data and the settings that the graph has now. */
export interface DeviceTime {
  readonly key: string;
  readonly device: Device;
  readonly milliseconds: number;
  readonly cpu: number;
  readonly gpu: number;
}

/** Bytes that `FreeMemory` has given back. */
export interface MemoryFreed {
  readonly type: "memory_freed";
  readonly host: number;
  readonly gpu: number;
}

/** The emitted program of a revision; it comes when nobody waits for images. */
export interface Code {
  readonly type: "code";
  readonly revision: number;
  readonly dialect: string;
  readonly source: string;
  readonly lines: Readonly<Record<string, readonly number[]>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** A file was written. */
export interface Saved {
  readonly type: "saved";
  readonly path: string;
  readonly what: "code" | "document" | "picture" | "trace";
}

/** The worker is computing (`true`) or idle. */
export interface Busy {
  readonly type: "busy";
  readonly busy: boolean;
  readonly keys: readonly string[];
}

/** Sent now and then while images take long, and without `doing` when they are there. */
export interface Progress {
  readonly type: "progress";
  readonly doing: string;
  readonly seconds: number;
}

/** A part of the answer to `RequestSheet`; buffer 0 is a JPEG atlas, absent if no cell has a picture. */
export interface Sheet {
  readonly type: "sheet";
  readonly name: string;
  readonly port: PortRef;
  readonly revision: number;
  readonly iteration: number;
  readonly cells: readonly SheetCell[];
  readonly first: boolean;
  readonly done: boolean;
  readonly note: string;
}

/** One sample of one variant: its place in the atlas (all 0 if there is no picture), and words about it. */
export interface SheetCell {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly variant: number;
  readonly sample: number;
  readonly text: string;
  readonly failed: boolean;
}

/** A part of the answer to `RequestEffects`: a JPEG atlas, absent if there is no picture. */
export interface Effects {
  readonly type: "effects";
  readonly port: PortRef;
  readonly revision: number;
  readonly iteration: number;
  readonly sample: number;
  readonly items: readonly Effect[];
}

/** What an operator makes of a picture, in the atlas of buffer 0 (all 0 if nothing); no name: the picture itself. */
export interface Effect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly operator: string;
  readonly whole: boolean;
  readonly milliseconds: number;
}

/** A part of the answer to `RequestRecipes`; buffer 0 is the atlas. */
export interface RecipePictures {
  readonly type: "recipe_pictures";
  readonly items: readonly RecipePicture[];
}

/** A recipe's place in an atlas (all 0 if it has no picture). */
export interface RecipePicture {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly name: string;
}

/** Answer to `RequestFolder`: its folders, and how many files of a kind (``image``) lie in it and in them. */
export interface FolderFound {
  readonly type: "folder_found";
  readonly path: string;
  readonly folders: readonly string[];
  readonly kind: string;
  readonly count: number;
  readonly masked: boolean;
  readonly note: string;
}

/** Answer to `RequestDraws`: what was drawn, in equal spans, or by value where there are few of them. */
export interface Draws {
  readonly type: "draws";
  readonly port: PortRef;
  readonly count: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly mean: number;
  readonly deviation: number;
  readonly histogram: readonly number[];
  readonly levels: readonly (readonly [number, number])[];
}

/** Answer to `RequestPair`; buffers are PNG pictures, one a side, or absent if `note` says why there are none. */
export interface Pair {
  readonly type: "pair";
  readonly a: Side;
  readonly b: Side | null;
  readonly facts_a: string;
  readonly facts_b: string;
  readonly same: boolean;
  readonly mean: number;
  readonly largest: number;
  readonly peak: number;
  readonly histogram: readonly number[];
  readonly note: string;
  readonly planes: number;
  readonly past: readonly string[];
}

/** What follows a `Pair`: the mean absolute difference of each sample of the batch, of the first if it is large. */
export interface PairBatch {
  readonly type: "pair_batch";
  readonly a: Side;
  readonly b: Side;
  readonly means: readonly number[];
}

/** Answer to `RequestPixel`: those of the outputs that are pictures. */
export interface Pixel {
  readonly type: "pixel";
  readonly x: number;
  readonly y: number;
  readonly items: readonly PixelValue[];
}

/** The numbers of one output at a point. */
export interface PixelValue {
  readonly side: Side;
  readonly row: number;
  readonly column: number;
  readonly values: readonly number[];
  readonly dtype: string;
}

/** Answer to `RequestSound`. The buffer has 16-bit numbers (little-endian) of all channels in turn. */
export interface Sound {
  readonly type: "sound";
  readonly port: PortRef;
  readonly rate: number;
  readonly channels: number;
  readonly note: string;
}

/** What the threads did in the last batches of a run, which were made one after the other. */
export interface Timeline {
  readonly type: "timeline";
  readonly revision: number;
  readonly lanes: readonly string[];
  readonly keys: readonly string[];
  readonly slices: readonly (readonly [number, number, number, number])[];
  readonly steps: readonly (readonly [number, number])[];
  readonly first: number;
  readonly note: string;
}

/** Answer to `TryAdvice`: how fast the pipeline is before and after, running ahead, over as many batches each. */
export interface Trial {
  readonly type: "trial";
  readonly name: string;
  readonly revision: number;
  readonly batches: number;
  readonly before: Speed;
  readonly after: Speed;
  readonly stopped: boolean;
  readonly failed: readonly Diagnostic[];
}

/** All runs of this designer, the newest first; sent after each. */
export interface RunHistory {
  readonly type: "run_history";
  readonly runs: readonly KnownRun[];
}

/** A run that was made. */
export interface KnownRun {
  readonly number: number;
  readonly name: string;
  readonly when: string;
  readonly revision: number;
  readonly batches: number;
  readonly alone: number;
  readonly pipelined: number;
  readonly held: number;
  readonly changes: readonly string[];
  readonly tried: boolean;
}

/** Answer to `RequestDifference`. */
export interface GraphDifference {
  readonly type: "graph_difference";
  readonly before: string;
  readonly after: string;
  readonly difference: Difference;
  readonly lines: readonly string[];
}

/** How a graph became another one. */
export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly renamed: readonly (readonly [string, string])[];
  readonly changes: readonly Change[];
}

/** One change of a node, or of the pipeline where `node` is empty. */
export interface Change {
  readonly node: string;
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/** Answer to `RequestFile`; buffer 0 is a JPEG of what can be seen, absent if that is nothing. */
export interface FileRemains {
  readonly type: "file_remains";
  readonly node: string;
  readonly source: string;
  readonly path: string;
  readonly words: string;
  readonly part: number;
  readonly aspect: number;
}

/** Answer to `RequestReproduction`. */
export interface Reproduction {
  readonly type: "reproduction";
  readonly node: string;
  readonly source: string;
  readonly program: string;
}

/** Answer to `RequestData`; buffer 0 is a JPEG atlas. `total` samples are there, `samples` were drawn of all. */
export interface DataSet {
  readonly type: "data_set";
  readonly key: string;
  readonly total: number;
  readonly samples: readonly DataSample[];
  readonly spreads: readonly Spread[];
}

/** One sample of a data set: its file (bytes, and words, none if it cannot be decoded), its place in the atlas. */
export interface DataSample {
  readonly name: string;
  readonly labels: readonly string[];
  readonly facts: string;
  readonly size: number;
  readonly x: number;
  readonly y: number;
  readonly cell_width: number;
  readonly cell_height: number;
}

/** How numbers are spread: `counts` are of equal spans from `minimum` to `maximum`. */
export interface Spread {
  readonly name: string;
  readonly unit: string;
  readonly minimum: number;
  readonly median: number;
  readonly maximum: number;
  readonly counts: readonly number[];
}

/** The states in which the document was saved, the newest first; sent when one is opened or saved. */
export interface SavedStates {
  readonly type: "saved_states";
  readonly snapshots: readonly Snapshot[];
}

/** A state in which the document was saved. */
export interface Snapshot {
  readonly name: string;
  readonly when: string;
}

/** Answer to `RequestNames`, with its place. */
export interface Names {
  readonly type: "names";
  readonly line: number;
  readonly column: number;
  readonly names: readonly Name[];
}

/** A name that may follow; `kind`: what it names, such as "function" or "module". */
export interface Name {
  readonly name: string;
  readonly kind: string;
}

/** Answer to `RequestTwin`: a label over its image, as both are returned, now and after edits that nobody has done. */
export interface LabelTwin {
  readonly type: "label_twin";
  readonly node: string;
  readonly revision: number;
  readonly sample: number;
  readonly items: readonly PreviewItem[];
  readonly cards: readonly NewCard[];
  readonly left: string;
  readonly source: string;
  readonly added: readonly number[];
}

/** A node, or a box of several, that edits would add. */
export interface NewCard {
  readonly key: string;
  readonly operator: string;
  readonly fed_by: readonly PortRef[];
  readonly feeds: readonly (readonly [string, string])[];
}

/** A view was mounted: answer with `GalleryOpened`. Sizes of a tile's picture are in device pixels. */
export interface Browse {
  readonly type: "browse";
  readonly width?: number;
  readonly height?: number;
}

/** Make the pictures of these tiles, in this order; what was asked for before and is not there yet is left out. */
export interface ShowTiles {
  readonly type: "show_tiles";
  readonly names: readonly string[];
}

/** Use a picture, or the pictures of a folder, on the kernel's machine; an empty path: the sample photos. */
export interface OpenPictures {
  readonly type: "open_pictures";
  readonly path: string;
}

/** Use a picture that the browser has: buffer 0 is its file. */
export interface UploadPicture {
  readonly type: "upload_picture";
  readonly name: string;
}

/** Show the tiles on another one of the pictures. */
export interface ChoosePicture {
  readonly type: "choose_picture";
  readonly number: number;
}

/** Ask for a tile in full, with other values; the newest request counts. */
export interface TryTile {
  readonly type: "try_tile";
  readonly name: string;
  readonly settings: readonly Setting[];
  readonly dialect: string;
}

/** A value for an argument of a tile. */
export interface Setting {
  readonly node: string;
  readonly argument: string;
  readonly value: Value;
}

/** Ask for a tile with each of several values of one argument. */
export interface SweepTile {
  readonly type: "sweep_tile";
  readonly name: string;
  readonly settings: readonly Setting[];
  readonly node: string;
  readonly argument: string;
  readonly values: readonly Value[];
}

/** Open a tile in a designer of its own, or, with `into_graph`, put it into the graph of the one used last. */
export interface TakeTile {
  readonly type: "take_tile";
  readonly name: string;
  readonly settings: readonly Setting[];
  readonly into_graph?: boolean;
}

/** The answer to `Browse`. */
export interface GalleryOpened {
  readonly type: "gallery_opened";
  readonly tiles: readonly Tile[];
  readonly dialects: readonly DialectInfo[];
}

/** What the gallery shows as one: an operator, or an example, which is a whole pipeline. */
export interface Tile {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly category: string;
  readonly icon: string;
  readonly tags: readonly string[];
  readonly geometric: boolean;
  readonly gpu: boolean;
  readonly example: boolean;
  readonly controls: readonly TileControl[];
}

/** An argument of a tile that can be set, and the value that it has there. */
export interface TileControl {
  readonly node: string;
  readonly argument: ArgumentSchema;
  readonly value: Value;
}

/** The pictures there are, and the one that is shown; buffer 0 is a JPEG of it, of the size of a tile. */
export interface PicturesChosen {
  readonly type: "pictures_chosen";
  readonly turn: number;
  readonly place: string;
  readonly names: readonly string[];
  readonly number: number;
}

/** A part of the answer to `ShowTiles`. */
export interface TilePictures {
  readonly type: "tile_pictures";
  readonly turn: number;
  readonly items: readonly TilePicture[];
  readonly done: boolean;
}

/** A tile's result in the atlas of buffer 0 (all 0 if there is none, which `note` explains). */
export interface TilePicture {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly name: string;
  readonly whole: boolean;
  readonly note: string;
  readonly milliseconds: number;
}

/** Answer to `TryTile`. Buffers: the picture as it was, and the result if `has_result`. */
export interface TileDetail {
  readonly type: "tile_detail";
  readonly turn: number;
  readonly name: string;
  readonly has_result: boolean;
  readonly facts: string;
  readonly histogram: readonly (readonly number[])[];
  readonly before: readonly (readonly number[])[];
  readonly source: string;
  readonly lines: readonly number[];
  readonly note: string;
  readonly failed: readonly Diagnostic[];
}

/** What a tile cost on this machine's CPU: milliseconds for one picture. */
export interface TileTime {
  readonly type: "tile_time";
  readonly turn: number;
  readonly name: string;
  readonly milliseconds: number;
}

/** Answer to `SweepTile`: a picture for each value, in their order; buffer 0 is the atlas. */
export interface TileSweep {
  readonly type: "tile_sweep";
  readonly turn: number;
  readonly name: string;
  readonly argument: string;
  readonly values: readonly Value[];
  readonly items: readonly TilePicture[];
}

/** Answer to `TakeTile`: `model` is the widget of the new designer, or empty, and `text` says what was done. */
export interface Taken {
  readonly type: "taken";
  readonly model: string;
  readonly text: string;
}

/** A request could not be done; nothing changed. */
export interface NotDone {
  readonly type: "not_done";
  readonly diagnostics: readonly Diagnostic[];
}

export type Edit =
  | AddNode
  | RemoveNode
  | SetArgument
  | Connect
  | Disconnect
  | Rename
  | SetDevice
  | SetBypass
  | SetOutputs
  | SetPipeline
  | SetChance;

export type Mark =
  | Note
  | Group
  | Route
  | Left
  | Differs
  | Tag
  | Fixed;

export type PreviewBody =
  | ImageBody
  | PlanesBody
  | VolumeBody
  | WaveBody
  | BoxesBody
  | PointsBody
  | ValuesBody
  | TableBody
  | StatisticsBody
  | TextBody;

export type ClientMessage =
  | Ready
  | ApplyEdits
  | ApplyRepair
  | Undo
  | Redo
  | MoveNodes
  | ChooseSample
  | FreeMemory
  | Stop
  | RequestCode
  | RequestDetail
  | PasteCode
  | AddTransform
  | ApplyCode
  | KeepDraft
  | ApplyFunction
  | SaveDocument
  | OpenFolder
  | OpenRecipe
  | OpenText
  | RestoreEdits
  | Run
  | CompareDevices
  | TryAdvice
  | TakeAdvice
  | RequestDifference
  | OpenState
  | SetTarget
  | RequestFile
  | RequestReproduction
  | RequestData
  | PointReader
  | RequestSheet
  | RequestEffects
  | RequestRecipes
  | RequestFolder
  | RequestDraws
  | RequestPair
  | RequestPixel
  | RequestSound
  | RequestNames
  | RequestTwin;

export type KernelMessage =
  | Opened
  | RevisionChanged
  | Refused
  | Previews
  | SampleStrip
  | ImageDetail
  | RunProgress
  | RunFinished
  | DeviceTimes
  | MemoryFreed
  | Code
  | Saved
  | Busy
  | Progress
  | Sheet
  | Effects
  | RecipePictures
  | FolderFound
  | Draws
  | Pair
  | PairBatch
  | Pixel
  | Sound
  | Timeline
  | Trial
  | RunHistory
  | GraphDifference
  | FileRemains
  | Reproduction
  | DataSet
  | SavedStates
  | Names
  | LabelTwin;

export type GalleryRequest =
  | Browse
  | ShowTiles
  | OpenPictures
  | UploadPicture
  | ChoosePicture
  | TryTile
  | SweepTile
  | TakeTile;

export type GalleryAnswer =
  | GalleryOpened
  | PicturesChosen
  | TilePictures
  | TileDetail
  | TileTime
  | TileSweep
  | Taken
  | NotDone;

