import { type KeyboardEvent, useEffect, useMemo, useState } from "react";
import { ARROWS } from "../core/arrows";
import { argumentOf, sameValue } from "../core/catalog";
import { drawerHeight, isSnug, isSweep, sweepHeight, TABS } from "../core/drawer";
import * as format from "../core/format";
import { nodeOf } from "../core/graph";
import { sheetImage } from "../core/pictures";
import { batchFailures, findings, operatorOf, previewOf, scalarOf, severity } from "../core/select";
import { cellKey, type State } from "../core/state";
import { firstSweep, firstSwept, keepEdits, type Sweep, sheetPort, sweepable, sweepValues } from "../core/sweep";
import type { Edit, NodeView, PortRef, SheetCell, Value } from "../protocol/generated";
import { Thumb } from "./canvas/Thumb";
import { useSel, useSession } from "./context";
import { NumberField } from "./inspector/NumberField";
import { IconButton, Segments } from "./parts";
import { useRoom } from "./useRoom";

/** Size in which a picture is asked for, in px. */
const CELL = { width: 160, height: 107 };
/** How wide a picture is shown: fewer beside each other where they would be smaller, and larger ones where all are seen. */
const WIDTHS = { least: 88, some: 120, most: 240 } as const;
const [GAP, BAR, UNDER, PADDING, LABEL] = [6, 50, 16, 24, 94];
/** How much wider than a picture of a sweep its cell may be, so that the columns take all of the room. */
const WIDER = 1.5;
/** Samples beside each other in a sweep, where there is room. */
const COLUMNS = 8;
/** Below these widths the bar of a sweep, one line, leaves out how many samples there are, folds the range, and leaves out the node, in px. */
const FOLDS = { count: 780, range: 720, name: 420 } as const;

interface Columns {
  readonly columns: number;
  readonly cell: number;
  /** How high they are, unless as high as pictures are. */
  readonly tall?: number;
}

/** In how few rows so many cells are all seen in a room, and how wide they are; of more, some are below it. */
export function laid(count: number, room: number, height: number): Columns {
  const ways = Array.from({ length: count }, (_, i) => {
    const columns = Math.ceil(count / (i + 1));
    return { columns, cell: Math.floor(Math.min(room / columns - GAP, tallest(i + 1, height, UNDER))) };
  });
  const columns = Math.max(1, Math.min(count, Math.floor(room / (WIDTHS.some - 8 + GAP))));
  return (
    ways.find(({ cell }) => cell >= WIDTHS.least) ?? {
      columns,
      cell: Math.floor(Math.min(room / columns - GAP, WIDTHS.some)),
    }
  );
}

/** How wide cells are that are as high as so many rows allow. */
function tallest(rows: number, height: number, under: number): number {
  return Math.min(WIDTHS.most, 1.5 * (height / rows - under - GAP));
}

/**
 * How wide the cells of a sweep are, a row for each of its values and a column for each sample, and how many fit; where not
 * all rows would be seen, those of a sample are beside each other (`across`).
 */
export function swept(rows: number, size: number, width: number, height: number): Columns & { across: boolean } {
  const tall = tallest(rows, height, UNDER / rows);
  if (tall < WIDTHS.least) {
    const { columns, cell } = laid(rows, width, height);
    const lines = Math.ceil(rows / columns) * (cell / 1.5 + UNDER + GAP);
    return { across: true, columns: Math.max(1, Math.min(size, Math.floor(height / lines))), cell };
  }
  const room = width - LABEL;
  const columns = Math.min(size, COLUMNS, Math.max(1, Math.floor(room / (WIDTHS.least + GAP))));
  const cell = Math.floor(Math.min(room / columns - GAP, WIDER * tall));
  return { across: false, columns, cell, tall: Math.floor(Math.min(cell, tall) / 1.5) };
}

interface Row {
  readonly label: string;
  readonly note: string;
  /** What is kept by a click; undefined for the row of what is there. */
  readonly value?: Value;
}

