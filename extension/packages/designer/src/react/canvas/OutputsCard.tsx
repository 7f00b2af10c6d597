import type { NodeProps } from "@xyflow/react";
import { memo, useEffect } from "react";
import { isFar } from "../../core/detail";
import * as format from "../../core/format";
import { nodeOf, OUTPUTS } from "../../core/graph";
import { outputRows } from "../../core/layout";
import { fromTop } from "../../core/outputs";
import { isAbsent, resultName, withoutSample } from "../../core/select";
import { portKey } from "../../core/state";
import { useSel } from "../context";
import { Tile } from "../icons";
import { DeviceBadge, FixedMark, Row, SlotPort, useHover } from "./CardParts";
import { useDetail } from "./detail";
import { useDrag } from "./drag";
import { FarOutputs } from "./FarCard";
import { Name } from "./Name";
import { useRemeasure } from "./useRemeasure";

/** What the pipeline returns, in order. Wires end here; it has no operator. */
function OutputsCardView({ selected }: NodeProps) {
  const drag = useDrag();
  const outputs = useSel((s) => s.graph?.outputs ?? []);
  const rows = useSel((s) =>
    outputs.map((ref) => {
      const node = nodeOf(s.graph, ref.node);
      const known = s.previews[portKey(ref.node, ref.output)]?.facts ?? node?.facts[ref.output] ?? "";
      const facts = withoutSample(s).size > 0 ? "left out" : isAbsent(s, ref.node) ? "–" : known;
      return [node?.output_kinds[ref.output] ?? "any", resultName(s, ref), facts].join("|");
    }),
  );
  const places = useSel((s) => (s.graph ? outputRows(s.graph, s.positions) : []));
  const device = useSel((s) =>
    outputs.length > 0 && outputs.every((r) => nodeOf(s.graph, r.node)?.device !== "cpu") ? "gpu" : "cpu",
  );
  // React Flow looks for ports when a card's size changes; small cards have none, and come in the same size.
  const update = useRemeasure();
  const ports = places.join();
  useEffect(() => {
    if (ports) update(OUTPUTS);
  }, [ports, update]);
  const problem = useSel((s) => (s.confirmed?.diagnostics ?? []).some((d) => d.code === "DS205"));
  return (
    <div
      className={`ds-card ds-card-outputs ds-card-${device} ${selected ? "ds-selected" : ""} ${places.some((row, i) => row > 30 + 20 * i) ? "ds-tall" : ""}`}
      data-testid="node-outputs"
      {...useHover(OUTPUTS)}
    >
      <FixedMark keys={[OUTPUTS]} />
      <div className="ds-frame2" />
      <div className="ds-frame" />
      <header className="ds-card-head">
        <Tile name="outputs" hue="slate" />
        <Name text="outputs" />
      </header>
      {fromTop(places).map((i, n, order) => {
        const ref = outputs[i];
        if (!ref) return null;
        const above = order[n - 1];
        const [kind, name = "", facts] = (rows[i] ?? "any").split("|");
        return (
          <Row
            key={`${ref.node}#${ref.output}#${i}`}
            style={{ marginTop: (places[i] ?? 0) - (above === undefined ? 30 : (places[above] ?? 0) + 20) }}
          >
            <span className="ds-row-words" title={`${name} of ${ref.node}, ${facts}`}>
              <Name text={name} result />
              {facts?.split(/ (?=[a-z]+\d+$)/).map((part) => (
                <span key={part} className="ds-row-value ds-muted">
                  {part}
                </span>
              ))}
            </span>
            <SlotPort
              slot={{ kind: "output", node: OUTPUTS, index: i }}
              kind={(kind ?? "any") as "any"}
              wired
              label={`output ${i + 1} of the pipeline`}
              testId={`port-in-outputs-${i}`}
            />
          </Row>
        );
      })}
      {(outputs.length === 0 || drag?.from) && (
        <Row className="ds-row-free">
          <span className="ds-muted">{problem || outputs.length === 0 ? "drop a wire here" : "add an output"}</span>
          <SlotPort
            slot={{ kind: "output", node: OUTPUTS, index: outputs.length }}
            kind="any"
            wired={false}
            label="new output of the pipeline"
            testId="port-in-outputs-new"
          />
        </Row>
      )}
      <div className="ds-facts">
        <span className="ds-facts-text">{format.plural(outputs.length, "result")}</span>
        <DeviceBadge device={device} />
      </div>
    </div>
  );
}

function OutputsOrFar(props: NodeProps) {
  return isFar(useDetail()) ? <FarOutputs {...props} /> : <OutputsCardView {...props} />;
}

export const OutputsCard = memo(OutputsOrFar);
