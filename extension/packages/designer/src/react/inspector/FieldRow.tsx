import { useEffect, useState } from "react";
import { cutEdits, randomFor, randomStep } from "../../core/actions";
import { type Argument, sameValue } from "../../core/catalog";
import { readersOf } from "../../core/data";
import * as format from "../../core/format";
import { freePlace } from "../../core/freeSpot";
import { nodeOf, originOf } from "../../core/graph";
import { COLUMN, ROW } from "../../core/layout";
import { findings, previewOf, repairOf, scalarOf } from "../../core/select";
import { toldBy } from "../../core/statusMessage";
import { exposeMarks, isExposed, subgraphOf } from "../../core/subgraph";
import type { NodeView, PortRef, Value } from "../../protocol/generated";
import { Values } from "../canvas/CardParts";
import { Name } from "../canvas/Name";
import { cardRects, relaid } from "../canvas/sizes";
import { contextOf } from "../canvas/useWiring";
import { useSel, useSession } from "../context";
import { PortMark } from "../Port";
import { IconButton, LinkButton, worded } from "../parts";
import { Control } from "./controls";
import { useSetter } from "./field";

interface Props {
  readonly node: NodeView;
  readonly argument: Argument;
  /** More nodes that are set with it. */
  readonly others?: readonly string[];
  /** Its name, where several of one name stand together. */
  readonly label?: string;
}

const NONE: readonly string[] = [];

/** The number that an output gives the shown sample. */
export function DrawnNow({ of, unit }: { readonly of: PortRef; readonly unit: string }) {
  const sample = useSel((s) => s.sample);
  const drawn = useSel((s) => scalarOf(previewOf(s, of.node, of.output), s.sample));
  const node = useSel((s) => nodeOf(s.graph, of.node));
  if (drawn === undefined) return null;
  const does = node?.operator.startsWith("random.") ? "draws" : "has";
  return (
    <span className="ds-drawn">
      {node?.pin === "behind" ? "pinned:" : `sample ${sample + 1} ${does}`} <b>{format.drawn(drawn, unit)}</b>
    </span>
  );
}

function Wired({ node, argument }: Props) {
  const session = useSession();
  const source = node.argument_inputs[argument.name];
  const origin = useSel((s) => (source ? originOf(s.graph, source) : ""));
  const body = useSel((s) => source && previewOf(s, source.node, source.output)?.body);
  const sample = useSel((s) => s.sample);
  if (!source) return null;
  const cut = () => {
    const graph = session.store.get().graph;
    if (graph) session.edit(cutEdits(graph, [{ kind: "argument", node: node.key, argument: argument.name }]));
  };
  return (
    <span className="ds-wired">
      <span className="ds-wired-chip">
        <PortMark kind="scalar" wired argument size={14} />
        <button
          type="button"
          className="ds-wired-name"
          title={`Show ${origin}`}
          onClick={() => session.select([origin])}
        >
          from <Name text={origin} />
        </button>
        <IconButton
          icon="cross"
          label={`Cut the wire to ${argument.name}`}
          small
          testId={`cut-${argument.name}`}
          onClick={cut}
        />
      </span>
      <DrawnNow of={source} unit={argument.unit} />
      {body?.type === "values" && <Values values={body.values} sample={sample} />}
    </span>
  );
}

/** What the kernel says about this argument, unless something newer was typed. */
export function useFinding(key: string, name: string): string {
  return useSel((s) => {
    const d = findings(s).find((x) => x.node === key && x.argument === name);
    // with a button, it stands among the findings
    if (!d || repairOf(s, d)) return "";
    const words = format.sentence(d.message);
    // what a card says beside its node needs its first sentence here
    if (s.view.told === toldBy(d)) return words.replace(/(?<=\.) .*/s, "");
    return [words, d.hint].filter(Boolean).join(" ");
  });
}

function MakeRandom({ node, argument }: Props) {
  const session = useSession();
  const operator = useSel((s) => (s.opening ? randomFor(s.opening.catalog, argument) : null));
  if (!operator) return null;
  const make = () => {
    const context = contextOf(session);
    const state = session.store.get();
    const at = state.positions[node.key] ?? { x: 20, y: 14 };
    const place = freePlace({ x: at.x - COLUMN, y: at.y + ROW }, cardRects(state));
    const step = context && randomStep(context, node, argument, place);
    if (step)
      session.edit(step.edits, { positions: { ...step.positions, ...relaid(state, step.edits, session.room) } });
  };
  return (
    <IconButton
      icon="dice"
      label={`Draw ${argument.name} anew for each sample`}
      small
      testId={`random-${argument.name}`}
      onClick={make}
    />
  );
}

/** Within a subgraph: whether its box shows the argument. */
function Expose({ node, argument }: Props) {
  const session = useSession();
  const { key } = node;
  const { name } = argument;
  const around = useSel((s) => subgraphOf(s, key));
  if (!around) return null;
  const shown = isExposed(around, key, name);
  return (
    <IconButton
      icon="group"
      label={`${shown ? "Take" : "Show"} ${name} ${shown ? "off" : "on"} the box of ${around.group.title}`}
      pressed={shown}
      small
      testId={`on-box-${name}`}
      onClick={() => session.edit([], { marks: exposeMarks(around, key, name) })}
    />
  );
}

