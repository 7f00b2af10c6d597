import { type PointerEvent, useEffect, useState } from "react";
import * as format from "../../core/format";
import { contained } from "../../core/pixels";
import { type Preview, portKey } from "../../core/state";
import type {
  BoxesBody,
  PlanesBody,
  PointsBody,
  PreviewBody,
  StatisticsBody,
  TableBody,
  WaveBody,
} from "../../protocol/generated";
import { useSel } from "../context";
import { Histogram } from "../Histogram";
import { Icon } from "../icons";
import { Values } from "./CardParts";
import { Overlay } from "./Overlay";
import { Thumb } from "./Thumb";

/** The room of a card's picture, in px of the canvas. */
export const PREVIEW_WIDTH = 148;
export const PREVIEW_HEIGHT = 98;

interface Props {
  readonly preview: Preview;
  readonly label: string;
  readonly testId?: string | undefined;
  readonly width?: number;
  readonly height?: number;
}

type PartProps<T extends PreviewBody> = Required<Omit<Props, "testId">> & {
  readonly body: T;
  readonly testId: string | undefined;
};

/** Of sequences of which nothing says when their frames are shown. */
const FRAMES_PER_SECOND = 25;

/** Milliseconds from one frame that is shown to the next, at the speed of the file; one that stands for several stays as long as these. */
function millisecondsEach({ times, shown, count }: PlanesBody): number {
  const steps = times.slice(1).map((time, i) => Math.abs(time - (times[i] ?? 0)));
  const seconds = steps.reduce((sum, step) => sum + step, 0) / Math.max(1, steps.length);
  return 1000 * (seconds || count / shown.length / FRAMES_PER_SECOND);
}

/** Goes through frames while it is on. */
function usePlay(body: PlanesBody, step: (next: (now: number | null) => number) => void): [boolean, () => void] {
  const [on, setOn] = useState(false);
  const frames = body.shown.length;
  const each = millisecondsEach(body);
  // biome-ignore lint/correctness/useExhaustiveDependencies: setters are always the same
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => step((now) => ((now ?? -1) + 1) % frames), each);
    return () => clearInterval(timer);
  }, [on, frames, each]);
  return [on, () => setOn(!on)];
}

/** Frames stand side by side, the one that is pointed at or played alone; of slices one is shown, and a slider chooses it. */
function Planes({ body, preview, label, testId, width, height }: PartProps<PlanesBody>) {
  const middle = Math.floor(body.count / 2);
  const first = body.shown.findIndex((i) => i >= middle);
  const [chosen, setChosen] = useState<number | null>(null);
  const [playing, play] = usePlay(body, setChosen);
  const [differs, setDiffers] = useState(false);
  const id = portKey(preview.key, preview.output);
  if (body.axis === "F") {
    const frames = body.shown.length;
    // Of the first frame, and where none is pointed at, some difference is shown: that of the first two, or of the last.
    const at = differs && frames > 1 ? Math.max(1, chosen ?? frames - 1) : chosen;
    const minus = differs && at !== null && frames > 1 ? at - 1 : undefined;
    const part = at === null ? {} : { cell: { index: at, size: body.width }, minus };
    const time = (i: number) => body.times[i]?.toFixed(2) ?? "";
    const span = at === null ? `${time(0)} – ${time(body.times.length - 1)} s` : `${time(at)} s`;
    const scrub = (event: PointerEvent<HTMLElement>) => {
      const box = (event.currentTarget.firstElementChild ?? event.currentTarget).getBoundingClientRect();
      const place = Math.floor(((event.clientX - box.left) / box.width) * body.shown.length);
      setChosen(Math.max(0, Math.min(body.shown.length - 1, place)));
    };
    return (
      <div className="ds-scrub" {...(playing ? {} : { onPointerMove: scrub, onPointerLeave: () => setChosen(null) })}>
        <Thumb id={id} width={width} height={height} label={label} {...part} {...(testId ? { testId } : {})} />
        <div className="ds-frames" aria-hidden="true">
          {body.shown.map((frame, i) => (
            <span key={frame} className={i === at ? "ds-frame-now" : ""}>
              <i>{frame}</i>
            </span>
          ))}
        </div>
        {body.times.length > 0 && (
          <output
            className="ds-frames-time"
            data-testid={`time-${preview.key}`}
            title="Seconds from the begin of the file"
          >
            {span}
          </output>
        )}
        {frames > 1 && (
          <button
            type="button"
            className="ds-frames-differ nodrag"
            aria-label="Difference from the frame before, of those shown"
            title="Difference from the frame before, of those shown"
            aria-pressed={differs}
            data-testid={`differ-${preview.key}`}
            onClick={(event) => {
              event.stopPropagation();
              setDiffers(!differs);
            }}
          >
            Δ
          </button>
        )}
        <button
          type="button"
          className="ds-frames-play nodrag"
          aria-label={playing ? "Stop" : "Play the frames"}
          aria-pressed={playing}
          data-testid={`play-${preview.key}`}
          onClick={(event) => {
            event.stopPropagation();
            play();
            setChosen(null);
          }}
        >
          <Icon name={playing ? "stop" : "run"} size={10} />
        </button>
      </div>
    );
  }
  const index = Math.min(chosen ?? Math.max(0, first), body.shown.length - 1);
  const slice = body.shown[index] ?? 0;
  return (
    <>
      <Thumb
        id={id}
        width={width}
        height={height}
        label={`${label}, slice ${slice} of ${body.count}`}
        cell={{ index, size: body.width }}
        {...(testId ? { testId } : {})}
      />
      <label className="ds-slices nodrag" title="Slice of the volume">
        <input
          type="range"
          min={0}
          max={body.shown.length - 1}
          value={index}
          aria-label={`Slice of ${preview.key}`}
          aria-valuetext={`${slice} of ${body.count}`}
          data-testid={`slice-${preview.key}`}
          onChange={(e) => setChosen(Number(e.target.value))}
        />
        <span>{slice}</span>
      </label>
    </>
  );
}

