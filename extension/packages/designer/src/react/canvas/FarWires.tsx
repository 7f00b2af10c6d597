import { type Node, useReactFlow, ViewportPortal } from "@xyflow/react";
import { memo, useEffect, useMemo, useState } from "react";
import { outputDevice } from "../../core/compat";
import { copierOf } from "../../core/copies";
import { isPale } from "../../core/detail";
import { nodeOf, OUTPUTS, type Wire, wiresOf } from "../../core/graph";
import { junctionsOf, pathThrough } from "../../core/junctions";
import { kept } from "../../core/kept";
import { CARD, outputRows, type Size } from "../../core/layout";
import { goesUnder, PORT_LOOKS } from "../../core/ports";
import { boxesAlong, type Point, type Rect, route, stub } from "../../core/route";
import { staleKeys } from "../../core/select";
import type { State } from "../../core/state";
import { cardOf, isDense, isHidden } from "../../core/subgraph";
import { type Run, routed } from "../../core/wires";
import type { Position } from "../../protocol/generated";
import { useFrame, useSel } from "../context";
import { followed } from "./edges";
import { sizesOf } from "./sizes";

/** Height of a far card's picture, and the line on which its wires begin and end. */
const FAR_HEIGHT = 101;
const MIDDLE = 49;
/** What its name takes below it. */
const NAME = 28;
/** How much lower a card's other results begin, and arguments end. */
const OTHERS = 32;
/** How near to a wire the pointer is at it, in px. */
const NEAR = 6;
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

/** A wire as it is drawn; without a path while only a stub of it is. */
interface Drawn {
  readonly look: string;
  readonly run: Run;
  readonly path?: string | undefined;
}

interface Found {
  readonly wires: ReadonlyMap<string, Drawn>;
  readonly stubs: string;
  readonly cards: readonly Rect[];
}

const NOTHING: Found = { wires: new Map(), stubs: "", cards: [] };

/** The wires of each look as one path: a browser draws few long paths much sooner than many short ones. */
function joined(wires: Iterable<Drawn>): Map<string, string> {
  const paths = new Map<string, string>();
  for (const { look, path } of wires) if (path) paths.set(look, (paths.get(look) ?? "") + path);
  return paths;
}

function found(state: State, at: Places): Found {
  const { graph } = state;
  const sizes = sizesOf(state);
  const cards = Object.entries(at).map(([key, p]) => {
    const { width = CARD, height = FAR_HEIGHT } = sizes.get(key) ?? {};
    return { ...p, width, height: key === OUTPUTS ? height : Math.min(FAR_HEIGHT, height) + NAME };
  });
  const stale = staleKeys(state);
  const stubs = new Set<string>();
  const whole = new Set<Run>();
  const wires = (graph ? wiresOf(graph) : []).flatMap((wire) => {
    const { id, source, slot } = wire;
    const between = isHidden(state, wire) ? null : ends(state, wire, at, sizes);
    if (!between) return [];
    const { output_kinds = [], device = "cpu" } = nodeOf(graph, source.node) ?? {};
    const kind = output_kinds[source.output] ?? "any";
    const faint = stale.has(source.node) || stale.has(slot.node);
    const argument = slot.kind === "argument";
    const [a, b] = between;
    const look = `${PORT_LOOKS[kind].hue} ${graph && copierOf(graph, wire) ? "copy" : outputDevice(device)}${argument ? " argument" : ""}${faint ? " faint" : ""}`;
    const run = { source: `${source.node} ${source.output}`, a, b, under: goesUnder(kind, a, b) };
    const points = junctionsOf(state.marks, wire);
    const pale = argument && isPale(graph, source, isDense(state));
    if (pale) stubs.add(stub(a.x, a.y, 1, 6, 5));
    else if (points.length === 0) whole.add(run);
    return [
      [
        id,
        { look, run, path: pale || points.length === 0 ? undefined : pathThrough([a, ...points, b], cards) },
      ] as const,
    ];
  });
  const paths = routed(whole, cards);
  return {
    wires: new Map(wires.map(([id, wire]) => [id, { ...wire, path: wire.path ?? paths.get(wire.run) }])),
    stubs: [...stubs].join(""),
    cards,
  };
}

interface Props {
  readonly nodes: readonly Node[];
  readonly told: (paths: readonly string[]) => void;
}

function FarWiresView({ nodes, told }: Props) {
  const { session, root } = useFrame();
  const flow = useReactFlow();
  const graph = useSel((s) => s.graph);
  const stale = useSel(staleKeys);
  const ids = useSel(followed);
  const [all, setAll] = useState(NOTHING);
  const places = useMemo(
    () => JSON.stringify(Object.fromEntries(nodes.map((n) => [n.id, { x: n.position.x, y: n.position.y }]))),
    [nodes],
  );
  useEffect(() => {
    if (!graph || !stale) return undefined;
    // The cards are painted first.
    const wait = setTimeout(() => {
      const now = found(session.store.get(), JSON.parse(places));
      setAll(now);
      told([...joined(now.wires.values()).values()]);
    }, 30);
    return () => clearTimeout(wait);
  }, [session, graph, stale, places, told]);
  // they have no elements of their own that could be pointed at
  useEffect(() => {
    const pane = root.querySelector<HTMLElement>(".react-flow__pane");
    const boxes = [...all.wires].flatMap(([id, { path }]) => boxesAlong(path ?? "").map((r) => ({ ...r, id })));
    const move = (event: PointerEvent) => {
      if (event.target !== pane || event.buttons) return;
      const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
      let traced: string[] = [];
      let least = NEAR / flow.getZoom();
      for (const { id, x, y, width, height } of boxes) {
        const far = Math.max(x - at.x, at.x - x - width, y - at.y, at.y - y - height);
        if (far < least) [traced, least] = [[id], far];
      }
      session.view((v) => ({ traced: kept(v.traced, traced) }));
    };
    pane?.addEventListener("pointermove", move);
    return () => pane?.removeEventListener("pointermove", move);
  }, [session, root, flow, all]);
  const lines = useMemo(() => {
    const { wires, cards, stubs } = all;
    const own = [...ids].flatMap((id) => {
      const { look, path, run } = wires.get(id) ?? {};
      return run ? [[`${look} own`, path ?? route(run.a, run.b, cards)] as const] : [];
    });
    return [[PORT_LOOKS.scalar.hue, stubs] as const, ...joined(wires.values()), ...own];
  }, [all, ids]);
  return (
    <ViewportPortal>
      <svg className="ds-far-wires" width="1" height="1" aria-hidden="true" data-testid="far-wires">
        {lines.map(([look, path]) => {
          const [hue = "slate", ...marks] = look.split(" ");
          return (
            <path
              key={look + path}
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
