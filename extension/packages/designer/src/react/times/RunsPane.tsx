import { useEffect, useState } from "react";
import * as format from "../../core/format";
import { isAway } from "../../core/state";
import { ALONE, PIPELINED } from "../../core/target";
import type { KnownRun } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { LinkButton } from "../parts";

/** What stands where nothing was changed. */
const sameAs = (run: KnownRun) => (run.number > 1 ? "same graph" : "first run");

/** The way back to a run or a saved state, of which the kernel has the graph. */
function GoBack({
  name,
  testId,
  now,
}: {
  readonly name: string;
  readonly testId: string;
  readonly now?: string | false;
}) {
  const session = useSession();
  const away = useSel(isAway);
  return (
    <LinkButton
      disabled={Boolean(now) || away}
      data-testid={testId}
      title={
        away ? "The kernel has the graph: wait for it, or reconnect" : "Make the graph what it was; Undo takes it back"
      }
      onClick={() => session.send({ type: "open_state", name })}
    >
      {now || "Go back to it"}
    </LinkButton>
  );
}

function Row({
  run,
  chosen,
  choose,
  best,
}: {
  readonly run: KnownRun;
  readonly chosen: boolean;
  readonly choose: () => void;
  readonly best: number;
}) {
  const [newest, now] = useSel(({ confirmed: c, runs }) => {
    const same = runs.filter((r) => r.revision === c?.revision || c?.runs.includes(r.number));
    // by number: an equal message that comes again is another object in the state
    return [same[0]?.number === run.number, same.some((r) => r.number === run.number)];
  });
  return (
    <tr className={newest ? "ds-run-now" : ""} data-testid={`run-${run.number}`}>
      <td>
        <input type="checkbox" checked={chosen} aria-label={`Compare run ${run.number}`} onChange={choose} />
      </td>
      <th scope="row">
        {run.number} <code>{run.name}</code> {run.tried && <small title="Measured by Try it">tried</small>}
      </th>
      <td>{run.when}</td>
      <td>
        <b>{format.throughput(run.pipelined)}</b>
        <span className="ds-run-bar">
          <i style={{ width: `${best > 0 ? (100 * run.pipelined) / best : 0}%` }} />
        </span>
      </td>
      <td>{run.tried ? "–" : format.throughput(run.alone)}</td>
      <td>{run.tried ? "–" : format.bytes(run.held)}</td>
      <td className="ds-run-changes">{run.changes.join("\n") || sameAs(run)}</td>
      <td>
        <GoBack
          name={String(run.number)}
          testId={`open-run-${run.number}`}
          now={now && (newest ? "shown" : "same graph")}
        />
      </td>
    </tr>
  );
}

/** What became of the first of two runs in the second. */
function Comparison({ before, after }: { readonly before: KnownRun; readonly after: KnownRun }) {
  const session = useSession();
  const found = useSel((s) => s.difference);
  useEffect(() => {
    session.send({ type: "request_difference", before: String(before.number), after: String(after.number) });
  }, [session, before.number, after.number]);
  const mine = found?.before === String(before.number) && found.after === String(after.number) ? found : null;
  const gain = after.pipelined / before.pipelined - 1;
  const words =
    Math.abs(gain) < 0.02 ? "as fast" : `${format.percent(Math.abs(gain))} ${gain > 0 ? "faster" : "slower"}`;
  const short = [before, after].find((run) => !run.pipelined);
  return (
    <section className="ds-run-compare" aria-label="Comparison of two runs" data-testid="compare-runs">
      <b>
        {short
          ? `Run ${short.number} was not measured in the pipeline (${format.plural(short.batches, "batch", "batches")}): speeds are not compared.`
          : `Run ${after.number} is ${words} ${words === "as fast" ? "as" : "than"} run ${before.number} in the pipeline.`}
      </b>
      <pre>{mine ? mine.lines.join("\n") || "The graphs are equal." : "…"}</pre>
    </section>
  );
}

/** States in which the document was saved: how the graph differs from each, and the way back. */
function SavedStates() {
  const session = useSession();
  const snapshots = useSel((s) => s.snapshots);
  const revision = useSel((s) => s.confirmed?.revision);
  const found = useSel((s) => s.difference);
  const [open, setOpen] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when the graph changes
  useEffect(() => {
    if (open) session.send({ type: "request_difference", before: open, after: "" });
  }, [session, open, revision]);
  if (snapshots.length === 0) return null;
  const mine = found?.before === open && found.after === "" ? found : null;
  return (
    <section aria-label="Saved states" data-testid="saved-states">
      <h5 className="ds-section-title">Saved states</h5>
      <ul className="ds-saved-states">
        {snapshots.map(({ name, when }) => (
          <li key={name}>
            <span>{when}</span>
            <code>{name.slice(-7)}</code>
            <LinkButton aria-expanded={open === name} onClick={() => setOpen(open === name ? "" : name)}>
              Changes since
            </LinkButton>
            <GoBack name={name} testId={`open-saved-${name}`} />
            {open === name && <pre>{mine ? mine.lines.join("\n") || "Nothing was changed since." : "…"}</pre>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Every run of this designer: what was changed since the one before, and what came of it. */
export function RunsPane() {
  const runs = useSel((s) => s.runs);
  const [chosen, setChosen] = useState<readonly number[]>([]);
  if (runs.length === 0)
    return (
      <div className="ds-times ds-times-empty" data-testid="runs">
        <p className="ds-muted">Press Run: each run is kept here with what was changed since the one before.</p>
        <SavedStates />
      </div>
    );
  const best = Math.max(...runs.map((r) => r.pipelined));
  const toggle = (number: number) =>
    setChosen((old) => (old.includes(number) ? old.filter((n) => n !== number) : [...old.slice(-1), number]));
  const [before, after] = runs.filter((r) => chosen.includes(r.number)).sort((a, b) => a.number - b.number);
  return (
    <div className="ds-times nowheel" data-testid="runs">
      {before && after && <Comparison before={before} after={after} />}
      <table className="ds-runs">
        <thead>
          <tr>
            <th scope="col">
              <span className="ds-hidden">compare</span>
            </th>
            <th scope="col">run</th>
            <th scope="col">when</th>
            {[PIPELINED, ALONE].map(({ name, about }) => (
              <th key={name} scope="col" title={about}>
                samples/s {name}
              </th>
            ))}
            <th scope="col" title="Memory of one batch">
              a batch holds
            </th>
            <th scope="col">changed since the run before</th>
            <th scope="col">
              <span className="ds-hidden">go back</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Row
              key={run.number}
              run={run}
              best={best}
              chosen={chosen.includes(run.number)}
              choose={() => toggle(run.number)}
            />
          ))}
        </tbody>
      </table>
      {runs.length > 1 && chosen.length < 2 && <p className="ds-muted ds-times-note">Tick two runs to compare them.</p>}
      <SavedStates />
    </div>
  );
}
