import { bypassEdits } from "../core/bypass";
import { ancestors, descendants, nodeOf, OUTPUTS, walk } from "../core/graph";
import { insideKeys } from "../core/inside";
import { groupMarks, ungroupMarks } from "../core/marks";
import { canRedo, canUndo, hasPicture, obstacle } from "../core/select";
import type { Session } from "../core/session";
import { muted, soloed } from "../core/solo";
import { swapEdits } from "../core/splice";
import { portKey, type State } from "../core/state";
import { cardOf, keysOfCard, selectedBox, shownCards } from "../core/subgraph";
import { enterBox, toggleBox } from "./boxes";
import { addNearest } from "./canvas/Junctions";
import { relaid } from "./canvas/sizes";
import { contextOf } from "./canvas/useWiring";
import type { CanvasApi } from "./canvasApi";
import { copySelection, cutSelection, duplicateSelection, removeSelection } from "./clipboard";
import type { Frame } from "./context";
import { followed, openQuickAdd } from "./quickAdd";

/** What a command works on. */
export interface Scope extends Frame {
  readonly api: CanvasApi | null;
}

export const SECTIONS = ["Build", "Select", "Look", "Run"] as const;

export interface Command {
  readonly id: string;
  readonly title: string;
  /** What it does, where the title leaves that open. */
  readonly about?: string;
  readonly section: (typeof SECTIONS)[number];
  /** As the help sheet writes them; without Ctrl they act while the canvas has the keyboard. */
  readonly keys: readonly string[];
  readonly run: (scope: Scope) => void;
  readonly can?: (state: State) => boolean;
}

/** Open the search behind what is selected, to add an operator or to draw a wire. */
export function searchFor({ session, root, api }: Scope, query: string, connect = false): void {
  const from = followed(session, connect);
  if (connect && !from) return;
  const { left, top } = root.getBoundingClientRect();
  // a list has no places
  const centre = api?.centre() ?? { at: { x: left, y: top }, place: null };
  const mode = connect ? "connect" : "add";
  openQuickAdd(session, root, { ...centre, from, to: null, selected: true, query, mode });
}

function step(direction: "left" | "right" | "up" | "down") {
  return ({ session, api }: Scope) => {
    const { graph, view } = session.store.get();
    const state = session.store.get();
    const box = selectedBox(state);
    const inner = box?.nodes.map((n) => n.key) ?? [];
    // From a box on, the way leaves it at its other end.
    let next = (direction === "right" || direction === "down" ? inner.at(-1) : inner[0]) ?? view.selection[0] ?? "";
    do next = (graph && walk(graph, next, direction)) ?? "";
    while (inner.includes(next));
    if (!next || !shownCards(state).includes(cardOf(state, next))) return;
    session.select(keysOfCard(state, cardOf(state, next)));
    requestAnimationFrame(() => api?.reveal(next));
  };
}

/** Add what the selected nodes depend on, or what depends on them. */
function grow(reach: typeof descendants) {
  return ({ session }: Scope) => {
    const { graph, view } = session.store.get();
    if (!graph) return;
    const keys = view.selection.filter((k) => k !== OUTPUTS);
    session.select([...keys, ...reach(graph, keys)]);
  };
}

function sample(by: number) {
  return ({ session }: Scope) => {
    const state = session.store.get();
    session.chooseSample(state.sample + by, state.iteration);
  };
}

function focusInspector({ session, root }: Scope): void {
  if (enterBox(session)) return;
  session.view({ inspector: true });
  requestAnimationFrame(() => {
    const first = (part: string) =>
      root.querySelector<HTMLElement>(`.ds-inspector ${part} :is(input, select, button, [tabindex])`);
    (first(".ds-field") ?? first(""))?.focus();
  });
}

/** Exchange the selected card with the one before or behind it. */
function swap(behind: boolean) {
  return ({ session }: Scope) => {
    const state = session.store.get();
    const context = contextOf(session);
    const edits = context ? swapEdits(context, state.view.selection[0], behind) : [];
    if (typeof edits === "string") session.refuse(edits);
    else session.edit(edits, { positions: relaid(state, edits, session.room) });
  };
}

