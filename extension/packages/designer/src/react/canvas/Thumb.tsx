import { useEffect, useRef } from "react";
import type { Detail } from "../../core/detail";
import type { Picture } from "../../core/images";
import type { Rect } from "../../core/route";
import { useSession } from "../context";
import { useDetail } from "./detail";

/** Draw a picture into a part of a canvas: contained, never stretched, cropped only if it is to cover the part. */
export function drawContained(
  context: CanvasRenderingContext2D,
  picture: Picture | undefined,
  part: Rect,
  cover = false,
): void {
  const { width, height } = part;
  if (!picture || picture.width === 0) return;
  const fit = cover ? Math.max : Math.min;
  const scale = fit(width / picture.width, height / picture.height);
  const w = picture.width * scale;
  const h = picture.height * scale;
  context.imageSmoothingEnabled = scale < 4;
  context.imageSmoothingQuality = "high";
  const { bitmap, x, y } = picture;
  context.drawImage(
    bitmap,
    x,
    y,
    picture.width,
    picture.height,
    part.x + (width - w) / 2,
    part.y + (height - h) / 2,
    w,
    h,
  );
}

/** Pixels for each px of a picture: what the screen shows at 200 %, less where cards are small. */
function ratioAt(detail: Detail): number {
  const screen = globalThis.devicePixelRatio || 1;
  if (detail === "full") return Math.min(3, Math.max(2, screen));
  return Math.max(1, screen) * (detail === "compact" ? 0.9 : 0.45);
}

interface Props {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly label: string;
  readonly testId?: string;
  readonly className?: string;
  /** Part of the picture to show, for strips of equal cells. */
  readonly cell?: { readonly index: number; readonly size: number };
  /** Of strips: the cell whose difference from `cell` is shown in its place. */
  readonly minus?: number | undefined;
  readonly cover?: boolean;
  /** Whether it is as large as what it stands in, which has its proportions. */
  readonly fill?: boolean;
  /** Where in it the picture is: what is resized while a value is dragged would be another layer of the page at each step. */
  readonly at?: Rect;
}

/** A canvas that draws one of the session's pictures whenever it changes, without React. */
export function Thumb({
  id,
  width,
  height,
  label,
  testId,
  className = "",
  cell,
  minus,
  cover = false,
  fill,
  at,
}: Props) {
  const { images } = useSession();
  const ratio = ratioAt(useDetail());
  const ref = useRef<HTMLCanvasElement>(null);
  const index = cell?.index;
  const size = cell?.size ?? 0;
  const room = useRef<Rect>();
  room.current = at && { x: at.x * ratio, y: at.y * ratio, width: at.width * ratio, height: at.height * ratio };
  const place = JSON.stringify(at);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a canvas whose resolution changes is empty
  useEffect(() => {
    const draw = () => {
      const whole = images.get(id);
      if (!ref.current) return;
      const cellAt = (at: number) => (whole ? { ...whole, x: whole.x + at * size, width: size } : whole);
      const part = index === undefined ? whole : cellAt(index);
      const inside = part && whole && part.x + part.width <= whole.x + whole.width;
      const { width, height } = ref.current;
      const there = room.current ?? { x: 0, y: 0, width, height };
      const pen = ref.current.getContext("2d");
      pen?.clearRect(0, 0, width, height);
      if (pen) drawContained(pen, inside ? part : undefined, there, cover);
      if (pen && inside && minus !== undefined) {
        pen.globalCompositeOperation = "difference";
        drawContained(pen, cellAt(minus), there, cover);
        pen.globalCompositeOperation = "source-over";
      }
      ref.current.dataset.drawn = String((Number(ref.current.dataset.drawn) || 0) + (inside ? 1 : 0));
    };
    draw();
    return images.subscribe(id, draw);
  }, [images, id, index, size, minus, cover, ratio, width, height, place]);
  return (
    <canvas
      ref={ref}
      className={`ds-thumb ${className}`}
      {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true })}
      data-testid={testId}
      width={Math.round(width * ratio)}
      height={Math.round(height * ratio)}
      style={fill ? { width: "100%", height: "100%" } : { width, height }}
    />
  );
}
