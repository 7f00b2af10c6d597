import { type ReactFlowInstance, type ReactFlowState, useReactFlow, ViewportPortal } from "@xyflow/react";
import { useContext } from "react";
import { grown } from "../../core/errorSpot";
import { freeSpot } from "../../core/freeSpot";
import { nodeOf, slotId, wireOf } from "../../core/graph";
import { CARD } from "../../core/layout";
import { categoryHue, LABELS } from "../../core/ports";
import { bezier, type Point, type Rect } from "../../core/route";
import { twinOf } from "../../core/select";
import { cardOf } from "../../core/subgraph";
import { type Run, settled } from "../../core/wires";
import type { LabelTwin, PortRef } from "../../protocol/generated";
import { useSel } from "../context";
import { operatorIcon, Tile } from "../icons";
import { dragHue, handleOfSlot, slotOfHandle } from "./drag";
import { Name } from "./Name";
import { surroundings } from "./surroundings";
import { RoutesContext } from "./WireEdge";

/** Where a wire begins or ends at a port of a card: at its edge. */
function portAt(flow: ReactFlowInstance, card: string, end: string, handle: string): Point | null {
  const node = flow.getInternalNode(card);
  const { source, target } = node?.internals.handleBounds ?? {};
  const ports = [...(source ?? []), ...(target ?? [])];
  const port = ports.find(({ id }) => id === handle || id === `${end}/${handle}`);
  if (!node || !port) return null;
  const { x, y } = node.internals.positionAbsolute;
  return { x: x + port.x + (handle.startsWith("out") ? port.width : 0), y: y + port.y + port.height / 2 };
}

/** The wire that was let go over nothing, while what it leads to is chosen. */
export function LooseWire() {
  const quick = useSel((s) => s.view.quickAdd);
  const hue = useSel((s) =>
    quick?.from
      ? dragHue(s, { from: quick.from, to: null })
      : quick?.to
        ? dragHue(s, { from: null, to: quick.to })
        : "slate",
  );
  const flow = useReactFlow();
  const end = quick?.from ?? quick?.to;
  const card = useSel((s) => cardOf(s, end?.node ?? ""));
  if (!quick?.place || quick.selected || !end) return null;
  const handle = quick.from ? `out:${quick.from.output ?? 0}` : quick.to ? handleOfSlot(quick.to) : "";
  const begin = portAt(flow, card, end.node, handle);
  if (!begin) return null;
  return (
    <ViewportPortal>
      <svg className="ds-loose" aria-hidden="true" style={{ stroke: `var(--ds-${hue})` }}>
        <path d={quick.from ? bezier(begin, quick.place) : bezier(quick.place, begin)} />
      </svg>
    </ViewportPortal>
  );
}

/** Height of a card that a repair would bring. */
const GHOST = 48;
/** What it leaves free beside other cards, for wires. */
const BESIDE = 26;
/** And beside the canvas's edges, in px of the screen. */
const EDGE = 12;

/** Where the cards would be seen that a repair brings: near what feeds them, but not on `others`, in px of the canvas. */
export function ghostsIn(s: ReactFlowState, twin: LabelTwin | null, others: readonly Rect[] = NONE): readonly Rect[] {
  if (!twin) return NONE;
  const [, , zoom] = s.transform;
  const gap = BESIDE * zoom;
  const { card, cards, controls, pills, wires, frame: whole } = surroundings(s, gap);
  // wires turn beside them
  const frame = grown(whole, -EDGE);
  const size = { width: CARD * zoom, height: GHOST * zoom };
  const taken = [controls, ...cards, ...pills, ...others];
  const [anchor = frame] = [...(twin.cards.at(-1)?.fed_by.flatMap(({ node }) => card(node)) ?? []), ...card(twin.node)];
  const from = (x: number, y: number, height = frame.y + frame.height - y) => ({
    x,
    y,
    width: frame.x + frame.width - x,
    height,
  });
  const found: Rect[] = [];
  for (const _ of twin.cards) {
    const last = found.at(-1);
    // in their order: right of the one before, else in a row below; what finds no room is not shown
    const rooms = last
      ? [from(last.x + size.width + gap, last.y, size.height), from(frame.x, last.y + size.height + gap)]
      : [frame];
    const most = last ? 0 : undefined;
    const spots = rooms.map((one) => freeSpot(size, last ?? anchor, taken, one, { wires, most }));
    const spot = spots.find((one) => one) ?? (last ? null : anchor);
    if (!spot) break;
    const rect = { ...spot, ...size };
    found.push(rect);
    taken.push(rect);
  }
  return found;
}

