import * as format from "./format";
import { topological } from "./graph";
import { findingsAt, severity, timingOf } from "./select";
import type { State } from "./state";

/** Nodes that a search on the canvas finds: each word must stand somewhere; `device:`, `error:` and `slow:` ask for more. */
export function found(state: State, query: string): readonly string[] {
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (!state.graph || words.length === 0) return [];
  const most = Math.max(0, ...(state.run.finished?.timings ?? []).map((t) => t.share));
  return topological(state.graph)
    .filter((node) => {
      const values = Object.entries(node.arguments).map(([name, value]) => `${name}=${format.value(value)}`);
      const text = [
        node.key,
        format.cardName(node.key, node.operator),
        node.operator,
        ...values,
        ...Object.keys(node.argument_inputs),
      ]
        .join(" ")
        .toLowerCase();
      const errors = findingsAt(state, node.key).filter((d) => severity(d) !== "info");
      const share = timingOf(state, node.key)?.share ?? 0;
      return words.every((word) => {
        const [kind, rest = ""] = word.split(/:(.*)/);
        if (kind === "device" && word.includes(":")) return node.device.startsWith(rest);
        if (word.startsWith("error:")) return errors.some((d) => d.message.toLowerCase().includes(rest));
        if (word.startsWith("slow:")) return share > 0 && share >= Math.min(0.15, most);
        return text.includes(word.replace("-", "−")) || text.includes(word);
      });
    })
    .map((n) => n.key);
}
