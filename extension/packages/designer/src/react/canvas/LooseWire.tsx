import { type ReactFlowInstance, useReactFlow, ViewportPortal } from "@xyflow/react";
import { OUTPUTS } from "../../core/graph";
import { CARD, freePlace } from "../../core/layout";
import { bezier, type Point, type Rect } from "../../core/route";
import { derived, twinOf } from "../../core/select";
import { cardOf } from "../../core/subgraph";
import { useSel } from "../context";
import { dragHue, handleOfSlot } from "./drag";
import { cardRects } from "./sizes";

/** The middle of a port of a card. */
function portAt(flow: ReactFlowInstance, card: string, end: string, handle: string): Point | null {
  const node = flow.getInternalNode(card);
  const { source, target } = node?.internals.handleBounds ?? {};
  const ports = [...(source ?? []), ...(target ?? [])];
  const port = ports.find(({ id }) => id === handle || id === `${end}/${handle}`);
  if (!node || !port) return null;
  const { x, y } = node.internals.positionAbsolute;
  return { x: x + port.x + port.width / 2, y: y + port.y + port.height / 2 };
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

const GHOST = { width: CARD, height: 48 };

/** Where the cards would stand that a repair brings, which a card tells of. */
export const ghostsOf = derived(
  (s) => [twinOf(s), s.positions],
  (s): readonly Rect[] => {
    const taken = [...cardRects(s)];
    return (twinOf(s)?.cards ?? []).map((card) => {
      const rect = { ...freePlace(card, taken, GHOST), ...GHOST };
      taken.push(rect);
      return rect;
    });
  },
);

/** The cards that a repair would bring, and their wires. */
export function Ghosts() {
  const twin = useSel(twinOf);
  const rects = useSel(ghostsOf);
  const flow = useReactFlow();
  if (!twin) return null;
  return (
    <ViewportPortal>
      {twin.cards.map(({ key, operator, fed_by: fed, returned }, i) => {
        const { x, y } = rects[i] ?? { x: 0, y: 0 };
        const at = { x, y: y + 14 };
        const from = fed.flatMap((p) => portAt(flow, p.node, p.node, `out:${p.output ?? 0}`) ?? []);
        const to = portAt(flow, OUTPUTS, OUTPUTS, `result:${returned}`);
        const paths = [...from.map((p) => bezier(p, at)), ...(to ? [bezier({ x: x + CARD, y: at.y }, to)] : [])];
        return (
          <div key={key}>
            <svg className="ds-loose ds-sel" aria-hidden="true">
              <path d={paths.join("")} />
            </svg>
            <div className="ds-ghost" style={{ transform: `translate(${x}px, ${y}px)` }} data-testid={`ghost-${key}`}>
              <header className="ds-card-head">
                <b>{key}</b>
              </header>
              <code>fn.{operator}</code>
            </div>
          </div>
        );
      })}
    </ViewportPortal>
  );
}
