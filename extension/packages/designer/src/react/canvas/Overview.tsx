import { MiniMap, type Node, useReactFlow } from "@xyflow/react";
import type { MutableRefObject } from "react";
import { hueOf } from "../../core/marks";
import { findings, severity, timingOf } from "../../core/select";
import { reducedMotion } from "../canvasApi";
import { useFrame, useSel } from "../context";
import type { Touch } from "./useSight";

/**
 * The whole canvas, small: errors, what costs most and what has a colour are coloured. A click goes there, a drag and the
 * wheel move the view, which the person has chosen then.
 */
export function Overview({ touched }: { readonly touched: MutableRefObject<Touch> }) {
  const { root } = useFrame();
  const flow = useReactFlow();
  const touch = () => {
    touched.current = "hand";
  };
  const open = useSel((s) => s.view.minimap);
  const marked = useSel((s) => {
    const bad = findings(s).flatMap((d) => (d.node && severity(d) === "error" ? [`${d.node}|err`] : []));
    const slow = (s.graph?.nodes ?? []).flatMap((n) =>
      (timingOf(s, n.key)?.share ?? 0) > 0.35 ? [`${n.key}|h4`] : [],
    );
    const tags = Object.values(s.marks).flatMap((m) => (m.type === "tag" ? [`${m.node}|${hueOf(m)}`] : []));
    return [...tags, ...slow, ...bad];
  });
  if (!open) return null;
  const colours = new Map(marked.map((m) => m.split("|") as [string, string]));
  const colour = (node: Node) => `var(--ds-${node.selected ? "accent" : (colours.get(node.id) ?? "line-strong")})`;
  return (
    <div onPointerDown={touch} onWheel={touch}>
      <MiniMap
        onClick={(_, { x, y }) => {
          void flow.setCenter(x, y, { zoom: flow.getZoom(), duration: reducedMotion(root) ? 0 : 200 });
        }}
        ariaLabel="Map of the canvas"
        nodeColor={colour}
        nodeStrokeWidth={0}
        style={{ width: 150, height: 100 }}
        bgColor="var(--ds-surface)"
        maskColor="color-mix(in srgb, var(--ds-text) 12%, transparent)"
        pannable
        zoomable
      />
    </div>
  );
}
