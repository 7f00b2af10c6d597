import { OUTPUTS } from "../../core/graph";
import { enteredBox, selectedBox } from "../../core/subgraph";
import { useSel, useSession } from "../context";
import { CloseButton } from "../parts";
import { BoxPanel } from "./BoxPanel";
import { OutputsPanel } from "./InputsSection";
import { NodePanel } from "./NodePanel";
import { PipelinePanel } from "./PipelinePanel";
import { SeveralPanel } from "./SeveralPanel";

/** One panel that follows the selection. */
export function Inspector({ floating }: { readonly floating: boolean }) {
  const session = useSession();
  const selection = useSel((s) => s.view.selection);
  const box = useSel(
    (s) => selectedBox(s) ?? (s.view.selection.length === 0 && !s.view.settings ? enteredBox(s) : null),
  );
  const only = selection.length === 1 ? selection[0] : undefined;
  return (
    <aside className={`ds-inspector ${floating ? "ds-floating" : ""}`} aria-label="Inspector" data-testid="inspector">
      <div className="ds-inspector-scroll nowheel">
        {only === OUTPUTS && (
          <>
            <div className="ds-inspector-head">
              <div>
                <b>outputs</b>
                <small>what the pipeline returns</small>
              </div>
              <CloseButton onClick={() => session.select([])} />
            </div>
            <OutputsPanel />
          </>
        )}
        {box && <BoxPanel key={box.id} box={box} />}
        {only && only !== OUTPUTS && !box && <NodePanel key={only} nodeKey={only} />}
        {selection.length > 1 && !box && <SeveralPanel />}
        {selection.length === 0 && !box && <PipelinePanel floating={floating} />}
      </div>
    </aside>
  );
}
