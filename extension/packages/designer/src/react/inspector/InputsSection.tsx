import { connectEdits, cutEdits } from "../../core/actions";
import { inputName, inputOf, inputPorts, type Operator, outputName, wiredInputs } from "../../core/catalog";
import { checkConnection } from "../../core/compat";
import { cardName } from "../../core/format";
import { nodeOf, OUTPUTS, originOf, type Slot, SPLIT } from "../../core/graph";
import { resultName } from "../../core/select";
import type { NodeView, PortRef } from "../../protocol/generated";
import { Name } from "../canvas/Name";
import { contextOf } from "../canvas/useWiring";
import { useSel, useSession } from "../context";
import { PortMark } from "../Port";
import { IconButton, LinkButton, Section, Switch } from "../parts";

const idOf = (ref: PortRef | null) => (ref ? `${ref.node}#${ref.output}` : "");

function refOf(id: string): PortRef | null {
  const at = id.lastIndexOf("#");
  return at < 0 ? null : { node: id.slice(0, at), output: Number(id.slice(at + 1)) };
}

function InputRow({ node, operator, input }: { node: NodeView; operator: Operator; input: number }) {
  const session = useSession();
  const slot: Slot = { kind: "input", node: node.key, input };
  const schema = inputOf(operator, input);
  const name = inputName(operator, input);
  const now = node.inputs[input] ?? null;
  const given = useSel((s) => now && nodeOf(s.graph, now.node)?.output_kinds[now.output ?? 0]);
  const sources = useSel((s) => {
    if (!s.graph || !s.opening) return [];
    const context = { graph: s.graph, catalog: s.opening.catalog };
    return s.graph.nodes
      .flatMap((n) => n.output_kinds.map((_, output) => ({ node: n.key, output })))
      .filter((ref) => checkConnection(context, ref, slot).ok)
      .map(idOf);
  });
  const change = (id: string) => {
    const context = contextOf(session);
    const source = refOf(id);
    if (!context) return;
    session.edit(source ? connectEdits(context.graph, source, slot) : cutEdits(context.graph, [slot]));
  };
  const known = sources.includes(idOf(now));
  const graph = useSel((s) => s.graph);
  const named = (id: string) => {
    const ref = refOf(id);
    if (!ref) return "";
    const { node: key, output } = ref;
    // of an `if` within another's branch, which
    if (nodeOf(graph, key)?.operator === SPLIT)
      return `${cardName(key, SPLIT)} ${output % 2 ? "false" : "true"}: ${originOf(graph, ref)}`;
    return output ? `${key}[${output}]` : key;
  };
  return (
    <div className="ds-field" data-testid={`input-${input}`}>
      <span className="ds-field-name" title={schema?.doc}>
        <PortMark kind={given ?? schema?.kind ?? "any"} wired={now !== null} size={14} />
        <span>takes {given && name === schema?.kind ? given : name}</span>
      </span>
      <span className="ds-field-control">
        <select
          className="ds-select"
          value={idOf(now)}
          aria-label={`source of ${name}`}
          onChange={(e) => change(e.target.value)}
        >
          <option value="">{schema?.optional ? "not wired" : "not wired yet"}</option>
          {(known || !now ? sources : [idOf(now), ...sources]).map((id) => (
            <option key={id} value={id}>
              {named(id)}
            </option>
          ))}
        </select>
        {now && <IconButton icon="left" label={`Go to ${now.node}`} small onClick={() => session.select([now.node])} />}
      </span>
    </div>
  );
}

/** Wires of the node as fields, and whether the pipeline returns it: all of it without a mouse. */
export function InputsSection({ node, operator }: { readonly node: NodeView; readonly operator: Operator }) {
  const session = useSession();
  const graph = useSel((s) => s.graph);
  const outputs = graph?.outputs ?? [];
  const wired = wiredInputs(node);
  const shown = Array.from({ length: inputPorts(operator, wired) }, (_, i) => i).filter(
    (i) => i <= wired || !inputOf(operator, i)?.optional,
  );
  const returned = (output: number) => outputs.findIndex((r) => r.node === node.key && r.output === output);
  const toggle = (output: number, on: boolean) => {
    const at = returned(output);
    const next = on ? [...outputs, { node: node.key, output }] : outputs.filter((_, i) => i !== at);
    session.edit([{ type: "set_outputs", outputs: next }]);
  };
  return (
    <Section title="Wires">
      {shown.map((i) => (
        <InputRow key={i} node={node} operator={operator} input={i} />
      ))}
      {node.output_kinds.map((kind, output) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an output is its place
        <div className="ds-field" key={output}>
          <span className="ds-field-name">
            <PortMark kind={kind} wired={returned(output) >= 0} size={14} />
            <span>gives {kind === "video" ? kind : outputName(graph, operator, node, output)}</span>
          </span>
          <span className="ds-field-control">
            <Switch
              label={`Return ${resultName(session.store.get(), { node: node.key, output })} from the pipeline`}
              on={returned(output) >= 0}
              onChange={(on) => toggle(output, on)}
              testId={`return-${output}`}
            />
            <span className="ds-muted">
              {returned(output) >= 0 ? `output ${returned(output) + 1}` : "not returned"}
            </span>
          </span>
        </div>
      ))}
    </Section>
  );
}

/** The order of what the pipeline returns. */
export function OutputsPanel() {
  const session = useSession();
  const outputs = useSel((s) => s.graph?.outputs ?? []);
  const swap = (i: number, j: number) => {
    const next = [...outputs];
    const a = next[i];
    const b = next[j];
    if (!a || !b) return;
    next[i] = b;
    next[j] = a;
    session.edit([{ type: "set_outputs", outputs: next }]);
  };
  return (
    <Section title="Returned by the pipeline" note="in this order">
      {outputs.length === 0 && <p className="ds-muted">Nothing yet. Drop a wire on the outputs card.</p>}
      {outputs.map((ref, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same result may be returned twice
        <div className="ds-output-row" key={`${idOf(ref)}|${i}`}>
          <span>
            {i + 1}. <Name text={resultName(session.store.get(), ref)} title={ref.node} />
          </span>
          <LinkButton disabled={i === 0} onClick={() => swap(i, i - 1)} aria-label={`Move ${ref.node} up`}>
            up
          </LinkButton>
          <LinkButton
            disabled={i + 1 === outputs.length}
            onClick={() => swap(i, i + 1)}
            aria-label={`Move ${ref.node} down`}
          >
            down
          </LinkButton>
          <LinkButton
            aria-label={`No longer return ${ref.node}`}
            onClick={() => {
              const graph = session.store.get().graph;
              if (graph) session.edit(cutEdits(graph, [{ kind: "output", node: OUTPUTS, index: i }]));
            }}
          >
            remove
          </LinkButton>
        </div>
      ))}
    </Section>
  );
}
