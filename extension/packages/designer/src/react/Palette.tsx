import { type DragEvent, useEffect, useMemo, useRef, useState } from "react";
import type { Operator } from "../core/catalog";
import { CODE } from "../core/edits";
import * as format from "../core/format";
import { type Hit, isOffered, search } from "../core/fuzzy";
import { nodeOf } from "../core/graph";
import { isOfKind, KINDS } from "../core/kinds";
import { categoryHue } from "../core/ports";
import { callOf, valuesOf } from "../core/python";
import { effectImage } from "../core/state";
import { Chips } from "./Chips";
import { DeviceBadge } from "./canvas/CardParts";
import { Name } from "./canvas/Name";
import { useCanvasApi } from "./canvasApi";
import { useSel, useSession } from "./context";
import { Icon, operatorIcon, Tile } from "./icons";
import { CloseButton, SmallButton } from "./parts";
import { insertInView } from "./quickAdd";
import { TileFace } from "./TileFace";
import { pictured, useEffectPictures } from "./useEffectPictures";

const TRIAL = "experimental.";

/** A name with the letters that were searched; `short`: without where it is from, and cut as on cards where none is marked. */
export function Marked({ hit, short = false }: { readonly hit: Hit; readonly short?: boolean }) {
  const marks = new Set(hit.marks);
  const { name, written_by: by } = hit.operator;
  const letters = Array.from(name);
  const skipped = by ? name.indexOf(".") + 1 : short && name.startsWith(TRIAL) ? TRIAL.length : 0;
  if (short && marks.size === 0) return <Name text={name.slice(skipped)} />;
  const Words = short ? "b" : "span";
  return (
    <Words>
      {letters.map((letter, i) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: letters have no other identity
        i < skipped ? null : marks.has(i) ? <b key={i}>{letter}</b> : <span key={i}>{letter}</span>,
      )}
    </Words>
  );
}

/** Begin to drag an operator, to a canvas or as a call to a cell. */
function drag(event: DragEvent, operator: Operator): void {
  event.dataTransfer.setData("application/x-dali-studio-operator", operator.name);
  event.dataTransfer.setData("text/plain", callOf(operator.name, valuesOf(operator)));
  event.dataTransfer.effectAllowed = "copy";
}

interface EntryProps {
  readonly hit: Hit;
  readonly tile: boolean;
  readonly chosen: boolean;
  readonly onChoose: (o: Operator) => void;
  readonly onAdd: (o: Operator) => void;
}

/** An operator: a tile where there is a picture of what it does, else a row. A click looks, Enter adds. */
function Entry({ hit, tile, chosen, onChoose, onAdd }: EntryProps) {
  const { images } = useSession();
  const { operator } = hit;
  const whole = useSel((s) => s.effects[operator.name]?.whole ?? false);
  const time = useSel((s) => s.effects[operator.name]?.time ?? 0);
  const gpu = operator.devices.some((d) => d !== "cpu");
  return (
    <button
      type="button"
      className={tile ? "ds-effect" : "ds-entry"}
      aria-pressed={chosen}
      draggable={!operator.written_by}
      title={operator.summary}
      data-testid={`palette-${operator.name}`}
      data-effect={tile ? operator.name : undefined}
      onDragStart={(e) => drag(e, operator)}
      onClick={(e) => (e.detail === 0 ? onAdd(operator) : onChoose(operator))}
      onDoubleClick={() => onAdd(operator)}
    >
      {tile ? (
        <TileFace
          images={images}
          before={effectImage("")}
          after={effectImage(operator.name)}
          whole={whole}
          testId={`effect-${operator.name}`}
          title={<Marked hit={hit} short />}
          gpu={gpu}
          moves={operator.movement !== null}
          time={time}
        />
      ) : (
        <>
          <Tile name={operatorIcon(operator, operator.name)} hue={categoryHue(operator.category)} />
          <span className="ds-entry-text">
            <Marked hit={hit} />
            <small>
              {operator.written_by && `${operator.name.split(".")[0]}. `}
              {operator.summary}
            </small>
          </span>
          {!gpu && <DeviceBadge device="cpu" />}
        </>
      )}
    </button>
  );
}

interface ChosenProps {
  readonly operator: Operator;
  readonly onAdd: () => void;
  readonly onClose: () => void;
}

/** What was clicked, below the list: nothing is inserted by looking. */
function Chosen({ operator, onAdd, onClose }: ChosenProps) {
  return (
    <section className="ds-palette-chosen" aria-label={operator.name}>
      <h5 className="ds-section-title">
        {operator.written_by || operator.name}
        <CloseButton label="Close" onClick={onClose} />
      </h5>
      <p>{operator.summary}</p>
      {!operator.written_by && <code>{callOf(operator.name, valuesOf(operator))}</code>}
      <SmallButton primary data-testid="palette-insert" onClick={onAdd}>
        <Icon name="plus" size={12} />
        Insert
      </SmallButton>
    </section>
  );
}

const FILTERS = Object.keys(KINDS).filter((name) => name !== "Pipelines");
/** Those that begin a pipeline come first. */
const ORDER = ["readers", "decoders", ...Object.values(KINDS).flat()];

/** By category: first what takes what is selected, or reads before anything is there. */
function grouped(hits: readonly Hit[], kind: string | undefined, ranked: boolean): [string, Hit[]][] {
  const map = new Map<string, Hit[]>();
  for (const hit of hits) map.set(hit.operator.category, [...(map.get(hit.operator.category) ?? []), hit]);
  const fits = ({ operator: o }: Hit) => (kind ? o.inputs[0]?.kind === kind : o.role === "reader");
  const place = ([category, entries]: [string, Hit[]]) =>
    ORDER.indexOf(category) - (entries.filter(fits).length > 0.4 * entries.length ? ORDER.length : 0);
  return ranked ? [...map] : [...map].sort((a, b) => place(a) - place(b));
}

