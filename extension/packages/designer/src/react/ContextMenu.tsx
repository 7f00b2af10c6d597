import { type KeyboardEvent, useLayoutEffect, useRef } from "react";
import { type Arrangement, arranged } from "../core/arrange";
import { nodeOf, OUTPUTS, wiresOf } from "../core/graph";
import { junctionMarks, junctionsOf } from "../core/junctions";
import { fixMarks, isFixed, noteMarks, tagMarks, tagOf } from "../core/marks";
import type { Menu } from "../core/state";
import { selectedBox } from "../core/subgraph";
import { addJunction } from "./canvas/Junctions";
import { cardRects } from "./canvas/sizes";
import { contextOf } from "./canvas/useWiring";
import { useCanvasApi } from "./canvasApi";
import { cellLine } from "./cellLine";
import { canPaste, copyText, pasteLast } from "./clipboard";
import { COMMANDS, commandOf, type Scope } from "./commands";
import { useFrame, useSel } from "./context";
import { CloseButton, walkButtons } from "./parts";
import { insertWanted, operatorHits } from "./QuickAddBox";
import { openQuickAdd } from "./quickAdd";
import { saveAs } from "./SaveButtons";

interface Item {
  readonly title: string;
  readonly about?: string | undefined;
  readonly keys?: string | undefined;
  readonly off?: boolean;
  readonly run: () => void;
}

const LINE = "line";

const ARROWS: Readonly<Record<string, string>> = { Left: "←", Right: "→", Up: "↑", Down: "↓" };

/** A key as its cap has it. */
function keyCap(key: string): string {
  return key.replace(/Arrow(\w+)/, (_, way: string) => ARROWS[way] ?? way);
}

/** What a graph can be saved as to be shown. */
const PICTURES = [
  [".svg", "Save a picture (SVG)"],
  [".png", "Save a PNG that opens again"],
  [".mmd", "Save a Mermaid diagram"],
  [".dot", "Save a Graphviz diagram"],
] as const;

/** Ways to bring cards in line, with their icons. */
export const ALIGN: readonly (readonly [Arrangement, string, string])[] = [
  ["left", "Align left edges", "M2.5 2v12M5 4h8v3H5zM5 9.5h5v3H5z"],
  ["centre", "Align horizontal centres", "M8 2v12M3 4h10v3H3zM5 9.5h6v3H5z"],
  ["right", "Align right edges", "M13.5 2v12M3 4h8v3H3zM6 9.5h5v3H6z"],
  ["top", "Align top edges", "M2 2.5h12M4 5h3v8H4zM9.5 5h3v5h-3z"],
  ["middle", "Align vertical centres", "M2 8h12M4 3h3v10H4zM9.5 5h3v6h-3z"],
  ["bottom", "Align bottom edges", "M2 13.5h12M4 3h3v8H4zM9.5 6h3v5h-3z"],
  ["across", "Distribute horizontally", "M2.5 2v12M13.5 2v12M6 5h4v6H6z"],
  ["down", "Distribute vertically", "M2 2.5h12M2 13.5h12M5 6h6v4H5z"],
];

/** Align the selected cards, as one undo step. */
export function arrange(scope: Scope, how: Arrangement): void {
  const { session } = scope;
  const state = session.store.get();
  const places = Object.fromEntries(
    state.view.selection.flatMap((key) => {
      const [rect] = cardRects({ ...state, positions: { [key]: state.positions[key] ?? { x: 0, y: 0 } } });
      return rect && state.positions[key] ? [[key, rect] as const] : [];
    }),
  );
  session.edit([], { positions: arranged(places, how) });
}

/** Let the designer fill the screen, or end that. */
export function fullScreen(root: HTMLElement): void {
  const { ownerDocument } = root;
  if (ownerDocument.fullscreenElement) void ownerDocument.exitFullscreen();
  else void root.requestFullscreen?.().catch(() => undefined);
}

