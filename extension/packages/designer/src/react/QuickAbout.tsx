import type { Operator } from "../core/catalog";
import { literal, valuesOf } from "../core/python";
import { effectImage, type QuickAdd } from "../core/state";
import { Thumb } from "./canvas/Thumb";
import { useSel } from "./context";
import { Icon } from "./icons";
import { PortMark } from "./Port";
import { useEffectPictures } from "./useEffectPictures";

/** What an operator is, and what it would do to the shown sample. */
export function QuickAbout({ operator, quick }: { readonly operator: Operator | undefined; readonly quick: QuickAdd }) {
  const first = useSel((s) => s.graph?.outputs[0] ?? null);
  const name = operator?.written_by || operator?.name || "";
  useEffectPictures(quick.from ?? first, operator && operator.inputs.length > 0 ? [name] : []);
  const there = useSel((s) => s.effects[name]?.there ?? false);
  if (!operator) return <div className="ds-quick-about" />;
  const values = valuesOf(operator).map(
    ([argument, key, value]) => `${key}=${literal(value, argument).replace(/\.0\b/g, "")}`,
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section className="ds-quick-about" aria-label={operator.name} tabIndex={0}>
      {there && (
        <Thumb
          id={effectImage(name)}
          width={138}
          height={90}
          label={`what ${name} makes of this sample`}
          testId="quick-trial"
        />
      )}
      <b>{name.replaceAll("_", "_\u200b")}</b>
      <p title={operator.summary}>{operator.summary}</p>
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
        <span className="ds-muted">{operator.devices.join(", ")}</span>
      </p>
      {there && values.length > 0 && <code className="ds-muted">{values.slice(0, 2).join(", ")}</code>}
    </section>
  );
}
