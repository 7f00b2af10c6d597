import { useState } from "react";
import * as format from "../../core/format";
import { isOld } from "../../core/select";
import { headroomOf } from "../../core/target";
import type { Advice, Speed, Trial } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { Icon } from "../icons";
import { IconButton, LinkButton, SmallButton, worded } from "../parts";
import { Track } from "./Track";

function Meter({
  name,
  speed,
  most,
  target,
  tone,
}: {
  readonly name: string;
  readonly speed: Speed;
  readonly most: number;
  readonly target: number;
  readonly tone: string;
}) {
  return (
    <div className="ds-meter" data-testid={`trial-${name}`}>
      <span>{name}</span>
      <Track speed={speed.samples_per_second} most={most} target={target} tone={tone} />
      <span>
        <b>{format.throughput(speed.samples_per_second)}</b> samples/s
      </span>
    </div>
  );
}

function verdict(trial: Trial): { readonly words: string; readonly faster: boolean } {
  const gain = trial.after.samples_per_second / (trial.before.samples_per_second || 1) - 1;
  if (Math.abs(gain) < 0.02) return { words: "No difference that can be measured", faster: false };
  return { words: `${format.percent(Math.abs(gain))} ${gain > 0 ? "faster" : "slower"}`, faster: gain > 0 };
}

/** What was measured before and after, and whether it is kept. */
function TrialCard({ trial, advice }: { readonly trial: Trial; readonly advice: Advice }) {
  const session = useSession();
  const target = useSel((s) => s.confirmed?.target ?? 0);
  const old = useSel(isOld);
  const kept = useSel((s) => s.trialKept && isOld(s));
  const back = () => session.forgetTrial();
  if (trial.failed.length > 0 || trial.batches === 0)
    return (
      <section className="ds-trial" data-testid="trial">
        <b>{trial.stopped ? "Stopped before it was measured." : "It cannot be run so:"}</b>
        <p>{worded(trial.failed[0]?.message ?? "")}</p>
        <SmallButton onClick={back}>Go back</SmallButton>
      </section>
    );
  const { words, faster } = verdict(trial);
  const most = 1.1 * Math.max(trial.before.samples_per_second, trial.after.samples_per_second, target);
  return (
    <section className="ds-trial" aria-label="Measured result" data-testid="trial">
      <div className="ds-trial-head">
        <b className={faster ? "ds-good" : "ds-muted"}>
          {kept && "Kept: "}
          {words}
        </b>
        {target > 0 && <span className="ds-muted">{headroomOf(trial.after.samples_per_second, target)}</span>}
      </div>
      <Meter name="before" speed={trial.before} most={most} target={target} tone="before" />
      <Meter name="after" speed={trial.after} most={most} target={target} tone={faster ? "good" : "after"} />
      <div className="ds-trial-foot">
        {!kept && (
          <SmallButton
            primary={faster}
            data-testid="keep-trial"
            disabled={old}
            title={old ? "The graph was changed since." : "Change the pipeline so"}
            onClick={() => session.keepTrial(advice.name)}
          >
            Keep it
          </SmallButton>
        )}
        <SmallButton primary={!faster && !kept} data-testid="drop-trial" onClick={back}>
          {kept ? "Close" : "Go back"}
        </SmallButton>
        <span className="ds-muted">
          p95 of a batch: {format.time(trial.before.p95)} → {format.time(trial.after.p95)},{" "}
          {format.plural(trial.batches, "batch", "batches")} each in the pipeline
        </span>
      </div>
    </section>
  );
}

/** What sets the pace, with its numbers, and what was measured of the way out. */
export function AdviceCards() {
  const session = useSession();
  const all = useSel((s) => s.run.finished?.advice ?? []);
  const state = useSel((s) => ({
    old: isOld(s),
    running: s.run.running,
    trial: s.trial,
    trying: s.trying,
    kept: s.trialKept && isOld(s),
  }));
  const [at, setAt] = useState(0);
  const advice = all.find((a) => a.name === state.trying) ?? all[Math.min(at, all.length - 1)];
  if (!advice) return null;
  const shown = state.trial && state.trial.name === advice.name ? state.trial : null;
  return (
    <div className="ds-advice-row">
      <section className="ds-advice" aria-label="What sets the pace" data-testid={`advice-${advice.name}`}>
        <Icon name="warning" />
        <div>
          <p>
            <b>{format.sentence(advice.lead)}</b> {advice.proof}
          </p>
          <p className="ds-muted">{advice.offer}</p>
          <p className="ds-advice-foot">
            {shown && state.kept && <b className="ds-good">Taken</b>}
            {advice.measurable && !(shown && state.kept) && (
              <SmallButton
                data-testid="try"
                disabled={state.running || state.old}
                title={state.old ? "Press Run: the graph was changed since." : "Measure it; nothing changes"}
                onClick={() => session.tryAdvice(advice.name)}
              >
                {shown ? "Try it again" : "Try it"}
              </SmallButton>
            )}
            {advice.node && <LinkButton onClick={() => session.select([advice.node])}>Show {advice.node}</LinkButton>}
            {state.old && (
              <span className="ds-muted">
                {state.kept ? "Run measures all anew" : "measured before the last change"}
              </span>
            )}
            {all.length > 1 && (
              <span className="ds-advice-turn">
                <IconButton
                  icon="left"
                  label="The one before"
                  small
                  disabled={at === 0}
                  onClick={() => setAt(Math.max(0, at - 1))}
                />
                {Math.min(at, all.length - 1) + 1} of {all.length}
                <IconButton
                  icon="right"
                  label="The next one"
                  small
                  disabled={at >= all.length - 1}
                  onClick={() => setAt(at + 1)}
                />
              </span>
            )}
          </p>
        </div>
      </section>
      {shown && <TrialCard trial={shown} advice={advice} />}
    </div>
  );
}
