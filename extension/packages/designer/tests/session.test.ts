import { describe, expect, it, vi } from "vitest";
import { nodeOf } from "../src/core/graph";
import { saveState } from "../src/core/saveState";
import { busyKeys, canRedo, canUndo, codeIsCurrent, obstacle } from "../src/core/select";
import { statusMessage } from "../src/core/statusMessage";
import type { Code } from "../src/protocol/generated";
import { fill, GRAPH, item, opened, previews, ref, revision, shown } from "./fixtures";

describe("edits", () => {
  it("show at once and are replaced by the kernel's truth", () => {
    const { kernel, session } = opened();
    session.edit([fill(3)]);
    expect(shown(session)).toBe(3);
    kernel.say(revision(1));
    expect(shown(session)).toBeUndefined();
    expect(session.store.get().pending).toEqual([]);
  });
  it("are told once, since all that is shown looks at every change", () => {
    const { kernel, session } = opened();
    const told = vi.fn();
    session.store.subscribe(told);
    session.edit([fill(3)]);
    expect(kernel.sent).toHaveLength(1);
    expect(told).toHaveBeenCalledTimes(1);
  });
  it("of a gesture have one message on its way, and the latest value wins", () => {
    const { kernel, session } = opened();
    for (const v of [1, 2, 3, 4]) session.edit([fill(v)], { gesture: "g" });
    expect(kernel.sent).toHaveLength(1);
    expect(shown(session)).toBe(4);
    kernel.say(revision(2));
    expect(kernel.sent).toHaveLength(2);
    expect(kernel.sent[1]).toMatchObject({ type: "apply_edits", base_revision: 2, gesture: "g", edits: [fill(4)] });
    kernel.say(revision(3));
    expect(kernel.sent).toHaveLength(2);
  });
  it("are not touched by what the kernel says to another page", () => {
    const { kernel, session } = opened();
    session.edit([fill(3)]);
    kernel.say({ type: "bundle" } as unknown as Parameters<typeof kernel.say>[0]);
    expect(shown(session)).toBe(3);
  });
  it("are answered by what names them, not by what comes of a kept text, a save or another view", () => {
    const { kernel, session } = opened();
    session.edit([fill(3)]);
    kernel.say(revision(2, GRAPH, { answers: "another" }));
    expect(shown(session)).toBe(3);
    session.edit([fill(4)]);
    expect(kernel.sent).toHaveLength(1);
    kernel.say(revision(3));
    expect(kernel.sent).toHaveLength(2);
  });
  it("without a gesture are steps of their own", () => {
    const { kernel, session } = opened();
    session.edit([fill(1)]);
    session.edit([fill(2)]);
    session.undo();
    kernel.say(revision(2));
    kernel.say(revision(3));
    expect(kernel.sent.map((m) => m.type)).toEqual(["apply_edits", "apply_edits", "undo"]);
  });
  it("are undone and redone by keys that come faster than answers", () => {
    const { session } = opened();
    const steps = () => [canUndo(session.store.get()), canRedo(session.store.get())];
    expect(steps()).toEqual([false, false]);
    session.edit([fill(1)]);
    expect(steps()).toEqual([true, false]);
    session.undo();
    expect(steps()[1]).toBe(true);
    session.redo();
    expect(steps()[0]).toBe(true);
    session.undo();
    session.edit([fill(2)]);
    expect(steps()).toEqual([true, false]);
  });
  it("that are undone select what they bring back, but not a graph that takes the place of another", () => {
    const { kernel, session } = opened();
    const without = { ...GRAPH, nodes: GRAPH.nodes.filter((n) => n.key !== "rotate"), outputs: [] };
    const selected = () => session.store.get().view.selection;
    session.select(["rotate"]);
    session.edit([{ type: "remove_node", key: "rotate" }]);
    kernel.say(revision(2, without));
    expect(selected()).toEqual([]);
    session.select(["decode"]);
    session.undo();
    kernel.say(revision(3));
    expect(selected()).toEqual(["rotate"]);
    session.redo();
    kernel.say(revision(4, without));
    session.undo();
    kernel.say(revision(5, GRAPH, { origin: 5 }));
    expect(selected()).toEqual([]);
  });
  it("of another document leave no picture of a node of the same name", () => {
    const { kernel, session } = opened();
    const items = [item("decode", "9×9×3 u8"), item("rotate", "9×9×3 u8")];
    kernel.say(previews({ revision: 0, items }));
    kernel.say(revision(2, undefined, { origin: 2 }));
    expect(Object.keys(session.store.get().previews)).toEqual(["decode#0", "rotate#0"]);
    kernel.say(previews({ revision: 2, items: [item("decode", "5×5×3 u8")] }));
    expect(Object.keys(session.store.get().previews)).toEqual(["decode#0"]);
  });
  it("end what was said of the step before, whose undo would be another's", () => {
    const { session } = opened();
    session.view({ notice: { text: "said", node: "rotate" }, saving: true });
    session.edit([fill(1)]);
    expect(session.store.get().view).toMatchObject({ notice: null, saving: false });
    session.view({ notice: { text: "said", node: "rotate" } });
    session.run(1);
    expect(session.store.get().view.notice).toBeNull();
  });
  it("that leave a parameter of the program without effect say so once, with the way back", () => {
    const { kernel, session } = opened();
    const text = "The parameter data_dir has no effect any more: what it gave is set in its place.";
    const code = (number: number, ...messages: string[]): Code => ({
      type: "code",
      dialect: "nvidia.dali",
      revision: number,
      source: "",
      lines: {},
      diagnostics: messages.map((message) => ({ code: "DS502", message, severity: "warning" })),
    });
    kernel.say(code(1));
    session.edit([fill(1)]);
    kernel.say(revision(2, undefined, { can_undo: true }));
    kernel.say(code(2, text));
    expect(statusMessage(session.store.get())).toMatchObject({ lead: text, action: "undo" });
    session.edit([fill(2)]);
    kernel.say(revision(3, undefined, { can_undo: true }));
    kernel.say(code(3, text));
    expect(session.store.get().view.notice).toBeNull();
  });
  it("that the kernel cannot read do not block the next one", () => {
    vi.useFakeTimers();
    const { kernel, session } = opened();
    session.edit([fill(1)]);
    session.edit([fill(2)]);
    kernel.say({ type: "refused", diagnostics: [{ code: "DS401", message: "no" }] });
    vi.advanceTimersByTime(2000);
    expect(kernel.sent).toHaveLength(2);
    vi.useRealTimers();
  });
  it("that would draw a wire leave no finding where the kernel refuses them", () => {
    const { kernel, session } = opened();
    session.edit([{ type: "connect", source: ref("decode"), target: "rotate", argument: "angle" }]);
    const message = "decode gives UINT8; angle takes FLOAT exactly.";
    kernel.say({ type: "refused", diagnostics: [{ code: "DS203", message, node: "rotate", argument: "angle" }] });
    expect(session.store.get().refused).toEqual([]);
    expect(session.store.get().view.notice?.text).toBe(`No wire was drawn: ${message}`);
  });
  it("rename the selection too", () => {
    const { session } = opened();
    session.select(["rotate"]);
    session.rename("rotate", "turn");
    expect(session.store.get().view.selection).toEqual(["turn"]);
    expect(nodeOf(session.store.get().graph, "turn")).toBeDefined();
  });
});

