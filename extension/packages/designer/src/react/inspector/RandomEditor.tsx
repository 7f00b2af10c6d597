import { type PointerEvent, type ReactNode, useEffect, useRef } from "react";
import { signOf } from "../../core/arrows";
import { type Argument, fillArgument } from "../../core/catalog";
import {
  type Distribution,
  density,
  distributionEdits,
  distributionOf,
  ends,
  KINDS,
  redistribute,
  spikes,
  withEnd,
} from "../../core/distribution";
import * as format from "../../core/format";
import { freePlace } from "../../core/freeSpot";
import { nodeOf, wiresOf } from "../../core/graph";
import { COLUMN } from "../../core/layout";
import { sheetImage } from "../../core/pictures";
import { operatorOf, previewOf, scalarOf } from "../../core/select";
import { keepEdits } from "../../core/sweep";
import { snap } from "../../core/validate";
import type { Draws, Edit, NodeView } from "../../protocol/generated";
import { cardRects, relaid } from "../canvas/sizes";
import { Thumb } from "../canvas/Thumb";
import { contextOf } from "../canvas/useWiring";
import { useSel, useSession } from "../context";
import { Section, Segments } from "../parts";
import { useRoom } from "../useRoom";
import { DrawnNow } from "./FieldRow";
import { useGesture, useSpan } from "./field";
import { NumberField } from "./NumberField";

const WIDTH = 250;
const HEIGHT = 64;
/** Spans of a histogram. */
const SPANS = 40;

