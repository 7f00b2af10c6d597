import type { Edit, GraphView, Group } from "../protocol/generated";
import { nodeOf } from "./graph";
import { derived } from "./select";
import type { Marks, State } from "./state";

/** The group of a name, if any of its nodes is there. */
function groupAt(graph: GraphView | null, marks: State["marks"], name: string): Group | null {
  const mark = marks[name];
  return mark?.type === "group" && mark.keys.some((key) => nodeOf(graph, key)) ? mark : null;
}

/** Names of the subgraphs that are entered, the outermost first; what is gone is left with all in it. */
export const pathOf = derived(
  (s) => [s.graph, s.marks, s.view.inside],
  ({ graph, marks, view }): readonly string[] => {
    const gone = view.inside.findIndex((name) => !groupAt(graph, marks, name));
    return gone < 0 ? view.inside : view.inside.slice(0, gone);
  },
);

/** The nodes of the subgraph that is entered; null while none is. */
export const insideKeys = derived(
  (s) => [s.graph, s.marks, pathOf(s)],
  (state): ReadonlySet<string> | null => {
    const group = groupAt(state.graph, state.marks, pathOf(state).at(-1) ?? "");
    return group && new Set(group.keys);
  },
);

/** New nodes are in the subgraphs that are entered. */
export function joinedMarks(state: State, edits: readonly Edit[]): Marks {
  const path = pathOf(state);
  const added = edits.flatMap((e) => (e.type === "add_node" ? e.key : []));
  if (path.length === 0 || added.length === 0) return {};
  return Object.fromEntries(
    path.flatMap((name) => {
      const group = groupAt(state.graph, state.marks, name);
      return group ? [[name, { ...group, keys: [...group.keys, ...added] }]] : [];
    }),
  );
}