function rename({ session }: Scope): void {
  const { selection } = session.store.get().view;
  if (selection.length === 1 && selection[0] !== OUTPUTS) session.view({ renaming: true });
}

function compare({ session }: Scope): void {
  const { graph, view } = session.store.get();
  const [first, second] = view.selection.filter((k) => k !== OUTPUTS);
  const source = nodeOf(graph, first ?? "")?.inputs[0];
  const port = (node: string, output = 0) => ({ port: { node, output }, steps: 0 });
  if (first && second) session.view({ comparison: { a: port(first), b: port(second) } });
  else if (first && source) session.view({ comparison: { a: port(source.node, source.output), b: port(first) } });
}

/** Look at a result in place of the canvas; of a volume first at the slice in its middle. */
export function enlarge(session: Session, node: string, output = 0): void {
  const body = session.store.get().previews[portKey(node, output)]?.body;
  const plane = body?.type === "volume" ? body.extents[0] >> 1 : 0;
  session.view({ comparison: { a: { port: { node, output }, steps: 0 }, plane } });
}

function setAside(session: Session, change: typeof soloed, words: string): void {
  const { graph, view } = session.store.get();
  const keys = view.selection.filter((k) => k !== OUTPUTS);
  const made = graph && change(graph, keys, view.aside);
  if (!made) return;
  session.edit(made.edits);
  const text = `${keys.join(", ")}: ${words}`;
  session.view({ aside: made.aside, notice: made.aside && { text, node: keys[0] ?? "" } });
}

/** Keep the data of the selected nodes; if it is all kept, no longer. */
function togglePins({ session }: Scope): void {
  const { graph, view } = session.store.get();
  const nodes = view.selection.flatMap((key) => nodeOf(graph, key) ?? []).filter((n) => !n.bypassed);
  const loose = nodes.filter((n) => n.pin !== "here");
  const changed = (loose.length > 0 ? loose : nodes).map((n) => [n.key, loose.length > 0] as const);
  session.edit([], { pins: Object.fromEntries(changed) });
}

const some = (state: State) => state.view.selection.some((k) => k !== OUTPUTS);

