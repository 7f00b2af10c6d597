import { type PointerEvent, useState } from "react";
import { contained } from "../../core/pixels";
import { portKey } from "../../core/state";
import { middleOf, nearest } from "../../core/volume";
import type { VolumeBody } from "../../protocol/generated";
import { type PartProps, WIDE_PREVIEW } from "./PreviewView";
import { Thumb } from "./Thumb";

/** Each plane: the axis, of D, H and W, that it stands on, and those that run across and down it. */
const PLANES = [
  [0, 2, 1],
  [1, 2, 0],
  [2, 1, 0],
] as const;

/** The planes of a volume through one point: a pointer that is pressed on one of them, or its arrow keys, move the others. */
export function Planes({ body, preview, label, testId, width, height }: PartProps<VolumeBody>) {
  const { shown, extents, sides } = body;
  const [chosen, setChosen] = useState<Readonly<Record<number, number>>>({});
  const now = (axis: 0 | 1 | 2) => Math.min(chosen[axis] ?? middleOf(body, axis), shown[axis].length - 1);
  const slice = (axis: 0 | 1 | 2) => shown[axis][now(axis)] ?? 0;
  // one column has room for one plane
  const planes = width < WIDE_PREVIEW.width ? PLANES.slice(0, 1) : PLANES;
  const room = { width: width / planes.length, height };
  const cell = contained(body.width, preview.atlas_height, room);
  return (
    <div className="ds-planes">
      {planes.map(([own, across, down]) => {
        const drawn = contained(sides[across], sides[down], cell);
        const [left, top] = [cell.x + drawn.x, cell.y + drawn.y];
        const middle = (axis: 0 | 1 | 2, size: number) => ((slice(axis) + 0.5) / extents[axis]) * size;
        const lines = `M0 ${top + middle(down, drawn.height)}h${room.width}M${left + middle(across, drawn.width)} 0v${height}`;
        const move = (event: PointerEvent) => {
          if ((event.buttons & 1) === 0) return;
          const rect = event.currentTarget.getBoundingClientRect();
          const scale = room.width / rect.width;
          const at = (axis: 0 | 1 | 2, place: number, size: number) =>
            nearest(shown[axis], ((place * scale) / size) * extents[axis] - 0.5);
          setChosen({
            ...chosen,
            [across]: at(across, event.clientX - rect.left - left / scale, drawn.width),
            [down]: at(down, event.clientY - rect.top - top / scale, drawn.height),
          });
        };
        const name = `${"zyx"[own]} ${slice(own)}`;
        return (
          <div
            key={own}
            className="ds-volume nodrag"
            onPointerDown={(e) => {
              e.currentTarget.setPointerCapture(e.pointerId);
              move(e);
            }}
            onPointerMove={move}
          >
            <Thumb
              id={portKey(preview.key, preview.output)}
              {...room}
              label={`${label}, ${name} of ${extents[own]}`}
              cell={{ index: now(own) + shown.slice(0, own).flat().length, size: body.width }}
              {...(testId && own === 0 ? { testId } : {})}
            />
            <svg {...room} aria-hidden="true">
              <path d={lines} />
              <path d={lines} />
            </svg>
            <span className="ds-compare-label">{name}</span>
            <input
              type="range"
              min={0}
              max={shown[own].length - 1}
              value={now(own)}
              aria-label={`${"zyx"[own]} of ${preview.key}`}
              aria-valuetext={`${slice(own)} of ${extents[own]}`}
              data-testid={`slice-${"zyx"[own]}-${preview.key}`}
              onChange={(e) => setChosen({ ...chosen, [own]: Number(e.target.value) })}
            />
          </div>
        );
      })}
    </div>
  );
}
