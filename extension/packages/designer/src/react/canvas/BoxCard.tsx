import type { NodeProps } from "@xyflow/react";
import { memo, useEffect } from "react";
import { begunWord } from "../../core/data";
import { isFar } from "../../core/detail";
import * as format from "../../core/format";
import { nodeOf } from "../../core/graph";
import { hueOf } from "../../core/marks";
import { categoryHue } from "../../core/ports";
import { chanceOf } from "../../core/probability";
import * as select from "../../core/select";
import { isAway, portKey, type State } from "../../core/state";
import {
  type Box,
  boxesOf,
  boxSize,
  costOf,
  deviceOf,
  entryName,
  exposedOf,
  failingIn,
  keysOfCard,
  labelOf,
  listedIn,
  operatorsOf,
} from "../../core/subgraph";
import type { Kind, NodeView, PortRef } from "../../protocol/generated";
import { useSel } from "../context";
import { Icon, operatorIcon } from "../icons";
import {
  Busy,
  ChancePill,
  DeviceBadge,
  FixedMark,
  HeatBar,
  ReachedBar,
  Row,
  SlotPort,
  SourcePort,
  Time,
  useHover,
} from "./CardParts";
import { useDetail } from "./detail";
import { ErrorCard } from "./ErrorCard";
import { FarName } from "./FarCard";
import { Name } from "./Name";
import { PreviewView } from "./PreviewView";
import { Thumb } from "./Thumb";
import { useRemeasure } from "./useRemeasure";

/** Inner operators that a box names. */
const NAMED = 6;
/** Its picture, in px of the canvas. */
const PICTURE = { width: 190, height: 132 };

function kindOf(state: State, ref: PortRef): Kind {
  return nodeOf(state.graph, ref.node)?.output_kinds[ref.output ?? 0] ?? "any";
}

/** The kind of an entry: of what feeds it, else of what it takes. */
function entryKinds(state: State, box: Box): readonly Kind[] {
  return box.entries.map(({ source, slot }) => {
    if (source) return kindOf(state, source);
    return slot.kind === "argument" ? "scalar" : "any";
  });
}

function InnerRow({ node }: { readonly node: NodeView }) {
  const row = useSel((s) => {
    const operator = select.operatorOf(s, node);
    return {
      icon: operatorIcon(operator, node.operator),
      hue: categoryHue(operator?.category),
      time: format.time(isAway(s) ? undefined : select.timingOf(s, node.key)?.milliseconds),
    };
  });
  return (
    <li style={{ "--ds-c": `var(--ds-${row.hue})` }}>
      <span className="ds-tile">
        <Icon name={row.icon} size={11} />
      </span>
      <span>{node.key}</span>
      {row.time !== "–" && <i>{row.time}</i>}
    </li>
  );
}

function ExposedRows({ box }: { readonly box: Box }) {
  return exposedOf(box).map(([key, argument]) => {
    const node = box.nodes.find((n) => n.key === key);
    const wired = node?.argument_inputs[argument];
    return (
      <Row key={`${key}.${argument}`}>
        <span className="ds-muted ds-row-name" title={`${argument} of ${key}`}>
          {node ? labelOf(node, argument) : argument}
        </span>
        <Exposed nodeKey={key} argument={argument} wired={wired !== undefined} />
      </Row>
    );
  });
}

function Exposed({ nodeKey, argument, wired }: { nodeKey: string; argument: string; wired: boolean }) {
  const text = useSel((s) => {
    const node = nodeOf(s.graph, nodeKey);
    const schema = select.operatorOf(s, node)?.arguments.find((a) => a.name === argument);
    return format.value(node?.arguments[argument] ?? schema?.default, schema?.unit);
  });
  return <span className="ds-row-value">{wired ? "wired" : text}</span>;
}