/** Ask for the sheet whenever what it shows can have changed. */
function useSheet(port: PortRef | null, variants: readonly (readonly Edit[])[], samples: readonly number[]): void {
  const session = useSession();
  const stamp = useSel((s) => `${s.confirmed?.revision}|${s.iteration}|${s.pending.length}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision or batch is asked for again
  useEffect(() => {
    if (!port) return undefined;
    const wait = setTimeout(() => {
      session.send({
        type: "request_sheet",
        name: "batch",
        port,
        variants,
        samples,
        width: CELL.width * 2,
        height: CELL.height * 2,
      });
    }, 80);
    return () => clearTimeout(wait);
  }, [session, port, variants, samples, stamp]);
}

interface CellProps {
  readonly cell: SheetCell | undefined;
  readonly name: string;
  readonly now: boolean;
  /** How its sample fails, if it does. */
  readonly bad: string;
  readonly old: boolean;
  readonly variant: number;
  readonly place: number;
  /** In which row and column it lies. */
  readonly at: readonly [number, number];
  readonly keep: string;
  readonly under: string | false | undefined;
  /** What the words under it are. */
  readonly told: string | undefined;
  readonly onClick: () => void;
}

function SheetButton({ cell, name, now, bad, old, variant, place, at, keep, under, told, onClick }: CellProps) {
  return (
    <span className="ds-sheet-cell">
      <button
        type="button"
        className={`ds-sheet-button ${now ? "ds-sample-now" : ""} ${bad && `ds-sample-bad ds-tone-${bad}`} ${old ? "ds-sheet-old" : ""}`}
        title={keep ? `${keep}: ${name}` : name}
        aria-label={keep ? `${keep}, ${name}` : name}
        data-row={at[0]}
        data-column={at[1]}
        data-testid={`sheet-${variant}-${place}`}
        onClick={onClick}
      >
        {cell && (cell.width ?? 0) > 0 ? (
          <Thumb id={sheetImage("batch", cell.variant, cell.sample)} {...CELL} label="" fill />
        ) : (
          <span className="ds-sheet-text">{cell?.text ?? ""}</span>
        )}
        {keep && <span className="ds-sheet-keep">{keep}</span>}
      </button>
      {under && (
        <span className="ds-sheet-under" title={told}>
          {under}
        </span>
      )}
    </span>
  );
}

/** Arrow keys go from cell to cell. */
function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const by = ARROWS[event.key];
  const from = event.target instanceof HTMLElement ? event.target.dataset : {};
  if (!by || from.row === undefined) return;
  const [row, column] = [Number(from.row) + by[1], Number(from.column) + by[0]];
  const next = event.currentTarget.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`);
  if (next) {
    event.preventDefault();
    next.focus();
  }
  event.stopPropagation();
}

/** What the sources of arguments draw for each sample: short, or with what it is and where it comes from. */
function drawnWords(state: State, node: NodeView | undefined, samples: readonly number[], whole = false) {
  const rows = Object.entries(node?.argument_inputs ?? {}).map(([name, ref]) => {
    const preview = previewOf(state, ref.node, ref.output);
    const unit = argumentOf(operatorOf(state, node), name)?.unit ?? "";
    const drawn = samples.map((k) => scalarOf(preview, k));
    return format.drawnAlike(drawn, unit).map((text) => (whole && text ? `${name}: ${text}, by ${ref.node}` : text));
  });
  return samples.map((_, i) => {
    const words = rows.flatMap((row) => row[i] || []);
    return whole ? words.join("\n") : words.slice(0, 2).join(", ");
  });
}

function useSweep(node: NodeView | undefined) {
  const session = useSession();
  const operator = useSel((s) => operatorOf(s, node));
  const kept = useSel((s) => s.view.sweep);
  const offered = useMemo(() => sweepable(operator), [operator]);
  const argument = offered.find((a) => a.name === kept?.argument) ?? (node && firstSwept(node, offered));
  // the same one at each drawing: what is new is asked for anew
  const sweep = useMemo(
    () => (kept && kept.argument === argument?.name ? kept : node && argument ? firstSweep(node, argument) : undefined),
    [kept, node, argument],
  );
  const on = useSel((s) => s.view.sweeping) && argument !== undefined && sweep !== undefined;
  const change = (part: Partial<Sweep>) => {
    const other = offered.find((a) => a.name === part.argument);
    const base = other && node ? firstSweep(node, other) : sweep;
    if (base) session.view({ sweep: { ...base, ...part } });
  };
  return { offered, argument, sweep, on, change };
}

