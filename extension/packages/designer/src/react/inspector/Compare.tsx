import { type PointerEvent, useEffect, useRef, useState } from "react";
import { brokenFile } from "../../core/failures";
import * as format from "../../core/format";
import { nodeOf } from "../../core/graph";
import { DETAIL_IN, DETAIL_OUT } from "../../core/pictures";
import { contained, extentsIn, oneScale } from "../../core/pixels";
import { isAbsent, operatorOf, pictureFrom, previewOf, staleKeys } from "../../core/select";
import { isAway, type Preview, portKey } from "../../core/state";
import { numberOf, type Voxel } from "../../core/volume";
import type { PixelValue, PortRef } from "../../protocol/generated";
import { PlayButton, usePlaying } from "../canvas/Frames";
import { hasAxes, Overlay } from "../canvas/Overlay";
import { Thumb } from "../canvas/Thumb";
import { enlarge } from "../commands";
import { useSel, useSession } from "../context";
import { IconButton } from "../parts";
import { FilePicture } from "../problems/FilePicture";
import { type Point, usePixel } from "../usePixel";
import { Volume } from "./Volume";

const WIDTH = 275;
const HEIGHT = 126;
/** How many cards tell the numbers of the pixel that is pointed at. */
const PROBED = 24;

/** Ask for the large picture, which the kernel then sends with every change of it; if it did not, ask again. */
function useDetail(key: string, output: number, plane: number): void {
  const session = useSession();
  const stamp = useSel((s) => {
    const p = s.previews[`${key}#${output}`];
    return p ? `${p.revision}|${p.sample}|${p.iteration}` : "";
  });
  const whole = useSel((s) => s.view.whole);
  const sent = useSel((s) => s.detail);
  const asked = useRef("");
  const wait = useRef(0);
  useEffect(() => {
    const now = `${key}#${output}|${plane}|${whole}`;
    if (stamp === "") return;
    const ask = () => {
      asked.current = now;
      session.requestDetail({ node: key, output }, plane);
    };
    wait.current = window.setTimeout(ask, now === asked.current ? 300 : 60);
    return () => clearTimeout(wait.current);
  }, [session, key, output, plane, whole, stamp]);
  useEffect(() => {
    if (`${sent?.key}#${sent?.output}|${plane}|${whole}` === asked.current) clearTimeout(wait.current);
  }, [sent, plane, whole]);
  useEffect(() => () => session.requestDetail({ node: "", output: 0 }), [session]);
}

function usePictureSize(id: string): { readonly width: number; readonly height: number } | null {
  const { images } = useSession();
  const [size, setSize] = useState(images.get(id) ?? null);
  useEffect(() => {
    const read = () => setSize(images.get(id) ?? null);
    read();
    return images.subscribe(id, read);
  }, [images, id]);
  return size;
}

interface PixelLineProps {
  readonly values: readonly (PixelValue | undefined)[];
}

/** The numbers under the pointer, of the output and of the input at the same place: below the picture. */
function PixelLine({ values: [out, into] }: PixelLineProps) {
  const text = (v: PixelValue) => v.values.map((n) => format.number(Number(n.toPrecision(4)))).join(" ");
  if (!out) return null;
  return (
    <p className="ds-pixel" data-testid="pixel">
      <span className="ds-muted">
        x {out.column}, y {out.row}
      </span>
      {into && (
        <span>
          <span className="ds-muted">in</span> {text(into)}
        </span>
      )}
      <span>
        <span className="ds-muted">out</span> {text(out)}
      </span>
    </p>
  );
}

