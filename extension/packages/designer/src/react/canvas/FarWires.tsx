import { type Node, ViewportPortal } from "@xyflow/react";
import { memo, useEffect, useMemo, useState } from "react";
import { isPale } from "../../core/detail";
import { nodeOf, OUTPUTS, type Wire, wiresOf } from "../../core/graph";
import { junctionsOf, pathThrough } from "../../core/junctions";
import { CARD, outputRows, type Size } from "../../core/layout";
import { goesUnder, PORT_LOOKS } from "../../core/ports";
import type { Point, Rect } from "../../core/route";
import { staleKeys } from "../../core/select";
import type { State } from "../../core/state";
import { cardOf, isHidden } from "../../core/subgraph";
import { type Run, routed } from "../../core/wires";
import type { Position } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { sizesOf } from "./sizes";

/** Height of a far card's picture, and the line on which its wires begin and end. */
const FAR_HEIGHT = 101;
const MIDDLE = 49;
/** Length of what is drawn of wires that would be a cage. */
const STUB = 28;
/** How much lower a card's other results begin, and arguments end. */
const OTHERS = 32;
/** How much lower wires run than between cards that have a header. */
export const FAR_DROP = MIDDLE - 14;

type Sizes = ReadonlyMap<string, Size>;
type Places = Readonly<Record<string, Position>>;

function ends(state: State, wire: Wire, at: Places, sizes: Sizes): readonly [Point, Point] | null {
  const from = cardOf(state, wire.source.node);
  const source = at[from];
  const target = at[cardOf(state, wire.slot.node)];
  if (!source || !target || !state.graph) return null;
  const row =
    wire.slot.kind === "output" ? (outputRows(state.graph, at)[wire.slot.index] ?? 0) + 10 + FAR_DROP : MIDDLE;
  return [
    { x: source.x + (sizes.get(from)?.width ?? CARD), y: source.y + MIDDLE + (wire.source.output ? OTHERS : 0) },
    { x: target.x, y: target.y + row + (wire.slot.kind === "argument" ? OTHERS : 0) },
  ];
}

/** Whether a wire begins or ends at a selected node. */
function ownWires({ view }: State, { source, slot }: Wire): boolean {
  return [source.node, slot.node].some((key) => view.selection.includes(key));
}

/** The wires of each look, as one path: a browser draws few long paths much sooner than many short ones. */
function pathsOf(state: State, at: Places, cards: readonly Rect[], sizes: Sizes): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  const { graph } = state;
  if (!graph) return paths;
  const stale = staleKeys(state);
  const runs = new Map<Run, string>();
  const stubs = new Set<string>();
  const add = (look: string, path: string) => paths.set(look, (paths.get(look) ?? "") + path);
  for (const wire of wiresOf(graph)) {
    if (isHidden(state, wire)) continue;
    const between = ends(state, wire, at, sizes);
    if (!between) continue;
    const kind = nodeOf(graph, wire.source.node)?.output_kinds[wire.source.output] ?? "any";
    const faint = stale.has(wire.source.node) || stale.has(wire.slot.node);
    const argument = wire.slot.kind === "argument";
    const [a, b] = between;
    if (argument && isPale(graph, wire.source.node) && !ownWires(state, wire)) {
      stubs.add(`M${a.x} ${a.y}H${a.x + STUB}`);
      continue;
    }
    const look = `${PORT_LOOKS[kind].hue}${argument ? " argument" : ""}${faint ? " faint" : ""}`;
    const points = junctionsOf(state.marks, wire);
    if (points.length > 0) add(look, pathThrough([a, ...points, b]));
    else runs.set({ source: `${wire.source.node} ${wire.source.output}`, a, b, under: goesUnder(kind, a, b) }, look);
  }
  if (stubs.size > 0) add(PORT_LOOKS.scalar.hue, [...stubs].join(""));
  for (const [run, path] of routed(runs.keys(), cards)) add(runs.get(run) ?? "", path);
  return paths;
}

interface Props {
  readonly nodes: readonly Node[];
  readonly told: (paths: readonly string[]) => void;
}

function FarWiresView({ nodes, told }: Props) {
  const session = useSession();
  const graph = useSel((s) => s.graph);
  const stale = useSel(staleKeys);
  const selection = useSel((s) => s.view.selection);
  const [paths, setPaths] = useState<ReadonlyMap<string, string>>(new Map());
  const places = useMemo(
    () => JSON.stringify(Object.fromEntries(nodes.map((n) => [n.id, { x: n.position.x, y: n.position.y }]))),
    [nodes],
  );
  useEffect(() => {
    if (!graph || !stale || !selection) return undefined;
    // The cards are painted first.
    const wait = setTimeout(() => {
      const at: Places = JSON.parse(places);
      const sizes = sizesOf(session.store.get());
      const cards = Object.entries(at).flatMap(([key, p]) =>
        key === OUTPUTS
          ? []
          : [
              {
                ...p,
                width: sizes.get(key)?.width ?? CARD,
                height: Math.min(FAR_HEIGHT, sizes.get(key)?.height ?? FAR_HEIGHT),
              },
            ],
      );
      const found = pathsOf(session.store.get(), at, cards, sizes);
      setPaths(found);
      told([...found.values()]);
    }, 30);
    return () => clearTimeout(wait);
  }, [session, graph, stale, selection, places, told]);
  return (
    <ViewportPortal>
      <svg className="ds-far-wires" width="1" height="1" aria-hidden="true" data-testid="far-wires">
        {[...paths].map(([look, path]) => {
          const [hue = "slate", ...marks] = look.split(" ");
          return (
            <path
              key={look}
              d={path}
              className={marks.map((m) => `ds-far-wire-${m}`).join(" ")}
              style={{ stroke: `var(--ds-${hue})` }}
            />
          );
        })}
      </svg>
    </ViewportPortal>
  );
}

/** All wires where cards are too small for ports. */
export const FarWires = memo(FarWiresView);