/** Beside a path of a reader: folders of the kernel's machine. */
function ChooseFolder({ node }: { readonly node: NodeView }) {
  const session = useSession();
  const reads = useSel((s) => readersOf(s).some((reader) => reader.key === node.key));
  if (!reads) return null;
  return <IconButton icon="folder" label="Choose folder" small onClick={() => session.view({ folders: node.key })} />;
}

function tooltip(argument: Argument): string {
  const parts = [argument.doc];
  if (argument.required) parts.push("Needed: without it the step does not run.");
  if (argument.unit) parts.push(`Unit: ${argument.unit}.`);
  const { minimum, maximum } = argument;
  if (minimum !== null || maximum !== null)
    parts.push(
      `Accepted: ${minimum === null ? "" : `${format.number(minimum)} `}…${maximum === null ? "" : ` ${format.number(maximum)}`}.`,
    );
  if (argument.default !== null) parts.push(`Default: ${format.value(argument.default)}.`);
  if (argument.deprecated) parts.push(argument.deprecated);
  return parts.filter(Boolean).join(" ");
}

/** Where a colour beside the picture ends that its type does not hold; operators that wrap it around are left out. */
function clipped(node: NodeView, { name }: Argument, value: unknown): string {
  if (name !== "fill_value" || !/^(rotate|warp_affine)$/.test(node.operator) || !/u8$/.test(node.facts[0] ?? ""))
    return "";
  return Number(value) > 255 ? "clipped to 255" : Number(value) < 0 ? "clipped to 0" : "";
}

interface DifferingProps {
  readonly keys: readonly string[];
  readonly argument: Argument;
  readonly set: (value: Value) => void;
}

/** Where several nodes have different values: which, and that of the first for all. */
function Differing({ keys, argument, set }: DifferingProps) {
  const values = useSel((s) => keys.map((k) => nodeOf(s.graph, k)?.arguments[argument.name] ?? argument.default));
  const [first = null] = values;
  if (values.every((v) => sameValue(v, first))) return null;
  return (
    <span className="ds-useless-note" data-testid={`differs-${argument.name}`}>
      {keys.map((key, i) => `${key}: ${format.value(values[i], argument.unit)}`).join(", ")} ·{" "}
      <LinkButton onClick={() => set(first)}>{format.value(first, argument.unit)} for all</LinkButton>
    </span>
  );
}

/** One argument: dot when changed, name, control, and under it what is wrong. */
export function FieldRow({ node, argument, others = NONE, label = argument.name }: Props) {
  const { set, reset } = useSetter([node.key, ...others], argument.name);
  const [typed, setTyped] = useState("");
  const said = useFinding(node.key, argument.name);
  const wired = node.argument_inputs[argument.name] !== undefined;
  const own = node.arguments[argument.name];
  const value = own === undefined ? argument.default : own;
  const changed = wired || (own !== undefined && !sameValue(own, argument.default));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another node's field has no complaint yet
  useEffect(() => setTyped(""), [node.key]);
  const useless = argument.support !== "used"; // which its note says
  const reason = typed || (wired || useless ? "" : said);
  const clips = wired ? "" : clipped(node, argument, value);
  const unit = argument.unit === "deg" ? "degrees" : argument.unit;
  const many = Array.isArray(value) && value.length > 2 && !wired;
  // what has no value has no slider
  const widget = wired ? "wired" : value === null ? "unset" : argument.widget;
  return (
    <div
      className={`ds-field ${changed ? "ds-changed" : ""} ${useless ? "ds-useless" : ""} ${many ? "ds-field-many" : ""} ds-field-${widget}`}
      data-testid={`field-${argument.name}`}
    >
      <span className="ds-field-name" title={`${argument.name}: ${tooltip(argument)}`}>
        <span>{label}</span>
        {unit && <small>{unit}</small>}
        {others.length === 0 && <Expose node={node} argument={argument} />}
      </span>
      <span className="ds-field-control">
        {wired ? (
          <Wired node={node} argument={argument} />
        ) : (
          <Control
            argument={argument}
            value={value}
            set={(v, gesture) => {
              setTyped("");
              set(v, gesture);
            }}
            reset={reset}
            setError={setTyped}
            bad={reason !== ""}
          />
        )}
        {!wired && others.length === 0 && <MakeRandom node={node} argument={argument} />}
        {!wired && argument.widget === "path" && <ChooseFolder node={node} />}
        {!wired && own !== undefined && (
          <IconButton
            icon="reset"
            label={`Reset ${argument.name}`}
            small
            testId={`reset-${argument.name}`}
            onClick={() => {
              setTyped("");
              reset();
            }}
          />
        )}
      </span>
      {others.length > 0 && <Differing keys={[node.key, ...others]} argument={argument} set={set} />}
      {reason && (
        <span className="ds-reason" role="alert" data-testid={`reason-${argument.name}`}>
          {worded(reason)}
        </span>
      )}
      {clips && <span className="ds-useless-note">{clips}</span>}
      {useless && (
        <span className="ds-useless-note">no effect here{argument.reason ? `: ${argument.reason}` : ""}</span>
      )}
    </div>
  );
}
