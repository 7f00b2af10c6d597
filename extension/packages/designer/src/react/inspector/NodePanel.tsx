import { Fragment, useState } from "react";
import { type Argument, isSaid, type Operator, outputName, sameValue } from "../../core/catalog";
import { brokenFile, isAboutFile } from "../../core/failures";
import * as format from "../../core/format";
import { nodeOf, originOf, SPLIT } from "../../core/graph";
import { categoryHue, LABELS } from "../../core/ports";
import { literal, pythonText } from "../../core/python";
import {
  codeIsCurrent,
  findings,
  findingsAt,
  isAbsent,
  operatorOf,
  pictureFrom,
  previewOf,
  repairOf,
  repairsOf,
  staleKeys,
  stepOf,
  waysOf,
} from "../../core/select";
import { isAway } from "../../core/state";
import { isBeside } from "../../core/statusMessage";
import type { Diagnostic, NodeView, PreviewBody } from "../../protocol/generated";
import { Name } from "../canvas/Name";
import { PreviewView } from "../canvas/PreviewView";
import { RenameField } from "../canvas/RenameField";
import { useFrame, useSel, useSession } from "../context";
import { Histogram } from "../Histogram";
import { Icon, operatorIcon } from "../icons";
import { useLate } from "../late";
import { PortMark } from "../Port";
import { CloseButton, LinkButton, Section, SmallButton } from "../parts";
import { Problem } from "../problems/Problem";
import { Compare } from "./Compare";
import { CropWindow } from "./CropWindow";
import { DeviceChoice } from "./DeviceChoice";
import { FieldRow } from "./FieldRow";
import { FunctionEditor } from "./FunctionEditor";
import { InputsSection } from "./InputsSection";
import { Placement } from "./Placement";
import { PlaySound } from "./PlaySound";
import { ProbabilityRow } from "./ProbabilityRow";
import { RandomEditor } from "./RandomEditor";

function Head({ node, operator }: { readonly node: NodeView; readonly operator: Operator | undefined }) {
  const session = useSession();
  const [naming, setNaming] = useState(false);
  const renaming = useSel((s) => s.view.renaming);
  const yes = useSel((s) => node.operator === SPLIT && waysOf(s, node).rows[0]);
  return (
    <div className="ds-inspector-head">
      <span className="ds-tile ds-tile-large" style={{ "--ds-c": `var(--ds-${categoryHue(operator?.category)})` }}>
        <Icon name={operatorIcon(operator, node.operator)} />
      </span>
      <div>
        {naming && !renaming ? (
          <RenameField nodeKey={node.key} onDone={() => setNaming(false)} />
        ) : (
          <button type="button" className="ds-name-button" onClick={() => setNaming(true)}>
            <Name text={format.cardName(node.key, node.operator)} title={`Rename ${node.key} (F2)`} />
          </button>
        )}
        <small>
          {format.called(node.operator)}
          {yes && `, true for ${yes}`}
        </small>
      </div>
      <CloseButton onClick={() => session.select([])} />
    </div>
  );
}

function isShown(argument: Argument, node: NodeView): boolean {
  const own = node.arguments[argument.name];
  const set = own !== undefined && !sameValue(own, argument.default);
  return argument.common || argument.required || set || argument.name in node.argument_inputs;
}

