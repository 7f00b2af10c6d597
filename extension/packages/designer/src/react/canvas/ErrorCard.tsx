import { useStore } from "@xyflow/react";
import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { isAboutFile } from "../../core/failures";
import * as format from "../../core/format";
import { freeSpot } from "../../core/freeSpot";
import type { Size } from "../../core/layout";
import { titleOf } from "../../core/problems";
import { findings, previewFailures, runFailures, severity } from "../../core/select";
import type { State } from "../../core/state";
import { toldBy } from "../../core/statusMessage";
import type { Diagnostic } from "../../protocol/generated";
import { copyText } from "../clipboard";
import { useSel, useSession } from "../context";
import { Icon } from "../icons";
import { FailingFile } from "../problems/FailingFile";
import { Actions, reportText } from "../problems/Problem";
import { CONTROLS } from "./useFlow";

interface Props {
  readonly nodeKey: string;
  /** The card beside which it stands, if that is not the node's own. */
  readonly card?: string;
  readonly finding: Diagnostic;
  readonly more: number;
}

/** Width and, as a rule, height of the card in px, and what stays free around it. */
const ROOM = { width: 286, height: 172 };
const MARGIN = 6;
/** How much of other cards it covers by itself, in px²; more only where somebody has chosen its node. */
const COVERED = 3000;

/** Where the card covers least, in px of the canvas; empty if its node is out of sight or there is no room: the strip says it then. */
function useSpot(key: string, open: boolean, size: Size, most: number): string {
  return useStore((s) => {
    const node = s.nodeLookup.get(key);
    if (!open || !node) return "";
    const [x, y, zoom] = s.transform;
    const rectOf = (n: typeof node) => ({
      x: x + n.internals.positionAbsolute.x * zoom,
      y: y + n.internals.positionAbsolute.y * zoom,
      width: (n.measured.width ?? 148) * zoom,
      height: (n.measured.height ?? 171) * zoom,
    });
    const right = s.domNode?.closest<HTMLElement>(".ds-canvas")?.dataset.dsZoom === "right";
    const controls = right ? [] : [{ x: 0, y: s.height - CONTROLS.height, ...CONTROLS }];
    const cards = [...controls, ...[...s.nodeLookup.values()].filter((n) => n.id !== key).map(rectOf)];
    const frame = { x: MARGIN, y: MARGIN, width: s.width - 2 * MARGIN, height: s.height - 2 * MARGIN };
    const own = rectOf(node);
    const seen = own.x < s.width && own.y < s.height && own.x + own.width > 0 && own.y + own.height > 0;
    const spot = seen ? freeSpot(size, own, cards, frame, { most }) : null;
    return spot ? `translate(${spot.x}px, ${spot.y}px)` : "";
  });
}

/** What went wrong at a node, beside it: in plain words first, technical words folded. */
export function ErrorCard({ nodeKey, card = nodeKey, finding, more }: Props) {
  const session = useSession();
  const id = `${nodeKey}|${finding.code}|${finding.message}`;
  const state = useSel((s) => ({
    folded: s.view.folded.includes(id),
    wanted: wantedCard(s) === nodeKey,
    chosen: s.view.selection.includes(nodeKey),
  }));
  const error = severity(finding) === "error";
  const open = state.wanted && !state.folded;
  const [size, setSize] = useState<Size>(ROOM);
  const spot = useSpot(card, open, size, state.chosen ? Number.POSITIVE_INFINITY : COVERED);
  const canvas = useStore((s) => s.domNode);
  const observer = useRef<ResizeObserver | null>(null);
  const measured = useCallback((card: HTMLElement | null) => {
    observer.current?.disconnect();
    if (!card) return;
    observer.current = new ResizeObserver(() => setSize({ width: card.offsetWidth, height: card.offsetHeight }));
    observer.current.observe(card);
  }, []);
  const told = toldBy(finding);
  const drawn = spot !== "" && canvas !== null;
  useLayoutEffect(() => {
    if (!drawn) return undefined;
    session.view({ told });
    return () => session.view((v) => (v.told === told ? { told: "" } : {}));
  }, [drawn, told, session]);
  const fold = () => session.view((v) => ({ folded: [...v.folded, id] }));
  if (!drawn) return null;
  const words = format.sentence(format.message(finding.message));
  const detail = [isAboutFile(finding) ? words : "", finding.detail].filter(Boolean).join("\n\n");
  return createPortal(
    <section
      ref={measured}
      className={`ds-error-card ds-tone-${error ? "error" : "warning"} nodrag nopan nowheel`}
      style={{ transform: spot }}
      aria-label={`Problem of ${nodeKey}`}
      data-testid={`error-card-${nodeKey}`}
    >
      <div className="ds-error-body">
        <h4>{titleOf(finding)}</h4>
        {!isAboutFile(finding) && <p>{words}</p>}
        {finding.hint && !isAboutFile(finding) && <p className="ds-error-hint">{finding.hint}</p>}
        {isAboutFile(finding) && <FailingFile finding={finding} />}
        {!isAboutFile(finding) && (finding.source || (finding.sample ?? null) !== null) && (
          <p className="ds-error-where">
            {(finding.sample ?? null) !== null && <span>sample {(finding.sample ?? 0) + 1}</span>}
            {finding.source && <span className="ds-mono">{finding.source}</span>}
          </p>
        )}
      </div>
      <div className="ds-error-foot">
        <Actions finding={finding} testId={`repair-${nodeKey}`} />
        <button type="button" className="ds-link" onClick={() => copyText(reportText(finding))}>
          <Icon name="copy" size={12} />
          Copy
        </button>
        {detail && (
          <details>
            <summary>More</summary>
            <div className="ds-detail">{detail}</div>
          </details>
        )}
        {more > 0 && <span className="ds-muted">{more} more in the inspector</span>}
        <button type="button" className="ds-icon-button ds-small" aria-label="Close" onClick={fold}>
          <Icon name="cross" size={12} />
        </button>
      </div>
    </section>,
    canvas,
  );
}

/** One card at a time, so that cards do not cover the graph; the inspector tells all, and warnings only there but for labels that stay behind. */
function wantedCard(state: State): string {
  const chosen = state.view.selection[0];
  const told = (d: Diagnostic) => severity(d) === "error" || d.code === "DS210";
  if (chosen && findings(state).some((d) => d.node === chosen && told(d))) return chosen;
  const failing = [...runFailures(state), ...previewFailures(state)];
  return failing.find((d) => d.node && severity(d) === "error")?.node ?? "";
}
