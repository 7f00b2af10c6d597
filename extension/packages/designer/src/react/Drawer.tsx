import { type ReactNode, useEffect, useRef, useState } from "react";
import { heightOf, isSnug, isSweep, tabHeight } from "../core/drawer";
import { problemCount } from "../core/failures";
import { codeIsCurrent } from "../core/select";
import { type DrawerTab, isAway } from "../core/state";
import { isDense } from "../core/subgraph";
import { BatchPane } from "./BatchPane";
import { CodePane } from "./CodePane";
import { copyText } from "./clipboard";
import { useFrame, useSel, useSession } from "./context";
import { DrawerEdge } from "./DrawerEdge";
import { DataPane } from "./data/DataPane";
import { Icon, type IconName } from "./icons";
import { useLate } from "./late";
import { IconButton } from "./parts";
import { ProblemsPane } from "./problems/ProblemsPane";
import { SaveButtons } from "./SaveButtons";
import { RunsPane } from "./times/RunsPane";
import { SaveTrace, TimelinePane } from "./times/TimelinePane";

const PANES: Readonly<Record<DrawerTab, readonly [words: string, Pane: () => ReactNode]>> = {
  code: ["Code", CodePane],
  batch: ["Batch", BatchPane],
  data: ["Data", DataPane],
  timeline: ["Timeline", TimelinePane],
  runs: ["Runs", RunsPane],
  problems: ["Problems", ProblemsPane],
};
const TABS = Object.entries(PANES) as [DrawerTab, (typeof PANES)[DrawerTab]][];

interface CodeButtonProps {
  readonly icon: IconName;
  readonly words: string;
  readonly title: string;
  readonly testId: string;
  /** Takes the program, and gives what was done with it. */
  readonly act: (source: string) => string;
}

function CodeButton({ icon, words, title, testId, act }: CodeButtonProps) {
  const session = useSession();
  const waits = useLate(useSel((s) => !codeIsCurrent(s)));
  const [done, setDone] = useState("");
  /** Done with the program as the graph is: a step that is not in it is waited for. */
  const go = () => {
    const state = session.store.get();
    if (!codeIsCurrent(state) || !state.code) return void (isAway(state) || setTimeout(go, 50));
    setDone(act(state.code.source));
    setTimeout(setDone, 3000, "");
  };
  return (
    <button
      type="button"
      className="ds-button ds-button-quiet"
      disabled={waits}
      title={title}
      data-testid={testId}
      onClick={go}
    >
      <Icon name={icon} />
      {done || words}
    </button>
  );
}

function copied(source: string): string {
  copyText(source);
  return "Copied";
}

export function Drawer() {
  const { breadth, insertCell, root } = useFrame();
  const box = useRef<HTMLElement>(null);
  const session = useSession();
  const tab = useSel((s) => s.view.drawer);
  const some = useSel((s) => (s.graph?.nodes.length ?? 0) > 0);
  // above the cells the list is to show the row that is open, the graph all of its cards
  const height = useSel((s) => (breadth === "list" && isSweep(s) && isSnug(s) ? "74%" : heightOf(s)));
  const snug = useSel(isSnug);
  const least = useSel((s) => tabHeight(s, "code"));
  const asking = useSel((s) => s.view.asking !== null);
  const problems = useSel(problemCount);
  const dense = useSel((s) => isDense(s));
  /** Whether somebody has opened or closed it. */
  const chosen = useRef(false);
  const show = (drawer: DrawerTab | null) => {
    chosen.current = true;
    session.view({ drawer, writing: true });
  };
  const small = breadth === "slim" || breadth === "list" || dense;
  useEffect(() => {
    // The program opens by itself; what somebody has opened stays.
    if (!small || chosen.current || session.store.get().view.drawer !== "code") return undefined;
    session.view({ drawer: null });
    return () => {
      if (!chosen.current) session.view((v) => ({ drawer: v.drawer ?? "code" }));
    };
  }, [small, session]);
  // an inspector that floats ends above it
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => root.style.setProperty("--ds-covered", `${element.offsetHeight}px`));
    observer.observe(element);
    return () => observer.disconnect();
  }, [root]);
  // before there is a graph, its program may be written or pasted
  const writing = useSel((s) => s.view.writing || s.draft !== null);
  const open = tab !== null && (some || (writing && tab === "code"));
  const Pane = open && PANES[tab][1];
  return (
    <section
      ref={box}
      className={`ds-drawer ${open ? "ds-drawer-open" : ""}`}
      // between tabs the graph stays where it is, as far as what they hold allows that
      style={open ? (snug ? { height: "auto", minHeight: least, maxHeight: height } : { height }) : undefined}
      aria-label="Code, batch and times"
    >
      {open && <DrawerEdge />}
      <div className="ds-drawer-head">
        <div role="tablist" className="ds-tabs">
          {TABS.map(([name, [words]]) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={open && tab === name}
              className="ds-tab"
              disabled={!some && name !== "code"}
              data-testid={`tab-${name}`}
              onClick={() => show(open && tab === name ? null : name)}
            >
              {words}
              {name === "problems" && problems.count > 0 && (
                <span className={`ds-tab-count ${problems.hints ? "ds-hints" : ""}`}>{problems.count}</span>
              )}
            </button>
          ))}
        </div>
        <span className="ds-spring" />
        {open && tab === "code" && !asking && (
          <>
            <CodeButton icon="copy" words="Copy" title="Copy the program" testId="copy-code" act={copied} />
            {insertCell && (
              <CodeButton
                icon="plus"
                words="To a cell"
                title="Put the program into a new cell below"
                testId="insert-cell"
                act={(source) => (insertCell(source) ? "Inserted" : copied(source))}
              />
            )}
          </>
        )}
        {open && tab === "code" && <SaveButtons />}
        {open && tab === "timeline" && <SaveTrace />}
        {some && (
          <IconButton
            icon={open ? "down" : "up"}
            label={open ? "Close the drawer" : "Open the drawer"}
            small
            onClick={() => show(open ? null : "code")}
          />
        )}
      </div>
      {Pane && <Pane />}
    </section>
  );
}
