import type { NodeProps } from "@xyflow/react";
import { memo, type ReactNode } from "react";
import { isWide, lowPictureOf, portRows } from "../../core/cardSize";
import { inputName, inputOf, type Operator, outputName } from "../../core/catalog";
import { begunWord } from "../../core/data";
import { isFar } from "../../core/detail";
import { brokenFile, hasPlaceholder, worstAt } from "../../core/failures";
import * as format from "../../core/format";
import { nodeOf, SPLIT, wiresFrom } from "../../core/graph";
import { categoryHue } from "../../core/ports";
import * as select from "../../core/select";
import { unsolo } from "../../core/solo";
import { isAway, portKey } from "../../core/state";
import { isDense } from "../../core/subgraph";
import type { GraphView, NodeView } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { Icon, operatorIcon, Tile } from "../icons";
import { FilePicture } from "../problems/FilePicture";
import { ArgumentRowView, DropRows } from "./ArgumentRows";
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
  TagStripe,
  TimeChip,
  useHover,
} from "./CardParts";
import { useDetail } from "./detail";
import { ErrorCard } from "./ErrorCard";
import { FarCard } from "./FarCard";
import { Name } from "./Name";
import { hasAxes, namesCorner, Overlay } from "./Overlay";
import { PREVIEW_HEIGHT, PREVIEW_WIDTH, PreviewView, WIDE_PREVIEW } from "./PreviewView";
import { RenameField } from "./RenameField";
import { Thumb } from "./Thumb";

function useCard(key: string) {
  const node = useSel((s) => nodeOf(s.graph, key));
  const operator = useSel((s) => select.operatorOf(s, node));
  const preview = useSel((s) => select.previewOf(s, key));
  const problem = useSel((s) => worstAt(s, key));
  const status = useSel((s) => ({
    found: isAway(s) ? undefined : select.heatOf(s, key),
    gone: isAway(s),
    running: s.run.running,
    old: select.isOld(s),
    stale: select.staleKeys(s).has(key),
    lost: select.withoutSample(s).has(key),
    file: brokenFile(s, key),
    black: hasPlaceholder(s, key) === true,
    from: select.pictureFrom(s, key, preview),
    heat: s.view.heat,
    // of a picture that is older the values are, too
    sample:
      select.staleKeys(s).has(key) && preview ? (preview.iteration === s.iteration ? preview.sample : -1) : s.sample,
    wiredOutputs: s.graph ? wiredOutputs(s.graph, key) : "",
    dense: isDense(s),
    open: isDense(s) && select.isOpen(s, key),
    renaming: s.view.renaming && s.view.selection[0] === key,
  }));
  return { node, operator, preview, problem, ...status };
}

/** The outputs of a node that have wires, as text so that it compares cheaply: ",0,2,". */
function wiredOutputs(graph: GraphView, key: string): string {
  const found = new Set((wiresFrom(graph).get(key) ?? []).map((w) => w.source.output));
  return `,${[...found].join(",")},`;
}

export function describe(node: NodeView, operator: Operator | undefined, timing: string, error: boolean): string {
  const wired = node.inputs.filter((r) => r !== null).length + Object.keys(node.argument_inputs).length;
  const state = error ? "has an error" : "no error";
  const words = [node.key, operator?.name ?? node.operator, node.device, `${format.plural(wired, "input")} connected`];
  if (node.pin) words.push(node.pin === "here" ? format.pinWords(node) : "not computed behind pinned data");
  if (timing !== "–") words.push(timing);
  return [...words, state].join(", ");
}

