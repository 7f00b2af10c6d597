import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { ARROWS } from "../../core/arrows";
import * as format from "../../core/format";
import { timingOf } from "../../core/select";
import { type Bar, barsOf, type Span, shifted, ticksOf, wholeSpan, zoomed } from "../../core/timeline";
import type { Timeline } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { IconButton } from "../parts";
import { useRoom } from "../useRoom";

const LANE = 33;
const BAR = 22;
const AXIS = 24;
/** A letter is about as wide, in px. */
const LETTER = 6.2;

function words(bar: Bar, lanes: readonly string[]): string {
  const steps = bar.count > 1 ? `${format.plural(bar.count, "step")}, most of them of ${bar.key}` : bar.key;
  return `${steps}: ${format.time(bar.milliseconds)} in batch ${bar.batch}, ${lanes[bar.lane] ?? ""}`;
}
/** Width of the buttons that stand over the end of the axis. */
const BUTTONS = 76;

function Bars({ bars, lanes }: { readonly bars: readonly Bar[]; readonly lanes: readonly string[] }) {
  const session = useSession();
  const chosen = useSel((s) => s.view.selection);
  const heat = useSel((s) =>
    Object.fromEntries([...new Set(bars.map((b) => b.key))].map((k) => [k, timingOf(s, k)?.share ?? 0])),
  );
  return (
    <>
      {bars.map((bar) => {
        const y = AXIS + bar.lane * LANE + (LANE - BAR) / 2;
        const step = format.heatStep(heat[bar.key] ?? 0);
        const fits = bar.width > bar.key.length * LETTER + 10;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the same nodes are in the table beside it, which keys reach
          <g
            key={`${bar.lane}|${bar.x}`}
            className={`ds-work ${chosen.includes(bar.key) ? "ds-work-now" : ""}`}
            data-key={bar.key}
            onClick={() => session.select([bar.key])}
          >
            <title>{words(bar, lanes)}</title>
            <rect
              x={bar.x}
              y={y}
              width={Math.max(bar.width, 0.7)}
              height={BAR}
              rx={bar.width > 6 ? 3 : 0}
              className={`ds-fill-${step}`}
            />
            {fits && (
              <text x={bar.x + 5} y={y + 15} className={`ds-ink-${step}`}>
                {bar.key}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

/** Lanes by thread: what each did, and when. */
export function Lanes({ timeline }: { readonly timeline: Timeline }) {
  const { box, width } = useRoom(800);
  const whole = useMemo(() => wholeSpan(timeline), [timeline]);
  const [span, setSpan] = useState<Span>(whole);
  const drag = useRef<{ readonly x: number; readonly span: Span } | null>(null);
  const bars = useMemo(() => barsOf(timeline, span, width), [timeline, span, width]);
  useEffect(() => setSpan(whole), [whole]);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
      event.preventDefault();
      const part = (event.clientX - element.getBoundingClientRect().left) / element.clientWidth;
      setSpan((s) => {
        const length = s.to - s.from;
        if (!event.ctrlKey && !event.metaKey) return shifted(s, whole, (event.deltaX / element.clientWidth) * length);
        return zoomed(s, whole, 1.0015 ** event.deltaY, s.from + part * length);
      });
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [box, whole]);
  const scale = width / (span.to - span.from);
  const place = (at: number) => (at - span.from) * scale;
  const zoom = (factor: number) => setSpan((s) => zoomed(s, whole, factor, (s.from + s.to) / 2));
  const onKey = (event: KeyboardEvent) => {
    const step = ARROWS[event.key]?.[0];
    if (step) setSpan((s) => shifted(s, whole, step * 0.2 * (s.to - s.from)));
    else if (event.key === "+" || event.key === "=") zoom(0.6);
    else if (event.key === "-") zoom(1 / 0.6);
    else if (event.key === "0") setSpan(whole);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onMove = (event: PointerEvent) => {
    const from = drag.current;
    if (!from || Math.abs(event.clientX - from.x) < 3) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setSpan(shifted(from.span, whole, (from.x - event.clientX) / scale));
  };
  const shown = Math.floor(timeline.steps.length / 2);
  const [stepBegin, stepEnd] = timeline.steps[shown] ?? [0, 0];
  const height = AXIS + timeline.lanes.length * LANE;
  const middle = place((stepBegin + stepEnd) / 2);
  const said = `batch ${timeline.first + shown}, ${format.time(stepEnd - stepBegin)}`;
  // half of what it takes, with that of a tick
  const taken = said.length * 3.2 + 18;
  const seen = ticksOf(span, width).filter((tick) => place(tick) < width - BUTTONS);
  return (
    <div className="ds-lanes" data-testid="lanes">
      <div className="ds-lane-names" style={{ paddingTop: AXIS }}>
        {timeline.lanes.map((lane) => (
          <div key={lane} style={{ height: LANE }}>
            {lane}
          </div>
        ))}
      </div>
      <section
        ref={box}
        className="ds-lane-box"
        aria-label={`Timeline of ${format.plural(timeline.steps.length, "batch", "batches")}; + and - zoom, arrows move`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that zooms by keys
        tabIndex={0}
        onKeyDown={onKey}
        onPointerDown={(e) => {
          drag.current = { x: e.clientX, span };
        }}
        onPointerMove={onMove}
        onPointerUp={() => {
          drag.current = null;
        }}
        onDoubleClick={() => setSpan(whole)}
      >
        <svg width={width} height={height} aria-hidden="true">
          <rect
            className="ds-lane-step"
            x={place(stepBegin)}
            y={0}
            width={Math.max(0, (stepEnd - stepBegin) * scale)}
            height={height}
          />
          {timeline.lanes.map((lane, i) => (
            <line key={lane} className="ds-lane-line" x1={0} x2={width} y1={AXIS + i * LANE} y2={AXIS + i * LANE} />
          ))}
          {seen.map((tick, i) => (
            <text
              key={tick}
              className="ds-lane-tick"
              x={place(tick)}
              y={15}
              style={place(tick) < 14 ? { textAnchor: "start" } : undefined}
              visibility={Math.abs(place(tick) - middle) < taken ? "hidden" : undefined}
            >
              {i === 0 ? `${format.number(tick)} ms` : format.number(tick)}
            </text>
          ))}
          <text className="ds-lane-length" x={middle} y={15}>
            <title>This one batch; what stands above is of all</title>
            {said}
          </text>
          <Bars bars={bars} lanes={timeline.lanes} />
        </svg>
      </section>
      <div className="ds-lane-zoom">
        <IconButton icon="minus" label="Zoom out (-)" small onClick={() => zoom(1 / 0.6)} />
        <IconButton icon="plus" label="Zoom in (+)" small onClick={() => zoom(0.6)} />
        <IconButton icon="fit" label="Show all (0)" small onClick={() => setSpan(whole)} />
      </div>
    </div>
  );
}
