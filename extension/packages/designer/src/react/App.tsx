import {
  type ClipboardEvent,
  type FocusEvent,
  type MutableRefObject,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from "react";
import { announce, designers } from "../core/designers";
import { isCrowded, isFloating } from "../core/drawer";
import type { Host } from "../core/host";
import type { Session } from "../core/session";
import { isDense } from "../core/subgraph";
import type { InsertCell } from "../widget/cells";
import { CompareView } from "./CompareView";
import { ContextMenu, HelpSheet } from "./ContextMenu";
import { Canvas } from "./canvas/Canvas";
import { type CanvasApi, CanvasApiContext } from "./canvasApi";
import { onClipboard } from "./clipboard";
import { commandOf } from "./commands";
import { type Frame, FrameContext, useSel } from "./context";
import { Drawer } from "./Drawer";
import { Empty, Starting } from "./Empty";
import { ReaderFolder } from "./FolderChoice";
import { Inspector } from "./inspector/Inspector";
import { keepKey, useKeys } from "./keys";
import { LiveRegion } from "./LiveRegion";
import { Outline } from "./Outline";
import { openFile } from "./openFile";
import { Palette } from "./Palette";
import { QuickAddBox } from "./QuickAddBox";
import { ResizeHandle } from "./ResizeHandle";
import { Strip } from "./Strip";
import { TopBar } from "./TopBar";
import { useBreadth, useTheme } from "./theme";
import { useKeptFocus } from "./useKeptFocus";

interface Props {
  readonly session: Session;
  readonly root: HTMLElement;
  readonly host: Host | null;
  readonly insertCell: InsertCell | null;
  /** The widget's height in px, and how to keep it; null where the host decides. */
  readonly onHeight: ((height: number, done: boolean) => void) | null;
}

/** JupyterLab reads its keys before the page does; it spares the focused element only if that says so itself. */
function guardFocus(event: FocusEvent): void {
  if (event.target instanceof Element) event.target.setAttribute("data-lm-suppress-shortcuts", "true");
}

/** Whether nothing but this designer is on the screen. */
function useFull(root: HTMLElement): boolean {
  const { ownerDocument } = root;
  return useSyncExternalStore(
    (listener) => {
      ownerDocument.addEventListener("fullscreenchange", listener);
      return () => ownerDocument.removeEventListener("fullscreenchange", listener);
    },
    () => ownerDocument.fullscreenElement === root,
  );
}

function Studio({
  frame,
  onHeight,
  api,
}: {
  frame: Frame;
  onHeight: Props["onHeight"];
  api: MutableRefObject<CanvasApi | null>;
}) {
  const onKeyDown = useKeys(frame, api);
  const clipboard = (event: ClipboardEvent) => onClipboard(event, frame.session, () => api.current?.centre().place);
  const { breadth, theme, tinted } = frame;
  const state = useSel((s) => ({
    ready: s.graph !== null && s.opening !== null,
    empty: (s.graph?.nodes.length ?? 0) === 0,
    palette: s.view.palette,
    inspector: s.view.inspector,
    quickAdd: s.view.quickAdd !== null,
    comparison: s.view.comparison,
    dense: isDense(s),
    floating: isFloating(s),
    crowded: isCrowded(s, breadth),
  }));
  const list = breadth === "list";
  const floats = breadth === "slim" || state.dense;
  const page = designers();
  const outside = useSyncExternalStore(page.subscribe, () => {
    const { active, outside } = page.get();
    return outside && active?.session === frame.session;
  });
  const full = useFull(frame.root);
  const inspector =
    (full || !outside) &&
    state.ready &&
    !state.empty &&
    !state.comparison &&
    !state.crowded &&
    !list &&
    (floats ? state.floating : state.inspector);
  const latest = useRef(frame);
  latest.current = frame;
  const { session, root } = frame;
  useKeptFocus(root, session);
  useEffect(
    () =>
      announce({
        session,
        root,
        api,
        run: (id) => commandOf(id)?.run({ ...latest.current, api: api.current }),
        can: (id) => commandOf(id)?.can?.(session.store.get()) ?? true,
      }),
    [session, root, api],
  );
  const classes = [
    "ds-root",
    `ds-${theme}`,
    `ds-${breadth}`,
    tinted && theme !== "hc" ? "ds-tinted" : "",
    inspector && !floats ? "" : "ds-no-inspector",
  ];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the whole designer are handled at its root
    <div
      className={classes.join(" ")}
      data-testid="designer"
      data-ds-theme={theme}
      // A click on text or an empty place would otherwise leave the keys with the notebook, where "d d" deletes the cell.
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onKeyUp={keepKey}
      onKeyPress={(e) => e.stopPropagation()}
      onFocusCapture={frame.host ? undefined : guardFocus}
      // The browser pastes where a caret was left, such as in a cell's editor, though the keys are here.
      onFocus={({ target, currentTarget }) => {
        const left = currentTarget.ownerDocument.getSelection();
        if (left && !currentTarget.contains(left.anchorNode) && !/INPUT|TEXTAREA/.test(target.tagName))
          left.removeAllRanges();
      }}
      onContextMenu={(e) => e.stopPropagation()}
      onCopy={clipboard}
      onCut={clipboard}
      onPaste={clipboard}
      onDragOver={(e) => e.preventDefault()}
      onDrop={(e) => {
        const [file] = e.dataTransfer.files;
        if (!file) return;
        e.preventDefault();
        void openFile(session, file);
      }}
    >
      <TopBar />
      <div className={`ds-left ${state.palette ? "ds-with-palette" : ""}`}>
        {state.palette && state.ready && <Palette />}
        <div className="ds-column">
          <Strip over={state.ready && !state.empty && !list && !state.comparison} />
          <main className="ds-stage" aria-label="Pipeline">
            {!state.ready && <Starting />}
            {state.ready && state.empty && <Empty />}
            {state.ready && (list ? !state.empty && <Outline visible /> : <Canvas />)}
            {state.ready && state.comparison && <CompareView comparison={state.comparison} />}
          </main>
          {state.ready && !state.comparison && <Drawer />}
        </div>
      </div>
      {inspector && <Inspector floating={floats} />}
      {state.quickAdd && <QuickAddBox />}
      <ContextMenu />
      <HelpSheet />
      <ReaderFolder />
      {state.ready && !list && <Outline visible={false} />}
      <LiveRegion />
      {onHeight && <ResizeHandle onHeight={onHeight} />}
    </div>
  );
}

export function App({ session, root, host, insertCell, onHeight }: Props) {
  const { theme, tinted } = useTheme(root);
  const breadth = useBreadth(root);
  const api = useRef<CanvasApi | null>(null);
  const frame = useMemo(
    () => ({ session, root, host, insertCell, theme, tinted, breadth }),
    [session, root, host, insertCell, theme, tinted, breadth],
  );
  return (
    <FrameContext.Provider value={frame}>
      <CanvasApiContext.Provider value={api}>
        <Studio frame={frame} onHeight={onHeight} api={api} />
      </CanvasApiContext.Provider>
    </FrameContext.Provider>
  );
}