function Arguments({ node, operator }: { readonly node: NodeView; readonly operator: Operator }) {
  // what feeds an argument, by its name: a generator may reach it through the split of a branch
  const drawn: Readonly<Record<string, string>> = useSel((s) =>
    Object.fromEntries(Object.entries(node.argument_inputs).map(([name, ref]) => [name, originOf(s.graph, ref)])),
  );
  const session = useSession();
  const [all, setAll] = useState(false);
  const troubled = useSel((s) => findingsAt(s, node.key).map((d) => (isAboutFile(d) ? "on_error" : d.argument)));
  const offered = operator.arguments.filter(
    // the function of a code node stands above; values stand in place of a range
    (a) =>
      (a.support !== "refused" || a.name in node.arguments) &&
      !(node.code && a.name === "function") &&
      !(a.name === "range" && node.arguments.values && !node.arguments.range),
  );
  // what was set when the node was selected comes first; rows do not change their places under the pointer
  const [given] = useState(() => new Set([...Object.keys(node.arguments), ...Object.keys(node.argument_inputs)]));
  const first = offered
    .filter(
      (a) =>
        (isShown(a, node) && (given.has(a.name) || a.name in node.arguments || !isSaid(a.name, given))) ||
        troubled.includes(a.name),
    )
    .sort((a, b) => Number(given.has(b.name)) - Number(given.has(a.name)));
  // what has no effect is shown where it is set
  const rest = offered.filter((a) => !first.includes(a) && a.support === "used");
  if (offered.length === 0) return null;
  // what is needed keeps its value: without it the step does not run
  const own = offered.flatMap((a) => (a.name in node.arguments && !a.required && a.widget !== "none" ? a.name : []));
  return (
    <section className="ds-section" aria-label="Arguments">
      {first.map((a) => (
        <Fragment key={a.name}>
          <FieldRow node={node} argument={a} />
          {drawn[a.name] && <RandomEditor key={drawn[a.name]} nodeKey={drawn[a.name] ?? ""} beside={a} />}
        </Fragment>
      ))}
      {all && rest.map((a) => <FieldRow key={a.name} node={node} argument={a} />)}
      {rest.length > 0 && (
        <button type="button" className="ds-link ds-more" data-testid="show-more" onClick={() => setAll(!all)}>
          {all ? "Show less" : `Show ${rest.length} more`}
        </button>
      )}
      {own.length > 1 && (
        <LinkButton
          data-testid="reset-all"
          onClick={() =>
            session.edit(own.map((argument) => ({ type: "set_argument", key: node.key, argument, unset: true })))
          }
        >
          Reset all {own.length}
        </LinkButton>
      )}
    </section>
  );
}

/** What the field of an argument does not say already, nor the card of a file beside the node, and what a button takes away. */
function Problems({ node }: { readonly node: NodeView }) {
  const cards = useFrame().breadth !== "list";
  const list = useSel((s) => {
    const found = findingsAt(s, node.key);
    const first = new Map([...found].reverse().map((d) => [d.argument, d]));
    const atField = (d: Diagnostic) =>
      d.argument && !(d.argument in node.argument_inputs) && first.get(d.argument) === d;
    const beside = (d: Diagnostic) => cards && isAboutFile(d) && isBeside(s, d);
    return found.filter((d) => !beside(d) && (!atField(d) || repairOf(s, d)));
  });
  if (list.length === 0) return null;
  return (
    <Section title="Findings">
      {list.map((d) => (
        <Problem key={`${d.code}|${d.argument}|${d.message}`} found={d} />
      ))}
    </Section>
  );
}

/** Which labels do what an operator does to the points of their image, and what makes the others do so, unless a card has that. */
function MovesSection({ node }: { readonly node: NodeView }) {
  const session = useSession();
  const repairs = useSel((s) =>
    findings(s).flatMap((d) => (stepOf(d) === node.key && !isBeside(s, d) ? repairsOf(s, d).slice(0, 1) : [])),
  );
  const { followers } = node;
  if (Object.keys(followers).length === 0) return null;
  return (
    <Section title="Moves with the image">
      {LABELS.map((kind) => (
        <div className="ds-field" key={kind} data-testid={`moves-${kind}`}>
          <span className="ds-field-name">
            <PortMark kind={kind} wired={kind in followers} size={14} />
            <span>{kind}</span>
          </span>
          <span className={followers[kind]?.startsWith("not ") ? "ds-moves-not" : "ds-muted"}>
            {followers[kind] ?? "none here"}
          </span>
        </div>
      ))}
      {repairs.map((repair) => (
        <SmallButton
          key={repair.node}
          primary
          data-testid={`moves-${repair.node}`}
          onClick={() => session.repair(repair)}
        >
          {repair.title}
        </SmallButton>
      ))}
    </Section>
  );
}

/** What is shown below the statistics; images and histograms stand above and beside them. */
const LISTED: ReadonlySet<PreviewBody["type"]> = new Set(["wave", "table", "text"]);

