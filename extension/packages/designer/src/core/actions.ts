import type { Edit, GraphView, Group, NodeView, PortRef, Position, Tag, Value } from "../protocol/generated";
import { type Argument, type CatalogIndex, findRandom, inputOf, isInteger, type Operator } from "./catalog";
import { bestSlot, type Context, checkConnection, deviceFor, outputDevice, passesOn } from "./compat";
import { applyEdits, CODE, freeKey } from "./edits";
import { nodeOf, OUTPUTS, type Slot, takenKeys, wiresOf } from "./graph";
import type { Rect } from "./route";

/** An undo step that is ready to be sent. */
export interface Step {
  readonly edits: readonly Edit[];
  readonly positions: Readonly<Record<string, Position>>;
  readonly select: readonly string[];
}

/** The edits that wire `source` into a slot; an argument that gets a wire loses its fixed value. */
export function connectEdits(graph: GraphView, source: PortRef, slot: Slot): Edit[] {
  switch (slot.kind) {
    case "input":
      return [{ type: "connect", source, target: slot.node, input: slot.input }];
    case "argument": {
      const { node: key, argument } = slot;
      const fixed = nodeOf(graph, key)?.arguments[argument] !== undefined;
      const unset: Edit[] = fixed ? [{ type: "set_argument", key, argument, unset: true }] : [];
      return [...unset, { type: "connect", source, target: key, argument }];
    }
    case "output": {
      const outputs = [...graph.outputs];
      outputs[Math.min(slot.index, outputs.length)] = source;
      return [{ type: "set_outputs", outputs }];
    }
  }
}

export function disconnectEdit(graph: GraphView, slot: Slot): Edit {
  switch (slot.kind) {
    case "input":
      return { type: "disconnect", target: slot.node, input: slot.input };
    case "argument":
      return { type: "disconnect", target: slot.node, argument: slot.argument };
    case "output":
      return { type: "set_outputs", outputs: graph.outputs.filter((_, i) => i !== slot.index) };
  }
}

/** Cutting several wires; outputs are cut by their places in the graph before the step. */
export function cutEdits(graph: GraphView, slots: readonly Slot[]): Edit[] {
  const gone = new Set(slots.flatMap((s) => (s.kind === "output" ? [s.index] : [])));
  const edits = slots.filter((s) => s.kind !== "output").map((s) => disconnectEdit(graph, s));
  if (gone.size > 0) edits.push({ type: "set_outputs", outputs: graph.outputs.filter((_, i) => !gone.has(i)) });
  return edits;
}

export interface AddOptions {
  readonly at: Position;
  /** Wire this into the new node. */
  readonly from?: PortRef | null;
  /** `from` was selected, not dragged here: it goes into no optional input. */
  readonly selected?: boolean;
  /** `at` is where somebody pointed: the node stands there, and all others stay. */
  readonly pointed?: boolean | undefined;
  /** What `from` feeds, it goes on feeding. */
  readonly branch?: boolean;
  /** Wire the new node into this. */
  readonly to?: Slot | null;
}

/**
 * What the pipeline returned of `from`, it returns of the operator put behind it, if that gives the same kind, or features of
 * a sound; `beside` it where `from` goes on to others.
 */
function takeOver(
  graph: GraphView,
  from: PortRef,
  operator: Operator,
  input: number,
  key: string,
  beside: boolean,
): Edit[] {
  const [first] = operator.outputs;
  const returned = (ref: PortRef) => ref.node === from.node && (ref.output ?? 0) === (from.output ?? 0);
  const kind = inputOf(operator, input)?.kind;
  const goesOn = first && (first.kind === kind || (kind === "audio" && first.kind === "any"));
  if (!goesOn || !graph.outputs.some(returned)) return [];
  const put = { node: key, output: 0 };
  const branch = beside && wiresOf(graph).some((w) => returned(w.source) && w.slot.kind === "input");
  const outputs = branch ? [...graph.outputs, put] : graph.outputs.map((ref) => (returned(ref) ? put : ref));
  return [{ type: "set_outputs", outputs }];
}