/** Ports of a box below its head. */
function PortRows({ box }: { readonly box: Box }) {
  const kinds = useSel((s) => [...entryKinds(s, box), ...box.exits.map((e) => kindOf(s, e))]);
  const names = useSel((s) => box.entries.map((e) => entryName(s, e)));
  const first = box.entries.length;
  return (
    <>
      {box.entries.slice(1).map((entry, i) => (
        <Row key={names[i + 1]}>
          <span className="ds-muted">{names[i + 1]}</span>
          <SlotPort
            slot={entry.slot}
            kind={kinds[i + 1] ?? "any"}
            wired={entry.source !== null}
            label={`input ${names[i + 1]}`}
            testId={`port-in-${box.id}-${i + 1}`}
            inner
          />
        </Row>
      ))}
      {box.exits.slice(1).map((exit, i) => (
        <Row key={portKey(exit.node, exit.output)} className="ds-row-out">
          <span className="ds-muted">{exit.node}</span>
          <SourcePort source={exit} kind={kinds[first + i + 1] ?? "any"} wired name={exit.node} inner />
        </Row>
      ))}
    </>
  );
}

function HeadPorts({ box }: { readonly box: Box }) {
  const kinds = useSel((s) => [entryKinds(s, box)[0], box.exits[0] && kindOf(s, box.exits[0])]);
  const name = useSel((s) => (box.entries[0] ? entryName(s, box.entries[0]) : ""));
  const [entry, exit] = [box.entries[0], box.exits[0]];
  return (
    <>
      {entry && (
        <SlotPort
          slot={entry.slot}
          kind={kinds[0] ?? "any"}
          wired={entry.source !== null}
          label={`input ${name}`}
          testId={`port-in-${box.id}-0`}
          head
          inner
        />
      )}
      {exit && <SourcePort source={exit} kind={kinds[1] ?? "any"} wired name={exit.node} head inner />}
    </>
  );
}

/** What a box costs. */
export function BoxTime({ box }: { readonly box: Box }) {
  const { cost, old, heat } = useSel((s) => ({ cost: costOf(s, box), old: select.isOld(s), heat: s.view.heat }));
  return cost ? (
    <Time
      share={cost.share}
      old={old}
      heat={heat}
      title={`Work of its operators per batch: ${format.percent(cost.share)} of the whole.`}
    >
      {format.time(cost.milliseconds)}
    </Time>
  ) : null;
}

function BoxCardView({ box, selected }: { readonly box: Box; readonly selected: boolean }) {
  const update = useRemeasure();
  const [exit] = box.exits;
  const card = useSel((s) => ({
    preview: exit && select.previewOf(s, exit.node, exit.output ?? 0),
    share: costOf(s, box)?.share,
    chance: chanceOf(s, box)?.chance ?? null,
    coin: s.confirmed?.coins[box.name],
    failing: failingIn(s, box),
    stale: box.nodes.some((n) => select.staleKeys(s).has(n.key)),
    sample: s.sample,
    running: s.run.running && !isUnused(box),
  }));
  const finding = useSel((s) => select.findingsAt(s, card.failing ?? "").find((d) => select.severity(d) === "error"));
  const begun = begunWord(finding);
  // wires end at handles by the names of inner nodes
  const ports = JSON.stringify([box.entries.map((e) => e.slot), box.exits, box.group.exposed.length]);
  useEffect(() => {
    if (ports) update(box.id);
  }, [ports, update, box.id]);
  const label = `output of ${box.group.title} for sample ${card.sample + 1}`;
  const unused = isUnused(box);
  const marks = [
    card.failing ? "ds-failed" : "",
    begun ? "ds-unwired" : "",
    card.stale ? "ds-stale" : "",
    unused ? "ds-unused" : "",
    card.running ? "ds-running" : "",
    hueOf(box.group) === "slate" ? "" : "ds-hued",
  ];
  const keys = box.nodes.map((n) => n.key);
  const device = deviceOf(box.nodes);
  return (
    <div
      className={`ds-card ds-card-operator ds-card-box ds-card-${device} ${selected ? "ds-selected" : ""} ${marks.filter(Boolean).join(" ")}`}
      style={{ "--ds-c": `var(--ds-${hueOf(box.group)})` }}
      data-testid={`node-${box.id}`}
      {...useHover(box.id)}
    >
      <Busy keys={keys} />
      <BoxReached box={box} />
      <FixedMark keys={keys} />
      <div className="ds-frame2" />
      <div className="ds-frame" />
      <header className="ds-card-head">
        <span className="ds-tile">
          <Icon name="group" size={12} />
        </span>
        <Name text={box.group.title} title={box.group.title} />
        <ChancePill chance={card.chance} />
      </header>
      <HeadPorts box={box} />
      <div className="ds-box-body">
        <div className="ds-picture">
          {card.preview ? (
            <PreviewView preview={card.preview} label={label} testId={`thumb-${box.id}`} {...PICTURE} />
          ) : (
            <Thumb id={portKey(exit?.node ?? "", exit?.output ?? 0)} {...PICTURE} label={label} />
          )}
          {unused && (
            <span className="ds-stale-chip ds-use-chip" title="No output of the pipeline depends on it.">
              not used
            </span>
          )}
          {card.failing && <span className="ds-time ds-time-failed">{`${card.failing} ${begun || "failed"}`}</span>}
          {!card.failing && <BoxTime box={box} />}
        </div>
        <ul className="ds-box-list">
          {listedIn(box, card.coin)
            .slice(0, NAMED)
            .map((node) => (
              <InnerRow key={node.key} node={node} />
            ))}
        </ul>
      </div>
      <HeatBar share={card.share} />
      <div className="ds-rows">
        <PortRows box={box} />
        <ExposedRows box={box} />
      </div>
      <div className="ds-facts">
        <span className="ds-facts-text">{format.plural(operatorsOf(box).length, "operator")}</span>
        <span className="ds-muted">Enter opens it</span>
        <DeviceBadge device={device} />
      </div>
      {card.failing && finding && <ErrorCard nodeKey={card.failing} card={box.id} finding={finding} />}
    </div>
  );
}