describe("positions", () => {
  it("stand until the kernel repeats them", () => {
    const { kernel, session } = opened();
    session.move({ rotate: { x: 5, y: 6 } });
    expect(session.store.get().positions.rotate).toEqual({ x: 5, y: 6 });
    kernel.say(revision(2, GRAPH, { positions: { rotate: { x: 5, y: 6 } } }));
    expect(session.store.get().moved).toEqual({});
    kernel.say(revision(3, GRAPH, { positions: { rotate: { x: 9, y: 9 } } }));
    expect(session.store.get().positions.rotate).toEqual({ x: 9, y: 9 });
  });
  it("give way to where another view has put a card since, and to nothing that was said before", () => {
    const { kernel, session } = opened();
    const at = () => session.store.get().positions.rotate;
    const says = (number: number, x: number) =>
      kernel.say(revision(number, GRAPH, { positions: { rotate: { x, y: 0 } } }));
    says(1, 1);
    session.move({ rotate: { x: 5, y: 0 } });
    says(2, 1);
    expect(at()?.x).toBe(5);
    says(3, 9);
    expect(at()?.x).toBe(9);
    session.edit([fill(1)], { positions: { rotate: { x: 20, y: 0 } } });
    session.move({ rotate: { x: 30, y: 0 } });
    says(4, 20);
    expect(at()?.x).toBe(30);
  });
});