/** What is done with a node; it stands in the picture or where the time would, so that the name keeps its room. */
function UseChip({ node, className }: { readonly node: NodeView; readonly className: string }) {
  const session = useSession();
  const { key } = node;
  const solo = useSel((s) => unsolo(s.graph, key, s.view.aside) !== null);
  const chip = (words: ReactNode, name: string, title: string, undo: () => void, also = className) => (
    <button
      type="button"
      className={`${also} ds-use-chip nodrag nopan`}
      title={title}
      data-testid={`${name}-${key}`}
      onClick={undo}
    >
      {words}
    </button>
  );
  if (node.bypassed) return <span className={`${className} ds-use-chip`}>off</span>;
  if (node.pin === "here") {
    const hold = (held: boolean) => () => session.edit([], { pins: { [key]: held } });
    const title = "Previews use this data from here on. Runs and programs do not.";
    const words = (
      <>
        <Icon name="pin" size={11} />
        {format.pinWords(node)}
      </>
    );
    if (!node.pin_old || className === "ds-pill")
      return chip(words, "unpin", `${title} Click to unpin it.`, hold(false), `${className} ds-pin-chip`);
    return (
      <>
        <span className={`${className} ds-use-chip ds-pin-old`} title={title}>
          {words}
        </span>
        <span className="ds-pin-choice">
          {chip("Pin again", "pin-again", "Keep what it gives now.", hold(true))}
          {chip("Let go", "unpin", "Show what it gives now.", hold(false))}
        </span>
      </>
    );
  }
  if (solo)
    return chip("solo", "unsolo", "Nothing else is returned. Click to return what was returned before.", () => {
      const { graph, view } = session.store.get();
      session.edit(unsolo(graph, key, view.aside)?.edits ?? []);
      session.view({ aside: null, notice: null });
    });
  if (node.in_run) return null;
  return chip(
    "not used",
    "unused",
    "No output of the pipeline depends on it, so a run leaves it out. Click to return what it gives.",
    () => {
      const outputs = [...(session.store.get().graph?.outputs ?? []), { node: key, output: 0 }];
      session.edit([{ type: "set_outputs", outputs }]);
    },
  );
}

interface HeaderProps {
  readonly node: NodeView;
  readonly operator: Operator | undefined;
  readonly renaming: boolean;
  /** What it draws or computes for the shown sample, where no row says so. */
  readonly value: number | undefined;
}

function Header({ node, operator, renaming, value }: HeaderProps) {
  return (
    <header className="ds-card-head">
      <Tile name={node.unknown ? "unknown" : operatorIcon(operator, node.operator)} />
      {renaming ? (
        <RenameField nodeKey={node.key} />
      ) : (
        <Name text={format.cardName(node.key, node.operator)} title={`${node.key}: ${format.called(node.operator)}`} />
      )}
      {value !== undefined && <span className="ds-row-value">{format.short(value)}</span>}
      <ChancePill {...node} />
    </header>
  );
}

type Card = ReturnType<typeof useCard> & {
  readonly node: NodeView;
};

/** What an output is called; that of an `if` by the way, and where several values go it, which. */
function OutputName({ name, node }: { readonly name: string; readonly node: NodeView }) {
  const [way, of] = node.operator === SPLIT ? name.split(" ") : [name];
  return (
    <span className="ds-row-name ds-muted">
      {way} {of && <Name text={of} title={of} />}
    </span>
  );
}

/** The picture of a card. In large graphs it is drawn on the canvas behind all cards, and here is a window to it. */
function CardPicture({ card, label }: { readonly card: Card; readonly label: string }) {
  const { node, operator, preview, open, dense } = card;
  const height = useDetail() === "full" && dense ? lowPictureOf(node, operator) : PREVIEW_HEIGHT;
  const size = isWide(node, dense) ? WIDE_PREVIEW : { width: PREVIEW_WIDTH, height };
  const testId = `thumb-${node.key}`;
  if (card.file) return <FilePicture node={node.key} source={card.file} {...size} />;
  if (card.lost) return null;
  if (open && preview)
    return (
      <div role="img" aria-label={label} data-testid={testId} style={size}>
        <Overlay preview={preview} {...size} />
      </div>
    );
  if (preview) return <PreviewView preview={preview} label={label} testId={testId} {...size} />;
  if (dense) return <div style={size} />;
  return <Thumb id={portKey(node.key, 0)} {...size} label={label} testId={testId} />;
}

interface BodyProps {
  readonly card: Card;
  readonly failed: boolean;
  /** What the chip says in place of a time. */
  readonly said: string;
}

