import { copiesOf } from "../../core/copies";
import * as format from "../../core/format";
import { ALONE, bytesRead, headroom, PIPELINED, parseTarget, readingRate } from "../../core/target";
import { useSel, useSession } from "../context";
import { useDraft } from "../useDraft";

/** How many samples a second the model takes, as the user says it: "2400" or "26.7 ms" a batch. */
function TargetField() {
  const session = useSession();
  const target = useSel((s) => s.confirmed?.target ?? 0);
  const size = useSel((s) => s.batchSize);
  const { draft, setDraft, latest } = useDraft();
  const read = (text: string | null) => (text === null ? target : parseTarget(text, size));
  const parsed = read(draft);
  const apply = () => {
    const given = read(latest.current);
    if (given === null) return;
    if (given !== target) session.send({ type: "set_target", samples_per_second: given });
    setDraft(null);
  };
  return (
    <label className="ds-target" title="What your model takes: samples a second, or milliseconds a batch (26.7 ms)">
      my model takes
      <input
        className="ds-input"
        value={draft ?? (target > 0 ? format.number(target, 4) : "")}
        placeholder="e.g. 2400/s"
        aria-label="Samples a second that the model takes"
        aria-invalid={parsed === null}
        data-testid="target"
        onChange={(e) => setDraft(e.target.value)}
        onBlur={apply}
        onKeyDown={(e) => {
          if (e.key === "Enter") e.currentTarget.blur();
          if (e.key === "Escape") setDraft(null);
        }}
      />
      {target > 0 && draft === null && "samples/s"}
      {parsed === null && (
        <span className="ds-reason" role="alert">
          A number, or milliseconds: 26 ms
        </span>
      )}
    </label>
  );
}

/** Both speeds, each with what it is; the target; what a pipeline holds in memory, and what crosses the bus. */
export function Speeds() {
  const run = useSel((s) => s.run.finished);
  const room = useSel(headroom);
  const depth = useSel((s) => s.options?.prefetch_queue_depth ?? 1);
  const copies = useSel(copiesOf);
  const read = useSel(bytesRead);
  const rate = useSel(readingRate);
  if (!run) return null;
  const held = run.timings.reduce((sum, t) => sum + t.host + t.gpu_memory, 0);
  const ahead = run.pipelined;
  return (
    <div className="ds-speeds" data-testid="speeds">
      <span title={`${PIPELINED.about}. 95 % of batches come within ${format.time(ahead.p95)} of the one before.`}>
        <small>{PIPELINED.name}</small>
        <b data-testid="speed-pipeline">{format.throughput(ahead.samples_per_second)}</b> samples/s
        {rate > 0 && (
          <span data-testid="speed-read" title={`${format.bytes(read)} of files in each batch`}>
            , {format.bytes(rate)}/s read
          </span>
        )}
      </span>
      <span title={`${ALONE.about}. The times of nodes are of these batches.`}>
        <small>{ALONE.name}</small>
        <b data-testid="speed-alone">{format.throughput(run.samples_per_second)}</b> samples/s
        {run.milliseconds_per_batch > 0 && `, ${format.time(run.milliseconds_per_batch)} a batch on average`}
      </span>
      <span>
        <TargetField />
        {room?.words && (
          <b className={room.enough ? "ds-good" : "ds-warn"} data-testid="headroom">
            {room.words}
          </b>
        )}
      </span>
      {held > 0 && (
        <span title={`A batch holds ${format.bytes(held)}: ${depth} made ahead and the one in use, at most`}>
          <small>memory of {format.plural(depth + 1, "batch", "batches")}</small>
          <b>{format.bytes(held * (depth + 1))}</b>
        </span>
      )}
      {copies.count > 0 && (
        <span title="Results that cross between host and GPU in each batch; each wire that crosses says its own">
          <small>copies</small>
          <b>{copies.count}</b> a batch, {format.bytes(copies.size)} in {format.time(copies.milliseconds)}
        </span>
      )}
    </div>
  );
}