/** Behind what was selected, an operator that passes its data on goes into the chain, as at its end. */
function inserted(context: Context, from: PortRef, operator: Operator, input: number, key: string): Edit[] {
  const { graph, catalog } = context;
  const put = { node: key, output: 0 };
  if (!passesOn(catalog, operator, input, nodeOf(graph, from.node)?.output_kinds[from.output ?? 0])) return [];
  return wiresOf(graph).flatMap(({ source, slot }) =>
    source.node === from.node &&
    (source.output ?? 0) === (from.output ?? 0) &&
    slot.kind === "input" &&
    checkConnection(context, put, slot).ok
      ? connectEdits(graph, put, slot)
      : [],
  );
}

/**
 * Values to begin with: those that the operator's picture shows it with, behind a picture; for other arguments that need
 * one and have no default what they say, the neutral or the most common one.
 */
function startValues(operator: Operator, wired: string, picture: boolean): Record<string, Value> {
  const shown = (picture && operator.shown) || null;
  const values: Record<string, Value> = {};
  for (const { name, required, choices, span, start } of operator.arguments) {
    const [low, high] = span;
    const given = shown?.[name];
    if (name === wired) continue;
    if (given !== undefined) values[name] = given;
    else if (start !== null && !(shown && !required)) values[name] = start;
    else if (!required) continue;
    else if (choices.length > 0) values[name] = choices.includes("FLOAT") ? "FLOAT" : (choices[0] ?? null);
    else if (low !== undefined && high !== undefined) values[name] = low <= 0 && high >= 0 ? 0 : low;
  }
  return values;
}

/**
 * Place an operator and wire it where that is possible. Behind a result that the pipeline returns it takes that place,
 * and the first picture of an empty pipeline is returned, so that nothing new is without effect.
 */
export function addStep(context: Context, operator: Operator, options: AddOptions): Step {
  const key = freeKey(operator.node_name || operator.name, takenKeys(context.graph));
  const upstream = options.from ? nodeOf(context.graph, options.from.node) : undefined;
  const bare = { type: "add_node", key, operator: operator.name, device: deviceFor(operator, upstream) } as const;
  const graph = applyEdits(context.graph, [bare], context.catalog);
  const best = options.from ? bestSlot({ ...context, graph }, options.from, key) : null;
  const optional = best && "kind" in best && best.kind === "input" && inputOf(operator, best.input)?.optional;
  const slot = optional && options.selected ? null : best;
  const wired = slot && "kind" in slot && slot.kind === "argument" ? slot.argument : "";
  const picture = upstream?.output_kinds[options.from?.output ?? 0] === "image";
  const edits: Edit[] = [{ ...bare, arguments: startValues(operator, wired, picture) }];
  if (options.from) {
    if (slot && "kind" in slot) {
      edits.push(...connectEdits(graph, options.from, slot));
      if (slot.kind === "input" && !options.to && !options.branch) {
        edits.push(...takeOver(graph, options.from, operator, slot.input, key, !options.selected));
        if (options.selected) edits.push(...inserted({ ...context, graph }, options.from, operator, slot.input, key));
      }
    }
  }
  if (!options.to && graph.outputs.length === 0 && operator.outputs[0]?.kind === "image")
    edits.push({ type: "set_outputs", outputs: [{ node: key, output: 0 }] });
  if (options.to) {
    const source = operator.outputs
      .map((_, output) => ({ node: key, output }))
      .find((ref) => options.to && checkConnection({ ...context, graph }, ref, options.to).ok);
    if (source) edits.push(...connectEdits(graph, source, options.to));
  }
  return { edits, positions: { [key]: options.at }, select: [key] };
}

/** What flows into a node that passes one kind of data through, on one device; null for all others. */
export function passedThrough(graph: GraphView, key: string): PortRef | null {
  const node = nodeOf(graph, key);
  const [source, ...rest] = node?.inputs.filter((r) => r !== null) ?? [];
  const from = source ? nodeOf(graph, source.node) : undefined;
  if (!node || !source || !from || rest.length > 0 || node.output_kinds.length !== 1) return null;
  // what a function of one's own gives may be anything
  const same = [from.output_kinds[source.output], "any"].includes(node.output_kinds[0] ?? "");
  return same && outputDevice(from.device) === outputDevice(node.device) ? source : null;
}

