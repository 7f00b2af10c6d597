import { type MouseEvent, useLayoutEffect } from "react";
import * as format from "../core/format";
import { saveState } from "../core/saveState";
import { canRedo, canUndo, isOld, obstacle } from "../core/select";
import { runsCode } from "../core/statusMessage";
import { ALONE, headroom, PIPELINED } from "../core/target";
import { fullScreen } from "./ContextMenu";
import { useCanvasApi } from "./canvasApi";
import { commandOf } from "./commands";
import { useFile, useFrame, useSel, useSession } from "./context";
import { Icon } from "./icons";
import { IconButton } from "./parts";
import { SampleStripView } from "./SampleStripView";
import { saveDocument } from "./SaveButtons";
import { Track } from "./times/Track";

/** How many whole batches can be run in place of as many as fit into about a second. */
const CHOICES = [1, 8, 32, 128] as const;

/** How much is run: so many batches, or only what a node needs. */
function RunChoice({ disabled }: { readonly disabled: boolean }) {
  const session = useSession();
  const chosen = useSel((s) => s.view.selection.filter((k) => s.graph?.nodes.some((n) => n.key === k)).slice(0, 2));
  const [only, ...more] = chosen;
  const start = (value: string) => {
    if (value === "next") {
      const { sample, iteration } = session.store.get();
      session.chooseSample(sample, iteration + 1);
    } else if (value === "until" && only) session.run(0, only);
    else session.run(Number(value));
  };
  return (
    <span className="ds-run-choice">
      <Icon name="down" size={12} />
      <select
        aria-label="Run how much"
        title="Run how much"
        disabled={disabled}
        value=""
        data-testid="run-choice"
        onChange={(e) => start(e.target.value)}
      >
        <option value="" hidden />
        <option value="next">Step: show the next batch</option>
        {CHOICES.map((count) => (
          <option key={count} value={count}>
            Run {format.plural(count, "batch", "batches")}
          </option>
        ))}
        {only && more.length === 0 && <option value="until">Run to {only}</option>}
      </select>
    </span>
  );
}

function Mark() {
  return (
    <svg className="ds-mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <circle cx="4.5" cy="5" r="2.5" />
      <circle cx="4.5" cy="15" r="2.5" />
      <circle cx="15.5" cy="10" r="2.5" fill="currentColor" />
      <path d="M7 5c4 0 2 5 6 5M7 15c4 0 2-5 6-5" />
    </svg>
  );
}

function Title() {
  const { session, host, breadth } = useFrame();
  const open = useFile();
  const text = useSel((s) => ({
    name: s.graph?.name || "Untitled",
    state: saveState(s, open),
    file: open?.name ?? s.confirmed?.document ?? "",
    can: (s.graph?.nodes.length ?? 0) > 0 && s.link === "live",
  }));
  return (
    <div className="ds-title">
      <button
        type="button"
        title={`${text.file || text.state || text.name}. Settings of the pipeline.`}
        data-testid="settings"
        onClick={() => {
          session.select([]);
          session.view((v) => ({
            settings: !v.settings && (breadth !== "wide" || v.inside.length > 0),
            inspector: true,
          }));
          // The inspector may stand in JupyterLab's side bar.
          setTimeout(() => document.querySelector<HTMLInputElement>(".ds-name-field")?.select(), 60);
        }}
      >
        {breadth === "list" ? <Mark /> : <b data-testid="pipeline-name">{text.name}</b>}
      </button>
      {breadth === "list" || breadth === "slim" ? (
        <span className="ds-title-dot" title={text.state}>
          {text.state === "Saved" ? "" : "●"}
        </span>
      ) : (
        <button
          type="button"
          className="ds-title-state"
          disabled={!text.can}
          title={text.state === "Saved" ? text.file : "Save the pipeline"}
          data-testid="save-state"
          onClick={() => (host ? host.save() : saveDocument(session))}
        >
          {text.state}
        </button>
      )}
    </div>
  );
}

