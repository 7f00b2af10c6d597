import * as format from "../core/format";
import { STRIP_IMAGE } from "../core/pictures";
import { batchFailures, severity } from "../core/select";
import { Thumb } from "./canvas/Thumb";
import { useFrame, useSel } from "./context";
import { IconButton, LinkButton } from "./parts";

const SHOWN = 8;

/** One cell of the strip's picture. */
function SampleThumb(cell: { readonly index: number; readonly size: number }) {
  return <Thumb id={STRIP_IMAGE} width={24} height={24} label="" cell={cell} cover />;
}

/** Batch and sample choosers: the chosen sample is shown everywhere. */
export function SampleStripView() {
  const { session, breadth } = useFrame();
  const state = useSel((s) => ({
    sample: s.sample,
    iteration: s.iteration,
    count: s.batchSize,
    none: !s.strip?.cell && Object.keys(s.previews).length === 0,
  }));
  const strip = useSel((s) => s.strip);
  const failed = useSel(batchFailures);
  const { sample, iteration, count, none } = state;
  const choose = (k: number) => session.chooseSample(k, iteration);
  const first = Math.max(0, Math.min(sample - Math.floor(SHOWN / 2), count - SHOWN));
  const cells = Array.from({ length: Math.min(SHOWN, count) }, (_, i) => first + i);
  const small = breadth === "list" || breadth === "slim";
  const pictures = !small && strip !== null && strip.cell > 0 ? strip : null;
  const thumbs = breadth === "wide" && pictures !== null;
  /** By one batch or sample, back or on. */
  const step = (name: string, key: string, on: boolean, end: boolean, go: () => void) => (
    <IconButton
      icon={on ? "right" : "left"}
      label={`${on ? "Next" : "Previous"} ${name}${key}`}
      testId={`${name}-${on ? "next" : "previous"}`}
      disabled={none || end}
      onClick={go}
    />
  );
  return (
    <>
      <span className={`ds-stepper ${small ? "ds-hidden" : ""}`}>
        {step("batch", "", false, iteration === 0, () => session.chooseSample(sample, iteration - 1))}
        <span data-testid="batch">
          <u>Batch </u>
          {none ? "–" : iteration + 1}
        </span>
        {step("batch", "", true, false, () => session.chooseSample(sample, iteration + 1))}
      </span>
      {thumbs && (
        <span className="ds-thumbs" role="listbox" aria-label="Sample">
          {cells.map((k) => {
            const name = pictures.names[k] || `sample ${k + 1}`;
            const found = failed.find((d) => d.sample === k);
            const bad = found && severity(found);
            const title = found
              ? format.plain(`${name}\n${found.node}: ${format.message(found.message)} ${found.hint ?? ""}`)
              : name;
            return (
              <button
                key={k}
                type="button"
                role="option"
                aria-selected={k === sample}
                className={`ds-sample ${k === sample ? "ds-sample-now" : ""} ${bad ? `ds-sample-bad ds-tone-${bad}` : ""}`}
                title={title}
                aria-label={title}
                data-testid={`sample-${k}`}
                onClick={() => choose(k)}
              >
                {k < pictures.count ? <SampleThumb index={k} size={pictures.cell} /> : k + 1}
              </button>
            );
          })}
        </span>
      )}
      <span className="ds-stepper">
        {thumbs && count > SHOWN && (
          <LinkButton
            title="Show the whole batch"
            data-testid="samples-more"
            onClick={() => session.view({ drawer: "batch" })}
          >
            +{format.grouped(count - SHOWN)}
          </LinkButton>
        )}
        {!thumbs && step("sample", " ([)", false, sample === 0, () => choose(sample - 1))}
        {!thumbs && pictures && sample < pictures.count && (
          <span className="ds-sample" title={pictures.names[sample]}>
            <SampleThumb index={sample} size={pictures.cell} />
          </span>
        )}
        <span className="ds-muted" data-testid="sample-count">
          {none ? "–" : `${format.grouped(sample + 1)} of ${format.grouped(count)}`}
        </span>
        {!thumbs && step("sample", " (])", true, sample + 1 >= count, () => choose(sample + 1))}
      </span>
    </>
  );
}
