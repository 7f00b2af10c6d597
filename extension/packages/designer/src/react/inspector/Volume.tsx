import { type PointerEvent, type ReactNode, useRef } from "react";
import { DETAIL_OUT } from "../../core/pictures";
import { contained } from "../../core/pixels";
import { linesOf, pointed, type Voxel, voxelOf } from "../../core/volume";
import type { ImageDetail } from "../../protocol/generated";
import { Thumb } from "../canvas/Thumb";

const ROOM = { width: 275, height: 230 };
const PLANES = ["axial", "coronal", "sagittal"] as const;

interface Props {
  readonly detail: ImageDetail;
  readonly extents: Voxel;
  readonly label: string;
  readonly onCursor: (voxel: Voxel) => void;
  /** What opens the large view. */
  readonly large: ReactNode;
}

/** Three planes of a volume: a pointer on one of them, or a slider, moves the others. */
export function Volume({ detail, extents, label, onCursor, large }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { depth } = detail;
  const now = voxelOf(detail.plane, extents);
  const picture = contained(extents[2] + depth, extents[1] + depth, ROOM);
  const at = linesOf(now, extents, depth);
  const [x, y] = [(part: number) => part * picture.width, (part: number) => part * picture.height];
  const move = (event: PointerEvent) => {
    const rect = box.current?.getBoundingClientRect();
    if (!rect || (event.buttons & 1) === 0) return;
    const place = [(event.clientX - rect.left) / rect.width, (event.clientY - rect.top) / rect.height] as const;
    onCursor(pointed(now, extents, depth, ...place));
  };
  const lines = [
    `M0 ${y(at.y)}H${picture.width}`,
    `M${x(at.x)} 0V${picture.height}`,
    `M0 ${y(at.coronal)}H${x(at.across)}`,
    `M${x(at.sagittal)} 0V${y(at.down)}`,
  ];
  const corners = [
    { left: 4, top: 4 },
    { left: 4, top: y(at.down) + 4 },
    { left: x(at.across) + 4, top: 4 },
  ];
  return (
    <>
      <div
        ref={box}
        className="ds-compare ds-volume"
        style={{ width: picture.width, height: picture.height }}
        data-testid="volume"
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          move(e);
        }}
        onPointerMove={move}
      >
        <Thumb id={DETAIL_OUT} width={picture.width} height={picture.height} label={label} testId="detail-out" />
        <svg width={picture.width} height={picture.height} aria-hidden="true">
          <path d={lines.join("")} />
          <path d={lines.join("")} />
        </svg>
        {PLANES.map((name, i) => (
          <span key={name} className="ds-compare-label" style={corners[i]}>
            {name}
          </span>
        ))}
        {large}
      </div>
      {PLANES.map((name, axis) => (
        <label key={name} className="ds-plane">
          <span>{name}</span>
          <input
            type="range"
            min={0}
            max={(extents[axis] ?? 1) - 1}
            value={now[axis]}
            aria-valuetext={`${now[axis]} of ${extents[axis]}`}
            data-testid={`plane-${name}`}
            onChange={(e) => {
              const next: [number, number, number] = [...now];
              next[axis] = Number(e.target.value);
              onCursor(next);
            }}
          />
          <output>
            {"zyx"[axis]} {now[axis]} of {extents[axis]}
          </output>
        </label>
      ))}
    </>
  );
}