function RunButtons() {
  const frame = useFrame();
  const { session } = frame;
  const api = useCanvasApi();
  const state = useSel((s) => ({
    running: s.run.running,
    stopping: s.run.stopping,
    stoppable: s.run.running || runsCode(s),
    done: s.run.done,
    total: s.run.total,
    can: (s.graph?.nodes.length ?? 0) > 0 && (s.link === "live" || s.link === "silent"),
    missing: obstacle(s),
  }));
  const { missing } = state;
  const why =
    missing &&
    format.plain(`It cannot run yet. ${format.sentence(format.message(missing.message))} ${missing.hint ?? ""}`);
  const progress = state.running && state.total > 0 ? state.done / state.total : 0;
  return (
    <>
      <button
        type="button"
        className={`ds-button ${state.running ? "" : "ds-primary"}`}
        disabled={!state.can || state.running}
        aria-disabled={missing ? true : undefined}
        title={why ?? "Run whole batches, as many as fit into about two seconds, and measure every node (Ctrl+Enter)"}
        data-testid="run"
        // it then shows what is missing
        onClick={() => commandOf("run")?.run({ ...frame, api: api.current })}
      >
        <Icon name="run" />
        Run
        {state.running && <i className="ds-progress" style={{ width: `${progress * 100}%` }} />}
      </button>
      <RunChoice disabled={!state.can || state.running} />
      <button
        type="button"
        className="ds-button"
        disabled={!state.stoppable || state.stopping}
        title="Stop the run"
        data-testid="stop"
        onClick={() => session.stop()}
      >
        <Icon name="stop" />
        <u>{state.stopping ? "Stopping…" : "Stop"}</u>
      </button>
    </>
  );
}

function Throughput() {
  const { session, breadth } = useFrame();
  const state = useSel((s) => ({
    run: s.run.finished,
    running: s.run.running,
    // of a first batch that takes long, samples
    done: (!s.run.done && s.run.samples) || format.percent(s.run.done / (s.run.total || 1)),
    of: !s.run.done && s.run.samples ? `of ${format.plural(s.batchSize, "sample")}` : "measured",
    left: s.run.done > 0 ? `${Math.ceil(s.run.left)} s left` : "measuring",
    old: isOld(s),
    gone: s.link === "gone",
  }));
  const room = useSel(headroom);
  const { run, running, old, gone } = state;
  const failed = run !== null && run.failed.length > 0;
  if (!running && (!run || (failed && old))) return null;
  const measured = room ? format.throughput(room.speed) : "–";
  const speed = running ? state.done : gone ? "–" : measured;
  const whole = run ? format.plural(run.batches, "whole batch", "whole batches") : "";
  const second = running
    ? state.left
    : failed
      ? "stopped by an error"
      : gone
        ? `last run ${measured}`
        : run?.batches === 0
          ? "stopped"
          : run?.until
            ? `only up to ${run.until}`
            : room
              ? `${run?.stopped ? "stopped early, " : ""}${room.words || room.measured}`
              : "";
  const alone = run ? `${format.throughput(run.samples_per_second)} ${ALONE.name}` : "";
  const title = run
    ? `Measured over ${whole}: ${room?.measured === ALONE.name ? "" : `${measured} ${PIPELINED.name}, which makes batches ahead; `}${alone}.${old ? " From before the last change." : ""} Opens the timeline.`
    : "";
  const low = !gone && room !== null && room.target > 0 && !room.enough;
  return (
    <button
      type="button"
      className={`ds-throughput ${old && !running ? "ds-throughput-old" : ""}`}
      title={title}
      data-testid="throughput"
      onClick={() => session.view({ drawer: "timeline" })}
    >
      <div>
        <b>{speed}</b>{" "}
        <span className="ds-muted">
          {running ? (
            state.of
          ) : (
            <>
              <u>samples</u>/s
            </>
          )}
        </span>
        {low && breadth !== "wide" && <Icon name="warning" size={12} />}
      </div>
      {breadth === "wide" && (
        <div
          className={`ds-throughput-second ${low ? "ds-warn" : room?.words && !gone ? "ds-good" : "ds-muted"}`}
          data-testid="throughput-second"
        >
          {second}
        </div>
      )}
      {breadth === "wide" && room?.words && !running && !gone && (
        <Track
          speed={room.speed}
          most={1.18 * Math.max(room.speed, room.target)}
          target={room.target}
          tone={low ? "low" : "good"}
        />
      )}
    </button>
  );
}

