import { useMemo } from "react";
import { createRoot } from "react-dom/client";
import type { Shown } from "../core/designers";
import { type CanvasApi, CanvasApiContext } from "./canvasApi";
import { FrameContext } from "./context";
import { Inspector } from "./inspector/Inspector";
import { useKeys } from "./keys";
import { Palette } from "./Palette";
import { insertInView } from "./quickAdd";
import { useTheme } from "./theme";
import { useKeptFocus } from "./useKeptFocus";

export type PanelName = "inspector" | "gallery";

/** A part of a designer, outside of it: in the sidebar of its host. */
function Panel({ name, shown, root }: { readonly name: PanelName; readonly shown: Shown; readonly root: HTMLElement }) {
  const { theme, tinted } = useTheme(root);
  const { session } = shown;
  const frame = useMemo(
    () => ({ session, root, host: null, insertCell: null, theme, tinted, breadth: "wide" as const }),
    [session, root, theme, tinted],
  );
  const api = shown.api as { current: CanvasApi | null };
  // keys mean in the sidebar what they mean beside the canvas
  const onKeyDown = useKeys(
    useMemo(() => ({ ...frame, root: shown.root }), [frame, shown]),
    api,
  );
  useKeptFocus(root);
  return (
    <FrameContext.Provider value={frame}>
      <CanvasApiContext.Provider value={api}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the whole part are handled at its root */}
        <div
          className={`ds-root ds-panel ds-${theme} ${tinted && theme !== "hc" ? "ds-tinted" : ""}`}
          tabIndex={-1}
          onKeyDown={onKeyDown}
        >
          {name === "inspector" ? <Inspector floating={false} /> : <Palette closable={false} />}
        </div>
      </CanvasApiContext.Provider>
    </FrameContext.Provider>
  );
}

/** Add an operator to the designer `shown`; false where it does not know it. */
export function addOperator(shown: Shown, name: string): boolean {
  const operator = shown.session.store.get().opening?.catalog.byName.get(name);
  if (operator) insertInView(shown.session, shown.api.current as CanvasApi | null, operator);
  return operator !== undefined;
}

/** Draw a part of the designer `shown` into `root`; returns how to end that. */
export function mountPanel(name: PanelName, root: HTMLElement, shown: Shown): () => void {
  const react = createRoot(root);
  react.render(<Panel name={name} shown={shown} root={root} />);
  return () => react.unmount();
}