/** A wave, with its frequencies below it where they have come. */
function Sound(props: PartProps<WaveBody>) {
  const { preview, label, width } = props;
  if (!preview.atlas_width) return <Wave {...props} />;
  const lower = preview.atlas_height * (width / preview.atlas_width);
  return (
    <>
      <Wave {...props} height={props.height - lower} />
      <Thumb id={portKey(preview.key, preview.output)} width={width} height={lower} label={`frequencies of ${label}`} />
    </>
  );
}

/** The lowest and the highest value of each span, channels below each other. */
function Wave({ body, label, testId, width, height }: PartProps<WaveBody>) {
  const lane = height / Math.max(1, body.channels.length);
  return (
    <svg
      className="ds-wave"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      data-testid={testId}
    >
      {body.channels.map((spans, channel) => {
        const middle = lane * (channel + 0.5);
        const step = width / Math.max(1, spans.length);
        const y = (value: number) => middle - (value / body.peak) * (lane / 2 - 3);
        // at least a line where there is silence
        const bars = spans.map(([low, high], i) => {
          const top = y(high) - 0.4;
          return `M${(i * step).toFixed(2)} ${top.toFixed(2)}h${step.toFixed(2)}V${(y(low) + 0.4).toFixed(2)}h${(-step).toFixed(2)}z`;
        });
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a channel is its place
          <g key={channel}>
            <line x1="0" x2={width} y1={middle} y2={middle} />
            <path d={bars.join("")} />
          </g>
        );
      })}
    </svg>
  );
}

/** What belongs to a picture, over it. */
function Over(props: PartProps<BoxesBody | PointsBody>) {
  const { body, preview, label, testId, width, height } = props;
  const things = body.type === "boxes" ? format.plural(body.count, "box", "boxes") : format.plural(body.count, "point");
  const words = `${label}, ${things}${body.over ? ` over ${body.over}` : ""}`;
  return (
    <>
      <Thumb
        id={portKey(preview.key, preview.output)}
        width={width}
        height={height}
        label={words}
        {...(testId ? { testId } : {})}
      />
      <Overlay {...props} />
    </>
  );
}

function Table({ body, label, testId, height }: PartProps<TableBody>) {
  return (
    <div className="ds-table nowheel" style={{ maxHeight: height }} data-testid={testId}>
      <table aria-label={label}>
        <tbody>
          {body.rows.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the tensor
            <tr key={i}>
              {row.map((cell, k) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place in the tensor
                <td key={k}>{cell.replace(/^-/, "−")}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Statistics({ body, label, testId }: PartProps<StatisticsBody>) {
  return (
    <div className="ds-statistics" role="img" aria-label={label} data-testid={testId}>
      <Histogram bins={[body.histogram]} />
      <p>
        <span>{format.short(body.minimum)}</span>
        <span>{format.short(body.maximum)}</span>
      </p>
      <p>
        <span>mean {format.short(body.mean)}</span>
        <span title="standard deviation">sd {format.short(body.deviation)}</span>
      </p>
    </div>
  );
}

/** The pixel that is pointed at in the inspector, and its numbers here. */
function Probed({ preview, width, height }: { preview: Preview; width: number; height: number }) {
  const at = useSel((s) => s.pixel);
  const value = at?.items.find((i) => i.port.node === preview.key && (i.port.output ?? 0) === preview.output);
  if (!at || !value) return null;
  const room = contained(preview.atlas_width, preview.atlas_height, { width, height });
  return (
    <>
      <i className="ds-cross" style={{ left: room.x + at.x * room.width, top: room.y + at.y * room.height }} />
      <p className="ds-pixel" data-testid={`pixel-${preview.key}`}>
        {value.values.map((n) => format.number(Number(n.toPrecision(3)))).join(" ")}
      </p>
    </>
  );
}

/** What a node gives for the shown sample, by the kind of its data. */
export function PreviewView({ preview, label, testId, width = PREVIEW_WIDTH, height = PREVIEW_HEIGHT }: Props) {
  const sample = useSel((s) => s.sample);
  const { body } = preview;
  const part = { preview, label, testId, width, height };
  switch (body.type) {
    case "image":
      return (
        <>
          <Thumb
            id={portKey(preview.key, preview.output)}
            width={width}
            height={height}
            label={label}
            {...(testId ? { testId } : {})}
          />
          <Probed preview={preview} width={width} height={height} />
        </>
      );
    case "planes":
      return <Planes {...part} body={body} />;
    case "wave":
      return <Sound {...part} body={body} />;
    case "boxes":
    case "points":
      return <Over {...part} body={body} />;
    case "values":
      return <Values values={body.values} sample={sample} />;
    case "table":
      return <Table {...part} body={body} />;
    case "statistics":
      return <Statistics {...part} body={body} />;
    case "text":
      return (
        <div className={`ds-hex ${body.hex ? "" : "ds-plain"}`} data-testid={testId}>
          {body.text}
        </div>
      );
    default:
      return body satisfies never;
  }
}
