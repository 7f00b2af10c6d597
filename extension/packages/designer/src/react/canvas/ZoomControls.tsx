import { useId } from "react";
import { crosses } from "../../core/copies";
import { useCanvasApi } from "../canvasApi";
import { useSel, useSession } from "../context";
import { IconButton, Segments, Switch } from "../parts";

/** How wires show where their data is; only where there is more than one place. */
function WireLegend() {
  const crossing = useSel((s) => (s.graph ? crosses(s.graph) : false));
  if (!crossing) return null;
  return (
    <div className="ds-zoom-group ds-legend" data-testid="wire-legend">
      {(["cpu", "copy", "gpu"] as const).map((where) => (
        <span key={where} className="ds-legend-wire">
          <svg width="22" height="8" aria-hidden="true">
            <path d="M1 4h20" className={`ds-wire-sample ds-wire-${where}`} />
          </svg>
          <span className="ds-muted">{where}</span>
        </span>
      ))}
    </div>
  );
}

export function ZoomControls({ zoom }: { readonly zoom: number }) {
  const api = useCanvasApi();
  const session = useSession();
  const heat = useSel((s) => s.view.heat);
  const measure = useSel((s) => s.view.measure);
  const measured = useSel((s) => (s.run.finished?.timings.length ?? 0) > 0);
  const heatId = useId();
  return (
    <div className="ds-zoom">
      <div className="ds-zoom-group">
        <IconButton icon="minus" label="Zoom out (-)" onClick={() => api.current?.zoomBy(1 / 1.25)} />
        <button
          type="button"
          className="ds-zoom-value"
          title="Zoom to 100 %, to the selection (Z)"
          onClick={() => api.current?.zoomTo(1)}
        >
          {Math.round(zoom * 100)} %
        </button>
        <IconButton icon="plus" label="Zoom in (+)" onClick={() => api.current?.zoomBy(1.25)} />
        <IconButton icon="fit" label="Show everything (0)" onClick={() => api.current?.fit()} />
        <IconButton icon="unknown" label="Keys (?)" testId="keys" onClick={() => session.view({ help: true })} />
      </div>
      {measured && (
        <div className="ds-zoom-group ds-legend">
          <Switch id={heatId} label="Heat" on={heat} onChange={(on) => session.view({ heat: on })} testId="heat" />
          <label htmlFor={heatId}>Heat</label>
          {heat && (
            <>
              <Segments
                label="What the heat shows"
                options={["time", "memory"]}
                value={measure}
                onChange={(m) => session.view({ measure: m })}
                testId="measure"
              />
              <span className="ds-muted">0</span>
              <span className="ds-ramp" aria-hidden="true">
                {[1, 2, 3, 4, 5].map((n) => (
                  <i key={n} className={`ds-heat-${n}`} />
                ))}
              </span>
              <span className="ds-muted">100 %{measure === "time" && <u> of step</u>}</span>
            </>
          )}
        </div>
      )}
      <WireLegend />
    </div>
  );
}
