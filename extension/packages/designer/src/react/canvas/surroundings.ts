import type { ReactFlowState } from "@xyflow/react";
import { CARD } from "../../core/layout";
import { boxesAlong, type Rect } from "../../core/route";
import { CONTROLS } from "../../core/sight";

/** The wires as they are drawn. */
const WIRES = ".react-flow__edge-path, .ds-far-wires path";
/** What stays free at the canvas's edges, in px. */
const MARGIN = 6;

/** What a pop-up on the canvas stands beside or covers: all in px of the canvas; `beside` cards is no room. */
export function surroundings(s: ReactFlowState, beside = 0) {
  const { domNode, nodeLookup, width, height } = s;
  const [left, top, zoom] = s.transform;
  const root = domNode?.closest(".ds-root");
  const frame = domNode?.getBoundingClientRect();
  const wide = (part: string) => root?.querySelector<HTMLElement>(part)?.offsetWidth ?? 0;
  const strip = root?.querySelector<HTMLElement>(".ds-strip-over")?.offsetHeight ?? 0;
  const drawn = (parts: string) => [...(domNode?.querySelectorAll(parts) ?? [])];
  const seen = ({ x, y, width: w, height: h }: Rect): Rect => ({
    x: left + x * zoom,
    y: top + y * zoom,
    width: w * zoom,
    height: h * zoom,
  });
  const card = (key: string, port = 0): Rect[] => {
    const node = nodeLookup.get(key);
    if (!node) return [];
    const { measured, internals } = node;
    const rect = seen({ ...internals.positionAbsolute, width: measured.width ?? CARD, height: measured.height ?? 171 });
    return [{ ...rect, x: rect.x - port, width: rect.width + 2 * port }];
  };
  return {
    card,
    cards: [...nodeLookup.keys()].flatMap((key) => card(key, beside)),
    controls: {
      x: 0,
      y: height - CONTROLS.height,
      width: Math.max(CONTROLS.width, wide(".ds-zoom") + 20), // legends make them wider
      height: CONTROLS.height,
    },
    pills: drawn(".ds-guard-pill").map((pill): Rect => {
      const { x, y, width: w, height: h } = pill.getBoundingClientRect();
      return { x: x - (frame?.x ?? 0), y: y - (frame?.y ?? 0), width: w, height: h };
    }),
    wires: drawn(WIRES).flatMap((w) => boxesAlong(w.getAttribute("d") ?? "").map(seen)),
    frame: {
      x: MARGIN,
      y: MARGIN + strip,
      width: width - wide(".ds-floating") - 2 * MARGIN,
      height: height - strip - 2 * MARGIN,
    },
  };
}