function Body({ card, failed, said }: BodyProps) {
  const { node, operator, preview, found, running, old, heat, stale, sample } = card;
  const shape = select.cardShape(node, preview);
  const chip = said ? (
    <span className="ds-time ds-time-failed">{said}</span>
  ) : preview && namesCorner(preview, PREVIEW_WIDTH, PREVIEW_HEIGHT) ? null : (
    <TimeChip nodeKey={node.key} found={found} running={running && node.in_run} old={old} heat={heat} />
  );
  const ways = useSel((s) => (node.operator === SPLIT ? select.waysOf(s, node) : null));
  const name = useSel((s) => outputName(s.graph, operator, node, 0, ""));
  const first = ways ? ways.rows[0] : select.figures(preview?.body);
  const aside = (stale || card.gone) && preview && !node.pin_old;
  const label = `output of ${node.key} for sample ${sample + 1}${preview ? `, ${preview.facts}` : ""}`;
  if (ways || (shape === "short" && preview?.body.type === "table"))
    return (
      <div className="ds-figures">
        <OutputName name={name} node={node} />
        {first && <span className="ds-row-value">{first}</span>}
      </div>
    );
  if (shape === "short")
    return preview ? <PreviewView preview={preview} label={label} /> : <div className="ds-values" />;
  return (
    <>
      <div className={`ds-picture ${hasAxes(preview)}`}>
        <CardPicture card={card} label={label} />
        {node.bypassed && <div className="ds-through" />}
        {!said && !aside && <UseChip node={node} className="ds-stale-chip" />}
        {aside && !card.file && !card.lost && (
          <span
            className="ds-stale-chip"
            title={
              node.pin === "behind"
                ? "Previews leave it out, since what it feeds has pinned data."
                : "The newest picture that there is."
            }
          >
            <Icon name="clock" size={11} />
            {node.pin === "behind" ? "not computed" : !said && card.from}
          </span>
        )}
        {(said || !(aside || (node.pin_old && preview))) && chip}
      </div>
      <HeatBar share={failed || (old && !heat) ? undefined : found?.share} />
    </>
  );
}

function OutputRows({ card }: { readonly card: Card }) {
  const { node, operator, wiredOutputs: wired } = card;
  const count = Math.max(node.output_kinds.length, operator?.outputs.length ?? 0);
  const rows = Array.from({ length: Math.max(0, count - 1) }, (_, i) => i + 1);
  const names = useSel((s) => rows.map((output) => outputName(s.graph, operator, node, output)));
  const figures = useSel((s) =>
    node.operator === SPLIT
      ? [select.waysOf(s, node).rows[1]]
      : rows.map((output) => select.figures(select.previewOf(s, node.key, output)?.body)),
  );
  return rows.map((output) => {
    const name = names[output - 1] ?? "";
    return (
      <Row key={output} className="ds-row-out">
        <OutputName name={name} node={node} />
        {figures[output - 1] && <span className="ds-row-value">{figures[output - 1]}</span>}
        <SourcePort
          source={{ node: node.key, output }}
          kind={node.output_kinds[output] ?? "any"}
          wired={wired.includes(`,${output},`)}
          name={name}
        />
      </Row>
    );
  });
}

function InputRows({ card }: { readonly card: Card }) {
  const { node, operator } = card;
  return select.extraInputs(node, operator).map((input) => {
    const schema = inputOf(operator, input);
    const name = inputName(operator, input);
    return (
      <Row key={input}>
        <span className="ds-muted">{name}</span>
        <SlotPort
          slot={{ kind: "input", node: node.key, input }}
          kind={schema?.kind ?? "any"}
          wired={(node.inputs[input] ?? null) !== null}
          label={`input ${name}`}
          testId={`port-in-${node.key}-${input}`}
        />
      </Row>
    );
  });
}

function Facts({ card, failed }: { readonly card: Card; readonly failed: boolean }) {
  const { node, preview, found, running, old, heat } = card;
  const shape = select.cardShape(node, preview);
  const compact = shape === "short";
  const ways = useSel((s) => (node.operator === SPLIT ? select.waysOf(s, node).said : ""));
  const facts = ways || (!card.file && !card.lost && preview?.facts) || select.typeOnly(node) || "";
  return (
    <div className="ds-facts">
      <span className="ds-facts-text" title={facts}>
        {compact ? facts.replace(/^scalar /, "") : facts}
      </span>
      {compact && <UseChip node={node} className="ds-pill" />}
      {compact && !failed && node.in_run && !node.bypassed && (
        <TimeChip nodeKey={node.key} found={found} running={running && node.in_run} old={old} heat={heat} />
      )}
      <DeviceBadge device={node.device} />
    </div>
  );
}

