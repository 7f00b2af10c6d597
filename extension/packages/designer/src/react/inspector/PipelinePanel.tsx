import { useState } from "react";
import { type Argument, fillArgument } from "../../core/catalog";
import * as format from "../../core/format";
import type { PipelineOptions, Value } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { CloseButton, IconButton, Section } from "../parts";
import { useDraft } from "../useDraft";
import { Control } from "./controls";
import { anySeed, Seeds } from "./Seeds";
import { MemorySection, WhereTheTimeGoes } from "./TimeTable";

type Option = keyof PipelineOptions;

function option(name: Option, doc: string, span: readonly number[], rest: Partial<Argument> = {}): Argument {
  return { ...fillArgument({ name, type: "int", doc, minimum: 1, widget: "slider", span, common: true }), ...rest };
}

const OPTIONS: readonly Argument[] = [
  option("batch_size", "Samples in a batch.", [1, 64]),
  option("num_threads", "Threads that work on a batch.", [1, 16]),
  option("prefetch_queue_depth", "Batches that are made ahead.", [1, 8]),
  option("device_id", "Number of the GPU for nodes that are placed on one; empty: the CPU only.", [], {
    widget: "number",
    minimum: 0,
  }),
  option("seed", "Start of every random draw; without one, each run draws anew.", [], {
    widget: "number",
    minimum: -1,
  }),
];

const NAMES: Partial<Record<string, string>> = { prefetch_queue_depth: "prefetch" };

function OptionRow({ argument }: { readonly argument: Argument }) {
  const session = useSession();
  const name = argument.name as Option;
  const value: Value = useSel((s) => s.options?.[name] ?? null);
  const [reason, setReason] = useState("");
  const set = (v: Value, gesture = "") =>
    session.edit([{ type: "set_pipeline", option: name, value: v }], {
      gesture: gesture && `pipeline.${name}.${gesture}`,
    });
  return (
    <div className="ds-field" data-testid={`field-${name}`}>
      <span className="ds-field-name" title={`${name}: ${argument.doc}`}>
        <span>{NAMES[name] ?? name}</span>
      </span>
      <span className="ds-field-control">
        <Control
          argument={argument}
          value={value}
          set={set}
          reset={() => set(null)}
          setError={setReason}
          bad={reason !== ""}
        />
        {name === "seed" && <IconButton icon="dice" label="Another seed" small onClick={() => set(anySeed())} />}
      </span>
      {reason && (
        <span className="ds-reason" role="alert">
          {reason}
        </span>
      )}
    </div>
  );
}

function NameField() {
  const session = useSession();
  const name = useSel((s) => s.graph?.name ?? "");
  const { draft, setDraft, latest } = useDraft();
  const apply = () => {
    const text = latest.current?.trim();
    setDraft(null);
    if (text && text !== name) session.edit([{ type: "set_pipeline", option: "name", value: text }]);
  };
  return (
    <input
      className="ds-name-field"
      value={draft ?? name}
      aria-label="Name of the pipeline"
      onChange={(e) => setDraft(e.target.value)}
      onBlur={apply}
      onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
    />
  );
}

/** What is shown when nothing is selected. */
export function PipelinePanel({ floating }: { readonly floating: boolean }) {
  const session = useSession();
  const counts = useSel((s) => ({ nodes: s.graph?.nodes.length ?? 0, outputs: s.graph?.outputs.length ?? 0 }));
  const gpu = useSel((s) => s.opening?.gpu ?? "");
  return (
    <>
      <div className="ds-inspector-head">
        <div>
          <NameField />
          <small>
            {format.plural(counts.nodes, "operator")}, {format.plural(counts.outputs, "output")}
          </small>
        </div>
        {floating && <CloseButton label="Close" onClick={() => session.view({ settings: false })} />}
      </div>
      <Section title="Pipeline">
        {OPTIONS.map((o) => (
          <OptionRow key={o.name} argument={o} />
        ))}
      </Section>
      <Seeds />
      <WhereTheTimeGoes />
      <MemorySection />
      {gpu && (
        <Section title="Device">
          <p className="ds-muted">{gpu}</p>
        </Section>
      )}
    </>
  );
}
