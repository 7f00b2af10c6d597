import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { ARROWS } from "../core/arrows";
import * as format from "../core/format";
import { type Lens, panned, WHOLE, zoomed } from "../core/lens";
import { PAIR_A, PAIR_B } from "../core/pictures";
import { gainFor } from "../core/pixels";
import { type Comparison, portKey } from "../core/state";
import type { PixelValue, Side } from "../protocol/generated";
import { OverBatch, PairFacts } from "./CompareFacts";
import { Around, PairPicture, usePicture } from "./ComparePictures";
import { PlayButton, usePlaying } from "./canvas/Frames";
import { Overlay } from "./canvas/Overlay";
import { useSel, useSession } from "./context";
import { IconButton, LinkButton, Segments } from "./parts";
import { type Point, usePixel } from "./usePixel";

/** How near the pointer is to the line when it drags that, in px, though the pictures are enlarged. */
const GRIP = 14;
/** What a notch of the wheel and a key enlarge by. */
const STEP = 1.25;

const MODES = ["slider and difference", "side by side", "blink"] as const;
type Mode = (typeof MODES)[number];

/** Ask for both pictures whenever they can have changed. */
function usePair(comparison: Comparison): void {
  const session = useSession();
  const stamp = useSel((s) => `${s.confirmed?.revision}|${s.sample}|${s.iteration}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision or sample is asked for again
  useEffect(() => {
    const wait = setTimeout(() => session.send({ type: "request_pair", ...comparison }), 60);
    return () => clearTimeout(wait);
  }, [session, comparison, stamp]);
}

function sideName(side: Side): string {
  return `${side.port.node}${side.steps > 0 ? `, ${format.plural(side.steps, "step")} ago` : ""}`;
}

function SideChoice({ name, side, set }: { name: string; side: Side; set: (side: Side) => void }) {
  const nodes = useSel((s) => (s.graph?.nodes ?? []).filter((n) => n.output_kinds.length > 0).map((n) => n.key));
  const past = useSel((s) => s.pair?.past ?? []);
  return (
    <>
      <span className={`ds-side ds-side-${name}`} aria-hidden="true">
        {name}
      </span>
      <select
        className="ds-select"
        aria-label={`Node of ${name}`}
        data-testid={`pair-node-${name}`}
        value={side.port.node}
        onChange={(e) => set({ ...side, port: { node: e.target.value, output: 0 } })}
      >
        {!nodes.includes(side.port.node) && <option value={side.port.node}>{side.port.node}</option>}
        {nodes.map((n) => (
          <option key={n} value={n}>
            {n}
          </option>
        ))}
      </select>
      {(past.length > 0 || side.steps > 0) && (
        <select
          className="ds-select"
          aria-label={`Version of ${name}`}
          data-testid={`pair-version-${name}`}
          value={side.steps}
          onChange={(e) => set({ ...side, steps: Number(e.target.value) })}
        >
          <option value={0}>now</option>
          {past.map((changed, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a version is how many steps ago it was
            <option key={i} value={i + 1}>
              {format.plural(i + 1, "step")} ago{changed && `, before ${changed}`}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

const CHANNELS = ["red", "green", "blue", "alpha"];

/** The colour that a pixel of bytes has. */
function swatchOf(value: PixelValue | undefined) {
  const { dtype, values = [] } = value ?? {};
  return (
    <td>{dtype === "u8" && values.length >= 3 && <i style={{ background: `rgb(${values.slice(0, 3).join()})` }} />}</td>
  );
}

function PixelTable({
  values,
  alone,
}: {
  readonly values: readonly (PixelValue | undefined)[];
  readonly alone: boolean;
}) {
  const [a, b] = values;
  const count = Math.max(a?.values.length ?? 0, b?.values.length ?? 0);
  const rows = Array.from({ length: count }, (_, i) => i);
  const text = (v: number | undefined) => (v === undefined ? "–" : format.number(Number(v.toPrecision(5))));
  const signed = (v: number) => `${v > 0 ? "+" : ""}${text(v)}`;
  return (
    <table className="ds-pixel-table" data-testid="pixel-table">
      <thead>
        <tr>
          <th scope="col">{a ? `x ${a.column}, y ${a.row}` : "pixel"}</th>
          <th scope="col">
            {!alone && "A "}
            {a?.dtype}
          </th>
          {!alone && <th scope="col">B{b && ` ${b.dtype}`}</th>}
          {!alone && <th scope="col">B − A</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map((i) => {
          const one = a?.values[i];
          const two = b?.values[i];
          return (
            <tr key={i}>
              <th scope="row">{count >= 3 ? (CHANNELS[i] ?? i) : count === 1 ? "value" : i}</th>
              <td>{text(one)}</td>
              {!alone && <td>{text(two)}</td>}
              {!alone && <td>{one === undefined || two === undefined ? "–" : signed(two - one)}</td>}
            </tr>
          );
        })}
      </tbody>
      {count >= 3 && (
        <tfoot>
          <tr>
            <th scope="row">colour</th>
            {swatchOf(a)}
            {!alone && swatchOf(b)}
            {!alone && <td />}
          </tr>
        </tfoot>
      )}
    </table>
  );
}

/**
 * Two outputs, or two versions of one, in place of the canvas: a line to drag, side by side, blinking, or what differs.
 * One alone has what is drawn over it.
 */
export function CompareView({ comparison }: { readonly comparison: Comparison }) {
  const session = useSession();
  usePair(comparison);
  const pair = useSel((s) => s.pair);
  const a = usePicture(PAIR_A);
  const b = usePicture(PAIR_B);
  const [mode, setMode] = useState<Mode>(MODES[0]);
  const [chosen, setGain] = useState(0);
  const gain = chosen || gainFor(pair?.mean ?? 0);
  const [line, setLine] = useState(0.5);
  const [point, setPoint] = useState<Point>({ x: 0.3, y: 0.4 });
  const [pinned, setPinned] = useState(false);
  const [phase, setPhase] = useState(false);
  const { b: other } = comparison;
  const alone = !other;
  const differs = !alone && mode === MODES[0];
  const [lens, setLens] = useState<Lens>(WHOLE);
  const drags = useRef<"line" | "picture">("line");
  const stage = useRef<HTMLDivElement>(null);
  const { port } = comparison.a;
  const preview = useSel((s) =>
    alone && !comparison.a.steps ? s.previews[portKey(port.node, port.output ?? 0)] : undefined,
  );
  const clip = preview?.body.type === "planes" ? preview.body : null;
  const last = (pair?.planes ?? 1) - 1;
  const plane = Math.min(comparison.plane ?? 0, last);
  // a frame whose time has come while another was on its way is left out
  const due = useRef(0);
  const came = useRef<typeof a>();
  const [playing, setPlaying] = usePlaying(
    clip,
    () => {
      due.current += 1;
      if (came.current === a) return;
      came.current = a;
      const to = Math.min(last, plane + due.current);
      due.current = 0;
      set({ plane: to });
      if (to === last) setPlaying(false);
    },
    true,
  );
  const counted = clip ? `Frame ${plane + 1}` : `${preview?.body.type === "volume" ? "Slice" : "Frame"} ${plane}`;
  const second = clip?.times[clip.shown.indexOf(plane)];
  const over = preview && "over" in preview.body && preview.body.over;
  const values = usePixel(
    [over ? { port: { node: over, output: 0 }, steps: 0 } : comparison.a, ...(other ? [other] : [])],
    point,
    comparison.plane ?? 0,
  );
  const set = (part: Partial<Comparison>) => session.view({ comparison: { ...comparison, ...part } });
  useEffect(() => {
    if (mode !== "blink") return undefined;
    const timer = setInterval(() => setPhase((p) => !p), 700);
    return () => clearInterval(timer);
  }, [mode]);
  useEffect(() => {
    stage.current?.focus({ preventScroll: true });
  }, []);
  /** Where the pointer is in the frame of the pictures, in parts of its extents. */
  const place = (event: { currentTarget: HTMLElement; clientX: number; clientY: number }) => {
    const rect = event.currentTarget.firstElementChild?.getBoundingClientRect() ?? new DOMRect();
    return { x: (event.clientX - rect.left) / rect.width, y: (event.clientY - rect.top) / rect.height, rect };
  };
  const onDown = (event: PointerEvent<HTMLElement>) => {
    if (event.shiftKey) setPinned((p) => !p);
    const { x, rect } = place(event);
    const near = Math.abs(x - line) * rect.width < GRIP;
    drags.current = differs && (near || lens.zoom === 1) ? "line" : "picture";
    event.currentTarget.setPointerCapture(event.pointerId);
    onMove(event);
  };
  const onMove = (event: PointerEvent<HTMLElement>) => {
    const { x, y, rect } = place(event);
    const at = { x: (x - lens.x) / lens.zoom, y: (y - lens.y) / lens.zoom };
    const pressed = (event.buttons & 1) === 1;
    if (pressed && drags.current === "picture")
      setLens((now) => panned(now, event.movementX / rect.width, event.movementY / rect.height));
    else if (!pinned && at.x >= 0 && at.x < 1 && at.y >= 0 && at.y < 1) setPoint(at);
    if (pressed && differs && drags.current === "line") setLine(Math.min(1, Math.max(0, x)));
  };
  const middle = { x: point.x * lens.zoom + lens.x, y: point.y * lens.zoom + lens.y };
  const onKeyDown = (event: KeyboardEvent) => {
    const factor = { "+": STEP, "=": STEP, "-": 1 / STEP, "0": 0 }[event.key];
    if (factor !== undefined && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      event.stopPropagation();
      setLens(factor ? zoomed(lens, factor, middle) : WHOLE);
    }
    const by = ARROWS[event.key];
    if (!by || !a) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.shiftKey) {
      const { sample, iteration } = session.store.get();
      session.chooseSample(sample + by[0] + by[1], iteration);
      return;
    }
    const clamp = (v: number) => Math.min(0.99999, Math.max(0, v));
    setPoint({ x: clamp(point.x + by[0] / a.width), y: clamp(point.y + by[1] / a.height) });
  };
  const onStep = (event: KeyboardEvent) => {
    const step = { ",": -1, ".": 1 }[event.key];
    if (!step || last === 0) return;
    event.stopPropagation();
    setPlaying(false);
    set({ plane: Math.min(last, Math.max(0, plane + step)) });
  };
  const arrows = "Arrow keys go through the samples, with Shift they move the pixel";
  const shown = { a, b, gain };
  const [left, right] = other
    ? [`A ${sideName(comparison.a)}`, `B ${sideName(other)}`]
    : [pair?.note || `${port.node} ${pair?.facts_a ?? ""}`, ""];
  const said = (words: string, end = false) => (
    <span className={`ds-compare-label ${end ? "ds-compare-right" : "ds-compare-in"}`}>{words}</span>
  );
  const cross = a && <i className="ds-cross" style={{ left: `${middle.x * 100}%`, top: `${middle.y * 100}%` }} />;
  const view = {
    "--ds-ratio": a ? a.width / a.height : 1,
    "--ds-lens": `translate(${lens.x * 100}%, ${lens.y * 100}%) scale(${lens.zoom})`,
  };
  // what is enlarged has square pixels, with lines between those that are large enough to be told apart
  const scale = ((stage.current?.querySelector(".ds-pair-fit")?.clientWidth ?? 0) * lens.zoom) / (a?.width ?? 1);
  const enlarged = {
    inset: `${lens.y * 100}% auto auto ${lens.x * 100}%`,
    width: `${lens.zoom * 100}%`,
    height: `${lens.zoom * 100}%`,
    backgroundSize: `${100 / (a?.width ?? 1)}% ${100 / (a?.height ?? 1)}%`,
  };
  const pane = (content: JSX.Element | JSX.Element[], labels: JSX.Element, over?: JSX.Element) => (
    // biome-ignore lint/a11y/noStaticElementInteractions: the stage around it takes the keys
    <div
      className="ds-pair-pane"
      onPointerDown={onDown}
      onPointerMove={onMove}
      onDoubleClick={() => setLens(WHOLE)}
      onWheel={(e) => {
        e.preventDefault();
        setLens((now) => zoomed(now, STEP ** -Math.sign(e.deltaY), place(e)));
      }}
    >
      <div className={`ds-pair-fit ${scale > 3 ? "ds-pair-near" : ""}`} style={view}>
        <div className="ds-pair-lens">
          {content}
          <div className={scale > 8 ? "ds-pair-grid" : ""} style={enlarged}>
            {preview && a && <Overlay preview={preview} width={a.width} height={a.height} />}
          </div>
        </div>
        {over}
        {cross}
        {labels}
      </div>
    </div>
  );
  return (
    <section className="ds-compare-view" aria-label="Comparison" data-testid="comparison" onKeyDown={onStep}>
      <header>
        <b>{alone ? "Look" : "Compare"}</b>
        <SideChoice name="A" side={comparison.a} set={(side) => set({ a: side })} />
        {other && (
          <>
            <IconButton icon="flip" label="Swap" small onClick={() => set({ a: other, b: comparison.a })} />
            <SideChoice name="B" side={other} set={(side) => set({ b: side })} />
            <span className="ds-spring" />
            <Segments label="How" options={MODES} value={mode} testId="pair-mode" onChange={setMode} />
          </>
        )}
        <IconButton
          icon="cross"
          label="Close (Esc)"
          testId="pair-close"
          onClick={() => session.view({ comparison: null })}
        />
      </header>
      <div
        ref={stage}
        className="ds-pair-stage"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys
        tabIndex={0}
        aria-label={`Pictures. ${arrows}; plus and minus enlarge, 0 shows all.`}
        onKeyDown={onKeyDown}
      >
        {differs && (
          <div>
            {pane(
              [
                <PairPicture key="a" {...shown} show="a" />,
                <PairPicture key="b" {...shown} show="b" clip={(line - lens.x) / lens.zoom} />,
              ],
              <>
                {said(left)}
                {said(right, true)}
              </>,
              <u style={{ left: `${line * 100}%` }} />,
            )}
          </div>
        )}
        {!differs && (
          <div>
            {pane(
              <PairPicture {...shown} show={!alone && phase && mode === "blink" ? "b" : "a"} />,
              said(!alone && phase && mode === "blink" ? right : left),
            )}
          </div>
        )}
        {!alone && mode === "side by side" && <div>{pane(<PairPicture {...shown} show="b" />, said(right))}</div>}
        {differs && (
          <div>
            {pane(
              <PairPicture {...shown} show="difference" />,
              said(pair?.same ? "No difference" : gain === 1 ? "Difference" : `Difference, ${gain} times amplified`),
            )}
          </div>
        )}
      </div>
      <footer>
        <Around picture={a} at={point} label={left} />
        {!alone && <Around picture={b} at={point} label={right} />}
        <div>
          <PixelTable values={values} alone={alone} />
          <p className="ds-muted">
            {arrows}; a click with Shift {pinned ? "frees" : "pins"} it.{" "}
            {lens.zoom > 1 ? (
              <LinkButton data-testid="pair-whole" onClick={() => setLens(WHOLE)}>
                {format.number(Number(lens.zoom.toPrecision(2)))} times enlarged: show all
              </LinkButton>
            ) : (
              "The wheel enlarges all pictures."
            )}
          </p>
        </div>
        {last > 0 && (
          <div className="ds-gain">
            <label>
              {counted} of {last + 1}
              {second !== undefined && `, ${second.toFixed(2)} s`}
              <input
                type="range"
                min={0}
                max={last}
                value={plane}
                aria-valuetext={`${counted} of ${last + 1}`}
                data-testid="pair-plane"
                onChange={(e) => {
                  setPlaying(false);
                  set({ plane: Number(e.target.value) });
                }}
              />
            </label>
            <span>
              {clip && (
                <PlayButton
                  testId="pair-play"
                  playing={playing}
                  onPlay={(on) => {
                    if (on && plane === last) set({ plane: 0 });
                    due.current = 0;
                    setPlaying(on);
                  }}
                />
              )}{" "}
              <small className="ds-muted">Comma and dot go through them.</small>
            </span>
          </div>
        )}
        {differs && (
          <label className="ds-gain">
            Gain ×{gain}
            <input
              type="range"
              min={0}
              max={6}
              value={Math.log2(gain)}
              data-testid="pair-gain"
              onChange={(e) => setGain(2 ** Number(e.target.value))}
            />
            <small className="ds-muted">
              Black means equal. A difference of {format.number(Math.ceil(255 / gain))} or more shows at full strength.
            </small>
          </label>
        )}
      </footer>
      {pair && !alone && (
        <aside className="nowheel">
          <PairFacts pair={pair} />
          <OverBatch />
        </aside>
      )}
    </section>
  );
}