function OutputSection({ node, output }: { readonly node: NodeView; readonly output: number }) {
  const preview = useSel((s) => previewOf(s, node.key, output));
  const detail = useSel((s) => (s.detail?.key === node.key && s.detail.output === output ? s.detail : null));
  const session = useSession();
  const { sample, whole, log, old, stale, absent } = useSel((s) => ({
    sample: s.sample,
    whole: s.view.whole,
    log: s.view.log,
    old: staleKeys(s).has(node.key) ? pictureFrom(s, node.key, preview) : isAway(s) && "last run",
    stale: staleKeys(s).has(node.key),
    absent: isAbsent(s, node.key) || brokenFile(s, node.key) !== undefined,
  }));
  const facts = detail?.facts || preview?.facts || node.facts[output] || "";
  if (absent || (!facts && !preview)) return null;
  const [shape, dtype = ""] = facts.split(/ (?=\S+$)/);
  const encoded = node.output_kinds[output] === "encoded";
  const rows: (readonly [string, string])[] = [[encoded ? "size" : "shape", shape || "–"]];
  if (dtype) rows.push(["dtype", `${dtype} ${detail?.layout ?? ""}`]);
  if (detail && Number.isFinite(detail.minimum) && detail.histogram.length > 0) {
    const few = (value: number) => format.number(Number(value.toPrecision(4)));
    rows.push(["range", `${few(detail.minimum)} … ${few(detail.maximum)}`]);
    rows.push(["mean", few(detail.mean)]);
  }
  const { samples = 0, bytes = 0, nan, infinite } = detail ?? {};
  if (nan) rows.push(["NaN", format.plural(nan, "value")]);
  if (infinite) rows.push(["Inf", format.plural(infinite, "value")]);
  if (samples && whole) rows.push(["batch", `${format.bytes(bytes)}, ${format.plural(samples, "sample")}`]);
  else if (samples && !encoded) rows.push(["size", format.bytes(bytes)]);
  const note = detail?.note || preview?.note;
  // a scale changes nothing where all are as high
  const heights = new Set(detail?.histogram.flat().filter(Boolean));
  return (
    <Section title="Output" note={`sample ${sample + 1}, ${old || node.device}`}>
      <div className={stale ? "ds-stats ds-stale" : "ds-stats"}>
        <dl>
          {rows.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd title={text}>{text}</dd>
            </div>
          ))}
        </dl>
        {detail && samples > 0 && (
          <div>
            {detail.histogram.length > 0 && (
              <>
                <Histogram bins={detail.histogram} before={detail.before ?? []} log={log} />
                {heights.size > 1 && (
                  <LinkButton
                    data-testid="log"
                    title="Heights of the histogram; a log scale shows what is rare. Dashed: the input."
                    onClick={() => session.view({ log: !log })}
                  >
                    {log ? "log scale" : "√ scale"}
                  </LinkButton>
                )}
              </>
            )}
            <LinkButton
              data-testid="whole"
              title="Of which samples all of this is; where shapes differ, they are ranges."
              onClick={() => session.view({ whole: !whole })}
            >
              {whole ? "whole batch" : "this sample"}
            </LinkButton>
          </div>
        )}
      </div>
      {preview && LISTED.has(preview.body.type) && (
        <div className={`ds-preview-body ds-preview-${preview.body.type}`}>
          {/* the frequencies of a sound stand above, large */}
          <PreviewView
            preview={{ ...preview, atlas_width: 0 }}
            label={`output of ${node.key}`}
            width={275}
            height={126}
          />
        </div>
      )}
      {preview?.body.type === "wave" && <PlaySound key={`${node.key}#${output}`} port={{ node: node.key, output }} />}
      {note && <p className="ds-muted ds-note">{note}</p>}
    </Section>
  );
}

/** How the operator is called: inputs, then what must be given, then what most people set. */
function signature(operator: Operator): string {
  const inputs = operator.inputs.map((i) => (i.optional ? `${i.name}=None` : i.repeated ? `*${i.name}` : i.name));
  const named = operator.arguments.filter((a) => a.support === "used" && (a.required || a.common));
  const words = named.map((a) => (a.required ? a.name : `${a.name}=${literal(a.default, a)}`));
  return `fn.${operator.name}(${[...inputs, ...words, "..."].join(", ")})`;
}

