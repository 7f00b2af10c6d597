import { useEffect, useMemo, useRef, useState } from "react";
import { definingLines } from "../core/codeLines";
import { isDense } from "../core/detail";
import { problemCount } from "../core/failures";
import { nodeOf } from "../core/graph";
import { codeIsCurrent, findings, severity } from "../core/select";
import type { DrawerTab } from "../core/state";
import type { Diagnostic } from "../protocol/generated";
import { BatchPane } from "./BatchPane";
import { copyText, insertCell } from "./clipboard";
import { useFrame, useSel, useSession } from "./context";
import { DrawerEdge } from "./DrawerEdge";
import { DataPane } from "./data/DataPane";
import { Icon } from "./icons";
import { IconButton } from "./parts";
import { ProblemsPane } from "./problems/ProblemsPane";
import { SaveButtons } from "./SaveButtons";
import { RunsPane } from "./times/RunsPane";
import { SaveTrace, TimelinePane } from "./times/TimelinePane";
import { tint } from "./tint";

const TABS: readonly (readonly [DrawerTab, string])[] = [
  ["code", "Code"],
  ["batch", "Batch"],
  ["data", "Data"],
  ["timeline", "Timeline"],
  ["runs", "Runs"],
  ["problems", "Problems"],
];
/** Height in px that a tab needs at least. */
const ROOM: Readonly<Record<DrawerTab, number>> = {
  code: 0,
  batch: 250,
  timeline: 330,
  runs: 200,
  problems: 220,
  data: 260,
};

function Pane({ tab }: { readonly tab: DrawerTab }) {
  switch (tab) {
    case "code":
      return <CodePane />;
    case "batch":
      return <BatchPane />;
    case "timeline":
      return <TimelinePane />;
    case "runs":
      return <RunsPane />;
    case "data":
      return <DataPane />;
    case "problems":
      return <ProblemsPane />;
  }
}

let split: { readonly source: string; readonly lines: readonly string[] } = { source: "", lines: [] };

/** Lines of the source; the last answer is kept, since marks are asked for at every change of the state. */
function sourceLines(source: string): readonly string[] {
  if (split.source !== source) split = { source, lines: source.split("\n") };
  return split.lines;
}

function useMarks(): ReadonlyMap<number, string> {
  const marked = useSel((s) => {
    const entries: string[] = [];
    const text = sourceLines(s.code?.source ?? "");
    const isReturn = (line: number) => /^\s+return\b/.test(text[line - 1] ?? "");
    const put = (key: string, mark: string) => {
      for (const line of definingLines(s.code?.lines ?? {}, key)) {
        // The return statement stands below the last node and belongs to none.
        if (!isReturn(line)) entries.push(`${line}|${mark}`);
      }
    };
    if (s.view.hovered) put(s.view.hovered, "hover");
    for (const key of s.view.selection) {
      const node = nodeOf(s.graph, key);
      for (const ref of Object.values(node?.argument_inputs ?? {})) put(ref.node, "half");
    }
    for (const key of s.view.selection) put(key, "now");
    for (const d of findings(s)) if (d.node && severity(d) === "error") put(d.node, "error");
    return entries;
  });
  return useMemo(() => new Map(marked.map((m) => [Number(m.split("|")[0]), m.split("|")[1] ?? ""])), [marked]);
}

function CodePane() {
  const code = useSel((s) => s.code);
  const current = useSel(codeIsCurrent);
  const marks = useMarks();
  const box = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => (code?.source ?? "").replace(/\n$/, "").split("\n").map(tint), [code]);
  const first = [...marks]
    .filter(([, m]) => m === "now" || m === "error")
    .map(([n]) => n)
    .sort((a, b) => a - b)[0];
  useEffect(() => {
    const line = first === undefined ? undefined : box.current?.children[first - 1];
    const view = box.current;
    if (!(line instanceof HTMLElement) || !view) return;
    const top = line.offsetTop - view.offsetTop;
    if (top < view.scrollTop || top > view.scrollTop + view.clientHeight - 17) view.scrollTop = Math.max(0, top - 34);
  }, [first]);
  if (!code) return <div className="ds-code ds-muted">…</div>;
  return (
    <section
      ref={box}
      className={`ds-code nowheel ${current ? "" : "ds-code-old"}`}
      aria-label="Code"
      aria-busy={!current}
      title={current ? undefined : "From before the last change; it is being written anew."}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys
      tabIndex={0}
      data-testid="code"
      data-dialect={code.dialect}
    >
      {lines.map((pieces, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
        <div key={i} className={`ds-line ds-line-${marks.get(i + 1) ?? "plain"}`}>
          <span className="ds-line-number" aria-hidden="true">
            {i + 1}
          </span>
          {pieces.map((p, k) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no other identity
            <span key={k} className={p.tint ? `ds-t-${p.tint}` : undefined}>
              {p.text}
            </span>
          ))}
          {"\n"}
        </div>
      ))}
      <CodeNotes found={code.diagnostics} />
    </section>
  );
}

