import { useEffect, useState } from "react";
import { addStep } from "../core/actions";
import type { Operator } from "../core/catalog";
import { nodeOf } from "../core/graph";
import { sheetImage } from "../core/session";
import type { QuickAdd } from "../core/state";
import { Thumb } from "./canvas/Thumb";
import { contextOf } from "./canvas/useWiring";
import { useSel, useSession } from "./context";
import { Icon } from "./icons";
import { PortMark } from "./Port";

/** Ask what the operator would make of the picture that it is put behind; returns the node that the answer is about. */
function useTrial(operator: Operator | undefined, quick: QuickAdd): string {
  const session = useSession();
  const [asked, setAsked] = useState("");
  useEffect(() => {
    setAsked("");
    const context = contextOf(session);
    const from = quick.from ?? context?.graph.outputs[0] ?? null;
    const kind = nodeOf(context?.graph ?? null, from?.node ?? "")?.output_kinds[from?.output ?? 0];
    if (!context || !operator || !from || kind !== "image" || operator.inputs.length === 0) return undefined;
    const wait = setTimeout(() => {
      const { edits, select } = addStep(context, operator, { at: { x: 0, y: 0 }, from, selected: true });
      const [key = ""] = select;
      setAsked(key);
      session.send({
        type: "request_sheet",
        name: "trial",
        port: { node: key, output: 0 },
        variants: [edits.filter((e) => e.type !== "set_outputs")],
        samples: [session.store.get().sample],
        width: 276,
        height: 180,
      });
    }, 80);
    return () => clearTimeout(wait);
  }, [session, operator, quick]);
  return asked;
}

/** What an operator is, and what it would do to the shown sample. */
export function QuickAbout({ operator, quick }: { readonly operator: Operator | undefined; readonly quick: QuickAdd }) {
  const asked = useTrial(operator, quick);
  const shown = useSel((s) => {
    const sheet = s.sheets.trial;
    const cell = sheet?.port.node === asked ? Object.values(sheet.cells)[0] : undefined;
    return cell && (cell.width ?? 0) > 0 ? cell.sample : -1;
  });
  if (!operator) return <div className="ds-quick-about" />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section className="ds-quick-about" aria-label={operator.name} tabIndex={0}>
      <b>{operator.name.replaceAll("_", "_\u200b")}</b>
      {shown >= 0 && (
        <Thumb
          id={sheetImage("trial", 0, shown)}
          width={138}
          height={90}
          label={`what ${operator.name} makes of this sample`}
          testId="quick-trial"
        />
      )}
      <p>{operator.summary}</p>
      <p className="ds-muted">
        {operator.category}. {operator.devices.join(", ")}.
      </p>
      <p className="ds-quick-ports">
        {operator.inputs.map((i) => (
          <span key={i.name} title={i.name}>
            <PortMark kind={i.kind} wired={!i.optional} size={14} />
          </span>
        ))}
        {operator.inputs.length > 0 && <Icon name="right" size={10} />}
        {operator.outputs.map((o) => (
          <span key={o.name} title={o.name}>
            <PortMark kind={o.kind} wired size={14} />
          </span>
        ))}
      </p>
    </section>
  );
}
