import { useEffect, useRef } from "react";
import type { Images, Picture } from "../core/images";

/** Extents of a tile's picture in px, and where the line between before and after begins and ends. */
export const PICTURE = { width: 133, height: 88 };
const CUT = [0.56, 0.44] as const;

/** For pictures that repeat what words beside them say. */
export const HIDDEN = { "aria-hidden": true } as const;

type Fit = "cover" | "contain";

function paint(context: CanvasRenderingContext2D, picture: Picture, fit: Fit): void {
  const { width, height } = context.canvas;
  const choose = fit === "cover" ? Math.max : Math.min;
  const scale = choose(width / picture.width, height / picture.height);
  const w = picture.width * scale;
  const h = picture.height * scale;
  const { bitmap, x, y } = picture;
  context.drawImage(bitmap, x, y, picture.width, picture.height, (width - w) / 2, (height - h) / 2, w, h);
}

/** Draw before and after as the halves of one picture; `at`: where they meet at its top and its bottom. */
export function paintHalves(
  canvas: HTMLCanvasElement,
  before: Picture | undefined,
  after: Picture | undefined,
  at: readonly [number, number],
  fit: Fit,
): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  context.imageSmoothingQuality = "high";
  if (before) paint(context, before, fit);
  if (!after) return;
  const [top, bottom] = [at[0] * width, at[1] * width];
  context.save();
  context.beginPath();
  context.moveTo(top, 0);
  context.lineTo(width, 0);
  context.lineTo(width, height);
  context.lineTo(bottom, height);
  context.clip();
  context.clearRect(0, 0, width, height);
  paint(context, after, fit);
  context.restore();
  if (top <= 0) return;
  context.beginPath();
  context.moveTo(top, 0);
  context.lineTo(bottom, height);
  context.lineWidth = Math.max(2, width / 130);
  context.strokeStyle = "#fff";
  context.stroke();
}

/** What an operator means for boxes and masks. */
export function boxFacts(geometric: boolean): string {
  return geometric ? "moves boxes" : "boxes ok";
}

/** Pixels for each px of a tile's picture. */
export function tileRatio(): number {
  return Math.min(3, Math.max(2, globalThis.devicePixelRatio || 1));
}

export interface HalvesProps {
  readonly images: Images;
  readonly before: string;
  readonly after: string;
  /** Whether what comes after is shown alone. */
  readonly whole: boolean;
  readonly testId: string;
}

/** A picture before and after, as halves of one; drawn when either comes. */
export function Halves({ images, before, after, whole, testId }: HalvesProps) {
  const box = useRef<HTMLCanvasElement>(null);
  const ratio = tileRatio();
  useEffect(() => {
    const draw = () => {
      const canvas = box.current;
      if (!canvas) return;
      const picture = images.get(after);
      if (whole) paintHalves(canvas, undefined, picture, [0, 0], "contain");
      else paintHalves(canvas, images.get(before), picture, CUT, "cover");
      canvas.dataset.drawn = picture ? "yes" : "no";
    };
    draw();
    const stops = [images.subscribe(before, draw), images.subscribe(after, draw)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [images, before, after, whole]);
  return (
    <canvas
      ref={box}
      className="ds-tile-picture"
      width={PICTURE.width * ratio}
      height={PICTURE.height * ratio}
      data-testid={testId}
      {...HIDDEN}
    />
  );
}
