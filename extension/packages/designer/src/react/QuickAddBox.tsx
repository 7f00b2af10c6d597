import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { type AddOptions, connectEdits } from "../core/actions";
import { fillOperator, inputName, type Operator } from "../core/catalog";
import { type Context, checkConnection, kindOf, operatorGives, operatorTakes, slotsOf } from "../core/compat";
import { CODE } from "../core/edits";
import { type Hit, search } from "../core/fuzzy";
import { nodeOf, OUTPUTS, type Slot, sourcesOf, topological, wiresOf } from "../core/graph";
import { Habits } from "../core/habits";
import { categoryHue, PORT_LOOKS } from "../core/ports";
import { resultName } from "../core/select";
import type { Session } from "../core/session";
import type { QuickAdd, State } from "../core/state";
import type { PortRef } from "../protocol/generated";
import { addNearest } from "./canvas/Junctions";
import { contextOf } from "./canvas/useWiring";
import { useCanvasApi } from "./canvasApi";
import { useFrame, useSel } from "./context";
import { Icon, operatorIcon, Tile } from "./icons";
import { Marked } from "./Palette";
import { PortMark } from "./Port";
import { QuickAbout } from "./QuickAbout";
import { behind, followed, insertOperator } from "./quickAdd";

/** What a point of a wire is looked for by, and how it stands among the operators. */
const JUNCTION = ["junction", "reroute"];
const POINT: Hit = {
  operator: fillOperator({
    name: "junction",
    class_name: "",
    category: "",
    devices: [],
    summary: "A point through which a wire is led.",
  }),
  score: 0,
  marks: [],
  why: "of a wire",
};
const HABITS = new Habits(globalThis.localStorage ?? null);
/** As many hits as are in sight are drawn with each key, the others when the typing pauses, in ms. */
const IN_SIGHT = 12;
const PAUSE = 300;

/** Operators that a wire fits come first; the others are left out, unless all are wanted. */
export function operatorHits(
  { graph, catalog }: Context,
  { from, to }: Pick<QuickAdd, "from" | "to">,
  query = "",
  all = false,
): readonly Hit[] {
  const kind = from ? kindOf({ graph, catalog }, from) : null;
  const target = to ? catalog.byName.get(nodeOf(graph, to.node)?.operator ?? "") : undefined;
  const fits = (o: Operator) =>
    (kind ? operatorTakes(catalog, o, kind) : true) && (to ? operatorGives(catalog, o, to, target) : true);
  const known = kind !== null && kind !== "any";
  // what does not need the wire in hand comes behind what does
  const exact = ({ inputs: [input] }: Operator) =>
    known ? (input?.kind === kind ? 12 : 0) - (input?.optional ? 250 : 0) : 0;
  // "read" finds readers before `io.file.read` while there is nothing that gives paths; "resize" stays the first of its name
  const begun = query.trim() !== "" && "readers".startsWith(query.trim().toLowerCase());
  const first = (o: Operator) => (graph.nodes.length === 0 && o.role === "reader" ? (begun ? 300 : 30) : 0);
  const offered = query.trim() && !to ? catalog.offered : catalog.operators;
  const pool = all ? offered : offered.filter(fits);
  const wanted = HABITS.weight(graph, from);
  return search(pool, query, (o) => exact(o) + first(o) + wanted(o.name)).slice(0, 60);
}

/** Add an operator, and remember behind what it is wanted. */
export function insertWanted(session: Session, operator: Operator, options: AddOptions, behind = options.from) {
  const key = insertOperator(session, operator, options);
  const before = nodeOf(session.store.get().graph, behind?.node ?? "")?.operator;
  if (before) HABITS.note(before, operator.name);
  return key;
}

function useOperatorHits(quick: QuickAdd | null, query: string, all: boolean, pins: readonly string[]): readonly Hit[] {
  const state = useSel((s) => ({ graph: s.graph, catalog: s.opening?.catalog }));
  return useMemo(() => {
    const { graph, catalog } = state;
    if (!graph || !catalog || quick?.mode !== "add" || !pins) return [];
    return operatorHits({ graph, catalog }, quick, query, all);
  }, [state, quick, query, all, pins]);
}

