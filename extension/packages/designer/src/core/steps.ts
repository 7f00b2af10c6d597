import type { ClientMessage } from "../protocol/generated";
import type { Command } from "./state";

/** How a step is asked for; `id` is what its answer names. */
export function messageOf(step: Command, id: string, base_revision: number): ClientMessage {
  switch (step.kind) {
    case "edits": {
      const { kind: _, ...rest } = step;
      return { id, type: "apply_edits", base_revision, ...rest };
    }
    case "code":
      return { id, type: "apply_code", source: step.source, laid: step.laid };
    case "transform":
      return { id, ...step.message };
    default:
      return { id, type: step.kind };
  }
}
