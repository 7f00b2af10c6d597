import { describe, expect, it } from "vitest";
import { drawings, firstWith, redrawn, seedEdits } from "../src/core/seeds";
import { Session } from "../src/core/session";
import { FakeKernel, GRAPH, node, revision } from "./fixtures";

const made = (key: string, operator: string, seed: number | undefined, rest = {}) => ({
  ...node(key, operator, { arguments: rest }),
  ...(seed !== undefined && { seed }),
});
const graph = {
  ...GRAPH,
  nodes: [
    made("still", "readers.file", 1),
    made("shuffled", "readers.file", 2, { random_shuffle: true }),
    made("u", "random.uniform", 3),
    made("v", "random.uniform", undefined, { seed: 9 }),
    made("w", "random.uniform", undefined, { seed: 9 }),
    made("r", "rotate", undefined),
  ],
};
const all = drawings(graph);
const said = (key: string, to: number | null) =>
  seedEdits(all, key, to).map((edit) =>
    edit.type === "set_argument" ? `${edit.key} ${edit.unset ? "-" : edit.value}` : "",
  );

describe("seeds", () => {
  it("are those of nodes that draw", () => {
    expect(all.map(({ key, seed, own }) => [key, seed, own])).toEqual([
      ["shuffled", 2, false],
      ["u", 3, false],
      ["v", 9, true],
      ["w", 9, true],
    ]);
    expect(drawings(null)).toEqual([]);
  });
  it("are shared with the first node that has them", () => {
    expect(all.map((one) => firstWith(all, one).key)).toEqual(["shuffled", "u", "v", "v"]);
  });
  it("that are others after a node is left out can be those of before", () => {
    const shifted = graph.nodes.map((n) => (n.key === "u" ? { ...n, seed: 4 } : n));
    const bypass = [{ type: "set_bypass", key: "r", bypassed: true } as const];
    const notice = redrawn(graph, { ...graph, nodes: shifted }, bypass);
    expect(notice?.text).toBe("u draws other numbers now: seeds go to the nodes in use.");
    expect(notice?.fix?.edits).toEqual([{ type: "set_argument", key: "u", argument: "seed", value: 3 }]);
    const unused = shifted.map((n) => ({ ...n, in_run: n.key !== "u" }));
    expect(redrawn(graph, { ...graph, nodes: unused }, bypass)).toBeNull();
    expect(redrawn(graph, graph, bypass)).toBeNull();
    // another step says it where a node is used no more, and is silent where one is added
    const kept = [{ type: "set_argument", key: "r", argument: "angle", value: 1 } as const];
    expect(redrawn(graph, { ...graph, nodes: shifted }, kept)).toBeNull();
    const idle = shifted.map((n) => ({ ...n, in_run: n.key !== "w" }));
    expect(redrawn(graph, { ...graph, nodes: idle }, kept)?.fix?.edits).toHaveLength(1);
    // the way back brings the numbers that there were
    expect(redrawn({ ...graph, nodes: idle }, graph, [{ type: "set_bypass", key: "r", bypassed: false }])).toBeNull();
  });
  it("that are others are told behind what was done", () => {
    const kernel = new FakeKernel();
    const session = new Session(kernel, 296);
    kernel.open(session, graph);
    session.edit([{ type: "set_argument", key: "r", argument: "angle", value: 1 }]);
    session.view({ notice: { text: "angle is 1° for every sample.", node: "r" } });
    const nodes = graph.nodes.map((n) => ({ ...n, in_run: n.key !== "w", ...(n.key === "u" && { seed: 4 }) }));
    kernel.say(revision(2, { ...graph, nodes }));
    const { notice } = session.store.get().view;
    expect(notice?.text).toBe("angle is 1° for every sample. u draws other numbers now: seeds go to the nodes in use.");
    expect(notice?.fix?.title).toBe("Keep the numbers of before");
  });
  it("of others stay what they are", () => {
    expect(said("u", 9)).toEqual(["shuffled 2", "u 9"]);
    expect(said("v", null)).toEqual(["shuffled 2", "u 3", "v -"]);
    expect(said("", null)).toEqual(["shuffled 2", "u 3"]);
  });
});
