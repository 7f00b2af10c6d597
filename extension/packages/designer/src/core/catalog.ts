import type { ArgumentSchema, Catalog, InputSchema, OperatorSchema, OutputSchema, Value } from "../protocol/generated";

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
  readonly byName: ReadonlyMap<string, Operator>;
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
    length: [],
    widget: "none",
    span: [],
    start: null,
    common: false,
    per_output: false,
    support: "used",
    reason: "",
    deprecated: "",
    ...schema,
  };
}

function fillOperator(schema: OperatorSchema): Operator {
  return {
    doc: "",
    version: 1,
    devices: ["cpu"],
    traits: [],
    seeded: false,
    stateful: false,
    keep: false,
    role: "",
    icon: "",
    node_name: "",
    keywords: [],
    hidden: false,
    ...schema,
    inputs: (schema.inputs ?? []).map((i) => ({
      kind: "any",
      layouts: [],
      dtypes: [],
      optional: false,
      either_device: false,
      doc: "",
      ...i,
    })),
    outputs: (schema.outputs ?? []).map((o) => ({ kind: "any", doc: "", ...o })),
    arguments: (schema.arguments ?? []).map(fillArgument),
  };
}

export function indexCatalog(catalog: Catalog): CatalogIndex {
  const operators = catalog.operators.map(fillOperator);
  return { operators, byName: new Map(operators.map((o) => [o.name, o])) };
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
