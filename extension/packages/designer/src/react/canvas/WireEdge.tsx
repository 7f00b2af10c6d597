import { BaseEdge, EdgeLabelRenderer, type EdgeProps, useStore } from "@xyflow/react";
import { createContext, type MouseEvent, memo, useContext, useEffect, useMemo } from "react";
import { cutEdits } from "../../core/actions";
import { outputDevice } from "../../core/compat";
import { bytesAlong, copierOf, copyLabel } from "../../core/copies";
import { isPale } from "../../core/detail";
import * as format from "../../core/format";
import { overlap } from "../../core/freeSpot";
import { nodeOf, type Wire, wireOf, wiresFrom } from "../../core/graph";
import { junctionsOf, pathThrough } from "../../core/junctions";
import { goesUnder, LABELS, PORT_LOOKS } from "../../core/ports";
import { around, bezier, boxesAlong, type Rect, route, stub } from "../../core/route";
import { findingsAt, isOld, staleKeys, stepOf, unmovedLabel } from "../../core/select";
import type { State } from "../../core/state";
import { isDense } from "../../core/subgraph";
import type { Part, Run } from "../../core/wires";
import type { GraphView, Kind } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { Icon } from "../icons";
import { useDetail } from "./detail";
import { followed } from "./edges";
import { Junctions } from "./Junctions";

/** Where cards are, at rest: wires run around them, and apart from each other, of those that tell where they begin and end. */
export interface Routes {
  readonly cards: readonly Rect[];
  /** Where they are now, for a wire that has no way yet: one of them was moved. */
  readonly live: { readonly current: readonly Rect[] };
  readonly paths: ReadonlyMap<Run, string>;
  readonly parts: readonly Part[];
  readonly tell: (id: string, run: Run) => () => void;
}

export const RoutesContext = createContext<Routes>({
  cards: [],
  live: { current: [] },
  paths: new Map(),
  parts: [],
  tell: () => () => undefined,
});

