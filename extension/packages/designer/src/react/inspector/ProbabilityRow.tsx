import { canChance, chanceWords, costOfWays } from "../../core/probability";
import type { Box } from "../../core/subgraph";
import { snap } from "../../core/validate";
import type { NodeView } from "../../protocol/generated";
import { useSel, useSession } from "../context";
import { Section } from "../parts";
import { useGesture } from "./field";

interface ProbabilityProps {
  readonly node: NodeView;
  readonly box?: Box;
}

/** "Apply with probability p": below 1 the kernel puts a coin and a branch around the node, or around all of a subgraph. */
export function ProbabilityRow({ node, box }: ProbabilityProps) {
  const session = useSession();
  const gesture = useGesture();
  const offered = useSel((s) => s.graph !== null && (box || node.chance !== null || canChance(s.graph, node)));
  const keys = box?.nodes.map((n) => n.key);
  const cost = useSel((s) => costOfWays(s, node, keys));
  const refused = useSel(({ view: { notice } }) => notice?.below && notice.node === node.key && notice.text);
  if (!offered) return null;
  const p = node.chance ?? 1;
  const set = (part: number) =>
    session.edit([{ type: "set_chance", key: node.key, part, ...(keys && { keys }) }], {
      gesture: `${box?.name ?? node.key}.p.${gesture.name()}`,
    });
  return (
    <Section>
      <label className={`ds-field ${p < 1 ? "ds-changed" : ""}`}>
        <span className="ds-field-name" title="For which part of the samples it is applied; the others pass unchanged.">
          <span>probability</span>
        </span>
        <span className="ds-field-control">
          <span className="ds-slider" style={{ "--ds-at": `${p * 100}%` }}>
            <input
              type="range"
              min={0}
              max={1}
              step={0.05}
              value={p}
              data-testid="probability"
              onPointerDown={gesture.begin}
              onChange={(e) => set(snap(Number(e.target.value), 0.01))}
            />
          </span>
          <output className="ds-mono">{p.toFixed(2)}</output>
        </span>
      </label>
      {refused && (
        <p className="ds-reason" role="alert" data-testid="chance-refused">
          {refused}
        </p>
      )}
      {p < 1 && (
        <p className="ds-muted ds-note" data-testid="chance-note">
          Applied to {chanceWords(node)}; the others pass unchanged. {cost}
        </p>
      )}
    </Section>
  );
}