/** Input and output of a node, one over the other, with a line to drag. */
export function Compare({ nodeKey, output }: { readonly nodeKey: string; readonly output: number }) {
  const session = useSession();
  const [plane, setPlane] = useState(-1);
  const [cursor, setCursor] = useState<Voxel | null>(null);
  const preview = useSel((s) => previewOf(s, nodeKey, output));
  const detail = useSel((s) => {
    const { detail: one } = s;
    return one?.has_output && one.key === nodeKey && one.output === output ? one : null;
  });
  const [deep, high, wide] = detail?.extents ?? [];
  const extents: Voxel | null = deep && high && wide ? [deep, high, wide] : null;
  useDetail(nodeKey, output, cursor && extents ? numberOf(cursor, extents) : plane);
  // while it is played, the frames that the card has are shown: the kernel would be asked for each
  const clip = preview?.body.type === "planes" ? preview.body : null;
  const [frame, setFrame] = useState(0);
  const count = clip?.shown.length ?? 0;
  const [playing, setPlaying] = usePlaying(clip, () => setFrame((now) => (now + 1) % count));
  const source = useSel((s) => nodeOf(s.graph, nodeKey)?.inputs[0] ?? null);
  const into = useSel((s) => (source && previewOf(s, source.node, source.output)) || null);
  const away = useSel(isAway);
  // without a kernel to ask, what it sent, or what the cards show
  const isSeen = (card: Preview | null | undefined) => /^(image|planes)$/.test(card?.body.type ?? "");
  const kept = !detail && away && isSeen(preview);
  /** What is drawn: a frame that a card has, its picture, or the large one. */
  const drawn = (card: Preview | null | undefined, large: string) =>
    (playing || kept) && card?.body.type === "planes"
      ? { id: portKey(card.key, card.output), cell: { index: frame, size: card.body.width } }
      : { id: kept && card ? portKey(card.key, card.output) : large };
  const sample = useSel((s) => s.sample);
  const [at, setAt] = useState(0.42);
  const [point, setPoint] = useState<Point | null>(null);
  // the pictures of all cards are looked at in the same place
  const cards = useSel((s) => {
    const pictures = Object.values(s.previews).filter((p) => p.body.type === "image");
    return pictures.slice(0, PROBED).map((p) => ({ node: p.key, output: p.output }));
  });
  const ports: PortRef[] = [{ node: nodeKey, output }, ...(source ? [source] : []), ...cards];
  const given = into?.facts ?? "";
  const facts = (kept ? preview : detail?.has_input ? detail : null)?.facts ?? "";
  const operator = useSel((s) => operatorOf(s, nodeOf(s.graph, nodeKey)));
  const [small, scale] = oneScale(extentsIn(given), extentsIn(facts), { width: WIDTH, height: HEIGHT }, operator);
  const values = usePixel(
    ports.map((port) => ({ port, steps: 0 })),
    point,
    detail?.plane ?? 0,
  );
  const shape = usePictureSize(DETAIL_OUT);
  const box = useRef<HTMLDivElement>(null);
  const broken = useSel((s) => brokenFile(s, nodeKey));
  const [stale, staleIn] = useSel((s) =>
    [nodeKey, source?.node ?? ""].map((key) => staleKeys(s).has(key) && pictureFrom(s, key, previewOf(s, key))),
  );
  const absent = useSel((s) => isAbsent(s, nodeKey) && nodeOf(s.graph, nodeKey)?.output_kinds[output] === "image");
  if (absent || broken)
    return (
      <div className="ds-compare ds-hatched">
        {broken && <FilePicture node={nodeKey} source={broken} width={WIDTH} height={HEIGHT} />}
      </div>
    );
  if (!detail && !kept) return null;
  const onLarge = () => enlarge(session, nodeKey, output);
  const large = (
    // the picture around it would take the click
    <span className="ds-enlarge" onPointerDown={(e) => e.stopPropagation()}>
      <IconButton icon="expand" label="Enlarge (V)" small testId="enlarge" onClick={onLarge} />
    </span>
  );
  if (detail && extents) {
    const label = `three planes of ${nodeKey}, sample ${sample + 1}`;
    return <Volume detail={detail} extents={extents} label={label} onCursor={setCursor} large={large} />;
  }
  const half = (old: string | false | undefined) => `ds-compare-half ${old ? "ds-stale" : ""}`;
  const age = (old: string | false | undefined) => (old ? `, ${old}` : away && ", last run");
  const both = detail ? detail.has_input : isSeen(into);
  const { plane: first = 0, planes = 1 } = detail ?? {};
  const now = Math.min(playing ? (clip?.shown[frame] ?? 0) : plane < 0 ? first : plane, planes - 1);
  const number = `frame ${now + 1} of ${planes}`;
  const move = (e: PointerEvent) => {
    const rect = box.current?.getBoundingClientRect();
    if (rect && shape && detail) {
      const room = contained(shape.width, shape.height, rect);
      const x = ((e.clientX - rect.left - room.x) / room.width - 0.5) / scale + 0.5;
      const y = ((e.clientY - rect.top - room.y) / room.height - 0.5) / scale + 0.5;
      setPoint(x >= 0 && x < 1 && y >= 0 && y < 1 ? { x, y } : null);
    }
    if (rect && (e.buttons & 1) === 1) setAt(Math.min(1, Math.max(0, (e.clientX - rect.left) / rect.width)));
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the slider and the button in it have the keys */}
      <div
        ref={box}
        className={`ds-compare ${hasAxes(preview)}`}
        data-testid="compare"
        style={{ "--ds-in": small, "--ds-out": scale }}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          move(e);
        }}
        onPointerMove={move}
        onPointerLeave={() => setPoint(null)}
        onDoubleClick={detail ? onLarge : undefined}
      >
        {both && (
          // of which nothing is seen at the edges of the other one
          <div className={half(staleIn)} style={{ clipPath: `inset(0 ${100 - at * 100}% 0 0)` }}>
            <Thumb
              {...drawn(into, DETAIL_IN)}
              width={WIDTH}
              height={HEIGHT}
              fill
              label={`input of ${nodeKey}, sample ${sample + 1}`}
              testId="detail-in"
            />
          </div>
        )}
        <div
          className={`ds-compare-out ${half(stale)}`}
          style={both ? { clipPath: `inset(0 0 0 ${at * 100}%)` } : undefined}
        >
          <Thumb
            {...drawn(preview, DETAIL_OUT)}
            width={WIDTH}
            height={HEIGHT}
            fill
            label={`output of ${nodeKey}, sample ${sample + 1}`}
            testId="detail-out"
          />
        </div>
        {both && (
          <>
            <u style={{ left: `${at * 100}%` }} />
            <input
              className="ds-compare-range"
              type="range"
              min={0}
              max={100}
              value={Math.round(at * 100)}
              aria-label="Line between input and output"
              onChange={(e) => setAt(Number(e.target.value) / 100)}
            />
            <span className="ds-compare-label ds-compare-in">In{age(staleIn)}</span>
          </>
        )}
        {preview && <Overlay preview={preview} width={WIDTH} height={HEIGHT} />}
        <span className="ds-compare-label ds-compare-right">Out{age(stale)}</span>
        {detail && large}
      </div>
      <div className="ds-pixel-place">
        <PixelLine values={point ? values : []} />
      </div>
      {planes > 1 && (
        <div className="ds-plane">
          {count > 1 && (
            <PlayButton
              testId="play"
              playing={playing}
              onPlay={(on) => {
                if (on) setFrame(Math.max(0, clip?.shown.findIndex((number) => number >= first) ?? 0));
                else setPlane(now);
                setPlaying(on);
              }}
            />
          )}
          <input
            type="range"
            min={0}
            max={planes - 1}
            value={now}
            aria-label={`Frame of ${nodeKey}`}
            aria-valuetext={number}
            data-testid="plane"
            onChange={(e) => {
              setPlaying(false);
              setPlane(Number(e.target.value));
            }}
          />
          <output>{number}</output>
        </div>
      )}
    </>
  );
}