function middle(path: string): { x: number; y: number } {
  const numbers = path.match(/-?\d+(?:\.\d+)?/g)?.map(Number) ?? [];
  const points: { x: number; y: number }[] = [];
  for (let i = 0; i + 1 < numbers.length; i += 2) points.push({ x: numbers[i] ?? 0, y: numbers[i + 1] ?? 0 });
  const at = Math.floor(points.length / 2);
  const a = points[at - 1] ?? { x: 0, y: 0 };
  const b = points[at] ?? a;
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

/** Height of a pill's middle over a port in a card's header: just above the card, where no picture is. */
const ABOVE = 22;
/** From a port to the middle of a pill that begins at the card's edge. */
const INWARD = 58;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Above the gap between cards that stand side by side, else above the card that copies. */
function pillPlace(from: Place, to: Place, atTarget: boolean): Place {
  const beside = to.x > from.x && to.x - from.x < 150 && Math.abs(to.y - from.y) < 20;
  if (beside) return { x: (from.x + to.x) / 2, y: Math.min(from.y, to.y) - ABOVE };
  return atTarget ? { x: to.x + INWARD, y: to.y - ABOVE } : { x: from.x - INWARD, y: from.y - ABOVE };
}

/** Size of what says that a label does not move with its image. */
const PILL = { width: 128, height: 22 };

/** Where a pill on a wire covers least of the cards and of other wires: on its line, with an end there, or just beside it; not outside of `all` cards, which may be out of sight. */
function clearOf(path: string, covered: readonly Rect[], all: Rect, px: number): Place {
  const width = px * PILL.width;
  const height = px * PILL.height;
  const runs = boxesAlong(path).flatMap(({ x, y, width, height }) =>
    [0.5, 0.2, 0.35, 0.65, 0.8].map((t) => ({ x: x + t * width, y: y + t * height })),
  );
  const spots = [0, -1.2, 1.2].flatMap((off) =>
    [middle(path), ...runs].flatMap(({ x, y }) =>
      [0, -0.5, 0.5].map((by) => ({ x: x + by * width, y: y + off * height, off })),
    ),
  );
  const over = ({ x, y, off }: (typeof spots)[0]) => {
    const rect = { width, height, x: x - width / 2, y: y - height / 2 };
    const size = width * height;
    return covered.reduce((sum, one) => sum + overlap(rect, one), (off && size / 4) + size - overlap(rect, all));
  };
  return spots.reduce((best, spot) => (over(spot) < over(best) ? spot : best));
}

/** Whether a wire is drawn whole only where one of its ends is looked at. */
function isBrief(s: State, id: string): boolean {
  const wire = wireOf(s.graph, id);
  return wire?.slot.kind === "argument" && isPale(s.graph, wire.source, isDense(s));
}

/** The node from which a wire comes of which only stubs are drawn; empty for a wire that is drawn whole. */
export function stubSource(s: State, id: string): string {
  const wire = wireOf(s.graph, id);
  if (!wire || !isBrief(s, id)) return "";
  const ends = [wire.source.node, wire.slot.node];
  return ends.some((key) => s.view.hovered === key || s.view.selection.includes(key)) ? "" : wire.source.node;
}

/** Whether a wire is the first one of labels that stay behind; a node that gives such labels itself passes them on. */
function isFirst(graph: GraphView, wire: Wire, kind: Kind): boolean {
  return (
    wiresFrom(graph)
      .get(wire.source.node)
      ?.find(
        (w) => w.source.output === wire.source.output && !nodeOf(graph, w.slot.node)?.output_kinds.includes(kind),
      ) === wire
  );
}

function WireEdgeView(props: EdgeProps) {
  const { id, selected, sourceX, sourceY, targetX, targetY } = props;
  const session = useSession();
  const { cards, live, paths, tell } = useContext(RoutesContext);
  // the many ends of such wires would be more marks than small cards have of their own
  const near = useDetail() === "full";
  const look = useSel((s) => {
    const wire = wireOf(s.graph, id);
    const [source, target] = [wire?.source.node ?? "", wire?.slot.node ?? ""];
    const node = nodeOf(s.graph, source);
    const kind = node?.output_kinds[wire?.source.output ?? 0] ?? "any";
    return {
      points: wire ? junctionsOf(s.marks, wire) : null,
      kind,
      hue: PORT_LOOKS[kind].hue,
      gpu: node ? outputDevice(node.device) === "gpu" : false,
      copier: s.graph && wire ? copierOf(s.graph, wire) : null,
      copy: wire ? copyLabel(s, wire) : null,
      unmoved: s.graph && wire && LABELS.includes(kind) && isFirst(s.graph, wire, kind) ? unmovedLabel(s, source) : "",
      carried: wire ? bytesAlong(s, wire) : 0,
      old: isOld(s),
      target: s.view.target === id,
      faint: staleKeys(s).has(source) || staleKeys(s).has(target),
      atTarget: s.graph && wire ? copierOf(s.graph, wire) === target : false,
      to: target,
      port: `${source} ${wire?.source.output}`,
      brief: isBrief(s, id),
      quiet: s.view.traced.includes(id) ? "" : stubSource(s, id),
      own: followed(s).has(id) ? "ds-wire-own" : "",
    };
  });
  const run = useMemo((): Run => {
    const a = { x: Math.round(sourceX - 8), y: Math.round(sourceY) };
    const b = { x: Math.round(targetX + 8), y: Math.round(targetY) };
    return { source: look.port, a, b, under: goesUnder(look.kind, a, b), brief: look.brief };
  }, [sourceX, sourceY, targetX, targetY, look.port, look.kind, look.brief]);
  const whole = !look.quiet && !look.points?.length;
  useEffect(() => (whole ? tell(id, run) : undefined), [whole, tell, id, run]);
  const known = paths.get(run);
  const path = useMemo(() => {
    const { a, b } = run;
    // the whole wire is there when one of its ends is looked at
    if (look.quiet) return stub(a.x, a.y, 1) + (near ? stub(b.x, b.y, -1) : "");
    if (look.points?.length) return pathThrough([a, ...look.points, b], live.current);
    return known ?? (cards.length > 0 ? route(a, b, live.current) : bezier(a, b));
  }, [run, known, cards, live, look.points, look.quiet, near]);
  const [first] = look.points ?? [];
  const at = useMemo(() => middle(first ? route(run.a, first, live.current) : path), [first, run, path, live]);
  const pill = pillPlace({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, look.atTarget);
  const px = useStore((s) => (look.unmoved ? 1 / Math.min(1, s.transform[2]) : 1));
  const guard = useMemo(() => {
    if (!look.unmoved) return at;
    const others = [...paths].flatMap(([other, way]) => (other === run ? [] : boxesAlong(way)));
    return clearOf(path, [...cards, ...others], around(cards), px);
  }, [look.unmoved, at, path, paths, run, cards, px]);
  const cut = (event: MouseEvent) => {
    if (event.detail > 1) return; // of a double click on the wire, where the button has appeared meanwhile
    const graph = session.store.get().graph;
    const slot = wireOf(graph, id)?.slot;
    if (graph && slot) session.edit(cutEdits(graph, [slot]));
  };
  return (
    <>
      {look.quiet ? (
        <title>{`${look.quiet} → ${look.to}: a click shows it`}</title>
      ) : (
        <path d={path} className={`ds-wire-halo ${look.own}`} />
      )}
      {!look.quiet && look.carried > 0 && (
        <title>{`${format.bytes(look.carried)} in each batch of the last run`}</title>
      )}
      <BaseEdge
        id={id}
        path={path}
        interactionWidth={18}
        className={`ds-wire ds-wire-${look.copier ? "copy" : look.gpu ? "gpu" : "cpu"} ${look.faint ? "ds-wire-faint" : ""} ${look.quiet ? "ds-wire-quiet" : ""} ${look.target ? "ds-wire-target" : ""} ${selected ? "ds-wire-selected" : ""} ${look.own}`}
        style={{ stroke: `var(--ds-${look.target ? "accent" : look.quiet ? "quiet" : look.hue})` }}
      />
      {look.points?.length ? <Junctions id={id} points={look.points} hue={look.hue} /> : null}
      {look.unmoved && !selected && (
        <EdgeLabelRenderer>
          <button
            type="button"
            className="ds-guard-pill nodrag nopan"
            style={{ transform: `translate(-50%, -50%) translate(${guard.x}px, ${guard.y}px)` }}
            title={look.unmoved}
            data-testid={`guard-${id}`}
            onClick={() => {
              const source = wireOf(session.store.get().graph, id)?.source.node;
              const step = stepOf(findingsAt(session.store.get(), source ?? "").find((d) => stepOf(d)));
              session.select([step ?? source ?? ""]);
              session.view({ folded: [] });
            }}
          >
            <Icon name="warning" size={12} />
            {look.unmoved.replace(/^The | (is|are)(?= not)|:.*/gs, "")}
          </button>
        </EdgeLabelRenderer>
      )}
      {look.copy && !selected && (
        <EdgeLabelRenderer>
          <span
            className={`ds-copy-pill nodrag nopan ${look.old ? "ds-time-old" : ""}`}
            style={{ transform: `translate(-50%, -50%) translate(${pill.x}px, ${pill.y}px)` }}
            title={look.copy.title}
            data-testid={`copy-${id}`}
          >
            {look.copy.text}
          </span>
        </EdgeLabelRenderer>
      )}
      {selected && (
        <EdgeLabelRenderer>
          <button
            type="button"
            className="ds-wire-cut nodrag nopan"
            style={{ transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)` }}
            aria-label="Cut this wire"
            title="Cut this wire (Del)"
            data-testid={`cut-${id}`}
            onClick={cut}
          >
            <Icon name="cross" size={10} />
          </button>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

export const WireEdge = memo(WireEdgeView);
