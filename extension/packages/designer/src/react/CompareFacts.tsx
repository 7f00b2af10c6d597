import { useState } from "react";
import * as format from "../core/format";
import { STRIP_IMAGE } from "../core/pictures";
import type { Pair } from "../protocol/generated";
import { Thumb } from "./canvas/Thumb";
import { useSel, useSession } from "./context";
import { LinkButton } from "./parts";

/** How far apart two outputs are in the shown sample. */
export function PairFacts({ pair }: { readonly pair: Pair }) {
  const note = pair.note && <p className="ds-muted">{pair.note}</p>;
  if (pair.note.includes("gives no picture")) return note;
  const most = Math.max(1, ...pair.histogram);
  const [zero, half, largest, mean] = format.alike([0, pair.largest / 2, pair.largest, pair.mean]);
  const figures = [
    ["mean", mean],
    ["largest", largest],
    ["PSNR", pair.peak > 0 && `${pair.peak.toFixed(1)} dB`],
  ] as const;
  return (
    <section data-testid="pair-facts">
      <h5 className="ds-section-title">
        Difference per value <span>{pair.facts_a}</span>
      </h5>
      {note}
      {pair.same ? (
        <p>Equal in this sample.</p>
      ) : (
        <>
          <svg
            viewBox="0 0 240 48"
            preserveAspectRatio="none"
            className="ds-pair-histogram"
            role="img"
            aria-label="histogram of the difference"
          >
            {pair.histogram.map((n, i) => {
              const height = Math.sqrt(n / most) * 46;
              // biome-ignore lint/suspicious/noArrayIndexKey: a span is its place
              return <rect key={i} x={i * 10} y={48 - height} width={8.5} height={height} />;
            })}
          </svg>
          <div className="ds-pair-axis">
            {[zero, half, largest].map((value) => (
              <span key={value}>{value}</span>
            ))}
          </div>
          <dl>
            {figures.map(
              ([name, value]) =>
                value && (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                  </div>
                ),
            )}
          </dl>
        </>
      )}
    </section>
  );
}

/** How far apart the samples of the batch are, the farthest first; a click shows one. */
export function OverBatch() {
  const session = useSession();
  const means = useSel((s) => s.pairBatch?.means ?? []);
  const strip = useSel((s) => s.strip);
  const sample = useSel((s) => s.sample);
  const iteration = useSel((s) => s.iteration);
  const [all, setAll] = useState(false);
  const most = Math.max(0, ...means);
  if (means.length < 2) return null;
  if (most === 0) return <p className="ds-muted">Equal in all {means.length} samples.</p>;
  const said = format.alike(means);
  const order = means.map((_, k) => k).sort((j, k) => (means[k] ?? 0) - (means[j] ?? 0));
  return (
    <section data-testid="pair-batch">
      <h5 className="ds-section-title">
        Over the batch <span>mean per sample</span>
      </h5>
      {order.slice(0, all ? order.length : 4).map((k) => (
        <button
          key={k}
          type="button"
          className="ds-pair-sample"
          aria-current={k === sample}
          aria-label={`sample ${k + 1}`}
          onClick={() => session.chooseSample(k, iteration)}
        >
          {strip && strip.cell > 0 ? (
            <Thumb id={STRIP_IMAGE} width={36} height={24} cover label="" cell={{ index: k, size: strip.cell }} />
          ) : (
            <span>{k + 1}</span>
          )}
          <i style={{ "--ds-share": String(Math.max(0, means[k] ?? 0) / most) }} />
          <span>{(means[k] ?? -1) < 0 ? "–" : said[k]}</span>
        </button>
      ))}
      {order.length > 4 && (
        <LinkButton onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `Show all ${order.length}, largest first`}
        </LinkButton>
      )}
    </section>
  );
}
