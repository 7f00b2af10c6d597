import * as format from "./format";
import type { FileState } from "./host";
import { isAway, type State } from "./state";

/** Whether all that was done is in a file, in the words of the top bar. */
export function saveState(state: State, file: FileState | null): string {
  const { keeps, pending, confirmed, draft } = state;
  if (isAway(state) && keeps) {
    if (pending.length > 0) return `${format.plural(pending.length, "edit")} kept`;
    if (confirmed?.can_undo && !confirmed.saved) return "Edits kept";
  }
  if (!confirmed && !file) return ""; // the canvas says that the kernel starts
  if (draft?.taken === false) return "Not applied";
  if (!file && !confirmed?.document) return "No file yet"; // the notebook around it may have been saved
  // of a new file that nothing is in yet, nothing is left to save
  return (file ? !file.dirty && !(file.blank && state.graph?.nodes[0]) : confirmed?.saved) ? "Saved" : "Not saved";
}
