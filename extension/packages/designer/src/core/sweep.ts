import type { Edit, NodeView, PortRef, Value } from "../protocol/generated";
import { type Argument, isInteger, type Operator } from "./catalog";
import { nodeOf, OUTPUTS } from "./graph";
import type { State } from "./state";
import { sliderSpan, snap } from "./validate";

/** What a sheet goes through: values of one argument. */
export interface Sweep {
  readonly argument: string;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** The output that the batch is shown of: of the selected node, else of what the pipeline returns first. */
export function sheetPort(state: State): PortRef | null {
  const chosen = state.view.selection.find((k) => k !== OUTPUTS);
  const node = chosen ? nodeOf(state.graph, chosen) : undefined;
  if (node) return node.output_kinds.length > 0 ? { node: node.key, output: 0 } : null;
  return state.graph?.outputs[0] ?? null;
}

function isNumber(argument: Argument): boolean {
  const { length, type } = argument;
  // a list of any length without a default stands in place of something else
  const several = length.length > 0 ? !length.includes(1) : type.endsWith("list") && argument.default == null;
  return (type.startsWith("float") || isInteger(argument)) && !several;
}

/** Arguments of which several values can be shown: numbers and choices, telling ones first; none of what reads files. */
export function sweepable(operator: Operator | undefined): readonly Argument[] {
  if (operator?.role === "reader") return [];
  const offered = (operator?.arguments ?? []).filter(
    (a) => a.support === "used" && (isNumber(a) || (a.choices.length > 1 && a.name !== "dtype")) && a.name !== "seed",
  );
  const rank = (a: Argument) => (a.common ? 2 : 0) + (a.tensor ? 1 : 0) + (isNumber(a) ? 1 : 0);
  return [...offered].sort((a, b) => rank(b) - rank(a));
}

/** What a sweep begins with: the first argument that the node has a value or a wire for, since others may not go with it. */
export function firstSwept(
  node: Pick<NodeView, "arguments" | "argument_inputs">,
  offered: readonly Argument[],
): Argument | undefined {
  return offered.find((a) => a.name in node.arguments || a.name in node.argument_inputs) ?? offered[0];
}

function currentOf(node: Pick<NodeView, "arguments">, argument: Argument): number | null {
  const own = node.arguments[argument.name] ?? argument.default;
  const one = Array.isArray(own) ? own[0] : own;
  return typeof one === "number" ? one : null;
}

/** The sweep to begin with: the handy interval, narrowed for angles and the like to where changes are seen. */
export function firstSweep(node: Pick<NodeView, "arguments">, argument: Argument): Sweep {
  const now = currentOf(node, argument) ?? 0;
  const [low, high] = sliderSpan(argument, now);
  const round = argument.unit.startsWith("deg");
  const from = round ? now - 30 : low;
  const to = round ? now + 30 : high;
  return { argument: argument.name, from, to, count: 5 };
}

/** The values of a sweep, in order. */
export function sweepValues(argument: Argument, sweep: Sweep): readonly Value[] {
  if (!isNumber(argument)) return argument.choices.slice(0, 8);
  const { from, to, count } = sweep;
  const step = (to - from) / Math.max(1, count - 1);
  const values = Array.from({ length: count }, (_, i) => {
    const value = from + i * step;
    return isInteger(argument) ? Math.round(value) : snap(value, 1e-6);
  });
  return [...new Set(values)];
}

/** Some values of an argument around the one that it has, as many as have a place in a row; none of what has no order. */
export function firstValues(argument: Argument, value: Value): readonly Value[] {
  const choices = argument.widget === "choice";
  if (!choices && (argument.widget === "switch" || argument.widget === "range" || !isNumber(argument))) return [];
  const now = Array.isArray(value) ? value[0] : value;
  if (!choices && typeof now !== "number" && argument.span.length === 0) return [];
  const node = { arguments: { [argument.name]: value } };
  return sweepValues(argument, firstSweep(node, argument)).slice(0, 5);
}

/** The edits that give an argument one value for all samples: a wire that feeds it is cut. */
export function keepEdits(node: NodeView, argument: string, value: Value): Edit[] {
  const cut: Edit[] = argument in node.argument_inputs ? [{ type: "disconnect", target: node.key, argument }] : [];
  return [...cut, { type: "set_argument", key: node.key, argument, value }];
}
