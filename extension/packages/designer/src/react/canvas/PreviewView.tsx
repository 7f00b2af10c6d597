import * as format from "../../core/format";
import { contained } from "../../core/pixels";
import { type Preview, portKey } from "../../core/state";
import type { BoxesBody, PointsBody, PreviewBody, StatisticsBody, TableBody, WaveBody } from "../../protocol/generated";
import { useSel } from "../context";
import { Histogram } from "../Histogram";
import { Values } from "./CardParts";
import { Frames } from "./Frames";
import { Overlay } from "./Overlay";
import { Planes } from "./Planes";
import { Thumb } from "./Thumb";

/** The room of a card's picture, in px of the canvas. */
export const PREVIEW_WIDTH = 148;
export const PREVIEW_HEIGHT = 98;
/** That of a card of two columns. */
export const WIDE_PREVIEW = { width: 332, height: 132 } as const;

interface Props {
  readonly preview: Preview;
  readonly label: string;
  readonly testId?: string | undefined;
  readonly width?: number;
  readonly height?: number;
  /** Of a sequence one frame alone. */
  readonly bare?: boolean;
}

export type PartProps<T extends PreviewBody> = Required<Omit<Props, "testId" | "bare">> & {
  readonly body: T;
  readonly testId: string | undefined;
};

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
    <div style={{ position: "relative", width, height }}>
      <Thumb
        id={portKey(preview.key, preview.output)}
        width={width}
        height={height}
        label={words}
        {...(testId ? { testId } : {})}
      />
      <Overlay {...props} />
    </div>
  );
}

function Table({ body, label, testId, width, height }: PartProps<TableBody>) {
  const words = (cell: string) => (width <= PREVIEW_WIDTH && Number(cell) ? format.short(Number(cell)) : cell);
  const most = Math.max(...body.rows.flat().map((cell) => Math.abs(Number(cell)) || 0));
  return (
    <div
      className={`ds-table nowheel ${body.rows[0]?.[1] ? "ds-matrix" : ""}`}
      style={{ maxHeight: height }}
      data-testid={testId}
    >
      <table aria-label={label}>
        <tbody>
          {body.rows.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the tensor
            <tr key={i}>
              {row.map((cell, k) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place in the tensor
                <td key={k} style={{ "--ds-part": Number(cell) / most || 0 }}>
                  {words(cell).replace(/^-/, "−")}
                </td>
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
  const value = at?.items.find(
    ({ side: { port, steps } }) => !steps && port.node === preview.key && (port.output ?? 0) === preview.output,
  );
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
export function PreviewView({ preview, label, testId, width = PREVIEW_WIDTH, height = PREVIEW_HEIGHT, bare }: Props) {
  const sample = useSel((s) => s.sample);
  const { body } = preview;
  const part = { preview, label, testId, width, height };
  switch (body.type) {
    case "image":
    case "planes":
      if (body.type === "planes" && !bare) return <Frames {...part} body={body} />;
      return (
        <>
          <Thumb
            id={portKey(preview.key, preview.output)}
            width={width}
            height={height}
            label={label}
            cell={body.type === "planes" ? { index: 0, size: body.width } : undefined}
            {...(testId ? { testId } : {})}
          />
          <Probed preview={preview} width={width} height={height} />
        </>
      );
    case "volume":
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
