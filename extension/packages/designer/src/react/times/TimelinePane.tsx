import * as format from "../../core/format";
import { useSel, useSession } from "../context";
import { Icon } from "../icons";
import { AdviceCards } from "./AdviceCard";
import { Lanes } from "./Lanes";
import { Speeds } from "./Speeds";

/** What the last run was like: both speeds, what sets the pace, and what each thread did. */
export function TimelinePane() {
  const timeline = useSel((s) => s.timeline);
  const run = useSel((s) => s.run.finished);
  if (!run || !timeline)
    return (
      <div className="ds-times ds-times-empty" data-testid="timeline">
        <p className="ds-muted">Press Run: whole batches are made, and what each thread does is drawn here.</p>
      </div>
    );
  return (
    <div className="ds-times nowheel" data-testid="timeline">
      <Speeds />
      <AdviceCards />
      <Lanes timeline={timeline} />
      <p className="ds-muted ds-times-note">
        {format.plural(timeline.steps.length, "batch", "batches")} from number {timeline.first}, made one after the
        other; in the pipeline they overlap, as in training. {timeline.note}
      </p>
    </div>
  );
}

/** Write the timeline for Perfetto and chrome://tracing, beside the notebook. */
export function SaveTrace() {
  const session = useSession();
  const state = useSel((s) => ({
    can: s.timeline !== null,
    name: (s.graph?.name ?? "pipeline").replace(/[^A-Za-z0-9_-]+/g, "_"),
    wrote: s.savedFile?.what === "trace" ? s.savedFile.path : "",
  }));
  return (
    <>
      {state.wrote && (
        <span className="ds-muted ds-saved" role="status" data-testid="trace-saved">
          Wrote {state.wrote}: open it at ui.perfetto.dev
        </span>
      )}
      <button
        type="button"
        className="ds-button ds-button-quiet"
        disabled={!state.can}
        title="Write the timeline in Chrome's format; Perfetto opens it"
        data-testid="save-trace"
        onClick={() => session.send({ type: "save_document", path: `${state.name}.trace.json`, what: "trace" })}
      >
        <Icon name="file" />
        Save trace
      </button>
    </>
  );
}
