import type { NodeProps } from "@xyflow/react";
import { cardHeight, isWide } from "../../core/cardSize";
import { begunWord } from "../../core/data";
import { isNamed } from "../../core/detail";
import { worstAt } from "../../core/failures";
import * as format from "../../core/format";
import { nodeOf, OUTPUTS } from "../../core/graph";
import { CARD, outputRows, outputsHeight } from "../../core/layout";
import { nameShifts } from "../../core/outputs";
import { categoryHue, PORT_LOOKS } from "../../core/ports";
import * as select from "../../core/select";
import type { State } from "../../core/state";
import { isDense } from "../../core/subgraph";
import { useSel } from "../context";
import { operatorIcon, Tile } from "../icons";
import { HeatBar, ReachedBar, TagStripe, useHover, Values } from "./CardParts";
import { useDetail, useZoom } from "./detail";
import { FAR_DROP } from "./FarWires";
import { Name, sharedParts } from "./Name";

function classesOf(state: State, key: string): string {
  const node = nodeOf(state.graph, key);
  const problem = worstAt(state, key);
  const begun = begunWord(problem) !== "";
  const marks = {
    "ds-failed": begun || (problem && select.severity(problem) === "error"),
    "ds-unwired": begun,
    "ds-stale": select.staleKeys(state).has(key),
    "ds-running": state.run.running && (node?.in_run ?? true),
    "ds-pinned": node?.pin === "here",
    "ds-bypassed": node?.bypassed ?? false,
    "ds-unused": node !== undefined && !node.in_run,
    "ds-card-wide": node !== undefined && isWide(node, isDense(state)),
  };
  const shown = Object.entries(marks).flatMap(([name, on]) => (on ? [name] : []));
  return [`ds-card ds-far-card ds-card-${node?.device ?? "cpu"}`, ...shown].join(" ");
}

/** What a card too small for words says when it is pointed at. */
function FarTip({ nodeKey }: { readonly nodeKey: string }) {
  const facts = useSel((s) => {
    if (nodeKey === OUTPUTS) return format.plural(s.graph?.outputs.length ?? 0, "result");
    const node = nodeOf(s.graph, nodeKey);
    const timing = select.timingOf(s, nodeKey);
    const cost = timing ? `${format.time(timing.milliseconds)}, ${format.percent(timing.share)} of the work, ` : "";
    const kept = node?.pin === "here" ? `, ${format.pinWords(node)}` : "";
    return `${cost}${node?.device ?? ""}${kept}. Z zooms in.`;
  });
  return (
    <div className="ds-far-tip" aria-hidden="true">
      <b>{nodeKey === OUTPUTS ? "outputs" : nodeKey}</b>
      <span>{facts}</span>
    </div>
  );
}

/** What a dot and a letter of a name take on a small card, at most, in px of the screen, and how many letters tell names apart. */
const DOT = 10;
const LETTER = 5.5;
const LEAST = 5;

/** The card of the outputs, as tall as the branches that end in it. */
export function FarOutputs({ selected }: NodeProps) {
  const rows = useSel((s) => (s.graph ? outputRows(s.graph, s.positions) : []));
  const height = useSel((s) => (s.graph ? outputsHeight(s.graph, s.positions) : 0));
  const hues = useSel((s) =>
    (s.graph?.outputs ?? []).map((r) => PORT_LOOKS[nodeOf(s.graph, r.node)?.output_kinds[r.output] ?? "any"].hue),
  );
  const names = useSel((s) => s.graph?.outputs.map((ref) => select.resultName(s, ref)) ?? []);
  const [start, end] = useSel(sharedParts);
  const zoom = useZoom();
  const letters = Math.floor((CARD * zoom - DOT) / LETTER);
  const shifts = nameShifts(rows, zoom);
  const hover = useHover(OUTPUTS);
  return (
    <div
      className={`ds-card ds-far-card ds-card-outputs ${selected ? "ds-selected" : ""}`}
      style={{ height: `calc(${height + FAR_DROP}px + ${Math.max(0, shifts.at(-1) ?? 0)} * var(--ds-px))` }}
      data-testid="node-outputs"
      {...hover}
    >
      <div className="ds-frame" />
      {rows.map((top, i) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: an output is its place
          key={i}
          className="ds-far-out"
          style={{ top: top + FAR_DROP, "--ds-c": `var(--ds-${hues[i] ?? "slate"})` }}
        >
          <i />
          {typeof shifts[i] === "number" && (
            <span style={{ top: `calc(${shifts[i]} * var(--ds-px))` }}>
              {letters < LEAST ? i + 1 : format.cutTo(names[i] ?? "", letters, start, end)}
            </span>
          )}
        </span>
      ))}
      {hover["data-hovered"] && <FarTip nodeKey={OUTPUTS} />}
    </div>
  );
}

/** A name below a card that is too small for a head, where there is room for it. */
export function FarName({ text }: { readonly text: string }) {
  return (
    isNamed(useZoom()) && (
      <span className="ds-far-name">
        <Name text={text} />
      </span>
    )
  );
}

/** Values of a batch that can be told apart on a small card. */
const FEW = 16;

/** A card that is too small on the screen for names and ports: its picture, or the tile of its category. */
export function FarCard({ id, selected }: NodeProps) {
  const detail = useDetail();
  const card = useSel((s) => {
    const node = nodeOf(s.graph, id);
    const operator = select.operatorOf(s, node);
    const body = select.previewOf(s, id)?.body;
    return {
      name: format.cardName(id, node?.operator ?? ""),
      values: detail === "picture" && body?.type === "values" ? body.values.slice(0, FEW) : null,
      sample: s.sample,
      classes: classesOf(s, id),
      hue: categoryHue(operator?.category),
      icon: operatorIcon(operator, node?.operator ?? ""),
      picture: detail === "picture" && select.hasPicture(s, id),
      found: select.timingOf(s, id) && select.heatOf(s, id)?.share,
      heat: s.view.heat,
      short: node !== undefined && select.cardShape(node, select.previewOf(s, id)) === "short",
      // wires of further results and of arguments end lower than the others
      height:
        node && (node.output_kinds.length > 1 || Object.keys(node.argument_inputs).length > 0)
          ? Math.min(98, cardHeight(node, operator, select.previewOf(s, id), isDense(s)) - 3)
          : undefined,
    };
  });
  const hover = useHover(id);
  const step = card.heat && card.found !== undefined ? `ds-heat-${format.heatStep(card.found)}` : "";
  return (
    <div
      className={`${card.classes} ${card.short ? "ds-far-short" : ""} ${card.picture ? "ds-far-open" : ""} ${selected ? "ds-selected" : ""} ${card.picture ? "" : step}`}
      style={{ "--ds-c": `var(--ds-${card.hue})` }}
      data-testid={`node-${id}`}
      {...hover}
    >
      <div className="ds-frame2" />
      <ReachedBar id={id} />
      <TagStripe nodeKey={id} />
      <div className="ds-frame" />
      {card.picture ? (
        <div className="ds-far-window" />
      ) : (
        <div className="ds-far-tile" style={{ height: card.height }}>
          {card.values ? <Values values={card.values} sample={card.sample} /> : <Tile name={card.icon} />}
        </div>
      )}
      <HeatBar share={card.found} />
      <FarName text={card.name} />
      {hover["data-hovered"] && <FarTip nodeKey={id} />}
    </div>
  );
}