function items(scope: Scope, menu: Menu): readonly (Item | typeof LINE)[] {
  const { session, root, host } = scope;
  const state = session.store.get();
  const command = (id: string, title?: string): Item[] => {
    const found = commandOf(id);
    if (!found) return [];
    const off = found.can ? !found.can(state) : false;
    return [{ title: title ?? found.title, about: found.about, keys: found.keys[0], off, run: () => found.run(scope) }];
  };
  const { selection } = state.view;
  const box = root.getBoundingClientRect();
  const at = { x: menu.at.x + box.left, y: menu.at.y + box.top };
  const search = (from: Parameters<typeof openQuickAdd>[2]["from"], to: Parameters<typeof openQuickAdd>[2]["to"]) =>
    openQuickAdd(session, root, { at, place: menu.place, from, to });
  switch (menu.kind) {
    case "wire": {
      const wire = state.graph ? wiresOf(state.graph).find((w) => w.id === menu.id) : undefined;
      return [
        ...(wire ? [{ title: "Put an operator into this wire", run: () => search(wire.source, wire.slot) }] : []),
        {
          title: "Put a junction here",
          keys: "J",
          run: () => addJunction(session, root, menu.id, menu.place),
        },
        {
          title: "Take its junctions away",
          off: !wire || junctionsOf(state.marks, wire).length === 0,
          run: () => wire && session.edit([], { marks: junctionMarks(wire, []) }),
        },
        ...command("remove", "Cut this wire"),
      ];
    }
    case "dropped": {
      const { wire = { from: null, to: null }, place } = menu;
      const context = contextOf(session);
      return [
        ...(context ? operatorHits(context, wire).slice(0, 12) : []).map(({ operator }) => ({
          title: operator.name,
          about: operator.summary,
          run: () => insertWanted(session, operator, { at: place, ...wire }),
        })),
        LINE,
        { title: "Find another one", run: () => search(wire.from, wire.to) },
      ];
    }
    case "canvas":
      return [
        { title: "Add an operator", keys: "Space", run: () => search(null, null) },
        { title: "Paste", keys: "Ctrl+V", off: !canPaste(), run: () => pasteLast(session, menu.place) },
        {
          title: "Add a note",
          run: () => session.edit([], { marks: noteMarks(state, menu.place, cardRects(state), menu.end) }),
        },
        LINE,
        ...command("all"),
        ...command("layout"),
        ...command("fit"),
        ...command("minimap"),
        LINE,
        ...PICTURES.map(([ending, title]) => ({
          title,
          off: state.link !== "live",
          run: () => saveAs(session, "picture", ending),
        })),
        LINE,
        ...command("help"),
      ];
    case "more":
      return [
        ...(scope.breadth === "list" ? ["undo", "redo"] : ["layout", "find"]).flatMap((id) => command(id)),
        ...command("palette"),
        LINE,
        {
          title: "Batch before",
          off: state.iteration === 0,
          run: () => session.chooseSample(state.sample, state.iteration - 1),
        },
        { title: "Batch after", run: () => session.chooseSample(state.sample, state.iteration + 1) },
        LINE,
        ...(state.opening?.dialects ?? []).map((d) => ({
          title: `Code for ${d.title}`,
          keys: d.name === state.code?.dialect ? "✓" : undefined,
          run: () => session.send({ type: "request_code", dialect: d.name }),
        })),
        LINE,
        ...(["document", "code"] as const).map((what) => ({
          title: what === "code" ? "Save the program" : "Save the document",
          off: state.link !== "live",
          run: () => (what === "document" && host ? host.save() : saveAs(session, what)),
        })),
        LINE,
        { title: "Full screen", run: () => fullScreen(root) },
        ...command("help"),
      ];
    case "nodes": {
      const place = {
        title: selection.every((k) => isFixed(state, k)) ? "Unpin its place" : "Pin its place",
        about: "Lay out leaves it where it is",
        run: () => session.edit([], { marks: fixMarks(state) }),
      };
      if (selection.every((k) => k === OUTPUTS)) return [...command("layout"), place];
      const several = selection.length > 1;
      // rows have no places
      const list = scope.breadth === "list";
      return [
        ...(several ? [] : command("rename")),
        ...command("bypass"),
        ...command(
          "pin",
          selection.every((k) => nodeOf(state.graph, k)?.pin === "here") ? "Unpin its data" : "Pin its data",
        ),
        ...command("before"),
        ...command("after"),
        ...command("mute"),
        ...command("solo"),
        ...(several ? [] : command("large")),
        ...command("compare", several ? "Compare the first two" : "Compare with its input"),
        LINE,
        ...command("copy", "Copy"),
        ...(several
          ? []
          : [
              {
                title: "Copy as a line for a cell",
                about: "Its output as an array; dragging the card into a cell puts the line there",
                run: () => copyText(cellLine(scope, selection[0] ?? "")),
              },
            ]),
        ...command("cut"),
        ...command("duplicate"),
        ...command("remove"),
        LINE,
        ...command("group"),
        ...command("collapse", selectedBox(state) ? "Expand the box" : "Collapse into one box"),
        ...(commandOf("ungroup")?.can?.(state) ? command("ungroup") : []),
        { title: "Next colour", run: () => session.edit([], { marks: tagMarks(state) }) },
        ...(selection.some((k) => tagOf(state, k))
          ? [{ title: "No colour", run: () => session.edit([], { marks: tagMarks(state, true) }) }]
          : []),
        ...(list ? [] : [place]),
        LINE,
        ...command("upstream"),
        ...command("downstream"),
        ...(several && !list
          ? [
              LINE,
              ...ALIGN.filter(([how]) => /left|top|across|down/.test(how)).map(([how, title]) => ({
                title,
                run: () => arrange(scope, how),
              })),
            ]
          : []),
      ] as (Item | typeof LINE)[];
    }
    default:
      return menu.kind satisfies never;
  }
}