function DialectChoice() {
  const session = useSession();
  const dialects = useSel((s) => s.opening?.dialects ?? []);
  const now = useSel((s) => s.code?.dialect ?? s.opening?.dialects[0]?.name ?? "");
  if (dialects.length === 0) return null;
  return (
    <select
      className="ds-select ds-dialect"
      aria-label="Language of the code"
      title="Which library the code is written for"
      value={now}
      data-testid="dialect"
      onChange={(e) => session.send({ type: "request_code", dialect: e.target.value })}
    >
      {!dialects.some((d) => d.name === now) && <option value={now}>{now}</option>}
      {dialects.map((d) => (
        <option key={d.name} value={d.name}>
          {d.title}
        </option>
      ))}
    </select>
  );
}

export function TopBar() {
  const { session, root, breadth } = useFrame();
  const api = useCanvasApi();
  const state = useSel((s) => ({
    undo: canUndo(s),
    redo: canRedo(s),
    some: (s.graph?.nodes.length ?? 0) > 0,
    ready: s.opening !== null,
    palette: s.view.palette,
  }));
  useLayoutEffect(() => {
    // a button that goes off loses the focus, and keys would reach nobody
    const held = root.ownerDocument.activeElement;
    if (held instanceof HTMLButtonElement && held.disabled && root.contains(held))
      root.querySelector<HTMLElement>(".ds-canvas")?.focus({ preventScroll: true });
  });
  const small = breadth === "list" || breadth === "slim";
  const more = (event: MouseEvent<HTMLElement>) => {
    const button = event.currentTarget.getBoundingClientRect();
    const box = root.getBoundingClientRect();
    const at = { x: button.right - box.left - 256, y: button.bottom - box.top + 4 };
    session.view({ menu: { kind: "more", id: "", at, place: { x: 0, y: 0 } } });
  };
  return (
    <div className="ds-bar" role="toolbar" aria-label="Designer">
      {breadth !== "list" && <Mark />}
      <Title />
      <span className="ds-sep" />
      <IconButton
        icon="undo"
        label="Undo (Ctrl+Z)"
        testId="undo"
        disabled={!state.undo}
        onClick={() => session.undo()}
      />
      <IconButton
        icon="redo"
        label="Redo (Ctrl+Shift+Z)"
        testId="redo"
        disabled={!state.redo}
        onClick={() => session.redo()}
      />
      {!small && (
        <>
          <IconButton
            icon="layout"
            label="Lay out (L)"
            testId="layout"
            disabled={!state.some}
            onClick={() => api.current?.layout()}
          />
          <button
            type="button"
            className={breadth === "wide" ? "ds-button ds-button-quiet" : "ds-icon-button"}
            aria-label="Gallery"
            aria-pressed={state.palette}
            title="Gallery (P)"
            disabled={!state.ready}
            data-testid="palette-toggle"
            onClick={() => session.view((v) => ({ palette: !v.palette }))}
          >
            <Icon name="grid" />
            {breadth === "wide" && <span className="ds-palette-word">Gallery</span>}
          </button>
        </>
      )}
      <span className="ds-sep" />
      <RunButtons />
      <span className="ds-sep" />
      {state.some && <SampleStripView />}
      <span className="ds-spring" />
      {state.some && breadth !== "list" && <Throughput />}
      {small ? (
        <button
          type="button"
          className="ds-icon-button"
          aria-label="More"
          aria-haspopup="menu"
          title="Gallery, batch, language, keys"
          data-testid="more"
          onClick={more}
        >
          <Icon name="more" />
        </button>
      ) : (
        <>
          <DialectChoice />
          <IconButton
            icon="expand"
            label="Full screen (Esc leaves it)"
            testId="expand"
            onClick={() => fullScreen(root)}
          />
        </>
      )}
    </div>
  );
}