function OpCardView({ id, selected }: NodeProps) {
  const found = useCard(id);
  const { node, operator, problem } = found;
  const hover = useHover(id);
  if (!node) return null;
  const begun = begunWord(problem);
  const error = problem !== undefined && select.severity(problem) === "error";
  const failed = error && !begun;
  const lost = found.lost && !error;
  const unrun = problem?.code === "";
  const chip =
    begun ||
    (failed && (select.isStopped(problem) ? "stopped" : "failed")) ||
    (lost && "left out") ||
    (found.black && "placeholder") ||
    (unrun && "not run") ||
    "";
  const card: Card = { ...found, node };
  const kind = node.output_kinds[0] ?? "any";
  const rows = select.argumentRows(node, operator, problem?.argument);
  const classes = [
    "ds-card",
    "ds-card-operator",
    node.operator === SPLIT ? "ds-card-split" : "",
    `ds-card-${node.device}`,
    isWide(node, card.dense) ? "ds-card-wide" : "",
    selected ? "ds-selected" : "",
    failed || begun ? "ds-failed" : "",
    begun || lost || found.black || unrun ? "ds-unwired" : "",
    card.stale && !found.file ? "ds-stale" : "",
    (card.stale && !card.preview) || lost ? "ds-blank" : "",
    card.open && !lost ? "ds-open" : "",
    node.unknown ? "ds-ghost" : "",
    node.bypassed ? "ds-bypassed" : "",
    node.in_run ? "" : "ds-unused",
    card.running && node.in_run ? "ds-running" : "",
  ];
  return (
    <div
      className={classes.filter(Boolean).join(" ")}
      style={{
        "--ds-c": `var(--ds-${categoryHue(operator?.category)})`,
        "--ds-ports": portRows(node, operator),
        "--ds-low": `${lowPictureOf(node, operator)}px`,
      }}
      data-testid={`node-${id}`}
      {...hover}
    >
      <Busy keys={[id]} />
      {node.in_run && <ReachedBar id={id} />}
      <TagStripe nodeKey={id} />
      <FixedMark keys={[id]} />
      <div className="ds-frame2" />
      <div className="ds-frame" />
      <Header
        node={node}
        operator={operator}
        renaming={card.renaming}
        value={card.dense ? select.scalarOf(card.preview, card.sample) : undefined}
      />
      {select.hasFirstInput(node, operator) && (
        <SlotPort
          slot={{ kind: "input", node: id, input: 0 }}
          kind={inputOf(operator, 0)?.kind ?? "any"}
          wired={(node.inputs[0] ?? null) !== null}
          label={`input ${operator ? inputName(operator, 0) : ""}`}
          testId={`port-in-${id}-0`}
          head
        />
      )}
      {node.output_kinds.length > 0 && (
        <SourcePort
          source={{ node: id, output: 0 }}
          kind={kind}
          wired={card.wiredOutputs.includes(",0,")}
          name={operator?.outputs[0]?.name ?? ""}
          head
        />
      )}
      <Body card={card} failed={failed} said={chip} />
      <div className="ds-rows">
        <InputRows card={card} />
        {rows.map((row) => (
          <ArgumentRowView key={row.name} node={node} row={row} sample={card.sample} />
        ))}
      </div>
      <div className="ds-rows">
        <OutputRows card={card} />
      </div>
      <Facts card={card} failed={failed} />
      <DropRows node={node} operator={operator} />
      {problem && <ErrorCard nodeKey={id} finding={problem} />}
    </div>
  );
}

function OpCardOrFar(props: NodeProps) {
  return isFar(useDetail()) ? <FarCard {...props} /> : <OpCardView {...props} />;
}

export const OpCard = memo(OpCardOrFar);
