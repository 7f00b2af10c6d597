import { useMemo } from "react";
import * as format from "../core/format";
import { nodeOf, topological } from "../core/graph";
import { titleOf } from "../core/problems";
import { findingsAt, hasPicture, severity, timingOf } from "../core/select";
import { portKey } from "../core/state";
import { DeviceBadge } from "./canvas/CardParts";
import { Thumb } from "./canvas/Thumb";
import { useSel, useSession } from "./context";
import { Icon, operatorIcon } from "./icons";
import { NodePanel } from "./inspector/NodePanel";

function OutlineRow({ nodeKey, visible }: { readonly nodeKey: string; readonly visible: boolean }) {
  const session = useSession();
  const node = useSel((s) => nodeOf(s.graph, nodeKey));
  const operator = useSel((s) => s.opening?.catalog.byName.get(node?.operator ?? ""));
  const row = useSel((s) => ({
    picture: hasPicture(s, nodeKey),
    time: format.time(timingOf(s, nodeKey)?.milliseconds),
    error: findingsAt(s, nodeKey).find((d) => severity(d) === "error"),
    selected: s.view.selection[0] === nodeKey,
    sample: s.sample,
  }));
  if (!node) return null;
  return (
    <li>
      <button
        type="button"
        className={`ds-outline-row ${row.selected ? "ds-outline-now" : ""}`}
        aria-expanded={visible ? row.selected : undefined}
        tabIndex={visible ? 0 : -1}
        data-testid={`outline-${nodeKey}`}
        onClick={() => session.select(row.selected && visible ? [] : [nodeKey])}
      >
        {visible && !row.picture && (
          <span className="ds-outline-tile">
            <Icon name={operatorIcon(operator?.icon ?? "", node.operator, operator?.category ?? "")} />
          </span>
        )}
        {visible && row.picture && (
          <Thumb
            id={portKey(nodeKey, 0)}
            width={72}
            height={48}
            label={`output of ${nodeKey} for sample ${row.sample + 1}`}
          />
        )}
        <b>{nodeKey}</b>{" "}
        {row.error ? (
          <span className="ds-outline-error">{titleOf(row.error)}</span>
        ) : (
          <span className="ds-muted">fn.{node.operator}</span>
        )}
        <span className="ds-spring" />
        {row.time !== "–" && <span>{row.time}</span>}
        <DeviceBadge device={node.device} />
      </button>
      {visible && row.selected && <NodePanel nodeKey={nodeKey} />}
    </li>
  );
}

/** The pipeline as a list: the canvas of narrow widths, and always there for screen readers. */
export function Outline({ visible }: { readonly visible: boolean }) {
  const graph = useSel((s) => s.graph);
  const keys = useMemo(() => (graph ? topological(graph).map((n) => n.key) : []), [graph]);
  return (
    <ol className={visible ? "ds-outline" : "ds-hidden"} aria-label="Operators in order" data-testid="outline">
      {keys.map((key) => (
        <OutlineRow key={key} nodeKey={key} visible={visible} />
      ))}
    </ol>
  );
}