/** Ask for a thousand draws whenever the generator has changed. */
function useDraws(node: NodeView): Draws | null {
  const session = useSession();
  const stamp = useSel((s) => `${s.confirmed?.revision}|${s.iteration}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision or batch is asked for again
  useEffect(() => {
    const wait = setTimeout(() => session.send({ type: "request_draws", port: { node: node.key, output: 0 } }), 80);
    return () => clearTimeout(wait);
  }, [session, node.key, stamp]);
  return useSel((s) => s.draws[node.key] ?? null);
}

/** The interval that the drawing shows. */
function spanOf(of: Distribution): readonly [number, number] {
  const [low, high] = ends(of);
  const reach = Math.max(high - low, 1e-6);
  const room = reach * (of.kind === "coin" ? 0.5 : 0.35);
  return [low - room, high + room];
}

interface PlotProps {
  readonly of: Distribution;
  readonly draws: Draws | null;
  readonly now: number | undefined;
  readonly set: (next: Distribution) => void;
  readonly begin: () => void;
}

type Grip = "low" | "high" | "mean" | "deviation" | "p";

/** The density over the histogram of draws; its grips are dragged, or moved by the arrow keys. */
function Plot({ of, draws, now, set, begin }: PlotProps) {
  const { box, width, height } = useRoom<SVGSVGElement>(WIDTH);
  const held = useRef<Grip | null>(null);
  const { ends: span, hold, holds } = useSpan(spanOf(of), ends(of));
  const [from, to] = span;
  const x = (v: number) => ((v - from) / (to - from)) * WIDTH;
  const bars: (readonly [number, number, number])[] = [];
  const few = of.kind === "coin" ? [0, of.other] : of.kind === "choice" ? [...new Set(of.values)] : null;
  if (few) {
    const half = 0.09 * (to - from);
    for (const v of few) {
      const count = draws?.levels?.find(([level]) => Math.abs(level - v) < 1e-4 * (to - from))?.[1] ?? 0;
      bars.push([v - half / few.length, v + half / few.length, draws ? count / draws.count : 0]);
    }
  } else if (draws && draws.count > 0) {
    const step = (draws.maximum - draws.minimum) / draws.histogram.length;
    for (const [i, n] of draws.histogram.entries()) {
      const left = draws.minimum + i * step;
      bars.push([left, left + step, n / draws.count / Math.max(step, 1e-12)]);
    }
  }
  const points = Array.from({ length: 101 }, (_, i) => from + ((to - from) * i) / 100);
  // as high as if the draws there were in one span of the histogram
  const [least, most] = ends(of);
  const walls = spikes(of).map(([at, part]) => [at, (part * SPANS) / Math.max(most - least, 1e-9)] as const);
  const heights = [...points.map((p) => density(of, p)), ...[...bars, ...walls].map((one) => one.at(-1) ?? 0)];
  const top = Math.max(...heights, 1e-9) * 1.12;
  const y = (h: number) => HEIGHT - (h / top) * (HEIGHT - 4);
  const curve = points.map((p, i) => `${i === 0 ? "M" : "L"}${x(p).toFixed(1)} ${y(density(of, p)).toFixed(1)}`);
  for (const [at, height] of walls) curve.push(`M${x(at).toFixed(1)} ${HEIGHT}V${y(height).toFixed(1)}`);
  const grips: (readonly [Grip, number, number, string])[] = [];
  if ("low" in of)
    grips.push(["low", x(of.low), HEIGHT / 2, "lower limit"], ["high", x(of.high), HEIGHT / 2, "upper limit"]);
  if ("mean" in of)
    grips.push(
      ["mean", x(of.mean), y(density(of, of.mean)), "mean"],
      ["deviation", x(of.mean + of.deviation), y(density(of, of.mean + of.deviation)), "standard deviation"],
    );
  if ("p" in of) grips.push(["p", x(of.other), y(of.p), "probability"]);
  const move = (grip: Grip, value: number, height: number) => {
    const step = 10 ** Math.floor(Math.log10(Math.max(1e-9, (to - from) / 100)));
    const v = snap(value, step);
    if ("p" in of) set({ ...of, p: Math.min(1, Math.max(0, snap(height, 0.01))) });
    else if ("low" in of && grip === "low") set({ ...of, low: Math.min(v, of.high) });
    else if ("low" in of && grip === "high") set({ ...of, high: Math.max(v, of.low) });
    else if ("mean" in of && grip === "mean") set({ ...of, mean: v });
    else if ("mean" in of) set({ ...of, deviation: Math.max(step, snap(Math.abs(v - of.mean), step)) });
  };
  const onMove = (event: PointerEvent<SVGSVGElement>) => {
    if (!held.current) return;
    const rect = event.currentTarget.getBoundingClientRect();
    const at = (event.clientX - rect.left) / rect.width;
    const up = 1 - (event.clientY - rect.top) / rect.height;
    move(held.current, from + at * (to - from), up * top);
  };
  const current = (grip: Grip) => {
    if ("low" in of && (grip === "low" || grip === "high")) return of[grip];
    if ("mean" in of) return grip === "mean" ? of.mean : of.mean + of.deviation;
    return "p" in of ? of.p : 0;
  };
  return (
    <svg
      ref={box}
      className="ds-density"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      data-testid="density"
      onPointerMove={onMove}
      onPointerUp={() => {
        held.current = null;
        holds.onPointerUp();
      }}
    >
      <title>density, and a histogram of draws</title>
      {bars.map(([left, right, h]) => (
        <rect key={left} x={x(left)} width={Math.max(0.5, x(right) - x(left) - 0.5)} y={y(h)} height={HEIGHT - y(h)} />
      ))}
      {!few && <path d={curve.join("")} />}
      {now !== undefined && <line x1={x(now)} x2={x(now)} y1="0" y2={HEIGHT} />}
      {grips.map(([grip, cx, cy, words]) => (
        <ellipse
          key={grip}
          cx={cx}
          cy={cy}
          rx={(6 * WIDTH) / width} // round in a plot of any size
          ry={(6 * HEIGHT) / (height || HEIGHT)}
          role="slider"
          tabIndex={0}
          aria-label={words}
          aria-valuenow={current(grip)}
          data-testid={`grip-${grip}`}
          onBlur={holds.onBlur}
          onPointerDown={(e) => {
            begin();
            held.current = grip;
            hold();
            e.currentTarget.ownerSVGElement?.setPointerCapture(e.pointerId);
          }}
          onKeyDown={(e) => {
            const by = signOf(e.key);
            if (!by) return;
            e.preventDefault();
            e.stopPropagation();
            holds.onKeyDown();
            const value = current(grip) + by * (of.kind === "coin" ? 0.01 : (to - from) / 100);
            move(grip, value, value);
          }}
        />
      ))}
    </svg>
  );
}

interface Target {
  readonly node: string;
  readonly argument: string;
}

/** What the fed node shows at both ends. */
function Ends({ target, at, unit }: { target: Target; at: readonly [number, number]; unit: string }) {
  const session = useSession();
  const stamp = useSel((s) => `${s.confirmed?.revision}|${s.sample}|${s.iteration}`);
  const [low, high] = at;
  const { node: key, argument } = target;
  const name = `ends ${argument}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision or sample is asked for again
  useEffect(() => {
    const wait = setTimeout(() => {
      const node = nodeOf(session.store.get().graph, key);
      if (!node) return;
      session.send({
        type: "request_sheet",
        name,
        port: { node: key, output: 0 },
        variants: [low, high].map((value): Edit[] => keepEdits(node, argument, value)),
        samples: [session.store.get().sample],
        width: 250,
        height: 160,
      });
    }, 120);
    return () => clearTimeout(wait);
  }, [session, key, argument, name, low, high, stamp]);
  const sample = useSel((s) => {
    const sheet = s.sheets[name];
    const cell = sheet?.port.node === key ? Object.values(sheet.cells).find((c) => c.variant === 0) : undefined;
    return cell && (cell.width ?? 0) > 0 && sheet?.cells[`0:${s.sample}`] ? s.sample : -1;
  });
  if (sample < 0) return null;
  return (
    <div className="ds-ends" data-testid="ends">
      {at.map((value, i) => (
        <figure key={i === 0 ? "low" : "high"}>
          <Thumb id={sheetImage(name, i, sample)} width={122} height={78} label={`${key} at ${format.value(value)}`} />
          <figcaption>{format.value(value, unit)}</figcaption>
        </figure>
      ))}
    </div>
  );
}

/**
 * A generator: its density to drag, a thousand draws, and what both ends do to the picture; `beside` the argument that it
 * feeds the density and its numbers alone.
 */
export function RandomEditor({ nodeKey, beside }: { readonly nodeKey: string; readonly beside?: Argument }) {
  const session = useSession();
  const node = useSel((s) => nodeOf(s.graph, nodeKey));
  const gesture = useGesture();
  const of = useSel((s) => (node ? distributionOf(node, s.graph) : null));
  if (!node || !(of || node.operator.startsWith("random."))) return null;
  if (!of) return <Drawn node={node} beside={beside !== undefined} key={node.key} />;
  return <Editor node={node} of={of} beside={beside} gesture={gesture} key={node.key} session={session} />;
}

const few = (v: number) => format.number(Number(v.toPrecision(3)));

function Told({ draws, from = "" }: { readonly draws: Draws; readonly from?: string }) {
  return (
    <p className="ds-muted ds-draws">
      {draws.count} draws{from}: mean {few(draws.mean)}, sd {few(draws.deviation)}
    </p>
  );
}

/** What a generator draws whose density has no grips. */
function Drawn({ node, beside }: { readonly node: NodeView; readonly beside: boolean }) {
  const draws = useDraws(node);
  if (!draws?.count) return null;
  const { histogram, minimum, maximum } = draws;
  const most = Math.max(...histogram);
  const step = WIDTH / histogram.length;
  return (
    <Section title={beside ? "" : "Draws"}>
      <svg
        className="ds-density"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        data-testid="drawn"
        aria-hidden="true"
      >
        {histogram.map((n, i) => {
          const height = (n / most) * (HEIGHT - 4);
          // biome-ignore lint/suspicious/noArrayIndexKey: a span is its place
          return <rect key={i} x={i * step} width={step * 0.9} y={HEIGHT - height} height={height} />;
        })}
      </svg>
      <Told draws={draws} from={` from ${few(minimum)} to ${few(maximum)}`} />
    </Section>
  );
}

const NUMBER = fillArgument({ name: "number", type: "float", doc: "" });

interface LimitsProps {
  readonly of: Exclude<Distribution, { kind: "choice" }>;
  readonly set: (next: Distribution) => void;
  readonly drawn: ReactNode;
}

/** The numbers of a distribution, beside the argument that it feeds; elsewhere the generator's own arguments say them. */
function Limits({ of, set, drawn }: LimitsProps) {
  const field = (label: string, value: number, next: (v: number) => Distribution) => (
    <NumberField
      argument={NUMBER}
      value={value}
      onValue={(v) => set(next(v))}
      setError={() => undefined}
      bad={false}
      label={label}
      testId={`draw-${label}`}
    />
  );
  return (
    <>
      {"mean" in of && (
        <span className="ds-range-fields">
          {field("mean", of.mean, (v) => ({ ...of, mean: v }))}
          <span className="ds-muted">±</span>
          {field("deviation", of.deviation, (v) => ({ ...of, deviation: Math.abs(v) }))}
        </span>
      )}
      {"other" in of && (
        <span className="ds-range-fields">
          <span className="ds-muted">0 or</span>
          {field("other", of.other, (v) => ({ ...of, other: v }))}
        </span>
      )}
      {"low" in of && (
        <span className="ds-range-fields">
          {field("from", of.low, (v) => withEnd(of, "low", v))}
          {drawn || <span className="ds-muted">to</span>}
          {field("to", of.high, (v) => withEnd(of, "high", v))}
        </span>
      )}
    </>
  );
}

interface EditorProps {
  readonly node: NodeView;
  readonly of: Distribution;
  readonly beside: Argument | undefined;
  readonly gesture: ReturnType<typeof useGesture>;
  readonly session: ReturnType<typeof useSession>;
}

function Editor({ node, of, beside, gesture, session }: EditorProps) {
  const draws = useDraws(node);
  const now = useSel((s) => scalarOf(previewOf(s, node.key), s.sample));
  const fed = useSel((s) => {
    const wire = s.graph
      ? wiresOf(s.graph).find((w) => w.source.node === node.key && w.slot.kind === "argument")
      : undefined;
    return wire?.slot.kind === "argument" ? { node: wire.slot.node, argument: wire.slot.argument } : null;
  });
  // what feeds it may be a branch
  const unit = useSel((s) => {
    if (beside) return beside.unit;
    const operator = operatorOf(s, nodeOf(s.graph, fed?.node ?? ""));
    return operator?.arguments.find((a) => a.name === fed?.argument)?.unit ?? "";
  });
  const set = (next: Distribution) =>
    session.edit(distributionEdits(node.key, next), { gesture: `${node.key}.density.${gesture.name()}` });
  const change = (kind: Distribution["kind"]) => {
    const context = contextOf(session);
    const state = session.store.get();
    const at = state.positions[node.key] ?? { x: 20, y: 14 };
    const before = freePlace({ x: at.x - COLUMN, y: at.y }, cardRects(state));
    const step = context && redistribute(context, node, kind, at, before);
    if (!step) return;
    const chosen = state.view.selection[0] === node.key;
    session.edit(step.edits, { positions: { ...step.positions, ...relaid(state, step.edits, session.room) } });
    if (chosen) session.select(step.select);
  };
  const tossed = of.kind === "coin" && of.source === node.key;
  const drawn = <DrawnNow of={{ node: node.key, output: 0 }} unit={unit} />;
  return (
    <Section title={beside ? "" : "Draws"} note={drawn}>
      {!beside && (
        <Segments label="Distribution" options={KINDS} value={of.kind} testId="distribution" onChange={change} />
      )}
      <Plot key={of.kind} of={of} draws={draws} now={now} set={set} begin={gesture.begin} />
      {(beside || of.kind === "clamped" || of.kind === "coin") && !tossed && of.kind !== "choice" && (
        <Limits of={of} set={set} drawn={beside ? drawn : null} />
      )}
      {!beside && draws && <Told draws={draws} />}
      {!beside && fed && !tossed && <Ends target={fed} at={ends(of)} unit={unit} />}
    </Section>
  );
}