/** How far the least advanced of its nodes is in the run that goes on. */
function BoxReached({ box }: { readonly box: Box }) {
  return <ReachedBar id={box.id} keys={box.nodes.flatMap((n) => (n.in_run ? n.key : []))} />;
}

/** Whether no run needs what a box gives. */
function isUnused(box: Box): boolean {
  return box.nodes.every((node) => !node.in_run);
}

/** A box too small for words: its picture is on the canvas behind it. */
function FarBox({ box, selected }: { readonly box: Box; readonly selected: boolean }) {
  const failing = useSel((s) => failingIn(s, box) !== undefined);
  const share = useSel((s) => costOf(s, box)?.share);
  const detail = useDetail();
  const { node = "", output = 0 } = box.exits[0] ?? {};
  const open = useSel((s) => detail === "picture" && (select.previewOf(s, node, output)?.atlas_width ?? 0) > 0);
  return (
    <div
      className={`ds-card ds-far-card ds-card-box ${open ? "ds-far-open" : ""} ${failing ? "ds-failed" : ""} ${isUnused(box) ? "ds-unused" : ""} ${selected ? "ds-selected" : ""}`}
      style={{ width: boxSize(box).width, "--ds-c": `var(--ds-${hueOf(box.group)})` }}
      data-testid={`node-${box.id}`}
      data-ds-node={box.id}
      title={`${box.group.title}: ${box.nodes.map((n) => n.key).join(", ")}`}
    >
      <BoxReached box={box} />
      <div className="ds-frame" />
      {open ? (
        <div className="ds-far-window" />
      ) : (
        <div className="ds-far-tile">
          <span className="ds-tile">
            <Icon name="group" size={12} />
          </span>
        </div>
      )}
      <HeatBar share={share} />
      <FarName text={box.group.title} />
    </div>
  );
}

function BoxOrFar({ id, selected }: NodeProps) {
  const box = useSel((s) => boxesOf(s).get(id));
  const far = isFar(useDetail());
  const chosen = useSel((s) => keysOfCard(s, id).every((key) => s.view.selection.includes(key)));
  if (!box) return null;
  return far ? <FarBox box={box} selected={selected || chosen} /> : <BoxCardView box={box} selected={selected} />;
}

/** A subgraph as one card. */
export const BoxCard = memo(BoxOrFar);