/** The menu of what was clicked with the other button, or of the menu key. */
export function ContextMenu() {
  const frame = useFrame();
  const { session, root } = frame;
  const api = useCanvasApi();
  const menu = useSel((s) => s.view.menu);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = list.current;
    if (!menu || !element) return;
    // within the designer, and the window
    const { top, bottom } = root.getBoundingClientRect();
    const last = Math.min(bottom, innerHeight) - top - element.offsetHeight - 8;
    element.style.top = `${Math.max(4, Math.min(menu.at.y, last))}px`;
    element.querySelector<HTMLElement>("button:not(:disabled)")?.focus();
  }, [menu, root]);
  if (!menu) return null;
  const rows = items({ ...frame, api: api.current }, menu);
  const close = () => {
    session.view({ menu: null });
    root.querySelector<HTMLElement>(".ds-canvas")?.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "Tab") event.preventDefault();
    walkButtons(event);
  };
  const left = Math.max(4, Math.min(menu.at.x, root.clientWidth - 264));
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a click beside the menu closes it, as Esc does */}
      <div
        className="ds-veil"
        onPointerDown={close}
        onContextMenu={(e) => {
          e.preventDefault();
          close();
        }}
      />
      <div
        ref={list}
        className="ds-menu"
        role="menu"
        tabIndex={-1}
        aria-label="What can be done here"
        style={{ left }}
        data-testid="menu"
        onKeyDown={onKeyDown}
      >
        {rows.map((row, i) =>
          row === LINE ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
            <hr key={i} />
          ) : (
            <button
              key={row.title}
              type="button"
              role="menuitem"
              disabled={row.off}
              title={row.about}
              onClick={() => {
                close();
                row.run();
              }}
            >
              {row.title}
              {row.keys && <span className="ds-kbd">{keyCap(row.keys)}</span>}
            </button>
          ),
        )}
      </div>
    </>
  );
}

/** All keys, from the table that also acts on them. */
export function HelpSheet() {
  const frame = useFrame();
  const open = useSel((s) => s.view.help);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (open) box.current?.focus();
  }, [open]);
  if (!open) return null;
  const close = () => frame.session.view({ help: false });
  const sections = [...new Set(COMMANDS.map((c) => c.section))];
  return (
    <>
      <div className="ds-veil" onPointerDown={close} />
      <div ref={box} className="ds-help" role="dialog" aria-label="Keys" tabIndex={-1} data-testid="help">
        <header>
          Keys and mouse
          <CloseButton onClick={close} />
        </header>
        <div className="ds-help-columns">
          {sections.map((section) => (
            <section key={section} aria-label={section}>
              <h5>{section}</h5>
              <dl>
                {COMMANDS.filter((c) => c.section === section && c.keys.length > 0).map((c) => (
                  <div key={c.id}>
                    <dt>{c.title}</dt>
                    <dd>
                      {c.keys.slice(0, 2).map((key) => (
                        <span key={key} className="ds-kbd">
                          {keyCap(key)}
                        </span>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
          <section aria-label="Mouse and text">
            <h5>Mouse and text</h5>
            <dl>
              {MOUSE.map(([what, how]) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd>{how}</dd>
                </div>
              ))}
            </dl>
          </section>
        </div>
      </div>
    </>
  );
}

const MOUSE: readonly (readonly [string, string])[] = [
  ["Save the notebook or document", "Ctrl+S"],
  ["Paste nodes or code", "Ctrl+V"],
  ["Add a note", "right click on the canvas"],
  ["Buttons of a problem", "Tab from its card; Esc goes back"],
  ["Apply the program", "Ctrl+Enter in it"],
  ["Indent lines, or less", "Tab, Shift and Tab; Esc leaves it"],
  ["Add an operator", "double click, or drop a wire on the canvas"],
  ["Connect to the first port that fits", "drop the wire on the card"],
  ["Put a node into a wire", "drop the card on it"],
  ["Cut wires", "Alt and drag"],
  ["Select several", "Shift and drag"],
];
