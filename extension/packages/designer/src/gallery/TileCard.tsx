import { useEffect, useRef } from "react";
import * as format from "../core/format";
import type { Picture } from "../core/images";
import { literal } from "../core/python";
import type { Tile } from "../protocol/generated";
import { GIVEN } from "./client";
import { useGallery, usePart } from "./context";
import { dials } from "./state";

/** Extents of a tile's picture in px, and where the line between before and after begins and ends. */
export const PICTURE = { width: 133, height: 88 };
const CUT = [0.56, 0.44] as const;
/** Operators are dragged onto canvases under this type. */
const OPERATOR = "application/x-dali-studio-operator";

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

function TilePicture({ tile }: { readonly tile: Tile }) {
  const { client } = useGallery();
  const whole = usePart((s) => s.marks[tile.name]?.whole ?? false);
  const box = useRef<HTMLCanvasElement>(null);
  const ratio = Math.min(3, Math.max(2, globalThis.devicePixelRatio || 1));
  useEffect(() => {
    const draw = () => {
      const canvas = box.current;
      if (!canvas) return;
      const after = client.images.get(tile.name);
      if (whole) paintHalves(canvas, undefined, after, [0, 0], "contain");
      else paintHalves(canvas, client.images.get(GIVEN), after, CUT, "cover");
      canvas.dataset.drawn = after ? "yes" : "no";
    };
    draw();
    const stops = [client.images.subscribe(GIVEN, draw), client.images.subscribe(tile.name, draw)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [client, tile.name, whole]);
  return (
    <canvas
      ref={box}
      className="ds-tile-picture"
      width={PICTURE.width * ratio}
      height={PICTURE.height * ratio}
      data-testid={`tile-picture-${tile.name}`}
      {...HIDDEN}
    />
  );
}

function facts(tile: Tile): string {
  return tile.geometric ? "moves boxes" : "boxes ok";
}

/** A tile's operator with its values, as a program calls it. */
function callOf(tile: Tile): string {
  const set = dials(tile).filter((c) => JSON.stringify(c.value) !== JSON.stringify(c.argument.default));
  return `fn.${tile.name}(${set.map((c) => `${c.argument.name}=${literal(c.value, c.argument)}`).join(", ")})`;
}

/** One tile; its picture is asked for as soon as it comes into view. */
export function TileCard({ tile }: { readonly tile: Tile }) {
  const { client, host } = useGallery();
  const chosen = usePart((s) => s.chosen === tile.name);
  const named = usePart((s) => s.reason !== "");
  const note = usePart((s) => s.marks[tile.name]?.note ?? "");
  const time = usePart((s) => s.times[tile.name]);
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => client.see(tile.name, entry?.isIntersecting ?? false));
    if (card.current) watch.observe(card.current);
    return () => {
      watch.disconnect();
      client.see(tile.name, false);
    };
  }, [client, tile.name]);
  const device = tile.gpu ? "CPU and GPU" : "CPU";
  return (
    <li ref={card} className={`ds-gallery-tile ${chosen ? "ds-chosen" : ""}`}>
      <button
        type="button"
        aria-pressed={host.pick ? undefined : chosen}
        aria-label={`${tile.title}, ${facts(tile)}, ${device}`}
        title={tile.summary}
        draggable={!tile.example}
        data-testid={`tile-${tile.name}`}
        onDragStart={(e) => {
          e.dataTransfer.setData(OPERATOR, tile.name);
          e.dataTransfer.setData("text/plain", callOf(tile)); // for a cell
          e.dataTransfer.effectAllowed = "copy";
        }}
        onClick={() => (host.pick ? host.pick(tile) : client.choose(chosen ? null : tile.name))}
      >
        {!named && <TilePicture tile={tile} />}
        {note && <span className="ds-tile-note">{note}</span>}
        <span className="ds-tile-title">
          <b>{tile.title}</b>
          {!tile.example && (
            <em className={`ds-device ds-device-${tile.gpu ? "gpu" : "cpu"}`}>{tile.gpu ? "gpu" : "cpu"}</em>
          )}
        </span>
        <span className="ds-tile-facts">
          {named ? tile.summary : facts(tile)}
          {time !== undefined && <span>{format.time(time)}</span>}
        </span>
      </button>
    </li>
  );
}
