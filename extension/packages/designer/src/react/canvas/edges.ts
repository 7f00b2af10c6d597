import type { Edge } from "@xyflow/react";
import { OUTPUTS, wiresOf } from "../../core/graph";
import { derived } from "../../core/select";
import { cardOf, endsOf, isHidden, shownCards } from "../../core/subgraph";
import { handleOfSlot } from "./drag";

/** The wires that React Flow draws; the cards say where they end. */
export const flowEdges = derived(
  (s) => [s.graph, s.view.wires, shownCards(s)],
  (state): Edge[] => {
    const { wires } = state.view;
    const outer = state.graph ? wiresOf(state.graph).filter((w) => !isHidden(state, w)) : [];
    const numbers = outer.filter((w) => w.slot.kind === "argument");
    // a stub is short: what is clicked there is the stub, not a wire that passes by
    return [...outer.filter((w) => !numbers.includes(w)), ...numbers].map((w) => ({
      id: w.id,
      type: "wire",
      ...endsOf(state, w, handleOfSlot),
      selected: wires.includes(w.id),
      ariaLabel: `wire from ${w.source.node} to ${w.slot.node === OUTPUTS ? "outputs" : w.slot.node}`,
      zIndex: wires.includes(w.id) ? 1 : 0,
    }));
  },
);

/** The wires that stand out: those that are pointed at, else what is selected. */
export const followed = derived(
  (s) => [flowEdges(s), s.view.traced, s.view.selection],
  (state): ReadonlySet<string> => {
    const { traced, wires, selection } = state.view;
    const chosen = selection.map((key) => cardOf(state, key));
    const own = flowEdges(state).filter(({ source, target }) => chosen.includes(source) || chosen.includes(target));
    return new Set(traced.length > 0 ? traced : [...wires, ...own.map((e) => e.id)]);
  },
);