/** For words that nothing has: a node of one's own code, which Enter makes, and operators whose names begin like them. */
export function nearHits(operators: readonly Operator[], query: string): readonly Hit[] {
  let near: readonly Hit[] = [];
  for (let end = query.length - 1; end > 1 && near.length === 0; end -= 1)
    near = search(operators, query.slice(0, end), (o) => -o.name.length);
  const own = search(operators, CODE).slice(0, 1);
  return [...own.map((hit) => ({ ...hit, marks: [], why: CODE })), ...near.slice(0, 4)];
}

interface Choice {
  readonly id: string;
  readonly from: PortRef;
  readonly slot: Slot;
  readonly name: string;
  readonly note: string;
}

/** The outputs that a wire may be drawn from by keys: those of the node, those that nothing takes first. */
function sources({ graph }: Context, from: PortRef): readonly PortRef[] {
  const taken = [...graph.nodes.flatMap(sourcesOf), ...graph.outputs].filter((p) => p.node === from.node);
  const isTaken = ({ output }: PortRef) => Number(taken.some((p) => p.output === output));
  const all = nodeOf(graph, from.node)?.output_kinds.map((_, output) => ({ node: from.node, output })) ?? [];
  return all.sort((a, b) => isTaken(a) - isTaken(b));
}

/** Everything that a source may be wired to. */
function targetsOf(context: Context, from: PortRef, title: string): readonly Choice[] {
  const choices: Choice[] = [];
  const add = (slot: Slot, name: string, note: string) =>
    choices.push({ id: `${from.output}.${name}`, from, slot, name: `${title}${name}`, note });
  for (const node of topological(context.graph)) {
    const operator = context.catalog.byName.get(node.operator);
    if (!operator || node.key === from.node) continue;
    for (const slot of slotsOf(node, operator)) {
      if (!checkConnection(context, from, slot).ok) continue;
      const name =
        slot.kind === "argument" ? slot.argument : slot.kind === "input" ? inputName(operator, slot.input) : "";
      const wired =
        slot.kind === "input"
          ? node.inputs[slot.input]
          : slot.kind === "argument"
            ? node.argument_inputs[slot.argument]
            : null;
      add(slot, `${node.key}.${name}`, wired ? `now from ${wired.node}` : "");
    }
  }
  add({ kind: "output", node: OUTPUTS, index: context.graph.outputs.length }, "outputs", "returned by the pipeline");
  return choices;
}

/** Everything that the outputs of the selected node may be wired to: the keyboard's way to draw a wire. */
function targets(context: Context, state: State, { from }: QuickAdd, query: string): readonly Choice[] {
  if (!from) return [];
  const all = sources(context, from);
  const titleOf = (source: PortRef) => (all.length > 1 ? `${resultName(state, source)} → ` : "");
  const text = query.trim().toLowerCase();
  return all
    .flatMap((source) => targetsOf(context, source, titleOf(source)))
    .filter((c) => c.name.toLowerCase().includes(text));
}

function Chip({ quick, from }: { readonly quick: QuickAdd; readonly from: PortRef | null }) {
  const kind = useSel((s) => {
    const node = nodeOf(s.graph, from?.node ?? "");
    return from ? (node?.output_kinds[from.output] ?? "any") : null;
  });
  if (!kind && !quick.to) return null;
  return (
    <span className="ds-chip">
      {kind && <PortMark kind={kind} wired size={13} />}
      {kind
        ? `${quick.mode === "connect" ? "wire" : "takes"} ${kind === "any" ? PORT_LOOKS.any.words : `${PORT_LOOKS[kind].words} of ${from?.node}`}`
        : `feeds ${quick.to?.node}`}
    </span>
  );
}

