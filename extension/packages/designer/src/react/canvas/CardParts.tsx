import { Handle, Position } from "@xyflow/react";
import type { CSSProperties, HTMLAttributes, ReactNode } from "react";
import { barsOf } from "../../core/bars";
import * as format from "../../core/format";
import { nodeOf, type Slot } from "../../core/graph";
import { hueOf, isFixed, tagOf } from "../../core/marks";
import { PORT_LOOKS } from "../../core/ports";
import { chanceWords } from "../../core/probability";
import { findingFor, reasonOf, toneOf } from "../../core/problems";
import { busyKeys, type Heat, reachedBy } from "../../core/select";
import { cardOf } from "../../core/subgraph";
import type { Device, Diagnostic, Kind, NodeTiming, NodeView, PortRef, RunFinished } from "../../protocol/generated";
import { useSel } from "../context";
import { Icon } from "../icons";
import { useLate } from "../late";
import { PortMark } from "../Port";
import { checkSlot, checkSource, handleOfSlot, useDrag } from "./drag";

/** Which node a card is, and that the pointer is over it or over its lines of the program. */
export function useHover(key: string) {
  const hovered = useSel(
    (s) => s.view.hovered !== null && (s.view.hovered === key || cardOf(s, s.view.hovered) === key),
  );
  return { "data-ds-node": key, "data-hovered": hovered || undefined };
}

type Chance = Pick<NodeView, "chance"> & Partial<Pick<NodeView, "shared">>;

/** To which part of the samples a card is applied. */
export function ChancePill({ chance, shared = [] }: Chance) {
  if (chance === null) return null;
  return (
    <span className="ds-pill" title={`Applied to ${chanceWords({ chance, shared })}`}>
      p {format.number(chance)}
    </span>
  );
}

export function DeviceBadge({ device }: { readonly device: Device }) {
  if (device === "mixed")
    return (
      <span className="ds-device ds-device-mixed">
        <i>mi</i>
        <i>xed</i>
      </span>
    );
  return <span className={`ds-device ds-device-${device}`}>{device}</span>;
}

/** How a port looks while a wire is drawn: fitting ones grow, others fade. */
function useFit(check: (context: Parameters<typeof checkSlot>[0]) => { ok: boolean }): string {
  const drag = useDrag();
  const fits = useSel((s) => {
    if (!drag || !s.graph || !s.opening) return "";
    return check({ graph: s.graph, catalog: s.opening.catalog }).ok ? "ds-port-fits" : "ds-port-misfit";
  });
  return drag ? fits : "";
}

/** The mark of what a finding is about: an underline of words, a ring about a port. */
export function wrongClass(found: Diagnostic | undefined): string {
  return found ? `ds-wrong ds-tone-${toneOf(found)}` : "";
}

interface SlotProps {
  readonly slot: Slot;
  readonly kind: Kind;
  readonly wired: boolean;
  readonly label: string;
  readonly testId: string;
  /** Whether it stands on the header line. */
  readonly head?: boolean;
  /** Whether it is that of a node within the card. */
  readonly inner?: boolean;
}

export function SlotPort({ slot, kind, wired, label, testId, head = false, inner = false }: SlotProps) {
  const handle = `${inner ? `${slot.node}/` : ""}${handleOfSlot(slot)}`;
  const drag = useDrag();
  // a wired port looks as its wire does
  const given = useSel((s) => {
    const source = slot.kind === "input" ? nodeOf(s.graph, slot.node)?.inputs[slot.input] : null;
    return source ? nodeOf(s.graph, source.node)?.output_kinds[source.output] : undefined;
  });
  const fit = useFit((context) => (drag ? checkSlot(context, drag, slot) : { ok: false }));
  const bad = useSel((s) => findingFor(s, slot));
  const told = bad ? `${label}: ${reasonOf(bad)}` : label;
  const own = drag?.to && JSON.stringify(drag.to) === JSON.stringify(slot);
  return (
    <Handle
      type="target"
      position={Position.Left}
      id={handle}
      className={`ds-port ${head ? "ds-port-head" : ""} ${own ? "" : fit} ${wrongClass(bad)}`}
      role="img"
      title={told}
      aria-label={told}
      data-testid={testId}
      data-ds-slot={handle}
    >
      <PortMark kind={given ?? kind} wired={wired} argument={slot.kind === "argument"} />
    </Handle>
  );
}

