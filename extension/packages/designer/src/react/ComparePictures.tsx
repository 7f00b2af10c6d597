import { useEffect, useRef, useState } from "react";
import type { Picture } from "../core/images";
import { difference } from "../core/pixels";
import { useSession } from "./context";
import type { Point } from "./usePixel";

/** The picture that came last under an id. */
export function usePicture(id: string): Picture | undefined {
  const { images } = useSession();
  const [picture, setPicture] = useState(() => images.get(id));
  useEffect(() => {
    setPicture(images.get(id));
    return images.subscribe(id, () => setPicture(images.get(id)));
  }, [images, id]);
  return picture;
}

/** A picture that was replaced is closed at once; what is drawn meanwhile waits for the new one. */
function isAlive(picture: Picture | undefined): picture is Picture {
  return picture !== undefined && picture.bitmap.width > 0;
}

function pixelsOf(picture: Picture, width: number, height: number): ImageData | null {
  const canvas = new OffscreenCanvas(width, height);
  const pen = canvas.getContext("2d");
  pen?.drawImage(picture.bitmap, picture.x, picture.y, picture.width, picture.height, 0, 0, width, height);
  return pen?.getImageData(0, 0, width, height) ?? null;
}

interface PictureProps {
  readonly a: Picture | undefined;
  readonly b: Picture | undefined;
  readonly show: "a" | "b" | "difference";
  readonly gain: number;
  readonly className?: string;
  readonly clip?: number | undefined;
}

/** One picture over the whole pane, at the proportions of A. */
export function PairPicture({ a, b, show, gain, className = "", clip }: PictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (!a) pen?.clearRect(0, 0, element?.width ?? 0, element?.height ?? 0);
    if (!element || !pen || !isAlive(a)) return;
    element.width = a.width;
    element.height = a.height;
    const one = show === "b" ? b : a;
    if (show !== "difference") {
      if (isAlive(one)) pen.drawImage(one.bitmap, one.x, one.y, one.width, one.height, 0, 0, a.width, a.height);
      else {
        pen.fillStyle = "gray"; // over A, as B has none
        pen.fillRect(0, 0, a.width, a.height);
      }
      return;
    }
    const left = pixelsOf(a, a.width, a.height);
    const right = isAlive(b) ? pixelsOf(b, a.width, a.height) : null;
    if (!left || !right) return;
    const out = pen.createImageData(a.width, a.height);
    difference(left, right, gain, out.data);
    pen.putImageData(out, 0, 0);
  }, [a, b, show, gain]);
  const style = clip === undefined ? undefined : { clipPath: `inset(0 0 0 ${clip * 100}%)` };
  return <canvas ref={canvas} className={`ds-pair-canvas ${className}`} style={style} data-testid={`pair-${show}`} />;
}

/** 17 x 11 pixels around a point, without smoothing. */
export function Around({ picture, at, label }: { picture: Picture | undefined; at: Point; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const pen = canvas.current?.getContext("2d");
    if (!picture) pen?.clearRect(0, 0, 136, 88);
    if (!pen || !isAlive(picture)) return;
    pen.imageSmoothingEnabled = false;
    pen.clearRect(0, 0, 136, 88);
    const x = Math.floor(at.x * picture.width) - 8;
    const y = Math.floor(at.y * picture.height) - 5;
    pen.drawImage(picture.bitmap, picture.x + x, picture.y + y, 17, 11, 0, 0, 136, 88);
    pen.strokeStyle = "#111";
    pen.strokeRect(63.5, 39.5, 9, 9);
    pen.strokeStyle = "#fff";
    pen.strokeRect(64.5, 40.5, 7, 7);
  }, [picture, at]);
  return (
    <figure className="ds-around">
      <canvas ref={canvas} width={136} height={88} role="img" aria-label={`pixels around the point, ${label}`} />
      <figcaption>{label}</figcaption>
    </figure>
  );
}