/** Everything that keys and menus do, in the order of the help sheet. */
export const COMMANDS: readonly Command[] = [
  { id: "add", title: "Add an operator", section: "Build", keys: ["Space"], run: (s) => searchFor(s, "") },
  {
    id: "connect",
    title: "Draw a wire; compare two nodes",
    section: "Build",
    keys: ["C"],
    run: (s) => (s.session.store.get().view.selection.length > 1 ? compare(s) : searchFor(s, "", true)),
    can: some,
  },
  {
    id: "junction",
    title: "Put a junction into the wire",
    section: "Build",
    keys: ["J"],
    run: ({ session, root }) => addNearest(session, root),
    can: (s) => s.view.wires.length > 0,
  },
  {
    id: "before",
    title: "Move before",
    section: "Build",
    keys: ["Ctrl+ArrowLeft"],
    run: swap(false),
    can: some,
  },
  {
    id: "after",
    title: "Move behind",
    section: "Build",
    keys: ["Ctrl+ArrowRight"],
    run: swap(true),
    can: some,
  },
  { id: "rename", title: "Rename", section: "Build", keys: ["F2"], run: rename, can: some },
  {
    id: "bypass",
    title: "Bypass",
    about: "Its input goes through unchanged, the steps behind it still run",
    section: "Build",
    keys: ["B"],
    run: ({ session }) => {
      const { graph, view } = session.store.get();
      if (graph) session.edit(bypassEdits(graph, view.selection));
    },
    can: (s) => s.graph !== null && bypassEdits(s.graph, s.view.selection).length > 0,
  },
  {
    id: "pin",
    title: "Pin its data, or unpin it",
    about: "Keep what it gives now: nothing before it is computed again",
    section: "Build",
    keys: ["K"],
    run: togglePins,
    can: some,
  },
  {
    id: "mute",
    title: "Mute",
    about: "Not returned, nor what follows from it: a run leaves them out",
    section: "Build",
    keys: ["M"],
    run: ({ session }) => setAside(session, muted, "not returned, nor what follows."),
    can: some,
  },
  {
    id: "solo",
    title: "Solo",
    about: "Nothing else is returned: a run makes only what it needs",
    section: "Build",
    keys: ["S"],
    run: ({ session }) => setAside(session, soloed, "nothing else is returned."),
    can: some,
  },
  {
    id: "remove",
    title: "Remove",
    section: "Build",
    keys: ["Del", "Backspace"],
    run: ({ session }) => removeSelection(session),
    can: (s) => s.view.selection.length > 0 || s.view.wires.length > 0,
  },
  {
    id: "duplicate",
    title: "Duplicate",
    section: "Build",
    keys: ["Ctrl+D"],
    run: ({ session }) => duplicateSelection(session),
    can: some,
  },
  {
    id: "copy",
    title: "Copy (nodes, and a program)",
    section: "Build",
    keys: ["Ctrl+C"],
    run: ({ session }) => copySelection(session),
    can: some,
  },
  {
    id: "cut",
    title: "Cut",
    section: "Build",
    keys: ["Ctrl+X"],
    run: ({ session }) => cutSelection(session),
    can: some,
  },
  {
    id: "group",
    title: "Group",
    about: "A frame with a name around the cards, which stay in sight",
    section: "Build",
    keys: ["Ctrl+G"],
    run: ({ session, root }) => {
      const marks = groupMarks(session.store.get());
      session.edit([], { marks });
      // its name is to be typed
      const [name] = Object.keys(marks).slice(-1);
      setTimeout(() => {
        const title = root.querySelector<HTMLInputElement>(`[data-testid="mark-${name}"] input`);
        title?.focus({ preventScroll: true });
        title?.select();
      });
    },
    can: some,
  },
  {
    id: "collapse",
    title: "Collapse or expand",
    about: "One card in place of several; a function in the program",
    section: "Build",
    keys: ["G"],
    run: ({ session }) => toggleBox(session),
    can: some,
  },
  {
    id: "ungroup",
    title: "Take out of the group",
    about: "The frame stays around the others",
    section: "Build",
    keys: ["Ctrl+Shift+G"],
    run: ({ session }) => session.edit([], { marks: ungroupMarks(session.store.get()) }),
    can: (s) => Object.keys(ungroupMarks(s)).length > 0,
  },
  {
    id: "undo",
    title: "Undo",
    section: "Build",
    keys: ["Ctrl+Z"],
    run: ({ session }) => session.undo(),
    can: canUndo,
  },
  {
    id: "redo",
    title: "Redo",
    section: "Build",
    keys: ["Ctrl+Shift+Z", "Ctrl+Y"],
    run: ({ session }) => session.redo(),
    can: canRedo,
  },
  {
    id: "all",
    title: "Select all",
    section: "Select",
    keys: ["Ctrl+A"],
    run: ({ session, root }) => {
      const state = session.store.get();
      const scope = insideKeys(state);
      root.querySelector<HTMLElement>(".ds-canvas")?.focus({ preventScroll: true }); // a focused wire would take the next key
      session.select((state.graph?.nodes ?? []).flatMap(({ key }) => (!scope || scope.has(key) ? key : [])));
    },
  },
  {
    id: "upstream",
    title: "Select upstream",
    about: "All that it depends on",
    section: "Select",
    keys: ["Shift+ArrowLeft"],
    run: grow(ancestors),
    can: some,
  },
  {
    id: "downstream",
    title: "Select downstream",
    about: "All that depends on it",
    section: "Select",
    keys: ["Shift+ArrowRight"],
    run: grow(descendants),
    can: some,
  },
  { id: "left", title: "Walk to its source", section: "Select", keys: ["ArrowLeft"], run: step("left") },
  { id: "right", title: "Walk to what it feeds", section: "Select", keys: ["ArrowRight"], run: step("right") },
  { id: "up", title: "Walk to the node before", section: "Select", keys: ["ArrowUp"], run: step("up") },
  { id: "down", title: "Walk to the node after", section: "Select", keys: ["ArrowDown"], run: step("down") },
  {
    id: "find",
    title: "Find on the canvas",
    section: "Select",
    keys: ["Ctrl+F"],
    run: ({ session }) => session.view((v) => ({ find: v.find ?? "" })),
  },
  {
    id: "inspect",
    title: "Go to the inspector; into a box, which Esc leaves",
    section: "Select",
    keys: ["Enter"],
    run: focusInspector,
  },
  { id: "layout", title: "Lay out", section: "Look", keys: ["L"], run: ({ api }) => api?.layout() },
  { id: "fit", title: "Show everything", section: "Look", keys: ["0", "Home"], run: ({ api }) => api?.fit() },
  { id: "zoomIn", title: "Zoom in", section: "Look", keys: ["+", "="], run: ({ api }) => api?.zoomBy(1.25) },
  { id: "zoomOut", title: "Zoom out", section: "Look", keys: ["-"], run: ({ api }) => api?.zoomBy(1 / 1.25) },
  { id: "zoom", title: "Zoom to 100 %", section: "Look", keys: ["Z"], run: ({ api }) => api?.zoomTo(1) },
  {
    id: "palette",
    title: "Gallery",
    section: "Look",
    keys: ["P"],
    run: ({ session }) => session.view((v) => ({ palette: !v.palette })),
  },
  {
    id: "minimap",
    title: "Map of the canvas",
    section: "Look",
    keys: [],
    run: ({ session }) => session.view((v) => ({ minimap: !v.minimap })),
  },
  {
    id: "compare",
    title: "Compare with its input",
    about: "Both pictures and their difference, large",
    section: "Look",
    keys: [],
    run: compare,
    can: some,
  },
  {
    id: "large",
    title: "Enlarge its picture",
    about: "Its pixels and their values, sample by sample",
    section: "Look",
    keys: ["V"],
    run: ({ session }) => enlarge(session, session.store.get().view.selection[0] ?? ""),
    can: (s) => hasPicture(s, s.view.selection[0] ?? ""),
  },
  {
    id: "help",
    title: "Keys",
    section: "Look",
    keys: ["?"],
    run: ({ session }) => session.view((v) => ({ help: !v.help })),
  },
  {
    id: "run",
    title: "Run and measure",
    section: "Run",
    keys: ["Ctrl+Enter"],
    run: ({ session, api }) => {
      const missing = obstacle(session.store.get());
      if (!missing) session.run();
      else if (missing.node) {
        session.select([missing.node]);
        session.view({ folded: [], inspector: true });
        api?.show(missing.node);
      } else session.view({ drawer: session.store.get().draft ? "code" : "problems" });
    },
  },
  { id: "previous", title: "Sample before", section: "Run", keys: ["["], run: sample(-1) },
  { id: "next", title: "Sample after", section: "Run", keys: ["]"], run: sample(1) },
];

const BY_KEY = new Map(COMMANDS.flatMap((c) => c.keys.map((key) => [key, c] as const)));

export function commandOf(id: string): Command | undefined {
  return COMMANDS.find((c) => c.id === id);
}

const NAMES: Readonly<Record<string, string>> = { " ": "Space", Delete: "Del" };

/** A key event as the table writes it. Cmd counts as Ctrl; Shift is named with keys that it does not change. */
export function keyName(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey">): string {
  const { key } = event;
  const command = event.ctrlKey || event.metaKey;
  const name = NAMES[key] ?? (/^[a-z]$/i.test(key) ? key.toUpperCase() : key);
  return `${command ? "Ctrl+" : ""}${event.shiftKey && (command || key.length > 1) ? "Shift+" : ""}${name}`;
}

export function commandFor(name: string): Command | undefined {
  return BY_KEY.get(name);
}
