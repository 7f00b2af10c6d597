import { Handle, Position } from "@xyflow/react";
import { useEffect } from "react";
import { inputName, inputOf, type Operator } from "../../core/catalog";
import { checkConnection, isLikely, isWired, kindOf, slotsOf } from "../../core/compat";
import * as format from "../../core/format";
import type { Slot } from "../../core/graph";
import { findingFor, reasonOf } from "../../core/problems";
import { type ArgumentRow, argumentRows, extraInputs, hasFirstInput, previewOf, scalarOf } from "../../core/select";
import type { NodeView } from "../../protocol/generated";
import { useSel } from "../context";
import { PortMark } from "../Port";
import { Row, SlotPort, wrongClass } from "./CardParts";
import { useDetail } from "./detail";
import { handleOfSlot, useDrag } from "./drag";
import { Name } from "./Name";
import { useRemeasure } from "./useRemeasure";

/** The value that a wired argument has for the shown sample, if its source gives one number for each. */
function useDrawn(node: NodeView, name: string, sample: number): number | undefined {
  return useSel((s) => {
    const source = node.argument_inputs[name];
    return source ? scalarOf(previewOf(s, source.node, source.output), sample) : undefined;
  });
}

interface Props {
  readonly node: NodeView;
  readonly row: ArgumentRow;
  readonly sample: number;
}

export function ArgumentRowView({ node, row, sample }: Props) {
  const drawn = useDrawn(node, row.name, sample);
  const slot: Slot = { kind: "argument", node: node.key, argument: row.name };
  const bad = useSel((s) => findingFor(s, slot));
  const source = node.argument_inputs[row.name];
  const shown = row.wired
    ? drawn === undefined
      ? "wired"
      : format.drawn(drawn, row.unit)
    : format.value(row.value, row.unit);
  return (
    <Row className={wrongClass(bad)}>
      <span
        className="ds-muted ds-row-name"
        title={bad ? reasonOf(bad) : source ? `${row.name}, from ${source.node}` : row.name}
      >
        {row.name}
      </span>
      <span className="ds-row-value" title={typeof row.value === "string" ? row.value : shown}>
        {typeof row.value === "string" ? <Name text={shown} /> : shown}
      </span>
      {row.wired && (
        <SlotPort
          slot={slot}
          kind="scalar"
          wired
          label={`argument ${row.name}`}
          testId={`arg-port-${node.key}-${row.name}`}
        />
      )}
    </Row>
  );
}

function slotName(slot: Slot, operator: Operator): string {
  if (slot.kind === "argument") return slot.argument;
  return slot.kind === "input" ? inputName(operator, slot.input) : "";
}

function slotTestId(slot: Slot): string {
  if (slot.kind === "argument") return `arg-port-${slot.node}-${slot.argument}`;
  return slot.kind === "input" ? `port-in-${slot.node}-${slot.input}` : "";
}

/** While a wire is drawn: every slot of the card that is not on its face, as a place to drop. */
export function DropRows({ node, operator }: { readonly node: NodeView; readonly operator: Operator | undefined }) {
  const drag = useDrag();
  const update = useRemeasure();
  const from = drag?.from ?? null;
  const slots = useSel((s): readonly Slot[] => {
    if (!from || !operator || !s.graph || !s.opening || from.node === node.key || s.view.hovered !== node.key)
      return [];
    const face = new Set(extraInputs(node, operator));
    if (hasFirstInput(node, operator)) face.add(0);
    const rows = new Set(
      argumentRows(node, operator)
        .filter((r) => r.wired)
        .map((r) => r.name),
    );
    const context = { graph: s.graph, catalog: s.opening.catalog };
    const kind = kindOf(context, from);
    return slotsOf(node, operator).filter((slot) => {
      if (slot.kind === "input" ? face.has(slot.input) : slot.kind === "argument" && rows.has(slot.argument))
        return false;
      return !isWired(node, slot) && isLikely(operator, slot, kind) && checkConnection(context, from, slot).ok;
    });
  });
  const count = slots.length;
  // React Flow looks for ports again when a card's size changes; a row gets its port without that.
  const ports = `${useDetail()} ${count} ${argumentRows(node, operator).map((r) => `${r.name}:${r.wired}`)}`;
  useEffect(() => {
    if (ports) update(node.key);
  }, [ports, update, node.key]);
  if (!operator || count === 0) return null;
  return (
    <div className="ds-droprows">
      {slots.map((slot) => (
        <div key={handleOfSlot(slot)} className="ds-droprow" data-ds-slot={handleOfSlot(slot)}>
          <Handle
            type="target"
            position={Position.Left}
            id={handleOfSlot(slot)}
            className="ds-port ds-port-fits"
            data-testid={slotTestId(slot)}
            data-ds-slot={handleOfSlot(slot)}
          >
            <PortMark
              kind={slot.kind === "input" ? (inputOf(operator, slot.input)?.kind ?? "any") : "scalar"}
              wired={false}
            />
          </Handle>
          {slotName(slot, operator)}
        </div>
      ))}
    </div>
  );
}
