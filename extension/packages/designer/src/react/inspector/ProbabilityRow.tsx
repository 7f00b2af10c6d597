import { chancesOf, partOf } from "../../core/chances";
import { nodeOf } from "../../core/graph";
import { applyAlways, applySometimes, canChance } from "../../core/probability";
import { snap } from "../../core/validate";
import type { NodeView } from "../../protocol/generated";
import { contextOf } from "../canvas/useWiring";
import { useSel, useSession } from "../context";
import { Section } from "../parts";
import { useGesture } from "./field";

/** "Apply with probability p": below 1 a coin and a branch are put around the node, at 1 they are taken away. */
export function ProbabilityRow({ node }: { readonly node: NodeView }) {
  const session = useSession();
  const gesture = useGesture();
  const state = useSel((s) => {
    const context = s.graph && s.opening ? { graph: s.graph, catalog: s.opening.catalog } : null;
    const chance = chancesOf(s).get(node.key);
    return {
      offered: context !== null && (chance !== undefined || canChance(context, node)),
      p: chance ? partOf(chance) : 1,
    };
  });
  if (!state.offered) return null;
  const set = (p: number) => {
    const context = contextOf(session);
    if (!context) return;
    const options = { gesture: `${node.key}.p.${gesture.name()}` };
    const state = session.store.get();
    const chance = chancesOf(state).get(node.key);
    const inner = nodeOf(state.whole, node.key);
    if (chance && inner && state.whole && p >= 1) {
      const edits = applyAlways({ ...context, graph: state.whole }, inner, chance);
      session.edit(edits, { ...options, whole: true });
    } else if (chance)
      session.edit([{ type: "set_argument", key: chance.coin.key, argument: "probability", value: p }], options);
    else if (p < 1) session.edit(applySometimes(context, node, p), options);
  };
  return (
    <Section>
      <label className={`ds-field ${state.p < 1 ? "ds-changed" : ""}`}>
        <span className="ds-field-name" title="For which part of the samples it is applied; the others pass unchanged.">
          <span>probability</span>
        </span>
        <span className="ds-field-control">
          <span className="ds-slider" style={{ "--ds-at": `${state.p * 100}%` }}>
            <input
              type="range"
              min={0}
              max={1}
              step={0.05}
              value={state.p}
              data-testid="probability"
              onPointerDown={gesture.begin}
              onChange={(e) => set(snap(Number(e.target.value), 0.01))}
            />
          </span>
          <output className="ds-mono">{state.p.toFixed(2)}</output>
        </span>
      </label>
      {state.p < 1 && (
        <p className="ds-muted ds-note">
          {Math.round(state.p * 100)} % of the samples take it; the others pass unchanged.
        </p>
      )}
    </Section>
  );
}
