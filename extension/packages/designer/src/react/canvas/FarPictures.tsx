import { type Node, ViewportPortal } from "@xyflow/react";
import { memo, useEffect, useMemo, useRef } from "react";
import { isWide, lowPictureOf } from "../../core/cardSize";
import { type Detail, headOf, isFar } from "../../core/detail";
import { nodeOf } from "../../core/graph";
import type { Images } from "../../core/images";
import { CARD, COLUMN } from "../../core/layout";
import { around, type Rect } from "../../core/route";
import { hasPicture, isOpen, operatorOf, staleKeys, withoutSample } from "../../core/select";
import { portKey, type State } from "../../core/state";
import { boxesOf, isDense } from "../../core/subgraph";
import { middleOf } from "../../core/volume";
import type { PreviewBody } from "../../protocol/generated";
import { useFrame, useSel } from "../context";
import { PREVIEW_HEIGHT } from "./PreviewView";
import { drawContained } from "./Thumb";

/** A canvas has no more pixels than this; what is more is less sharp. */
const MAX_PIXELS = 4e6;
/** How strong pictures are that are older than the graph, and those of nodes that are left out. */
const FAINT = { stale: 0.45, bypassed: 0.55 } as const;

/** Pixels for a px of the canvas at a zoom: enough for the screen, and the same for zooms that are close. */
function ratioAt(zoom: number): number {
  const screen = zoom * Math.max(1, globalThis.devicePixelRatio || 1);
  return 2 ** (Math.ceil(2 * Math.log2(screen)) / 2);
}

interface Place {
  /** Of the picture. */
  readonly key: string;
  readonly node: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Where one of several planes begins in the picture, and how wide it is; 0: the picture is one. */
  readonly begin: number;
  readonly plane: number;
}

interface Sheet {
  readonly pen: CanvasRenderingContext2D;
  readonly box: Rect;
  readonly ratio: number;
  /** What shows beside pictures of other proportions. */
  readonly matte: string;
}

/** Draw one picture into its part of the canvas. */
function paint({ pen, box, ratio, matte }: Sheet, images: Images, place: Place, alpha: number): void {
  const scaled = (v: number) => Math.round(v * ratio);
  const [x, y] = [scaled(place.x - box.x), scaled(place.y - box.y)];
  const part = { x, y, width: scaled(place.width), height: scaled(place.height) };
  pen.globalAlpha = 1;
  pen.fillStyle = matte;
  pen.fillRect(part.x, part.y, part.width, part.height);
  pen.globalAlpha = alpha;
  const picture = images.get(place.key);
  drawContained(pen, picture && { ...picture, x: picture.x + place.begin, width: place.plane || picture.width }, part);
}

/** Name of the picture of a card, or empty where the card shows its own. */
function pictureOf(state: State, id: string, far: boolean): string {
  if (!far) return isOpen(state, id) ? portKey(id, 0) : "";
  const exit = boxesOf(state).get(id)?.exits[0];
  if (!exit) return hasPicture(state, id) && !withoutSample(state).has(id) ? portKey(id, 0) : "";
  return hasPicture(state, exit.node) ? portKey(exit.node, exit.output ?? 0) : "";
}

/** The begin and the width of the plane that is shown of several; zeros of others. */
function planeOf(body: PreviewBody | undefined): readonly [number, number] {
  if (body?.type === "volume") return [middleOf(body, 0) * body.width, body.width];
  return [0, body?.type === "planes" ? body.width : 0];
}

interface Props {
  readonly nodes: readonly Node[];
  readonly zoom: number;
  readonly detail: Detail;
}

function FarPicturesView({ nodes, zoom, detail }: Props) {
  const { session, theme } = useFrame();
  const canvas = useRef<HTMLCanvasElement>(null);
  // cards are pictures alone, or these begin below a header
  const far = isFar(detail);
  const drop = headOf(detail, zoom);
  const shown = useSel((s) => nodes.map(({ id, hidden }) => (hidden ? "" : pictureOf(s, id, far))));
  // a box is no node
  const sizes = useSel((s) =>
    nodes.map(({ id }) => {
      const node = nodeOf(s.graph, id);
      const low = node && detail === "full";
      const width = !node || isWide(node, isDense(s)) ? CARD + COLUMN : CARD;
      return { width, height: low ? lowPictureOf(node, operatorOf(s, node)) : PREVIEW_HEIGHT };
    }),
  );
  const stale = useSel(staleKeys);
  const bypassed = useSel((s) => new Set((s.graph?.nodes ?? []).flatMap((n) => (n.bypassed ? [n.key] : []))));
  const planes = useSel((s) => shown.flatMap((port) => planeOf(s.previews[port]?.body)));
  const places = useMemo(() => {
    return nodes.flatMap(({ position }, i): Place[] => {
      const port = shown[i];
      const { x, y } = position;
      const size = sizes[i];
      return port && size
        ? [
            {
              key: port,
              node: port.split("#")[0] ?? "",
              begin: planes[2 * i] ?? 0,
              plane: planes[2 * i + 1] ?? 0,
              ...size,
              x,
              y: y + drop,
            },
          ]
        : [];
    });
  }, [nodes, shown, planes, sizes, drop]);
  const box = useMemo(() => around(places), [places]);
  const ratio = Math.min(ratioAt(zoom), Math.sqrt(MAX_PIXELS / Math.max(1, box.width * box.height)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has another colour behind pictures
  useEffect(() => {
    const { images } = session;
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (!element || !pen || places.length === 0) return undefined;
    const sheet = { pen, box, ratio, matte: getComputedStyle(element).getPropertyValue("--ds-matte") };
    element.width = Math.ceil(box.width * ratio);
    element.height = Math.ceil(box.height * ratio);
    const draw = (place: Place) => {
      const { node } = place;
      const alpha = bypassed.has(node) ? FAINT.bypassed : stale.has(node) ? FAINT.stale : 1;
      paint(sheet, images, place, alpha);
    };
    places.forEach(draw);
    const ends = places.map((place) => images.subscribe(place.key, () => draw(place)));
    return () => {
      for (const end of ends) end();
    };
  }, [session, places, box, ratio, stale, bypassed, theme]);
  if (places.length === 0) return null;
  const style = { left: box.x, top: box.y, width: box.width, height: box.height };
  return (
    <ViewportPortal>
      <canvas ref={canvas} className="ds-far-pictures" style={style} data-testid="far-pictures" />
    </ViewportPortal>
  );
}

/** All pictures of far cards and of large graphs, on one canvas: a browser moves one layer much sooner than one for each. */
export const FarPictures = memo(FarPicturesView);