interface SourceProps {
  readonly source: PortRef;
  readonly kind: Kind;
  readonly wired: boolean;
  readonly name: string;
  /** Whether it stands on the header line. */
  readonly head?: boolean;
  /** Whether it is that of a node within the card. */
  readonly inner?: boolean;
}

export function SourcePort({ source, kind, wired, name, head = false, inner = false }: SourceProps) {
  const handle = `${inner ? `${source.node}/` : ""}out:${source.output ?? 0}`;
  const drag = useDrag();
  const fit = useFit((context) => (drag ? checkSource(context, drag, source) : { ok: false }));
  const own = drag?.from && drag.from.node === source.node && drag.from.output === source.output;
  const label = `output ${name}: ${PORT_LOOKS[kind].words}`;
  return (
    <Handle
      type="source"
      position={Position.Right}
      id={handle}
      className={`ds-port ${head ? "ds-port-head" : ""} ${own ? "ds-port-own" : fit}`}
      role="img"
      title={label}
      aria-label={label}
      data-testid={`port-out-${source.node}-${source.output}`}
      data-ds-source={handle}
    >
      <PortMark kind={kind} wired={wired} />
    </Handle>
  );
}

/**
 * Whether one of these nodes is computed: told apart from its card, which need not be drawn again at each step of a
 * slider. Most steps are over before it shows, and what is animated is a layer of its own, even while it is invisible.
 */
export function Busy({ keys }: { readonly keys: readonly string[] }) {
  const busy = useSel((s) => !s.run.running && keys.some((key) => busyKeys(s).has(key)));
  return useLate(busy) ? <i className="ds-busy" /> : null;
}

/** The colour that somebody gave a node, along the upper edge of its card. */
export function TagStripe({ nodeKey }: { readonly nodeKey: string }) {
  const tag = useSel((s) => tagOf(s, nodeKey)?.[1]);
  return tag ? (
    <i className="ds-tag" data-testid={`tag-${nodeKey}`} style={{ "--ds-c": `var(--ds-${hueOf(tag)})` }} />
  ) : null;
}

/** At the corner of a card whose place is pinned. */
export function FixedMark({ keys }: { readonly keys: readonly string[] }) {
  const fixed = useSel((s) => keys.some((key) => isFixed(s, key)));
  return fixed ? (
    <i className="ds-fixed" title="Its place is pinned." data-testid={`fixed-${keys[0]}`}>
      <Icon name="pin" size={12} />
    </i>
  ) : null;
}

