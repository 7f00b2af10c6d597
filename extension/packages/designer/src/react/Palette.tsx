import { useEffect, useMemo, useRef, useState } from "react";
import type { Operator } from "../core/catalog";
import * as format from "../core/format";
import { type Hit, isOffered, search } from "../core/fuzzy";
import { nodeOf } from "../core/graph";
import { categoryHue } from "../core/ports";
import { effectImage } from "../core/state";
import { DeviceBadge } from "./canvas/CardParts";
import { useCanvasApi } from "./canvasApi";
import { useSel, useSession } from "./context";
import { boxFacts, Halves } from "./Halves";
import { Icon, operatorIcon } from "./icons";
import { IconButton } from "./parts";
import { insertInView } from "./quickAdd";
import { pictured, useEffectPictures } from "./useEffectPictures";

const TRIAL = "experimental.";

/** A name with the letters that were searched; `short`: without where it is from, where there is little room. */
export function Marked({ hit, short = false }: { readonly hit: Hit; readonly short?: boolean }) {
  const marks = new Set(hit.marks);
  const letters = Array.from(hit.operator.name);
  const skipped = short && hit.operator.name.startsWith(TRIAL) ? TRIAL.length : 0;
  return (
    <span>
      {letters.map((letter, i) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: letters have no other identity
        i < skipped ? null : marks.has(i) ? <b key={i}>{letter}</b> : <span key={i}>{letter}</span>,
      )}
    </span>
  );
}

interface EntryProps {
  readonly hit: Hit;
  readonly tile: boolean;
  readonly onAdd: (o: Operator) => void;
}

/** An operator: a tile where there is a picture of what it does, else a row. */
function Entry({ hit, tile, onAdd }: EntryProps) {
  const { images } = useSession();
  const { operator } = hit;
  const whole = useSel((s) => s.effects[operator.name]?.whole ?? false);
  const device = operator.devices.some((d) => d !== "cpu") ? null : <DeviceBadge device="cpu" />;
  return (
    <button
      type="button"
      className={tile ? "ds-effect" : "ds-entry"}
      draggable
      title={operator.summary}
      data-testid={`palette-${operator.name}`}
      data-effect={tile ? operator.name : undefined}
      onDragStart={(e) => {
        e.dataTransfer.setData("application/x-dali-studio-operator", operator.name);
        e.dataTransfer.setData("text/plain", `fn.${operator.name}()`); // for a cell
        e.dataTransfer.effectAllowed = "copy";
      }}
      onClick={() => onAdd(operator)}
    >
      {tile ? (
        <>
          <Halves
            images={images}
            before={effectImage("")}
            after={effectImage(operator.name)}
            whole={whole}
            testId={`effect-${operator.name}`}
          />
          <span className="ds-tile-title">
            <Marked hit={hit} short />
            {device}
          </span>
          <span className="ds-tile-facts">{boxFacts(operator.movement !== null)}</span>
        </>
      ) : (
        <>
          <span className="ds-tile" style={{ "--ds-c": `var(--ds-${categoryHue(operator.category)})` }}>
            <Icon name={operatorIcon(operator.icon, operator.name, operator.category)} size={12} />
          </span>
          <span className="ds-entry-text">
            <Marked hit={hit} />
            <small>{operator.summary}</small>
          </span>
          {device}
        </>
      )}
    </button>
  );
}

/** Kinds of operators, and the categories that belong to each; those that begin a pipeline come first. */
const KINDS: readonly (readonly [string, readonly string[]])[] = [
  ["Read", ["readers", "decoders"]],
  ["Shape", ["geometry"]],
  ["Colour", ["color"]],
  ["Noise", ["effects", "filters"]],
  ["Labels", ["detection", "segmentation", "coordinates"]],
  ["Numbers", ["tensor", "random", "math", "sources", "copies"]],
  ["Sound", ["audio"]],
];
const ORDER = KINDS.flatMap(([, categories]) => categories);