/**
 * Remove nodes (their wires go with them) and cut wires, as one step. Where a node passed its input on, that input is
 * wired to what the node fed, so that taking a step out of a chain leaves a chain.
 */
export function removeStep(graph: GraphView, keys: readonly string[], wireIds: readonly string[]): Step {
  const nodes = new Set(keys.filter((k) => k !== OUTPUTS));
  const healed = (ref: PortRef): PortRef | null => {
    let at: PortRef | null = ref;
    while (at && nodes.has(at.node)) at = passedThrough(graph, at.node);
    return at;
  };
  const wires = wiresOf(graph).filter((w) => !nodes.has(w.slot.node));
  const chosen = wires.filter((w) => wireIds.includes(w.id));
  const gone = new Set(chosen.flatMap((w) => (w.slot.kind === "output" ? [w.slot.index] : [])));
  const loose = chosen.filter((w) => w.slot.kind !== "output" && !nodes.has(w.source.node));
  const edits = cutEdits(
    graph,
    loose.map((w) => w.slot),
  );
  for (const { id, source, slot } of wires) {
    if (wireIds.includes(id)) continue;
    const to = nodes.has(source.node) && slot.kind !== "output" ? healed(source) : null;
    if (to) edits.push(...connectEdits(graph, to, slot));
  }
  const outputs = graph.outputs.filter((_, i) => !gone.has(i)).map((ref) => healed(ref) ?? ref);
  if (gone.size > 0 || outputs.some((ref) => !graph.outputs.includes(ref)))
    edits.push({ type: "set_outputs", outputs });
  const removals = [...nodes].map((key): Edit => ({ type: "remove_node", key }));
  return { edits: [...edits, ...removals], positions: {}, select: [] };
}

/** What Ctrl+C keeps. */
export interface Clip {
  readonly nodes: readonly NodeView[];
  readonly positions: Readonly<Record<string, Position>>;
  readonly groups?: readonly Group[];
  readonly tags?: readonly Tag[];
  /** Where the cards were. */
  readonly cards?: readonly Rect[];
}

export function copyClip(
  graph: GraphView,
  positions: Readonly<Record<string, Position>>,
  keys: readonly string[],
): Clip {
  const nodes = graph.nodes.filter((n) => keys.includes(n.key));
  return { nodes, positions: Object.fromEntries(nodes.map((n) => [n.key, positions[n.key] ?? { x: 0, y: 0 }])) };
}

/** A step, and by the names of the nodes that were copied those of the copies. */
interface Pasted extends Step {
  readonly names: ReadonlyMap<string, string>;
  /** Arguments of the copies whose source is not here. */
  readonly lost: readonly string[];
}

/** Paste nodes with the wires among them; wires from outside are kept if their sources still exist. */
export function pasteStep(graph: GraphView, clip: Clip, shift: Position): Pasted {
  const taken = takenKeys(graph);
  const names = new Map<string, string>();
  for (const node of clip.nodes) {
    const key = freeKey(node.key.replace(/_\d+$/, ""), taken);
    taken.add(key);
    names.set(node.key, key);
  }
  const edits: Edit[] = [];
  const positions: Record<string, Position> = {};
  const moved = (ref: PortRef): PortRef | null => {
    const inner = names.get(ref.node);
    if (inner) return { node: inner, output: ref.output };
    return nodeOf(graph, ref.node) ? ref : null;
  };
  for (const node of clip.nodes) {
    const key = names.get(node.key) ?? node.key;
    const { operator, device } = node;
    // Another document may have another function under this name.
    const here = nodeOf(graph, node.key);
    const same = operator === CODE && here?.operator === operator && here.code?.source === node.code?.source;
    const { source: code = "", module = "", trusted = true, signature = "" } = node.code ?? {};
    const own = same ? { like: node.key } : module || !trusted ? { code, signature } : {};
    edits.push({ type: "add_node", key, operator, device, arguments: node.arguments, ...own });
    const at = clip.positions[node.key];
    if (at) positions[key] = { x: at.x + shift.x, y: at.y + shift.y };
  }
  const lost: string[] = [];
  // a condition has all of its outputs when it has its predicate and its inputs
  for (const node of [...clip.nodes].sort((a, b) => b.parts.length - a.parts.length)) {
    const target = names.get(node.key) ?? node.key;
    for (const [argument, ref] of Object.entries(node.argument_inputs)) {
      const source = moved(ref);
      if (source) edits.push({ type: "connect", source, target, argument });
      else lost.push(`${target}.${argument}`);
    }
    node.inputs.forEach((ref, input) => {
      const source = ref ? moved(ref) : null;
      if (source) edits.push({ type: "connect", source, target, input });
    });
  }
  const tossed = new Map<string, string>();
  for (const { key: old, chance: part, coin } of clip.nodes) {
    const key = names.get(old) ?? old;
    const like = tossed.get(coin);
    if (part !== null) edits.push({ type: "set_chance", key, part, ...(like && { like }) });
    if (coin && !like) tossed.set(coin, key);
  }
  return { edits, positions, select: Object.keys(positions), names, lost };
}

