import { NodeToolbar, type Position, useStore } from "@xyflow/react";
import { isAboutFile } from "../../core/failures";
import * as format from "../../core/format";
import { findings, previewFailures, repairOf, runFailures, severity } from "../../core/select";
import type { State } from "../../core/state";
import type { Diagnostic } from "../../protocol/generated";
import { CODES } from "../../protocol/generated";
import { copyText } from "../clipboard";
import { useSel, useSession } from "../context";
import { Icon } from "../icons";
import { CopyReproduction, FailingFile, Remedies } from "../problems/FailingFile";

export function reportText(d: Diagnostic): string {
  const lines = [`${d.code} ${CODES[d.code] ?? ""}`.trim(), d.message];
  if (d.hint) lines.push(d.hint);
  if (d.node) lines.push(`node: ${d.node}${d.argument ? `, argument: ${d.argument}` : ""}`);
  if (d.sample !== null && d.sample !== undefined) lines.push(`sample: ${d.sample}`);
  if (d.source) lines.push(`source: ${d.source}`);
  if (d.detail) lines.push("", d.detail);
  return lines.join("\n");
}

interface Props {
  readonly nodeKey: string;
  readonly finding: Diagnostic;
  readonly more: number;
}

function title(d: Diagnostic): string {
  return format.sentence(CODES[d.code] ?? "problem");
}

/** Widest and, as a rule, highest card in px. */
const ROOM = { width: 300, height: 200 };

interface Side {
  readonly position: Position;
  readonly align: "start" | "end";
  /** The canvas is too narrow for the card; the sentence above it and the inspector say the same. */
  readonly nowhere: boolean;
}

/** The side on which the card is inside of the canvas: below if there is room. */
function useSide(key: string): Side {
  const text = useStore((s) => {
    const [x, y, zoom] = s.transform;
    const node = s.nodeLookup.get(key);
    const left = x + (node?.internals.positionAbsolute.x ?? 0) * zoom;
    const top = y + (node?.internals.positionAbsolute.y ?? 0) * zoom;
    const height = (node?.measured.height ?? 171) * zoom;
    const width = (node?.measured.width ?? 148) * zoom;
    const align = left + ROOM.width <= s.width ? "start" : "end";
    if (align === "end" && left + width < ROOM.width) return "nowhere";
    if (top + height + ROOM.height <= s.height) return `bottom ${align}`;
    if (top >= ROOM.height) return `top ${align}`;
    return left + width + ROOM.width > s.width && left >= ROOM.width ? "left start" : "right start";
  });
  const [side = "bottom", align] = text.split(" ");
  return { position: side as Position, align: align === "end" ? "end" : "start", nowhere: side === "nowhere" };
}

/** What went wrong at a node, beside it: in plain words first, technical words folded. */
export function ErrorCard({ nodeKey, finding, more }: Props) {
  const session = useSession();
  const id = `${nodeKey}|${finding.code}|${finding.message}`;
  const state = useSel((s) => ({
    folded: s.view.folded.includes(id),
    wanted: wantedCard(s) === nodeKey,
  }));
  const side = useSide(nodeKey);
  const repair = useSel((s) => repairOf(s, finding));
  const error = severity(finding) === "error";
  const open = state.wanted && !state.folded;
  const fold = () => session.view((v) => ({ folded: [...v.folded, id] }));
  return (
    <NodeToolbar
      nodeId={nodeKey}
      isVisible={open && !side.nowhere}
      position={side.position}
      offset={6}
      align={side.align}
    >
      <section
        className={`ds-error-card ds-tone-${error ? "error" : "warning"} nodrag nopan nowheel`}
        aria-label={`Problem of ${nodeKey}`}
        data-testid={`error-card-${nodeKey}`}
      >
        <div className="ds-error-body">
          <h4>{title(finding)}</h4>
          <p>{format.sentence(finding.message)}</p>
          {finding.hint && <p className="ds-error-hint">{finding.hint}</p>}
          {isAboutFile(finding) && <FailingFile finding={finding} />}
          {!isAboutFile(finding) && (finding.source || (finding.sample ?? null) !== null) && (
            <p className="ds-error-where">
              {(finding.sample ?? null) !== null && <span>sample {(finding.sample ?? 0) + 1}</span>}
              {finding.source && <span className="ds-mono">{finding.source}</span>}
            </p>
          )}
        </div>
        <div className="ds-error-foot">
          {repair && (
            <button
              type="button"
              className="ds-button ds-button-small"
              data-testid={`repair-${nodeKey}`}
              onClick={() => session.repair(repair)}
            >
              {repair.title}
            </button>
          )}
          {isAboutFile(finding) && <Remedies node={nodeKey} />}
          {error && <CopyReproduction finding={finding} />}
          <button type="button" className="ds-link" onClick={() => copyText(reportText(finding))}>
            <Icon name="copy" size={12} />
            Copy
          </button>
          {finding.detail && (
            <details>
              <summary>Technical words</summary>
              <div className="ds-detail">{finding.detail}</div>
            </details>
          )}
          {more > 0 && <span className="ds-muted">{more} more in the inspector</span>}
          <button type="button" className="ds-icon-button ds-small" aria-label="Close" onClick={fold}>
            <Icon name="cross" size={12} />
          </button>
        </div>
      </section>
    </NodeToolbar>
  );
}

/** One card at a time, so that cards do not cover the graph; the inspector tells all, and warnings only there. */
function wantedCard(state: State): string {
  const chosen = state.view.selection[0];
  if (chosen && findings(state).some((d) => d.node === chosen && severity(d) === "error")) return chosen;
  const failing = [...runFailures(state), ...previewFailures(state)];
  return failing.find((d) => d.node && severity(d) === "error")?.node ?? "";
}
