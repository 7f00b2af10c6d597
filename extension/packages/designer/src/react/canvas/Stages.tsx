import { type Node, ViewportPortal } from "@xyflow/react";
import { useMemo } from "react";
import * as format from "../../core/format";
import { nodeOf } from "../../core/graph";
import { CARD } from "../../core/layout";
import { groupsOf } from "../../core/marks";
import { categoryHue } from "../../core/ports";
import { stagesOf } from "../../core/stages";
import { useSel } from "../context";

/** What the columns of a large graph do, over them, where no groups say so: there its cards have no names. */
export function Stages({ nodes }: { readonly nodes: readonly Node[] }) {
  const graph = useSel((s) => s.graph);
  const catalog = useSel((s) => s.opening?.catalog);
  const grouped = useSel((s) => groupsOf(s.marks).length > 0);
  const timings = useSel((s) => s.run.finished?.timings);
  const stages = useMemo(() => {
    const times = new Map(timings?.map((t) => [t.key, t.milliseconds]));
    return stagesOf(
      nodes.flatMap(({ id, position }) => {
        const node = nodeOf(graph, id);
        const category = catalog?.byName.get(node?.operator ?? "")?.category;
        // Numbers stand wherever there is room.
        return category && category !== "random" && !node?.output_kinds.every((kind) => kind === "scalar")
          ? [{ ...position, width: CARD, category, time: times.get(id) ?? 0 }]
          : [];
      }),
    );
  }, [nodes, graph, catalog, timings]);
  if (grouped) return null;
  const top = Math.min(...nodes.map((n) => n.position.y));
  return (
    <ViewportPortal>
      {stages.map(({ category, left, right, count, time }) => (
        <div
          key={left}
          className="ds-stage-band"
          style={{ left, width: right - left, top, "--ds-c": `var(--ds-${categoryHue(category)})` }}
          title={category}
          data-testid={`stage-${category}`}
        >
          <b>{category}</b>
          <span>
            {format.plural(count, "operator")}
            {time > 0 && `, ${format.time(time)}`}
          </span>
        </div>
      ))}
    </ViewportPortal>
  );
}