/** Whether an argument is a yes or no for each sample: a coin decides it. */
function isCoin(argument: Argument): boolean {
  if (argument.type === "bool" || argument.widget === "switch") return true;
  return isInteger(argument) && argument.minimum === 0 && argument.maximum === 1;
}

/** The generator that "make random" adds for an argument, or null if the catalog has none that fits. */
export function randomFor(catalog: CatalogIndex, argument: Argument): Operator | null {
  if (!argument.tensor || argument.support !== "used") return null;
  if (isCoin(argument)) return findRandom(catalog, ["coin"]) ?? null;
  if (argument.type === "float" || argument.type === "float_list" || isInteger(argument))
    return findRandom(catalog, ["uniform"]) ?? null;
  return null;
}

/** What a fixed value is drawn from at first: 10 degrees around it, or a tenth of what is handy to either side. */
function spanOf(argument: Argument, now: Value | undefined): readonly [number, number] {
  const [low = argument.minimum, high = argument.maximum] = argument.span;
  const whole = argument.unit === "px" || isInteger(argument);
  const tidy = (value: number) => (whole ? Math.round(value) : Number(value.toPrecision(6)));
  if (low !== null && high !== null) {
    if (typeof now !== "number" || isInteger(argument)) return [low, high];
    const reach = argument.unit.startsWith("deg") ? 10 : (high - low) / 10;
    return [Math.max(Math.min(low, now), tidy(now - reach)), Math.min(Math.max(high, now), tidy(now + reach))];
  }
  const centre = typeof now === "number" ? now : typeof argument.default === "number" ? argument.default : 0;
  const reach = Math.max(1, Math.abs(centre) / 2);
  return [argument.minimum ?? tidy(centre - reach), tidy(centre + reach)];
}

/** Turn a fixed argument into one drawn for each sample: a generator is added and wired. */
export function randomStep(context: Context, node: NodeView, argument: Argument, at: Position): Step | null {
  const operator = randomFor(context.catalog, argument);
  if (!operator) return null;
  const taken = takenKeys(context.graph);
  const key = freeKey(argument.name, taken);
  const values: Record<string, Value> = {};
  if (!isCoin(argument) && operator.arguments.some((a) => a.name === "range"))
    values.range = spanOf(argument, node.arguments[argument.name]);
  const length = argument.length[0];
  const listed = argument.type.endsWith("_list") && length !== undefined && length > 1;
  if (listed && operator.arguments.some((a) => a.name === "shape")) values.shape = [length];
  if (isInteger(argument) && operator.arguments.some((a) => a.name === "dtype")) values.dtype = "INT32";
  const source = { node: key, output: 0 };
  const slot: Slot = { kind: "argument", node: node.key, argument: argument.name };
  const edits: Edit[] = [
    { type: "add_node", key, operator: operator.name, device: "cpu", arguments: values },
    ...connectEdits(context.graph, source, slot),
  ];
  return { edits, positions: { [key]: at }, select: [node.key] };
}
