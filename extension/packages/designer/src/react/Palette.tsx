import { useMemo, useState } from "react";
import type { Operator } from "../core/catalog";
import * as format from "../core/format";
import { type Hit, isOffered, search } from "../core/fuzzy";
import { nodeOf } from "../core/graph";
import { categoryHue } from "../core/ports";
import { DeviceBadge } from "./canvas/CardParts";
import { useCanvasApi } from "./canvasApi";
import { useSel, useSession } from "./context";
import { Icon, operatorIcon } from "./icons";
import { IconButton } from "./parts";
import { insertInView } from "./quickAdd";

export function Marked({ hit }: { readonly hit: Hit }) {
  const marks = new Set(hit.marks);
  const letters = Array.from(hit.operator.name);
  return (
    <span>
      {letters.map((letter, i) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: letters have no other identity
        marks.has(i) ? <b key={i}>{letter}</b> : <span key={i}>{letter}</span>,
      )}
    </span>
  );
}

function Entry({ hit, onAdd }: { readonly hit: Hit; readonly onAdd: (o: Operator) => void }) {
  const { operator } = hit;
  return (
    <button
      type="button"
      className="ds-entry"
      draggable
      title={operator.summary}
      data-testid={`palette-${operator.name}`}
      onDragStart={(e) => {
        e.dataTransfer.setData("application/x-dali-studio-operator", operator.name);
        e.dataTransfer.setData("text/plain", `fn.${operator.name}()`); // for a cell
        e.dataTransfer.effectAllowed = "copy";
      }}
      onClick={() => onAdd(operator)}
    >
      <span className="ds-tile" style={{ "--ds-c": `var(--ds-${categoryHue(operator.category)})` }}>
        <Icon name={operatorIcon(operator.icon, operator.name, operator.category)} size={12} />
      </span>
      <span className="ds-entry-text">
        <Marked hit={hit} />
        <small>{operator.summary}</small>
      </span>
      {operator.devices.includes("gpu") || operator.devices.includes("mixed") ? null : <DeviceBadge device="cpu" />}
    </button>
  );
}

/** All operators, searched and grouped; click adds in the middle, drag adds where it is dropped. */
export function Palette({ closable = true }: { readonly closable?: boolean }) {
  const session = useSession();
  const api = useCanvasApi();
  const catalog = useSel((s) => s.opening?.catalog);
  const [query, setQuery] = useState("");
  const hits = useMemo(() => search(catalog?.operators ?? [], query), [catalog, query]);
  const kind = useSel((s) => {
    const node = nodeOf(s.graph, s.view.selection[0] ?? "") ?? s.graph?.nodes.at(-1);
    return node?.output_kinds[0];
  });
  // what takes what is selected comes first, and before anything is there, what reads
  const groups = useMemo(() => {
    const share = (entries: readonly Hit[]) =>
      entries.filter(({ operator: o }) => (kind ? o.inputs[0]?.kind === kind : o.role === "reader")).length /
      entries.length;
    const map = new Map<string, Hit[]>();
    for (const hit of hits) map.set(hit.operator.category, [...(map.get(hit.operator.category) ?? []), hit]);
    return [...map].sort(([a, x], [b, y]) => (query ? 0 : share(y) - share(x) || a.localeCompare(b)));
  }, [hits, query, kind]);
  const add = (operator: Operator) => insertInView(session, api.current, operator);
  return (
    <aside className="ds-palette" aria-label="Operators">
      <div className="ds-palette-head">
        <h5 className="ds-section-title">
          Operators
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
              const best = hits[0];
              if (e.key === "Enter" && best) add(best.operator);
            }}
          />
        </label>
      </div>
      <div className="ds-palette-list nowheel">
        {groups.map(([category, entries]) => (
          <section key={category} aria-label={category}>
            <h6>
              {category} <span>{entries.length}</span>
            </h6>
            {entries.map((hit) => (
              <Entry key={hit.operator.name} hit={hit} onAdd={add} />
            ))}
          </section>
        ))}
        {hits.length === 0 && <p className="ds-muted ds-none">No operator is called that.</p>}
      </div>
    </aside>
  );
}
