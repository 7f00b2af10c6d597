import { useEffect, useState } from "react";
import { isDense } from "../core/detail";
import { drawerHeight, isSnug } from "../core/drawer";
import { problemCount } from "../core/failures";
import { codeIsCurrent } from "../core/select";
import type { DrawerTab } from "../core/state";
import { BatchPane } from "./BatchPane";
import { CodePane } from "./CodePane";
import { copyText } from "./clipboard";
import { useFrame, useSel, useSession } from "./context";
import { DrawerEdge } from "./DrawerEdge";
import { DataPane } from "./data/DataPane";
import { Icon } from "./icons";
import { IconButton } from "./parts";
import { ProblemsPane } from "./problems/ProblemsPane";
import { SaveButtons } from "./SaveButtons";
import { RunsPane } from "./times/RunsPane";
import { SaveTrace, TimelinePane } from "./times/TimelinePane";

const TABS: readonly (readonly [DrawerTab, string])[] = [
  ["code", "Code"],
  ["batch", "Batch"],
  ["data", "Data"],
  ["timeline", "Timeline"],
  ["runs", "Runs"],
  ["problems", "Problems"],
];
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

function CopyButton() {
  const source = useSel((s) => (codeIsCurrent(s) ? (s.code?.source ?? "") : ""));
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      className="ds-button ds-button-quiet"
      disabled={!source}
      title="Copy the program"
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

/** The program into the next cell; absent where the page makes no cells. */
function CellButton() {
  const { insertCell } = useFrame();
  const source = useSel((s) => (codeIsCurrent(s) ? (s.code?.source ?? "") : ""));
  const [done, setDone] = useState("");
  if (!insertCell) return null;
  const insert = () => {
    const made = insertCell(source);
    if (!made) copyText(source);
    setDone(made ? "Inserted" : "Copied");
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
  const height = useSel(drawerHeight);
  const snug = useSel(isSnug);
  const least = useSel((s) => drawerHeight({ ...s, view: { ...s.view, drawer: "code" } }));
  const asking = useSel((s) => s.view.asking !== null);
  const problems = useSel(problemCount);
  const dense = useSel((s) => isDense(s.graph));
  const small = breadth === "slim" || breadth === "list" || dense;
  useEffect(() => {
    // The program opens by itself; what somebody has opened stays.
    if (!small || session.store.get().view.drawer !== "code") return undefined;
    session.view({ drawer: null });
    return () => session.view((v) => ({ drawer: v.drawer ?? "code" }));
  }, [small, session]);
  const open = tab !== null && some;
  return (
    <section
      className={`ds-drawer ${open ? "ds-drawer-open" : ""}`}
      // between tabs the graph stays where it is, as far as what they hold allows that
      style={
        open
          ? snug
            ? { height: "auto", minHeight: least, maxHeight: `min(74%, ${height}px)` }
            : { height: `min(74%, ${height}px)` }
          : undefined
      }
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
              onClick={() => session.view((v) => ({ drawer: v.drawer === name ? null : name }))}
            >
              {words}
              {name === "problems" && problems > 0 && <span className="ds-tab-count">{problems}</span>}
            </button>
          ))}
        </div>
        <span className="ds-spring" />
        {open && tab === "code" && !asking && <CopyButton />}
        {open && tab === "code" && !asking && <CellButton />}
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
