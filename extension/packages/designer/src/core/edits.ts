import type { Edit, GraphView, NodeView, PortRef } from "../protocol/generated";
import type { CatalogIndex } from "./catalog";

/** The operator whose function is written in the designer. */
export const CODE = "python_function";

/** The kernel is the only truth; this fold only shows an edit until the kernel has answered it. */
export function applyEdits(graph: GraphView, edits: readonly Edit[], catalog: CatalogIndex | null): GraphView {
  return edits.reduce((g, e) => applyEdit(g, e, catalog), graph);
}

function replaceNode(graph: GraphView, key: string, change: (node: NodeView) => NodeView): GraphView {
  return { ...graph, nodes: graph.nodes.map((n) => (n.key === key ? change(n) : n)) };
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> {
  const { [name]: _, ...rest } = record;
  return rest;
}

function trimmed(inputs: readonly (PortRef | null)[]): readonly (PortRef | null)[] {
  let end = inputs.length;
  while (end > 0 && inputs[end - 1] === null) end -= 1;
  return inputs.slice(0, end);
}

function setInput(node: NodeView, index: number, source: PortRef | null): NodeView {
  const inputs = [...node.inputs];
  while (inputs.length <= index) inputs.push(null);
  inputs[index] = source;
  return { ...node, inputs: source ? inputs : trimmed(inputs) };
}

function mapSources(graph: GraphView, change: (ref: PortRef) => PortRef | null): GraphView {
  const nodes = graph.nodes.map((node) => {
    const argumentInputs: Record<string, PortRef> = {};
    for (const [name, ref] of Object.entries(node.argument_inputs)) {
      const next = change(ref);
      if (next) argumentInputs[name] = next;
    }
    return {
      ...node,
      inputs: trimmed(node.inputs.map((ref) => (ref ? change(ref) : null))),
      argument_inputs: argumentInputs,
    };
  });
  const outputs = graph.outputs.map(change).filter((ref): ref is PortRef => ref !== null);
  return { ...graph, nodes, outputs };
}

type Added = Extract<Edit, { type: "add_node" }>;

/** The code that a new node has: that of the node which it is a copy of, or of one of another document, which the kernel may trust. */
function codeOf(graph: GraphView, { operator, like = "", code = "", signature = "" }: Added): NodeView["code"] {
  if (operator !== CODE) return null;
  const copied = graph.nodes.find((n) => n.key === like && n.operator === operator);
  return copied ? copied.code : { source: code, module: "", trusted: !code, signature };
}

function addNode(graph: GraphView, edit: Added, catalog: CatalogIndex | null): GraphView {
  const operator = catalog?.byName.get(edit.operator);
  const node: NodeView = {
    key: edit.key,
    operator: edit.operator,
    device: edit.device ?? "cpu",
    arguments: edit.arguments ?? {},
    inputs: [],
    argument_inputs: {},
    output_ranks: [],
    output_names: [],
    output_kinds: operator ? operator.outputs.map((o) => o.kind) : ["any"],
    facts: [],
    in_run: false,
    unknown: operator === undefined,
    bypassed: false,
    pin: "",
    pin_batch: 0,
    pin_old: false,
    seed: null,
    followers: {},
    wide: operator?.outputs[0]?.kind === "video",
    chance: null,
    coin: "",
    shared: [],
    parts: [],
    code: codeOf(graph, edit),
  };
  return { ...graph, nodes: [...graph.nodes, node] };
}

export function applyEdit(graph: GraphView, edit: Edit, catalog: CatalogIndex | null): GraphView {
  switch (edit.type) {
    case "add_node":
      return graph.nodes.some((n) => n.key === edit.key) ? graph : addNode(graph, edit, catalog);
    case "remove_node": {
      const kept = { ...graph, nodes: graph.nodes.filter((n) => n.key !== edit.key) };
      return mapSources(kept, (ref) => (ref.node === edit.key ? null : ref));
    }
    case "set_argument":
      return replaceNode(graph, edit.key, (n) => ({
        ...n,
        arguments: edit.unset
          ? without(n.arguments, edit.argument)
          : { ...n.arguments, [edit.argument]: edit.value ?? null },
      }));
    case "connect":
      return replaceNode(graph, edit.target, (n) =>
        edit.argument
          ? { ...n, argument_inputs: { ...n.argument_inputs, [edit.argument]: edit.source } }
          : setInput(n, edit.input ?? 0, edit.source),
      );
    case "disconnect":
      return replaceNode(graph, edit.target, (n) =>
        edit.argument
          ? { ...n, argument_inputs: without(n.argument_inputs, edit.argument) }
          : setInput(n, edit.input ?? 0, null),
      );
    case "rename": {
      const renamed = replaceNode(graph, edit.key, (n) => ({ ...n, key: edit.new_key }));
      return mapSources(renamed, (ref) => (ref.node === edit.key ? { ...ref, node: edit.new_key } : ref));
    }
    case "set_device":
      return replaceNode(graph, edit.key, (n) => ({ ...n, device: edit.device }));
    case "set_bypass":
      return replaceNode(graph, edit.key, (n) => ({ ...n, bypassed: edit.bypassed }));
    case "set_chance":
      return replaceNode(graph, edit.key, (n) => ({ ...n, chance: edit.part < 1 ? edit.part : null }));
    case "set_outputs":
      return { ...graph, outputs: edit.outputs };
    case "set_pipeline":
      return edit.option === "name" && typeof edit.value === "string" ? { ...graph, name: edit.value } : graph;
    default:
      return edit satisfies never;
  }
}

const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case".split(
    " ",
  ),
);
/** What programs import. */
const MODULES = new Set(["fn", "types", "ops"]);

/** A name that Python accepts for a variable, or the reason why this one is not. */
export function nameProblem(name: string, taken: ReadonlySet<string>): string {
  // names that begin with __ are the designer's own: that of the outputs is one
  if (!/^(?!__)[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return "A name has letters, digits and _ and starts with a letter.";
  if (KEYWORDS.has(name)) return `${name} is a word of Python.`;
  if (MODULES.has(name)) return `Programs import ${name}: a node cannot be called so.`;
  if (taken.has(name)) return `Another node is called ${name}.`;
  return "";
}

/** A free key for a new node of an operator: `rotate`, `rotate_2` ... */
export function freeKey(operator: string, taken: ReadonlySet<string>): string {
  const last = operator.split(".").at(-1) ?? operator;
  const base = last.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(\d)/, "_$1") || "node";
  if (!taken.has(base) && !KEYWORDS.has(base) && !MODULES.has(base)) return base;
  let n = 2;
  while (taken.has(`${base}_${n}`)) n += 1;
  return `${base}_${n}`;
}