/** What has pictures stands together, where the first of it stood. */
function together(groups: readonly [string, Hit[]][], isTile: (o: Operator) => boolean): [string, Hit[]][] {
  const tiles = groups.flatMap(([, hits]) => hits.filter((h) => isTile(h.operator)));
  const made: [string, Hit[]][] = [];
  for (const [category, hits] of groups) {
    if (hits.some((h) => isTile(h.operator)) && made.every(([name]) => name)) made.push(["", tiles]);
    const rows = hits.filter((h) => !isTile(h.operator));
    if (rows.length > 0) made.push([category, rows]);
  }
  return made;
}

/** All operators, searched and by kind, on the user's own picture; a click shows one, Enter adds it, and dragging where it is dropped. */
export function Palette({ closable = true }: { readonly closable?: boolean }) {
  const session = useSession();
  const api = useCanvasApi();
  const catalog = useSel((s) => s.opening?.catalog);
  const [query, setQuery] = useState("");
  const [only, setOnly] = useState("");
  const [chosen, setChosen] = useState<Operator | null>(null);
  const [seen, setSeen] = useState<readonly string[]>([]);
  const sought = useSel((s) => s.view.sought);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the catalog and the session stay
  useEffect(() => {
    if (!sought) return;
    setQuery(sought);
    setOnly("");
    setChosen(catalog?.byName.get(sought) ?? null);
    session.view({ sought: "" });
  }, [sought]);
  const list = useRef<HTMLDivElement>(null);
  const port = useSel(pictured);
  const sample = useSel((s) => s.sample + 1);
  const kind = useSel((s) => {
    const node = nodeOf(s.graph, s.view.selection[0] ?? "") ?? s.graph?.nodes.at(-1);
    return node?.output_kinds[0];
  });
  const groups = useMemo(() => {
    const hits = search(catalog?.[query ? "offered" : "operators"] ?? [], query);
    return grouped(
      hits.filter(({ operator: o }) => isOfKind(only, o.category, o.movement !== null)),
      kind,
      query !== "",
    );
  }, [catalog, query, kind, only]);
  useEffectPictures(port, seen);
  const without = useSel((s) => Object.keys(s.effects).filter((name) => s.effects[name]?.there === false));
  const isTile = (o: Operator) => port !== null && o.shown !== null && !without.includes(o.name);
  const sections = query ? groups : together(groups, isTile);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other entries are to be watched
  useEffect(() => {
    const now = new Set<string>();
    const watch = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const name = target.getAttribute("data-effect") ?? "";
          if (isIntersecting) now.add(name);
          else now.delete(name);
        }
        setSeen([...now]);
      },
      { root: list.current, rootMargin: "120px" },
    );
    for (const entry of list.current?.querySelectorAll("[data-effect]") ?? []) watch.observe(entry);
    return () => watch.disconnect();
  }, [groups, port === null, without]);
  const add = (operator: Operator) => insertInView(session, api.current, operator);
  // what no operator does is written
  const best = groups[0]?.[1][0]?.operator ?? catalog?.byName.get(CODE);
  return (
    <aside className="ds-palette" aria-label="Gallery">
      <div className="ds-palette-head">
        <h5 className="ds-section-title">
          Gallery
          {port && (
            <span title={`What they make of ${port.node}`} data-testid="palette-picture">
              on <Name text={port.node} /> sample {sample}
            </span>
          )}
          {closable && <CloseButton label="Close (P)" onClick={() => session.view({ palette: false })} />}
        </h5>
        <label className="ds-search">
          <Icon name="search" />
          <input
            value={query}
            placeholder={`Search ${format.plural(catalog?.operators.filter(isOffered).length ?? 0, "operator")}`}
            aria-label="Search operators"
            data-testid="palette-search"
            onChange={(e) => setQuery(e.target.value)}
            onKeyDown={(e) => {
              if (e.key === "Enter" && best) add(best);
            }}
          />
        </label>
        <Chips names={FILTERS} chosen={only} testId="palette-only" onChoose={setOnly} />
      </div>
      <div ref={list} className="ds-palette-list nowheel">
        {sections.map(([category, entries]) => {
          const tiles = entries.filter((h) => isTile(h.operator));
          const shown = (hit: Hit, tile: boolean) => (
            <Entry
              key={hit.operator.name}
              hit={hit}
              tile={tile}
              chosen={hit.operator === chosen}
              onChoose={(o) => setChosen(o === chosen ? null : o)}
              onAdd={add}
            />
          );
          return (
            <section key={category} aria-label={category || "Pictures"}>
              {category && (
                <h6>
                  {category.replace("color", "colour")} <span>{entries.length}</span>
                </h6>
              )}
              {tiles.length > 0 && <div className="ds-effects">{tiles.map((hit) => shown(hit, true))}</div>}
              {entries.map((hit) => (tiles.includes(hit) ? null : shown(hit, false)))}
            </section>
          );
        })}
        {!groups[0] && best && (
          <p className="ds-muted ds-none">
            No operator is called that. <SmallButton onClick={() => add(best)}>Make a code node</SmallButton>
          </p>
        )}
      </div>
      {chosen && <Chosen operator={chosen} onAdd={() => add(chosen)} onClose={() => setChosen(null)} />}
    </aside>
  );
}