/** By category: first what takes what is selected, or reads before anything is there. */
function grouped(hits: readonly Hit[], kind: string | undefined, ranked: boolean): [string, Hit[]][] {
  const map = new Map<string, Hit[]>();
  for (const hit of hits) map.set(hit.operator.category, [...(map.get(hit.operator.category) ?? []), hit]);
  const fits = ({ operator: o }: Hit) => (kind ? o.inputs[0]?.kind === kind : o.role === "reader");
  const place = ([category, entries]: [string, Hit[]]) =>
    ORDER.indexOf(category) - (entries.filter(fits).length > 0.4 * entries.length ? ORDER.length : 0);
  return ranked ? [...map] : [...map].sort((a, b) => place(a) - place(b));
}

/** All operators, searched and grouped, on the user's own picture; click adds in the middle, drag adds where it is dropped. */
export function Palette({ closable = true }: { readonly closable?: boolean }) {
  const session = useSession();
  const api = useCanvasApi();
  const catalog = useSel((s) => s.opening?.catalog);
  const [query, setQuery] = useState("");
  const [only, setOnly] = useState("");
  const [seen, setSeen] = useState<readonly string[]>([]);
  const list = useRef<HTMLDivElement>(null);
  const port = useSel(pictured);
  const sample = useSel((s) => s.sample + 1);
  const kind = useSel((s) => {
    const node = nodeOf(s.graph, s.view.selection[0] ?? "") ?? s.graph?.nodes.at(-1);
    return node?.output_kinds[0];
  });
  const groups = useMemo(() => {
    const categories = KINDS.find(([name]) => name === only)?.[1];
    const hits = search(catalog?.operators ?? [], query);
    return grouped(
      hits.filter((h) => categories?.includes(h.operator.category) ?? true),
      kind,
      query !== "",
    );
  }, [catalog, query, kind, only]);
  useEffectPictures(port, seen);
  const without = useSel((s) =>
    Object.keys(s.effects)
      .filter((name) => s.effects[name]?.there === false)
      .join(" "),
  );
  const isTile = (o: Operator) => port !== null && o.shown !== null && !without.split(" ").includes(o.name);
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
  const best = groups[0]?.[1][0];
  return (
    <aside className="ds-palette" aria-label="Operators">
      <div className="ds-palette-head">
        <h5 className="ds-section-title">
          Operators
          {port && (
            <span title={`What they make of ${port.node}`} data-testid="palette-picture">
              on sample {sample}
            </span>
          )}
          {closable && (
            <IconButton icon="cross" label="Close (P)" small onClick={() => session.view({ palette: false })} />
          )}
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
              if (e.key === "Enter" && best) add(best.operator);
            }}
          />
        </label>
        <fieldset className="ds-chips" aria-label="Kinds">
          {["", ...KINDS.map(([name]) => name)].map((name) => (
            <button
              key={name}
              type="button"
              className="ds-chip"
              aria-pressed={only === name}
              data-testid={`palette-only-${name || "All"}`}
              onClick={() => setOnly(name)}
            >
              {name || "All"}
            </button>
          ))}
        </fieldset>
      </div>
      <div ref={list} className="ds-palette-list nowheel">
        {groups.map(([category, entries]) => {
          const tiles = entries.filter((h) => isTile(h.operator));
          return (
            <section key={category} aria-label={category}>
              <h6>
                {category.replace("color", "colour")} <span>{entries.length}</span>
              </h6>
              {tiles.length > 0 && (
                <div className="ds-effects">
                  {tiles.map((hit) => (
                    <Entry key={hit.operator.name} hit={hit} tile onAdd={add} />
                  ))}
                </div>
              )}
              {entries.map((hit) =>
                tiles.includes(hit) ? null : <Entry key={hit.operator.name} hit={hit} tile={false} onAdd={add} />,
              )}
            </section>
          );
        })}
        {groups.length === 0 && <p className="ds-muted ds-none">No operator is called that.</p>}
      </div>
    </aside>
  );
}
