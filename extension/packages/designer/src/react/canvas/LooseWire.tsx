import { useReactFlow, ViewportPortal } from "@xyflow/react";
import { cardOf } from "../../core/subgraph";
import { useSel } from "../context";
import { dragHue, handleOfSlot } from "./drag";

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
  const node = flow.getInternalNode(card);
  if (!quick?.place || quick.selected || !end || !node) return null;
  const handle = quick.from ? `out:${quick.from.output ?? 0}` : quick.to ? handleOfSlot(quick.to) : "";
  const handles = node.internals.handleBounds?.[quick.from ? "source" : "target"];
  const port = handles?.find(({ id }) => id === handle || id === `${end.node}/${handle}`);
  if (!port) return null;
  const { x, y } = node.internals.positionAbsolute;
  const begin = { x: x + port.x + port.width / 2, y: y + port.y + port.height / 2 };
  const reach = Math.max(30, Math.abs(quick.place.x - begin.x) / 2) * (quick.from ? 1 : -1);
  const { place } = quick;
  return (
    <ViewportPortal>
      <svg className="ds-loose" aria-hidden="true" style={{ stroke: `var(--ds-${hue})` }}>
        <path
          d={`M${begin.x} ${begin.y}C${begin.x + reach} ${begin.y} ${place.x - reach} ${place.y} ${place.x} ${place.y}`}
        />
      </svg>
    </ViewportPortal>
  );
}