function About({ operator, nodeKey }: { readonly operator: Operator; readonly nodeKey: string }) {
  const session = useSession();
  const paragraphs = (operator.doc || operator.summary).split(/\n\s*\n/).filter(Boolean);
  const waits = useLate(useSel((s) => !codeIsCurrent(s)));
  const written = useSel((s) => pythonText(s, [nodeKey], !waits));
  const page = operator.dialects.some((d) => d.dialect === "nvidia.dali" && d.absent)
    ? ""
    : `https://docs.nvidia.com/deeplearning/dali/user-guide/docs/operations/nvidia.dali.fn.${operator.name}.html`;
  return (
    <details className="ds-section ds-about">
      <summary>About {operator.name}</summary>
      <pre className="ds-about-code" data-testid="about-code">
        {signature(operator)}
        {"\n\n"}
        <b>{written}</b>
      </pre>
      {paragraphs.map((p) => (
        <p key={p}>{p}</p>
      ))}
      <LinkButton data-testid="find-in-gallery" onClick={() => session.view({ palette: true, sought: operator.name })}>
        Find in gallery
      </LinkButton>
      {page && (
        <p>
          <a href={page} target="_blank" rel="noreferrer">
            NVIDIA's page about fn.{operator.name}
          </a>
        </p>
      )}
    </details>
  );
}

/** That data is kept for a node, which its card cannot say at every zoom. */
function Pinned({ node }: { readonly node: NodeView }) {
  const session = useSession();
  if (node.pin !== "here") return null;
  return (
    <Section>
      <p className="ds-muted">
        {node.pin_old ? "Pinned before the edit" : "Pinned"}: previews go on from its data of batch {node.pin_batch + 1}
        , whatever is changed here; runs do not.{" "}
        {(node.pin_old ? [true, false] : [false]).map((held) => (
          <LinkButton
            key={String(held)}
            data-testid={held ? "hold" : "let-go"}
            onClick={() => session.edit([], { pins: { [node.key]: held } })}
          >
            {held ? "Pin again" : "Let go (K)"}
          </LinkButton>
        ))}
      </p>
    </Section>
  );
}

/** That a node is left out, and the way back. */
function Bypassed({ node }: { readonly node: NodeView }) {
  const session = useSession();
  if (!node.bypassed) return null;
  const edit = { type: "set_bypass", key: node.key, bypassed: false } as const;
  return (
    <Section>
      <p className="ds-muted">
        Bypassed: its input goes through unchanged, whatever is set here.{" "}
        <LinkButton data-testid="use-again" onClick={() => session.edit([edit])}>
          Use it again (B)
        </LinkButton>
      </p>
    </Section>
  );
}

/** Everything about one node. */
export function NodePanel({ nodeKey }: { readonly nodeKey: string }) {
  const node = useSel((s) => nodeOf(s.graph, nodeKey));
  const operator = useSel((s) => operatorOf(s, node));
  const graph = useSel((s) => s.graph);
  const [chosen, setChosen] = useState(0);
  if (!node) return null;
  const output = Math.min(chosen, Math.max(0, node.output_kinds.length - 1));
  return (
    <>
      <Head node={node} operator={operator} />
      <Compare key={`${nodeKey}#${output}`} nodeKey={nodeKey} output={output} />
      {operator && <DeviceChoice node={node} operator={operator} />}
      <Bypassed node={node} />
      <Pinned node={node} />
      {!operator && (
        <Section>
          <p className="ds-muted">This operator is not known here. Its name and values are kept as they are.</p>
        </Section>
      )}
      {node.code && <FunctionEditor key={`code ${nodeKey}`} nodeKey={nodeKey} code={node.code} />}
      <Problems node={node} />
      <RandomEditor nodeKey={nodeKey} />
      {operator && <CropWindow node={node} operator={operator} />}
      <Placement node={node} />
      {operator && <Arguments key={nodeKey} node={node} operator={operator} />}
      <MovesSection node={node} />
      {operator && <ProbabilityRow node={node} />}
      {node.output_kinds.length > 1 && (
        <div className="ds-output-tabs" role="tablist" aria-label="Output">
          {node.output_kinds.map((_, i) => (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: an output is its place
              key={i}
              type="button"
              role="tab"
              aria-selected={i === output}
              className="ds-tab"
              onClick={() => setChosen(i)}
            >
              {outputName(graph, operator, node, i)}
            </button>
          ))}
        </div>
      )}
      <OutputSection node={node} output={output} />
      {operator && <InputsSection node={node} operator={operator} />}
      {operator && format.called(operator.name).startsWith("fn.") && <About operator={operator} nodeKey={nodeKey} />}
    </>
  );
}
