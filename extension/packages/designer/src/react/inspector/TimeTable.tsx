import * as format from "../../core/format";
import { nodeOf } from "../../core/graph";
import { bytesOf, isOld, runFailures } from "../../core/select";
import { isAway } from "../../core/state";
import type { NodeTiming, RunFinished } from "../../protocol/generated";
import { costWords } from "../canvas/CardParts";
import { useSel, useSession } from "../context";
import { Section, SmallButton } from "../parts";

/** GPU time with the copies: what the GPU was busy with. */
function onGpu(timing: NodeTiming): number {
  return timing.gpu + timing.copies.reduce((sum, c) => sum + c.milliseconds, 0);
}

const sum = (timings: readonly NodeTiming[], of: (t: NodeTiming) => number) => timings.reduce((n, t) => n + of(t), 0);
const shown = (milliseconds: number) => (milliseconds > 0 ? format.time(milliseconds) : "");
const bytes = (size: number) => (size > 0 ? format.bytes(size) : "");

/** What a batch holds of a node's results; those that are only passed on stand in brackets. */
function Held({ timing }: { readonly timing: NodeTiming }) {
  const held = timing.host + timing.gpu_memory;
  if (held > 0 || timing.passing === 0) return bytes(held);
  return <span className="ds-muted">({bytes(timing.passing)})</span>;
}

function Table({ run }: { readonly run: RunFinished }) {
  const session = useSession();
  const measure = useSel((s) => s.view.measure);
  const graph = useSel((s) => s.graph);
  const named = (key: string) => format.cardName(key, nodeOf(graph, key)?.operator ?? "");
  const timings = run.timings.filter((t) => [t.key, ...t.group].some((key) => nodeOf(graph, key)));
  const gpu = timings.some((t) => onGpu(t) > 0);
  const whole = sum(timings, bytesOf) || 1;
  const share = (t: NodeTiming) => (measure === "time" ? t.share : bytesOf(t) / whole);
  const sorted = [...timings].sort((a, b) => share(b) - share(a));
  return (
    <table className="ds-time-table" data-testid="time-table">
      <thead>
        <tr>
          <th scope="col">node</th>
          <th scope="col" title="CPU milliseconds per batch, summed over the threads">
            CPU work
          </th>
          {gpu && (
            <th scope="col" title="GPU milliseconds per batch, with copies">
              GPU
            </th>
          )}
          <th scope="col" title="Bytes of the results of a batch, on the host and on the GPU">
            memory
          </th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((t) => (
          <tr key={t.key} title={costWords(t, run, t.key)}>
            <th scope="row">
              <button type="button" data-testid={`row-${t.key}`} onClick={() => session.select([t.key])}>
                {(t.group.length > 1 ? t.group : [t.key]).map(named).join(" + ")}
              </button>
              <span className="ds-time-bar">
                <i
                  className={`ds-heat-${format.heatStep(share(t))}`}
                  style={{ width: `${Math.max(1, share(t) * 100)}%` }}
                />
              </span>
            </th>
            <td>{shown(t.cpu)}</td>
            {gpu && <td>{shown(onGpu(t))}</td>}
            <td data-testid={`memory-${t.key}`}>
              <Held timing={t} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">all</th>
          <td>{shown(sum(timings, (t) => t.cpu))}</td>
          {gpu && <td>{shown(sum(timings, onGpu))}</td>}
          <td title="What a batch holds in all, without what is in brackets">
            {bytes(sum(timings, (t) => t.host + t.gpu_memory))}
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

/** What the columns do not say: why their sums are not a batch's, and what stands in brackets. */
export function tableNote({ timings, milliseconds_per_batch: whole }: RunFinished): string {
  const parallel = sum(timings, (t) => t.cpu) > whole && whole > 0;
  const passing = timings.some((t) => t.passing > 0 && t.host + t.gpu_memory === 0);
  return [
    parallel && `Threads work side by side: a whole batch takes ${format.time(whole)}.`,
    passing && "Memory in brackets is never held all at once.",
  ]
    .filter(Boolean)
    .join(" ");
}

/** Every node of the last run: time on the CPU, time on the GPU, memory. */
export function WhereTheTimeGoes() {
  const run = useSel((s) => s.run.finished);
  const note = useSel((s) => (isAway(s) ? "last run" : isOld(s) ? "before the edit" : "per batch"));
  const running = useSel((s) => s.run.running);
  const failed = useSel((s) => runFailures(s)[0]?.node);
  const title = useSel((s) => (s.view.measure === "time" ? "Where the time goes" : "Where the memory goes"));
  if (!run || run.timings.length === 0)
    return (
      <Section title={title}>
        <p className="ds-muted">
          {running
            ? "Measuring…"
            : failed
              ? `Nothing was measured: ${failed} failed.`
              : "Press Run to measure every node."}
        </p>
      </Section>
    );
  return (
    <Section title={title} note={note}>
      <Table run={run} />
      <p className="ds-muted ds-note">{tableNote(run)}</p>
      {run.note && (
        <p className="ds-muted ds-note" data-testid="run-note">
          {run.note}
        </p>
      )}
    </Section>
  );
}

/** Memory that is only kept to be used again goes back on request. */
export function MemorySection() {
  const session = useSession();
  const freed = useSel((s) => s.freed);
  const gpu = useSel((s) => s.opening?.gpu === "");
  return (
    <Section title="Memory">
      <div className="ds-free">
        <SmallButton
          title="Give back kept results and idle memory pools"
          data-testid="free-memory"
          onClick={() => session.send({ type: "free_memory" })}
        >
          Free memory
        </SmallButton>
        {freed && (
          <span className="ds-muted" role="status" data-testid="freed">
            Freed {format.bytes(freed.host)} on the host{gpu && `, ${format.bytes(freed.gpu)} on the GPU`}
          </span>
        )}
      </div>
    </Section>
  );
}
