import * as format from "../core/format";
import { statusMessage } from "../core/statusMessage";
import { headroom } from "../core/target";
import { useSel } from "./context";

/** Says aloud what the picture shows: the run and the newest sentence. */
export function LiveRegion() {
  const text = useSel((s) => {
    const said = statusMessage(s, true);
    if (s.run.running) return "Measuring the pipeline.";
    const run = s.run.finished;
    const finished =
      run && run.failed.length === 0
        ? `${run.stopped ? "Stopped" : "Finished"}: ${format.throughput(headroom(s)?.speed ?? run.samples_per_second)} samples per second.`
        : "";
    return [said ? `${said.lead} ${said.rest}` : "", finished].filter(Boolean).join(" ");
  });
  return (
    <div className="ds-hidden" role="status" aria-live="polite" data-testid="live">
      {text}
    </div>
  );
}