/** What the dialect has no words for, so that the program does something else. */
function CodeNotes({ found }: { readonly found: readonly Diagnostic[] }) {
  const wrong = found.filter((d) => severity(d) === "error");
  if (wrong.length === 0) return null;
  return (
    <div className="ds-code-notes" data-testid="code-notes">
      {wrong.map((d) => (
        <p key={`${d.node}|${d.argument}|${d.message}`}>
          <Icon name="warning" size={12} />
          <b>{[d.node, d.argument].filter(Boolean).join(".")}</b> {d.message} {d.hint}
        </p>
      ))}
    </div>
  );
}

function CopyButton() {
  const source = useSel((s) => (codeIsCurrent(s) ? (s.code?.source ?? "") : ""));
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      className="ds-button ds-button-quiet"
      disabled={!source}
      data-testid="copy-code"
      onClick={() => {
        copyText(source);
        setDone(true);
        setTimeout(() => setDone(false), 1500);
      }}
    >
      <Icon name="copy" />
      {done ? "Copied" : "Copy"}
    </button>
  );
}

/** The program into the next cell; where the page makes no cells, it is copied for one. */
function CellButton() {
  const { root } = useFrame();
  const source = useSel((s) => (codeIsCurrent(s) ? (s.code?.source ?? "") : ""));
  const [done, setDone] = useState("");
  const insert = () => {
    const made = insertCell(root, source);
    if (!made) copyText(source);
    setDone(made ? "Inserted" : "Copied: paste it into a cell");
    setTimeout(() => setDone(""), 3000);
  };
  return (
    <button
      type="button"
      className="ds-button ds-button-quiet"
      disabled={!source}
      title="Put the program into a new cell below"
      data-testid="insert-cell"
      onClick={insert}
    >
      <Icon name="plus" />
      {done || "To a cell"}
    </button>
  );
}

export function Drawer() {
  const { breadth } = useFrame();
  const session = useSession();
  const tab = useSel((s) => s.view.drawer);
  const some = useSel((s) => (s.graph?.nodes.length ?? 0) > 0);
  const height = useSel((s) => s.view.drawerHeight);
  const problems = useSel(problemCount);
  const dense = useSel((s) => isDense(s.graph));
  const small = breadth === "slim" || dense;
  useEffect(() => {
    if (!small) return undefined;
    const before = session.store.get().view.drawer;
    session.view({ drawer: null });
    return () => session.view((v) => ({ drawer: v.drawer ?? before }));
  }, [small, session]);
  const open = tab !== null && some;
  return (
    <section
      className={`ds-drawer ${open ? "ds-drawer-open" : ""}`}
      style={open ? { height } : undefined}
      aria-label="Code, batch and times"
    >
      {open && <DrawerEdge />}
      <div className="ds-drawer-head">
        <div role="tablist" className="ds-tabs">
          {TABS.map(([name, words]) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={open && tab === name}
              className="ds-tab"
              disabled={!some}
              data-testid={`tab-${name}`}
              onClick={() =>
                session.view((v) => ({
                  drawer: v.drawer === name ? null : name,
                  drawerHeight: Math.max(v.drawerHeight, ROOM[name]),
                }))
              }
            >
              {words}
              {name === "problems" && problems > 0 && <span className="ds-tab-count">{problems}</span>}
            </button>
          ))}
        </div>
        <span className="ds-spring" />
        {open && tab === "code" && <CopyButton />}
        {open && tab === "code" && <CellButton />}
        {open && tab === "code" && <SaveButtons />}
        {open && tab === "timeline" && <SaveTrace />}
        {some && (
          <IconButton
            icon={open ? "down" : "up"}
            label={open ? "Close the drawer" : "Open the drawer"}
            small
            onClick={() => session.view({ drawer: open ? null : "code" })}
          />
        )}
      </div>
      {open && <Pane tab={tab} />}
    </section>
  );
}