const NONE: readonly Rect[] = [];

/** The cards that a repair would bring, and their wires. */
export function Ghosts({ rects, walls }: { readonly rects: readonly Rect[]; readonly walls: readonly Rect[] }) {
  const twin = useSel(twinOf);
  const graph = useSel((s) => s.graph);
  const catalog = useSel((s) => s.opening?.catalog);
  const flow = useReactFlow();
  const { cards: obstacles, parts } = useContext(RoutesContext);
  if (!twin || !rects[0]) return null;
  const { x: left, y: top, zoom } = flow.getViewport();
  const placed = [...rects, ...walls].map(({ x, y, width, height }) => ({
    x: (x - left) / zoom,
    y: (y - top) / zoom,
    width: width / zoom,
    height: height / zoom,
  }));
  const at = placed.slice(0, rects.length);
  // the last ones are what moves the labels, others help them
  const cards = twin.cards.slice(-at.length);
  const around = [...obstacles, ...placed];
  const end = (key: string, right: boolean): Point[] => {
    const place = at[cards.findIndex((card) => card.key === key)];
    return place ? [{ x: place.x + (right ? CARD : 0), y: place.y + 14 }] : [];
  };
  const port = (node: string, handle: string) => portAt(flow, node, node, handle) ?? [];
  // what helps the labels is told by the lines of code: all of its wires would be a tangle
  const moved = (ref?: PortRef) =>
    LABELS.includes(nodeOf(graph, ref?.node ?? "")?.output_kinds[ref?.output ?? 0] ?? "any");
  const fedNow = (node: string, handle: string) => {
    const slot = slotOfHandle(node, handle);
    return slot ? wireOf(graph, slotId(slot))?.source : undefined;
  };
  const run = (source: string, a: Point, b: Point): Run => ({ source, a, b, under: false });
  return (
    <ViewportPortal>
      {cards.map(({ key, operator, fed_by: fed, feeds }, i) => {
        const { x, y } = at[i] as Point;
        const runsOf = (drawn: (ref?: PortRef) => boolean) => [
          ...fed.flatMap(({ node, output = 0 }) =>
            [end(node, true), drawn({ node, output }) ? port(node, `out:${output}`) : []]
              .flat()
              .map((a) => run(`${node} ${output}`, a, { x, y: y + 14 })),
          ),
          ...feeds
            .flatMap(([node, handle]) => (drawn(fedNow(node, handle)) ? port(node, handle) : []))
            .map((b) => run(key, { x: x + CARD, y: y + 14 }, b)),
        ];
        const known = runsOf(moved);
        // labels of an unknown kind are told by none: what moves them has all of its wires then
        const runs = known[0] || cards[i + 1] ? known : runsOf(() => true);
        return (
          <div key={key}>
            <svg className="ds-loose ds-sel" aria-hidden="true">
              <path d={[...settled(runs, around, parts).paths.values()].join("")} />
            </svg>
            <div className="ds-twin" style={{ transform: `translate(${x}px, ${y}px)` }} data-testid={`ghost-${key}`}>
              <header className="ds-card-head">
                {operator && (
                  <Tile
                    name={operatorIcon(catalog?.byName.get(operator), operator)}
                    hue={categoryHue(catalog?.byName.get(operator)?.category)}
                  />
                )}
                <Name text={key} />
              </header>
              <code>{operator ? `fn.${operator}` : "box"}</code>
            </div>
          </div>
        );
      })}
    </ViewportPortal>
  );
}

/** Whether places are the same. */
export function alike(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
