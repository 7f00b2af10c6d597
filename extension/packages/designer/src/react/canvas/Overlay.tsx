import { contained } from "../../core/pixels";
import type { Preview } from "../../core/state";
import { Icon } from "../icons";

interface Props {
  readonly preview: Preview;
  readonly width: number;
  readonly height: number;
}

/** Narrower boxes, in parts of the picture, have no room for a name. */
const NAMED = 0.12;

/** Whether a name of a box stands where a card of so many px has its time, in the lower right corner. */
export function namesCorner({ body, atlas_width, atlas_height }: Preview, width: number, height: number): boolean {
  if (body.type !== "boxes") return false;
  const room = contained(atlas_width || width, atlas_height || height, { width, height });
  return body.boxes.some(([left, top, right], i) => {
    const name = right - left > NAMED && body.labels[i];
    const [x, y] = [room.x + left * room.width, room.y + top * room.height];
    return name && x + 6 * name.length + 10 > width - 62 && y + 16 > height - 22;
  });
}

/** The class of what shows a picture with axes, or a histogram: words over it keep clear of their numbers. */
export function hasAxes(preview: Preview | undefined): string {
  const body = preview?.body;
  return body?.type === "statistics" || (body?.type === "image" && body.axes) ? "ds-axes" : "";
}

const part = (value: number) => `${value * 100}%`;

/** Boxes or points of a preview, in the proportions of the picture behind them. */
export function Overlay({ preview, width, height }: Props) {
  const { body } = preview;
  if (body.type !== "boxes" && body.type !== "points") return null;
  const room = contained(preview.atlas_width || width, preview.atlas_height || height, { width, height });
  const style = {
    left: part(room.x / width),
    top: part(room.y / height),
    width: part(room.width / width),
    height: part(room.height / height),
  };
  return (
    <>
      <div className="ds-overlay" style={style} aria-hidden="true">
        {body.type === "boxes"
          ? body.boxes.map(([left, top, right, bottom], i) => (
              <i
                // biome-ignore lint/suspicious/noArrayIndexKey: a box is its place in the tensor
                key={i}
                style={{
                  left: part(left),
                  top: part(top),
                  width: part(right - left),
                  height: part(bottom - top),
                  borderColor: body.colours[i],
                }}
              >
                {right - left > NAMED && body.labels[i] && <b>{body.labels[i]}</b>}
              </i>
            ))
          : // biome-ignore lint/suspicious/noArrayIndexKey: a point is its place in the tensor
            body.points.map(([x, y], i) => <u key={i} style={{ left: part(x), top: part(y) }} />)}
      </div>
      {body.outside > 0 && (
        <span className="ds-stale-chip ds-leaves" title={`${preview.note}.`} data-testid={`leaves-${preview.key}`}>
          <Icon name="warning" size={11} />
          {body.outside} <span>outside</span>
        </span>
      )}
    </>
  );
}
