import type {
  ArgumentSchema,
  Catalog,
  GraphView,
  InputSchema,
  NodeView,
  OperatorSchema,
  OutputSchema,
  Value,
} from "../protocol/generated";
import { originOf } from "./graph";

/** Schemas with every default filled in (the kernel leaves defaults out to keep the message small). */
export type Argument = { readonly [K in keyof ArgumentSchema]-?: Exclude<ArgumentSchema[K], undefined> };
export type Input = Required<InputSchema>;
export type Output = Required<OutputSchema>;
export type Operator = Omit<Required<OperatorSchema>, "arguments" | "inputs" | "outputs"> & {
  readonly arguments: readonly Argument[];
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
};

export interface CatalogIndex {
  readonly operators: readonly Operator[];
  /** Operators, and transforms of other packages that are written by them. */
  readonly offered: readonly Operator[];
  readonly byName: ReadonlyMap<string, Operator>;
  /** What may be wired to what: by kind of input, and for all arguments. */
  readonly inputsTake: Catalog["inputs_take"];
  readonly argumentsTake: Catalog["arguments_take"];
  /** Names of operators that take data of any kind and give the same kind. */
  readonly keepKind: readonly string[];
}

export function fillArgument(schema: ArgumentSchema): Argument {
  return {
    doc: "",
    unit: "",
    default: null,
    required: false,
    tensor: false,
    minimum: null,
    maximum: null,
    choices: [],
    spellings: {},
    length: [],
    widget: "none",
    span: [],
    start: null,
    common: false,
    per_output: false,
    any_number: false,
    truncated: false,
    support: "used",
    reason: "",
    deprecated: "",
    ...schema,
  };
}

export function fillOperator(schema: OperatorSchema): Operator {
  return {
    doc: "",
    version: 1,
    devices: ["cpu"],
    traits: [],
    seeded: false,
    stateful: false,
    keep: false,
    role: "",
    by_name: false,
    icon: "",
    node_name: "",
    keywords: [],
    hidden: false,
    dialects: [],
    movement: null,
    former: [],
    shown: null,
    deprecated: "",
    written_by: "",
    ...schema,
    inputs: (schema.inputs ?? []).map((i) => ({
      kind: "any",
      layouts: [],
      dtypes: [],
      optional: false,
      either_device: false,
      repeated: null,
      of_sound: "",
      shape_only: false,
      doc: "",
      ...i,
    })),
    outputs: (schema.outputs ?? []).map((o) => ({ kind: "any", doc: "", on_cpu: false, of_input: "", ...o })),
    arguments: (schema.arguments ?? []).map(fillArgument),
  };
}

export function indexCatalog(catalog: Catalog): CatalogIndex {
  const offered = catalog.operators.map(fillOperator);
  return {
    operators: offered.filter((o) => !o.written_by),
    offered,
    byName: new Map(offered.map((o) => [o.name, o])),
    inputsTake: catalog.inputs_take,
    argumentsTake: catalog.arguments_take,
    keepKind: catalog.keep_kind,
  };
}

/** How many wires the inputs of an operator take; the last one may be repeated. */
export function mostInputs(operator: Operator): number {
  const count = operator.inputs.length;
  const repeated = operator.inputs.at(-1)?.repeated;
  return repeated ? count - 1 + repeated[1] : count;
}

const isConditional = ({ role }: Operator) => role === "split" || role === "merge";

/** The schema of an input by its number, repetitions of the last included. */
export function inputOf(operator: Operator | undefined, input: number): Input | undefined {
  // a card may have several splits, or merges, of one condition
  if (operator && isConditional(operator)) return operator.inputs[input % operator.inputs.length];
  if (!operator || input >= mostInputs(operator)) return undefined;
  return operator.inputs[Math.min(input, operator.inputs.length - 1)];
}

/** What an input is called: those of a repeated one are numbered. */
export function inputName(operator: Operator | undefined, input: number): string {
  const schema = inputOf(operator, input);
  if (!operator || !schema || operator.role === "split") return `input ${input + 1}`;
  return schema.repeated ? `${schema.name} ${input - operator.inputs.length + 2}` : schema.name;
}

/** How an operator calls an output; of those that have a number only, labels have a name. */
export function outputName(
  graph: GraphView | null,
  operator: Operator | undefined,
  node: NodeView,
  output: number,
  other = `output ${output + 1}`,
): string {
  const gives = operator?.outputs.length ?? 1;
  const divided = node.inputs[output >> 1];
  if (operator && isConditional(operator) && node.inputs.length > operator.inputs.length)
    return gives > 1
      ? `${operator.outputs[output % 2]?.name} ${divided ? originOf(graph, divided) : ""}`
      : (node.inputs[2 * output]?.node ?? other);
  const labels = output > 0 && node.output_kinds[output] === "label";
  const name = node.output_names[output] ?? operator?.outputs[output]?.name;
  return name && !/^output\d+$/.test(name) ? name : labels ? "labels" : other;
}

/** How many inputs are wired, with those between them: the kernel tells of free ones as well. */
export function wiredInputs(node: NodeView): number {
  return node.inputs.findLastIndex((source) => source !== null) + 1;
}

/** How many ports the inputs of an operator have with that many wired: of a repeated one a free port more. */
export function inputPorts(operator: Operator | undefined, wired: number): number {
  if (!operator) return wired;
  const single = operator.inputs.length - 1;
  const repeated = operator.inputs.at(-1)?.repeated;
  if (!repeated) return Math.max(operator.inputs.length, wired);
  const free = Math.max(repeated[0], Math.max(0, wired - single) + 1, 1);
  return Math.max(single + Math.min(free, repeated[1]), wired);
}

export function argumentOf(operator: Operator | undefined, name: string): Argument | undefined {
  return operator?.arguments.find((a) => a.name === name);
}

export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** Whether an argument of this type holds whole numbers only. */
export function isInteger(argument: Argument): boolean {
  return argument.type === "int" || argument.type === "int_list";
}

/** The operator that draws numbers from an interval, found by its words and not by its name. */
export function findRandom(index: CatalogIndex, words: readonly string[]): Operator | undefined {
  return index.operators.find(
    (o) =>
      !o.hidden &&
      o.inputs.every((i) => i.optional) &&
      words.every((w) => o.keywords.includes(w) || o.name.toLowerCase().includes(w)),
  );
}

/** Ways to say one thing, of which a node takes one. */
const WAYS = [
  [/^size$/, /^resize_[xyz]$/, /^resize_shorter$/, /^resize_longer$/],
  [/^crop$/, /^crop_[dhw]$/],
];

/** Whether what is given says in another way what the argument would. */
export function isSaid(name: string, given: ReadonlySet<string>): boolean {
  return WAYS.some(
    (ways) =>
      ways.some((way) => way.test(name)) &&
      ways.some((way) => !way.test(name) && [...given].some((one) => way.test(one))),
  );
}