/** The selected node's output for the samples of the batch, as it is or for several values of an argument. */
export function BatchPane() {
  const session = useSession();
  const { box, width, height: given } = useRoom(900);
  const column = useRoom(900, ".ds-column");
  // a drawer that is as high as its rows says nothing of how high these may be
  const height = useSel((s) =>
    isSnug(s) ? (isSweep(s) ? sweepHeight(column.height) : drawerHeight(s)) - TABS : given,
  );
  const port = useSel(sheetPort);
  const node = useSel((s) => nodeOf(s.graph, port?.node ?? ""));
  const { offered, argument, sweep, on, change } = useSweep(node);
  const size = useSel((s) => Math.max(1, s.batchSize));
  const sample = useSel((s) => s.sample);
  const [first, setFirst] = useState(sample);
  const [wrong, setWrong] = useState<{ readonly from?: string; readonly to?: string }>({});
  const why = wrong.from || wrong.to;
  const values = useMemo(() => (on && argument && sweep ? sweepValues(argument, sweep) : []), [on, argument, sweep]);
  const room = width - PADDING + GAP;
  const free = height - BAR;
  const shown = useSel((s) => (s.sheets.batch?.port.node === port?.node ? s.sheets.batch : undefined));
  const sweeping = on ? swept(values.length + 1, size, room, free) : undefined;
  const across = sweeping?.across;
  const many = sweeping?.columns ?? Math.min(size, 64);
  const { cell, tall = Math.floor(cell / 1.5) } = sweeping ?? laid(many, room, free);
  useEffect(() => setFirst((old) => (sample < old || sample >= old + many ? sample : old)), [sample, many]);
  const begin = on ? Math.min(Math.max(0, first), size - many) : 0;
  const samples = useMemo(() => Array.from({ length: many }, (_, i) => begin + i), [many, begin]);
  const variants = useMemo(
    () => [[], ...(node && argument && on ? values.map((v) => keepEdits(node, argument.name, v)) : [])],
    [node, argument, on, values],
  );
  useSheet(port, variants, samples);
  const old = useSel((s) => shown !== undefined && shown.revision !== s.confirmed?.revision);
  const names = useSel((s) => s.strip?.names ?? []);
  const failed = useSel(batchFailures);
  const refused = useSel((s) => findings(s).some((d) => d.node === node?.key && severity(d) === "error"));
  const drawn = useSel((s) => drawnWords(s, node, samples));
  const told = useSel((s) => drawnWords(s, node, samples, true));
  if (!port || !node) return <div className="ds-code ds-muted">Nothing gives an output yet.</div>;
  const wired = argument ? node.argument_inputs[argument.name] : undefined;
  // one number takes the place of several: those of channels, or extents
  const own = argument && !wired ? (node.arguments[argument.name] ?? argument.default) : 0;
  const all = Array.isArray(own) && own.length > 1 ? `for all ${own.length}` : "";
  const rows: readonly Row[] = [
    { label: wired || !on ? "as drawn" : "as it is", note: wired && on ? `by ${wired.node}` : "" },
    ...values.map((value) => ({
      label: format.value(value, argument?.unit ?? ""),
      note: argument && sameValue(value, argument.default) ? "default" : all,
      value,
    })),
  ];
  const texts = samples.map((k) => shown?.cells[cellKey(0, k)]?.text ?? "");
  const reasons = new Set(texts.map((text) => text.replace(/\d+/g, "")));
  // why nothing came out is said once where it is the same for all, but for sizes
  const none = refused || samples.every((k) => failed.some((d) => d.sample === k));
  const [nothing = ""] = none && reasons.size === 1 ? texts : [];
  const keep = (value: Value) => {
    if (!argument) return;
    session.edit(keepEdits(node, argument.name, value));
    const text = `${argument.name} is ${format.value(value, argument.unit)} ${all && `${all}, `}for every sample.`;
    session.view({ sweep: sweep ?? null, notice: { text, node: node.key } });
  };
  const button = (variant: number, place: number) => {
    const k = samples[place] ?? 0;
    const { label = "", note = "", value } = rows[variant] ?? {};
    const bad = failed.find((d) => d.sample === k);
    const name = names[k]?.split("/").at(-1) || `sample ${k + 1}`;
    const cell = shown?.cells[cellKey(variant, k)];
    const keeps = value !== undefined && !cell?.failed;
    const by = variant === 0 && drawn[place];
    return (
      <SheetButton
        key={`${variant}-${k}`}
        cell={cell}
        name={cell?.width ? `${name}, ${cell.text}` : name}
        now={k === sample && variant === 0}
        bad={(bad && severity(bad)) ?? ""}
        old={old}
        variant={variant}
        place={place}
        at={across ? [place, variant] : [variant, place]}
        keep={keeps ? `Keep ${label} ${all}`.trim() : ""}
        under={across ? `${label} ${by || note}` : by}
        told={variant === 0 ? told[place] : undefined}
        onClick={() => (keeps ? keep(value) : session.chooseSample(k, session.store.get().iteration))}
      />
    );
  };
  const numeric = argument !== undefined && argument.choices.length === 0;
  const end = (name: "from" | "to", label: string) =>
    argument &&
    sweep && (
      <NumberField
        key={argument.name}
        argument={argument}
        value={sweep[name]}
        onValue={(value) => change({ [name]: value })}
        setError={(reason) => setWrong((old) => ({ ...old, [name]: reason }))}
        bad={Boolean(wrong[name])}
        label={label}
        testId={`sweep-${name}`}
      />
    );
  const range = (
    <span className="ds-sheet-range">
      from
      {end("from", "first value")}
      to
      {end("to", "last value")}
      <select
        className="ds-select"
        aria-label="How many values"
        value={sweep?.count}
        onChange={(e) => change({ count: Number(e.target.value) })}
      >
        {[3, 5, 7, 9].map((n) => (
          <option key={n} value={n}>
            in {n} values
          </option>
        ))}
      </select>
    </span>
  );
  return (
    <div
      ref={box}
      className="ds-sheet nowheel"
      style={{ "--ds-cell": `${cell}px`, "--ds-tall": `${tall}px` }}
      data-testid="sheet"
    >
      <div ref={column.box} className="ds-sheet-bar">
        {!(on && width < FOLDS.name) && <b title={node.key}>{node.key}</b>}
        {!(on && width < FOLDS.count) && (
          <span className="ds-muted">
            {samples.length} of {format.plural(size, "sample")}
          </span>
        )}
        {offered.length > 0 && (
          <Segments
            label="What is shown"
            options={["samples", "sweep"] as const}
            value={on ? "sweep" : "samples"}
            testId="sheet-mode"
            onChange={(mode) => session.view({ sweeping: mode === "sweep" })}
          />
        )}
        <span className="ds-spring" />
        {on && argument && sweep && (
          <>
            <select
              className="ds-select"
              aria-label="Argument"
              data-testid="sweep-argument"
              value={argument.name}
              onChange={(e) => {
                setWrong({});
                change({ argument: e.target.value });
              }}
            >
              {offered.map((a) => (
                <option key={a.name} value={a.name}>
                  {a.name}
                </option>
              ))}
            </select>
            {numeric && width >= FOLDS.range && range}
            {numeric && width < FOLDS.range && (
              <details
                className="ds-sheet-fold"
                data-testid="sweep-range"
                onBlur={(e) => {
                  if (!e.currentTarget.contains(e.relatedTarget)) e.currentTarget.open = false;
                }}
                onKeyDown={(e) => {
                  if (e.key !== "Escape" || !e.currentTarget.open) return;
                  e.stopPropagation();
                  e.currentTarget.open = false;
                }}
              >
                <summary title="First and last value, and how many">
                  {[sweep.from, sweep.to].map((v) => format.value(v, argument.unit)).join(" to ")}
                </summary>
                <div>{range}</div>
              </details>
            )}
            {size > many && (
              <>
                <IconButton icon="left" label="Samples before" small onClick={() => setFirst(begin - many)} />
                <IconButton icon="right" label="Samples after" small onClick={() => setFirst(begin + many)} />
              </>
            )}
          </>
        )}
      </div>
      {on && why && numeric && (
        <p className="ds-reason" role="alert" data-testid="sweep-reason">
          {why}
        </p>
      )}
      <div
        className={on && !across ? "ds-sheet-swept" : "ds-sheet-all"}
        role="toolbar"
        aria-label={`Outputs of ${node.key}`}
        onKeyDown={onArrow}
      >
        {nothing && <p>{nothing}</p>}
        {!nothing && across
          ? samples.map((k, place) => (
              <div key={k} className="ds-sheet-part">
                {rows.map((_, variant) => button(variant, place))}
              </div>
            ))
          : (nothing ? [] : rows).map((row, variant) => (
              <div key={row.label} className="ds-sheet-part">
                {on && (
                  <span className="ds-sheet-label">
                    {row.label}
                    {row.note && <small>{row.note}</small>}
                  </span>
                )}
                {samples.map((_, place) => button(variant, place))}
              </div>
            ))}
        {on && shown?.note && <p>all pictures are {shown.note}</p>}
      </div>
    </div>
  );
}
