import { MiniMap, type Node } from "@xyflow/react";
import { hueOf } from "../../core/marks";
import { findings, severity, timingOf } from "../../core/select";
import { useSel } from "../context";

/** The whole canvas, small: errors, what costs most and what has a colour are coloured; a drag moves the view. */
export function Overview() {
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
    <MiniMap
      ariaLabel="Map of the canvas"
      nodeColor={colour}
      nodeStrokeWidth={0}
      style={{ width: 150, height: 100 }}
      bgColor="var(--ds-surface)"
      maskColor="color-mix(in srgb, var(--ds-text) 12%, transparent)"
      pannable
      zoomable
    />
  );
}