/** Everything that a run has measured for a node, in sentences: first whose time it is, of what, and when. */
export function costWords(timing: NodeTiming, run: RunFinished, nodeKey: string): string {
  const parts = [`CPU ${format.time(timing.cpu)} over all threads`];
  if (timing.gpu > 0) parts.push(`GPU ${format.time(timing.gpu)}`);
  for (const c of timing.copies)
    parts.push(`${c.direction} copy of ${format.bytes(c.size)} ${format.time(c.milliseconds)}`);
  const held = [
    timing.host > 0 ? `${format.bytes(timing.host)} on the host` : "",
    timing.gpu_memory > 0 ? `${format.bytes(timing.gpu_memory)} on the GPU` : "",
    timing.passing > 0 ? `${format.bytes(timing.passing)} that are read sample by sample, never all at once` : "",
  ].filter(Boolean);
  const others = timing.group.filter((k) => k !== nodeKey);
  const whose = others.length > 0 ? `${nodeKey} together with ${others.join(", ")}` : `${nodeKey} alone`;
  const size = Math.round((run.samples_per_second * run.milliseconds_per_batch) / 1000);
  const each = size > 1 ? ` (${format.time(timing.milliseconds / size)} a sample)` : "";
  const warm = run.left_out > 0 ? ` after ${run.left_out} to warm up` : "";
  const { largest } = timing;
  return [
    `${whose}, without the nodes before it: median ${format.time(timing.milliseconds)} of work per batch of ${format.plural(size, "sample")}${each}, p95 ${format.time(timing.p95)}, ${format.percent(timing.share)} of the work of all nodes.`,
    `Measured in ${format.plural(run.batches, "batch", "batches")}${warm}${run.when ? ` at ${run.when}` : ""}.`,
    `${parts.join(", ")}.`,
    held.length > 0 ? `Results: ${held.join(", ")}.` : "",
    largest
      ? `Most for one sample: ${format.bytes(largest.size)}, sample ${largest.sample + 1} of batch ${largest.batch + 1}${largest.source && ` (${largest.source})`}.`
      : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** How far a node is in the run that goes on, as a bar of its card. */
export function ReachedBar({ id, keys = [id] }: { readonly id: string; readonly keys?: readonly string[] }) {
  const [done, total] = useSel((s) => (s.run.running && keys.length > 0 ? reachedBy(s, ...keys) : [0, 0]));
  if (!done) return null;
  return <i className="ds-reached" data-testid={`reached-${id}`} style={{ "--ds-share": `${done / total}` }} />;
}

interface TimeProps {
  readonly nodeKey: string;
  readonly found: Heat | undefined;
  readonly running: boolean;
  readonly old: boolean;
  readonly heat: boolean;
}

export function TimeChip({ nodeKey, found, running, old, heat }: TimeProps) {
  if (!found && !running) return null;
  const title =
    running || !found
      ? "It is being measured"
      : `${costWords(found.timing, found.run, nodeKey)}${old ? " From before the last change." : ""}`;
  return (
    <Time share={found?.share ?? 0} old={old && !running} heat={heat} title={title} data-testid={`time-${nodeKey}`}>
      {running ? "…" : found?.text}
      {(found?.timing.group.length ?? 0) > 1 && !running ? " +" : ""}
    </Time>
  );
}

/** A time, coloured by its share of the whole where that is asked for; small ones give way on small cards. */
export function Time({
  share,
  old,
  heat,
  children,
  ...rest
}: {
  readonly share: number;
  readonly old: boolean;
  readonly heat: boolean;
} & HTMLAttributes<HTMLSpanElement>) {
  const step = format.heatStep(share);
  return (
    <span
      className={`ds-time ds-heat-${heat ? step : 1} ${step > 1 ? "" : "ds-time-small"} ${old && !heat ? "ds-time-old" : ""}`}
      {...rest}
    >
      {old && <Icon name="clock" size={10} />}
      {children}
    </span>
  );
}

/** How much of the whole a node took; empty where nothing was measured. */
export function HeatBar({ share }: { readonly share: number | undefined }) {
  return (
    <div className="ds-heatbar">
      {share !== undefined && (
        <i className={`ds-heat-${format.heatStep(share)}`} style={{ "--ds-share": `${Math.max(1.5, share * 100)}%` }} />
      )}
    </div>
  );
}

interface ValuesProps {
  readonly values: readonly (number | null)[];
  readonly sample: number;
}

/** The values of the batch; that of the shown sample is solid. */
export function Values({ values, sample }: ValuesProps) {
  // of samples that take another branch none are known
  const known = values.filter((v) => v !== null);
  if (known.every((v) => v === 0 || v === 1)) {
    const few = values.length <= 8;
    const ones = known.filter(Boolean).length;
    const of = (v: number | null, now: boolean) => (
      <i className={`ds-dot-${v === null ? "none" : v ? "on" : "off"} ${now ? "ds-dot-now" : ""}`} />
    );
    return (
      <div className="ds-dots" role="img" aria-label={`1 in ${ones} of ${known.length} samples`}>
        {few
          ? values.map((v, i) => of(v, i === sample))
          : [1, 0].map((v) => [of(v, v === values[sample]), <b key={v}>{v ? ones : known.length - ones}</b>])}
      </div>
    );
  }
  return (
    <div className="ds-values" role="img" aria-label="values of the batch">
      {barsOf(values, sample).map(({ height, now, title }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
        <i key={i} className={now ? "ds-value-now" : ""} style={{ height: height * 30 }} title={title} />
      ))}
    </div>
  );
}

interface RowProps {
  readonly children: ReactNode;
  readonly className?: string;
  readonly style?: CSSProperties;
}

export function Row({ children, className = "", style }: RowProps) {
  return (
    <div className={`ds-row ${className}`} style={style}>
      {children}
    </div>
  );
}