export function QuickAddBox() {
  const { session, root } = useFrame();
  const api = useCanvasApi();
  const quick = useSel((s) => s.view.quickAdd);
  const [query, setQuery] = useState(quick?.query ?? "");
  const [at, setAt] = useState(0);
  const [typed, setTyped] = useState(query);
  // What follows while nothing is selected is a guess: it leaves nothing out.
  const [all, setAll] = useState(() => !!quick?.selected && session.store.get().view.selection.length === 0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const mode = quick?.mode ?? "add";
  const [pins, setPins] = useState(() => HABITS.pins());
  const found = useOperatorHits(quick, query, all, pins);
  const graph = useSel((s) => s.graph);
  const choices = useMemo(() => {
    const context = contextOf(session);
    return graph && context && quick && mode === "connect" ? targets(context, session.store.get(), quick, query) : [];
  }, [session, quick, mode, query, graph]);
  const catalog = useSel((s) => s.opening?.catalog);
  const word = query.trim().toLowerCase();
  const led =
    mode === "add" &&
    word.length > 2 &&
    JUNCTION.some((n) => n.startsWith(word)) &&
    !!graph &&
    wiresOf(graph).length > 0;
  const none = mode === "add" && found.length === 0 && !led;
  const others = none && !all ? search(catalog?.operators ?? [], query)[0]?.operator.name : undefined;
  const shown = none && !others ? nearHits(catalog?.operators ?? [], query) : found;
  // points of wires are no operators, but are looked for among them
  const hits = led ? [...shown, POINT] : shown;
  const count = mode === "add" ? hits.length : choices.length;
  const now = Math.min(at, Math.max(0, count - 1));
  useLayoutEffect(() => {
    input.current?.focus();
    const end = input.current?.value.length ?? 0;
    input.current?.setSelectionRange(end, end);
  }, []);
  useEffect(() => {
    const pause = setTimeout(setTyped, PAUSE, query);
    return () => clearTimeout(pause);
  }, [query]);
  useEffect(() => {
    list.current?.children[now]?.scrollIntoView({ block: "nearest" });
  }, [now]);
  if (!quick) return null;

  const close = (focus?: string) => {
    session.view({ quickAdd: null });
    const key = focus ?? session.store.get().view.selection[0];
    root.querySelector<HTMLElement>(".ds-canvas")?.focus();
    // A new card is measured a little later than it is placed.
    const reveal = () => session.store.get().view.quickAdd === null && key && api.current?.reveal(key);
    setTimeout(reveal, 60);
  };
  const insert = async (index: number, stay: boolean, branch = false) => {
    if (mode === "connect") {
      const choice = choices[index];
      const now = session.store.get().graph;
      if (choice && now) session.edit(connectEdits(now, choice.from, choice.slot));
      close();
      return;
    }
    const operator = hits[index]?.operator;
    if (!operator) return;
    const place = quick.place ?? api.current?.centre().place ?? { x: 20, y: 14 };
    if (operator === POINT.operator) {
      addNearest(session, root, place);
      close();
      return;
    }
    let { from } = quick;
    const waits = ({ link, pending }: State) => link !== "gone" && pending.some((c) => c.kind === "transform");
    while (quick.selected && !branch && waits(session.store.get())) {
      await session.answered();
      from = followed(session) ?? from; // the kernel alone knows what that has brought; it is selected
    }
    const { to, selected, pointed } = quick;
    const key = insertWanted(session, operator, { at: place, from, to, selected, pointed, branch }, quick.from);
    if (!stay) close(key ?? undefined);
    // What comes next follows what came just now.
    else if (key && quick.selected && !branch && operator.outputs.length > 0)
      session.view((v) =>
        v.quickAdd ? { quickAdd: { ...quick, from: { node: key, output: 0 }, pointed: false } } : {},
      );
  };
  const pin = (operator: Operator) => {
    HABITS.pin(operator.name);
    setPins(HABITS.pins());
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const chosen = hits[now]?.operator;
    if (event.altKey && event.code === "KeyP" && chosen) {
      event.preventDefault();
      pin(chosen);
      return;
    }
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 6, PageUp: -6 };
    const move = moves[event.key];
    if (move !== undefined) setAt(Math.max(0, Math.min(count - 1, now + move)));
    else if (event.key === "Enter") insert(now, event.shiftKey, event.altKey);
    else if (event.key === "Escape") close();
    else if (event.key === "Tab") setAll((v) => !v);
    else return;
    event.preventDefault();
  };
  const listId = "ds-quick-list";
  const option = (i: number, key: string, inside: ReactNode) => (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys of this list
    <div
      key={key}
      id={`${listId}-${i}`}
      role="option"
      className="ds-quick-hit"
      aria-selected={i === now}
      tabIndex={-1}
      data-testid={`quick-${key}`}
      onPointerMove={() => setAt(i)}
      onClick={(e) => insert(i, e.shiftKey)}
    >
      {inside}
    </div>
  );
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a click beside the box closes it, as Esc does */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Esc does the same */}
      <div className="ds-veil" onClick={() => close()} />
      <div
        className="ds-quick"
        role="dialog"
        aria-label={mode === "add" ? "Add an operator" : "Draw a wire"}
        style={{ "--ds-x": `${quick.at.x}px`, "--ds-y": `${quick.at.y}px` }}
        data-testid="quick-add"
      >
        <div className="ds-quick-head">
          <Icon name="search" />
          <input
            ref={input}
            value={query}
            placeholder={mode === "add" ? "Add an operator" : "Wire to"}
            role="combobox"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={`${listId}-${now}`}
            aria-label={mode === "add" ? "Search operators" : "Search ports"}
            data-testid="quick-search"
            onChange={(e) => {
              setQuery(e.target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
          <Chip quick={quick} from={choices[now]?.from ?? behind(session.store.get(), quick, hits[now]?.operator)} />
        </div>
        <div className="ds-quick-body">
          <div ref={list} id={listId} role="listbox" aria-label="Results" className="ds-quick-list nowheel">
            {none && !others && <div className="ds-none ds-muted">No operator is called that.</div>}
            {mode === "add" &&
              hits.slice(0, typed === query ? count : Math.max(IN_SIGHT, now + 1)).map((hit, i) =>
                option(
                  i,
                  hit.operator.name,
                  <>
                    <Tile
                      name={operatorIcon(hit.operator, hit.operator.name)}
                      hue={categoryHue(hit.operator.category)}
                    />
                    {hit.why === CODE ? <span>Make a code node</span> : <Marked hit={hit} />}
                    <small>{noteOf(hit)}</small>
                    {/* biome-ignore lint/a11y/noStaticElementInteractions: Alt+P does the same */}
                    {/* biome-ignore lint/a11y/useKeyWithClickEvents: Alt+P does the same */}
                    <span
                      className={`ds-pin ${pins.includes(hit.operator.name) ? "ds-pinned" : ""}`}
                      title="Keep at the top (Alt+P)"
                      data-testid={`pin-${hit.operator.name}`}
                      onClick={(e) => {
                        e.stopPropagation();
                        pin(hit.operator);
                      }}
                    >
                      <Icon name="pin" size={11} />
                    </span>
                  </>,
                ),
              )}
            {mode === "connect" &&
              choices.map((choice, i) =>
                option(
                  i,
                  choice.id,
                  <>
                    <PortMark kind="any" wired={false} argument={choice.slot.kind === "argument"} size={14} />
                    <span>{choice.name}</span>
                    <small>{choice.note}</small>
                  </>,
                ),
              )}
            {count === 0 && (
              <div className="ds-none ds-muted">
                {mode === "connect" && "Nothing here takes this wire."}
                {others && `${others} does not fit this wire. Tab shows all.`}
              </div>
            )}
          </div>
          {mode === "add" && <QuickAbout operator={hits[now]?.operator} quick={quick} />}
        </div>
        <div className="ds-quick-foot">
          <span>
            <span className="ds-kbd">↵</span> {mode === "add" ? "insert" : "wire"}
          </span>
          {mode === "add" && (
            <>
              <span>
                <span className="ds-kbd">⇧↵</span> keep open
              </span>
              {quick.selected && quick.from && (
                <span>
                  <span className="ds-kbd">Alt ↵</span> branch
                </span>
              )}
              <span>
                <span className="ds-kbd">Tab</span> {all ? "what fits" : "show all"}
              </span>
            </>
          )}
          <span className="ds-spring" />
          <span className="ds-kbd">Esc</span>
        </div>
      </div>
    </>
  );
}

/** Why it was found, or where it is from. */
function noteOf({ operator: { name, category, written_by: by }, why }: Hit): string {
  const [from] = name.split(".");
  return by ? (from === "recipe" ? from : `${from} → ${by}`) : why || category;
}