describe("places", () => {
  it("of a step hold over places that were sent before it", () => {
    const { kernel, session } = opened();
    session.move({ rotate: { x: 1, y: 1 } });
    session.edit([fill(1)], { positions: { rotate: { x: 5, y: 5 } } });
    expect(session.store.get().positions.rotate).toEqual({ x: 5, y: 5 });
    kernel.say(revision(2, undefined, { positions: { rotate: { x: 5, y: 5 } } }));
    expect(session.store.get().positions.rotate).toEqual({ x: 5, y: 5 });
  });
  it("of a graph do not hold in the one that takes its place", () => {
    const { kernel, session } = opened();
    session.move({ rotate: { x: 1, y: 1 } });
    kernel.say(revision(2, undefined, { origin: 2, positions: { rotate: { x: 7, y: 7 } } }));
    expect(session.store.get().positions.rotate).toEqual({ x: 7, y: 7 });
  });
});

describe("previews", () => {
  it("of an older revision are dropped", () => {
    const { kernel, session } = opened();
    kernel.say(previews({ revision: 5, items: [item("rotate", "new")] }));
    kernel.say(previews({ revision: 4, items: [item("rotate", "old")] }));
    expect(session.store.get().previews["rotate#0"]?.facts).toBe("new");
  });
  it("of another sample than the wanted one are dropped", () => {
    const { kernel, session } = opened();
    session.chooseSample(3, 0);
    kernel.say(previews({ sample: 1, items: [item("rotate", "one")] }));
    expect(session.store.get().previews["rotate#0"]).toBeUndefined();
    expect(session.store.get().sample).toBe(3);
    kernel.say(previews({ sample: 3, items: [item("rotate", "three")] }));
    expect(session.store.get().previews["rotate#0"]?.facts).toBe("three");
    expect(session.store.get().wanted).toBeNull();
  });
  it("are shown when they are decoded, what comes later after them, and nothing of a kernel that is lost", async () => {
    const { kernel, session } = opened();
    const decoded: ((bitmap: object) => void)[] = [];
    vi.stubGlobal("createImageBitmap", () => new Promise((resolve) => decoded.push(resolve)));
    const closed = vi.fn();
    const facts = () => session.store.get().previews["rotate#0"]?.facts;
    const settle = () => new Promise((resolve) => setTimeout(resolve));
    const picture = { atlas_width: 8, atlas_height: 8 };
    const sends = (number: number) =>
      kernel.say(previews({ revision: number, items: [{ ...item("rotate", `of ${number}`), ...picture }] }), [
        new ArrayBuffer(1),
      ]);
    session.edit([fill(1)]);
    kernel.say(revision(2));
    sends(2);
    expect(facts()).toBeUndefined();
    expect(busyKeys(session.store.get())).toContain("rotate");
    sends(3);
    kernel.say(revision(4));
    decoded[1]?.({ close: closed });
    await settle();
    expect(facts()).toBeUndefined();
    expect(session.store.get().confirmed?.revision).toBe(2);
    decoded[0]?.({ close: closed });
    await settle();
    expect(facts()).toBe("of 3");
    expect(session.images.get("rotate#0")?.revision).toBe(3);
    expect(session.store.get().confirmed?.revision).toBe(4);
    expect(closed).toHaveBeenCalledTimes(1);
    sends(5);
    session.lost();
    decoded[2]?.({ close: closed });
    await settle();
    expect(facts()).toBe("of 3");
    expect(session.store.get().link).toBe("gone");
    vi.unstubAllGlobals();
  });
  it("keep a failure until its node answers again", () => {
    const { kernel, session } = opened();
    kernel.say(previews({ failed: [{ code: "DS301", message: "cut off", node: "decode" }] }));
    kernel.say(previews({ items: [item("reader", "x")] }));
    expect(session.store.get().previewFailures).toHaveLength(1);
    kernel.say(previews({ items: [item("decode", "x")] }));
    expect(session.store.get().previewFailures).toEqual([]);
  });
});

