import type { NodeView, PortRef, Value } from "../protocol/generated";
import { type Argument, argumentOf, type Operator } from "./catalog";
import { cardLines } from "./codeLines";
import { nodeOf, topological } from "./graph";
import { codeIsCurrent, derived } from "./select";
import { isAway, type State } from "./state";

const ENUMS: ReadonlySet<string> = new Set(["data_type", "image_type", "interp_type", "interp_type_list"]);

/** A value as a program has it. */
export function literal(value: Value, argument: Argument | undefined): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map((v) => literal(v, argument)).join(", ")}]`;
  if (typeof value === "number") {
    const real = argument?.type.startsWith("float") && Number.isInteger(value);
    return real ? `${value}.0` : String(value);
  }
  if (argument && ENUMS.has(argument.type)) return `types.${value}`;
  return JSON.stringify(value);
}

/** The values that an operator's picture shows it with. */
export function valuesOf(operator: Operator): [Argument | undefined, string, Value][] {
  return Object.entries(operator.shown ?? {}).map(([key, value]) => [argumentOf(operator, key), key, value]);
}

/** A call of an operator with values, as it is pasted into a cell. */
export function callOf(name: string, values: readonly (readonly [Argument | undefined, string, Value])[]): string {
  return `fn.${name}(${values.map(([argument, key, value]) => `${key}=${literal(value, argument)}`).join(", ")})`;
}

/** A value where a program has one by itself. */
const WRITTEN = '(\\[[^[\\]]*\\]|"[^"]*"|-?[\\w.]+)(?=[,)]|$)';

/** A statement that is one call, and has no other parentheses. */
const CALL = /^[^(#]*\([^()#]*\)[^()#]*$/;

/** The program with the values that were set or unset without a kernel, where its lines can say so; undefined for other edits. */
function edited(state: State): string | undefined {
  const { code, confirmed, opening } = state;
  if (!code || state.pending.length === 0 || code.revision !== confirmed?.revision) return undefined;
  const lines = code.source.split("\n");
  for (const edit of state.pending.flatMap((c) => (c.kind === "edits" ? c.edits : null))) {
    if (edit?.type !== "set_argument") return undefined;
    const { key, argument: name, unset } = edit;
    const operator = opening?.catalog.byName.get(nodeOf(confirmed.graph, key)?.operator ?? "");
    const argument = operator && argumentOf(operator, name);
    // the kernel writes whole numbers as they were set, too; None is as good as no value
    const value = literal(edit.value ?? null, argument?.type.startsWith("float") ? undefined : argument);
    const own = code.lines[key] ?? [];
    const text = own.map((n) => lines[n - 1]).join("\n");
    const place = new RegExp(`(?<=\\b${name}=)${WRITTEN}`, "m");
    const there = place.test(text);
    if (!there && unset) continue;
    if (!there && !CALL.test(text)) return undefined;
    const made = there
      ? text.replace(place, () => value)
      : text.replace(/,?\s*\)/, (end) => `, ${name}=${value}${end}`).replace("(, ", "(");
    const rows = made.split("\n");
    for (const n of own) lines[n - 1] = rows.shift() as string;
  }
  return lines.join("\n").replace(/(?<=fn, pipeline_def)$(?=[\s\S]*types\.)/m, ", types");
}

/** Where no kernel writes the program anew: what there is of it, and a sentence about that. */
export const waitingCode = derived(
  (s) => [s.code, s.pending, s.link, s.confirmed, s.opening],
  (state): { readonly source: string | undefined; readonly said: string } => {
    const asks = state.link === "gone" || state.link === "silent";
    if (codeIsCurrent(state) || !(asks || isAway(state))) return { source: undefined, said: "" };
    const source = edited(state);
    const anew = asks ? "Reconnect for the new one." : "The kernel brings a new one.";
    return {
      source,
      said: source
        ? "The program with your edits, which no kernel has had yet."
        : `The program before your edit. ${anew}`,
    };
  },
);

const variable = (ref: PortRef) => (ref.output > 0 ? `${ref.node}_${ref.output}` : ref.node);

function call(state: State, node: NodeView): string {
  const operator = state.opening?.catalog.byName.get(node.operator);
  const names = [node.key, ...node.output_kinds.slice(1).map((_, i) => `${node.key}_${i + 1}`)];
  const inputs = node.inputs.map((ref) => (ref ? variable(ref) : "..."));
  if (operator?.role === "copy")
    return `${names[0]} = ${inputs[0] ?? "..."}.${node.device === "cpu" ? "cpu" : "gpu"}()`;
  const wired = Object.entries(node.argument_inputs).map(([name, ref]) => `${name}=${variable(ref)}`);
  const values = Object.entries(node.arguments)
    .filter(([name]) => !(name in node.argument_inputs))
    .map(([name, value]) => `${name}=${literal(value, argumentOf(operator, name))}`);
  const device = node.device === "cpu" ? [] : [`device="${node.device}"`];
  return `${names.join(", ")} = fn.${node.operator}(${[...inputs, ...device, ...values, ...wired].join(", ")})`;
}

/** The call, on a condition if the node has a probability. */
function statement(state: State, node: NodeView): string {
  const coin = node.parts.find((n) => n.key === node.coin);
  const made = call(state, node);
  if (!node.coin) return made;
  const passed = node.inputs[0] ? variable(node.inputs[0]) : "...";
  return `${coin ? `${call(state, coin)}\n` : ""}${node.key} = ${passed}\nif ${node.coin}:\n    ${made}`;
}

/** Nodes as a program: the lines of the code pane where it has all of them, else plain calls; `old` ones, too, if it may be. */
export function pythonText(state: State, keys: readonly string[], old = false): string {
  const nodes = state.graph ? topological(state.graph).filter((n) => keys.includes(n.key)) : [];
  const { code } = state;
  const lines = code?.source.split("\n") ?? [];
  const found = code ? nodes.map((n) => cardLines(state.graph, code.lines, n.key)) : [];
  const whole = code?.dialect === "nvidia.dali" || code?.dialect === "dali_studio";
  if (whole && (old || codeIsCurrent(state)) && nodes.length > 0 && found.every((own) => own.length > 0)) {
    const text = found.flat().sort((a, b) => a - b);
    return `${text.map((n) => (lines[n - 1] ?? "").replace(/^ {4}/, "")).join("\n")}\n`;
  }
  return nodes.map((n) => `${statement(state, n)}\n`).join("");
}