describe("the code", () => {
  const code = (revision: number, source: string) =>
    ({ type: "code", revision, dialect: "d", source, lines: {}, diagnostics: [] }) as const;
  it("is current only when it is that of the graph as it is drawn", () => {
    const { kernel, session } = opened();
    expect(codeIsCurrent(session.store.get())).toBe(false);
    kernel.say(code(1, "one"));
    expect(codeIsCurrent(session.store.get())).toBe(true);
    session.edit([fill(1)]);
    expect(codeIsCurrent(session.store.get())).toBe(false);
    kernel.say(revision(2));
    expect(codeIsCurrent(session.store.get())).toBe(false);
    kernel.say(code(2, "two"));
    expect(codeIsCurrent(session.store.get())).toBe(true);
    kernel.say(code(1, "late"));
    expect(session.store.get().code?.source).toBe("two");
  });
  it("that is written becomes the kernel's, and only once", () => {
    const { kernel, session } = opened();
    kernel.say(code(1, "one"));
    session.write("mine");
    expect(kernel.sent.some((m) => m.type === "apply_code")).toBe(false);
    session.applyCode();
    session.applyCode();
    expect(kernel.sent.filter((m) => m.type === "apply_code")).toMatchObject([
      { type: "apply_code", source: "mine", laid: false },
    ]);
    kernel.say(revision(2));
    expect(session.store.get().draft?.taken).toBe(true);
    kernel.say(code(2, "mine"));
    expect(session.store.get().draft).toBeNull();
  });
  it("that cannot be read stays, with the reason, until it can or is discarded", () => {
    const { kernel, session } = opened();
    kernel.say(code(1, "one"));
    session.write("def (");
    session.applyCode();
    kernel.say({ type: "refused", diagnostics: [{ code: "DS502", message: "no Python", source: "program:1" }] });
    kernel.say(revision(1));
    kernel.say(code(1, "one"));
    expect(session.store.get().draft).toMatchObject({ source: "def (", taken: false, found: [{ code: "DS502" }] });
    expect(session.store.get().refused).toEqual([]);
    expect(saveState(session.store.get(), null)).toBe("Not applied");
    const said = { tone: "error", lead: "Not in the graph:", action: "code" };
    // below the text it is told with what to do; here where the text is not shown, and aloud
    expect(statusMessage(session.store.get())).toBeNull();
    expect(statusMessage(session.store.get(), true)).toMatchObject(said);
    session.view({ drawer: "batch" });
    expect(statusMessage(session.store.get())).toMatchObject(said);
    session.write("def f(");
    expect(session.store.get().draft?.found).toEqual([]);
    expect(statusMessage(session.store.get())).toBeNull();
    session.discardCode();
    expect(session.store.get().draft).toBeNull();
  });
  it("that is written is measured, or nothing is", async () => {
    const { kernel, session } = opened();
    kernel.say(code(1, "one"));
    session.write("two");
    session.run(8);
    expect(kernel.sent.at(-1)).toMatchObject({ type: "apply_code", source: "two" });
    kernel.say(revision(2));
    await vi.waitFor(() => expect(kernel.sent.at(-1)).toMatchObject({ type: "run" }));
    kernel.say(code(2, "two"));
    session.write("def (");
    session.run(8);
    kernel.say({ type: "refused", diagnostics: [{ code: "DS502", message: "no Python", source: "program:1" }] });
    kernel.say(revision(2));
    await Promise.resolve();
    expect(kernel.sent.filter((m) => m.type === "run")).toHaveLength(1);
    expect(obstacle(session.store.get())?.message).toBe("line 1 of the code: no Python");
  });
  it("that is written while the kernel answers is not taken for what it answers", () => {
    const { kernel, session } = opened();
    kernel.say(code(1, "one"));
    session.write("two");
    session.applyCode();
    session.write("three");
    kernel.say(revision(2));
    kernel.say(code(2, "two"));
    expect(session.store.get().draft).toMatchObject({ source: "three", taken: false });
  });
});
