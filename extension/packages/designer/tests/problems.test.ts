import { describe, expect, it } from "vitest";
import { labelCounts, labelWords, looseFiles, placeOf, readersOf } from "../src/core/data";
import { batchOf, brokenFile, isAboutFile, problemCount, problems, soundSample } from "../src/core/failures";
import type { Slot } from "../src/core/graph";
import { differing, findingFor, titleOf, wordsOf } from "../src/core/problems";
import { receive } from "../src/core/reduce";
import { argumentRows, batchFailures, failShare, obstacle, staleKeys } from "../src/core/select";
import { Session } from "../src/core/session";
import { INITIAL, type State } from "../src/core/state";
import { statusMessage, toldBy } from "../src/core/statusMessage";
import type { DataSample, Diagnostic, KernelMessage } from "../src/protocol/generated";
import { FakeKernel, finished, INDEX, node, OPENED, previews, ref, revision } from "./fixtures";

const fold = (...messages: KernelMessage[]): State => messages.reduce(receive, INITIAL);
const MISSED = { node: "decode", source: "a.jpg", message: "cut", action: "skip", count: 2 };

describe("problems", () => {
  it("are not undone by what is taken back of an edit about another node", () => {
    const kernel = new FakeKernel();
    const session = new Session(kernel, 296);
    kernel.open(session);
    const diagnostics = [{ code: "DS201", message: "a", node: "rotate" }];
    const edit = (key: string) => {
      session.edit([{ type: "set_argument", key, argument: "fill_value", value: 1 }]);
      const { confirmed } = session.store.get();
      kernel.say(revision((confirmed?.revision ?? 0) + 1, undefined, { diagnostics }));
      return session.store.get().ailing;
    };
    expect(edit("rotate")).toEqual([]);
    expect(edit("decode")).toEqual(["rotate"]);
    expect(edit("rotate")).toEqual([]);
  });
  it("are findings, and files that the run missed; the tab says whether they are hints", () => {
    const found = [
      { code: "DS201", message: "a", node: "x" },
      { code: "DS501", message: "b", severity: "info" as const },
      { code: "DS301", message: "c", severity: "warning" as const },
    ];
    const state = fold(OPENED, revision(1, undefined, { diagnostics: found }), finished([], { missed: [MISSED] }));
    expect(problemCount(state)).toEqual({ count: 4, hints: false });
    const hinted = fold(OPENED, revision(1, undefined, { diagnostics: found.slice(1, 2) }));
    expect(problemCount(hinted)).toEqual({ count: 1, hints: true });
    expect(problemCount(fold(OPENED, revision(1))).count).toBe(0);
  });
  it("are code that was written and has not run, but where its editor says so", () => {
    const kernel = new FakeKernel();
    const session = new Session(kernel, 296);
    kernel.open(session);
    const code = { source: "def old(image): ...", trusted: true, module: "m", signature: "" };
    const nodes = [node("own", "python_function", { code }), node("other", "rotate")];
    kernel.say(revision(2, { name: "g", nodes, outputs: [] }));
    const titles = () => problems(session.store.get()).map((d) => `${d.node}: ${titleOf(d)}`);
    session.select(["own"]);
    session.keepWritten("own", "def new(image): ...");
    expect(titles()).toEqual([]);
    session.select(["other"]);
    expect(titles()).toEqual(["own: This code has not run"]);
    session.select(["own", "other"]);
    expect(titles()).toHaveLength(1);
    const ran = [node("own", "python_function", { code: { ...code, source: "def new(image): ..." } })];
    kernel.say(revision(3, { name: "g", nodes: ran, outputs: [] }));
    expect(titles()).toEqual([]);
    expect(session.store.get().written).toEqual({});
  });
  it("keep code that has not run in the document, which another page has, too", async () => {
    const kernel = new FakeKernel();
    const session = new Session(kernel, 296);
    kernel.open(session);
    const code = { source: "def old(image): ...", trusted: true, module: "m", signature: "" };
    const graph = { name: "g", nodes: [node("own", "python_function", { code })], outputs: [] };
    const text = () => session.store.get().written.own;
    kernel.say(revision(2, graph, { written: { own: "def left(image): ..." } }));
    expect(text()).toBe("def left(image): ...");
    session.keepWritten("own", "def mine(image): ...");
    kernel.say(revision(3, graph, { written: { own: "def left(image): ..." } }));
    expect(text()).toBe("def mine(image): ...");
    let done = false;
    void session.answered().then(() => {
      done = true;
    });
    expect(kernel.sent.at(-1)).toEqual({ type: "keep_draft", source: "def mine(image): ...", key: "own" });
    await Promise.resolve();
    expect(done).toBe(false);
    kernel.say(revision(3, graph, { written: { own: "def mine(image): ..." } }));
    await Promise.resolve();
    expect(done).toBe(true);
    kernel.say(revision(4, graph, { written: { own: "def theirs(image): ..." } })); // another page goes on with it
    expect(text()).toBe("def theirs(image): ...");
    kernel.say(revision(5, graph));
    expect(text()).toBeUndefined();
  });
  it("tell a function that was stopped from one that failed", () => {
    const stopped = { code: "DS305", message: "the function was stopped after 3 s in line 7.", node: "own" };
    expect([titleOf(stopped), wordsOf(stopped)]).toEqual(["The function was stopped after 3 s in line 7", ""]);
    const failed = [0, 1].map((sample) => ({ ...stopped, sample }));
    const state = { ...fold(OPENED, revision(1)), strip: { failed, count: 2, iteration: 0 } } as unknown as State;
    expect(failShare(state, "own")).toBe("");
    const other = failed.map((d) => ({ ...d, message: "the function failed with KeyError: a." }));
    expect(failShare({ ...state, strip: { ...state.strip, failed: other } } as State, "own")).toContain("2 of ");
  });
  it("are found at the port or the argument that they name", () => {
    const nodes = [
      node("joined", "cat", { inputs: [ref("decode"), null, ref("decode")] }),
      node("turned", "rotate", { inputs: [ref("decode")], argument_inputs: { angle: ref("numbers") } }),
    ];
    const found = [
      { code: "DS210", message: "a", node: "turned", severity: "warning" as const },
      { code: "DS106", message: "b", node: "turned", argument: "axis", severity: "info" as const },
      { code: "DS203", message: "c", node: "turned", argument: "images" },
      { code: "DS105", message: "d", node: "turned", argument: "angle" },
      { code: "DS201", message: "e", node: "joined", argument: "parts 2" },
      { code: "DS202", message: "f", node: "joined", argument: "input 4" },
    ];
    const graph = { name: "g", nodes, outputs: [] };
    const state = fold(OPENED, revision(1, graph, { diagnostics: found }));
    const at = (slot: Slot) => findingFor(state, slot)?.message;
    const inputs = (key: string) => [0, 1, 2, 3].map((input) => at({ kind: "input", node: key, input }));
    const named = (argument: string) => at({ kind: "argument", node: "turned", argument });
    expect(inputs("joined")).toEqual([undefined, "e", undefined, "f"]);
    expect(inputs("turned")).toEqual(["c", undefined, undefined, undefined]);
    expect(["angle", "axis", "fill_value"].map(named)).toEqual(["d", undefined, undefined]);
    expect(findingFor(state, { kind: "output", node: "__outputs__", index: 0 })).toBeUndefined();
  });
  it("bring the argument that they name to the card", () => {
    const turned = node("turned", "rotate", { arguments: { angle: 3, fill_value: 999 } });
    const names = (bad?: string) => argumentRows(turned, INDEX.byName.get("rotate"), bad).map((row) => row.name);
    expect(names()).toEqual(["angle"]);
    expect(names("fill_value")).toEqual(["fill_value"]);
    const bare = node("turned", "rotate", { arguments: { fill_value: 9 } });
    const rows = argumentRows(bare, INDEX.byName.get("rotate"));
    expect(rows).toEqual([{ name: "angle", wired: false, value: undefined, unit: "deg" }]); // it is needed
  });
  it("keep a run from beginning if they are errors of the graph, what a node lacks first", () => {
    const none = { code: "DS205", message: "nothing is returned" };
    const unread = { code: "DS103", message: "nothing to read", node: "reader", severity: "warning" as const };
    const of = (...diagnostics: Diagnostic[]) => obstacle(fold(OPENED, revision(1, undefined, { diagnostics })));
    expect(of()).toBeUndefined();
    expect(of(unread)).toBeUndefined();
    expect(of(none)).toBe(none);
    expect(of(none, unread)).toBe(unread);
  });
  it("name an argument once, and have a minus", () => {
    const wrong = (message: string) => ({ code: "DS105", message, node: "resize", argument: "size" });
    const said = (message: string) =>
      statusMessage(fold(OPENED, revision(1, undefined, { diagnostics: [wrong(message)] })))?.rest;
    expect(said("size is -5: below zero it mirrors")).toBe("size is −5: below zero it mirrors");
    expect(said("-5 is below 0")).toBe("size: -5 is below 0");
  });
  it("with files that a node goes on without are no matter of the strip", () => {
    const left = { code: "DS301", message: "it ends", node: "decode", source: "a.jpg", sample: 3 };
    const strip = (severity: "error" | "warning") =>
      statusMessage(fold(OPENED, revision(1, undefined, { diagnostics: [{ ...left, severity }] })));
    expect(strip("error")).toMatchObject({ rest: "This file ends early.", muted: "" });
    expect(strip("warning")).toBeNull();
  });
  it("are told in full once: in the strip unless the node that has them is shown", () => {
    const diagnostics = [{ code: "DS103", message: "nothing to read", node: "reader" }];
    const state = fold(OPENED, revision(1, undefined, { diagnostics }));
    const shown = { ...state, view: { ...state.view, selection: ["reader"] } };
    expect(statusMessage(state)?.rest).toContain("nothing to read");
    expect(statusMessage(shown)).toBeNull();
    expect(statusMessage(shown, true)?.rest).toContain("nothing to read");
    expect(statusMessage({ ...shown, view: { ...shown.view, inspector: false } })?.rest).toContain("nothing to read");
  });
  it("of readers without data are told once for all of them, and look as what is not given yet", () => {
    const message = "nothing to read: file_root, files and file_list are not set.";
    const of = (node: string) => ({ code: "DS103", message, node, argument: "file_root" });
    const state = fold(OPENED, revision(1, undefined, { diagnostics: [of("reader"), of("mask")] }));
    expect(statusMessage(state)).toMatchObject({ tone: "warning", action: "data" });
    expect(statusMessage({ ...state, view: { ...state.view, told: toldBy(of("mask")) } })).toBeNull();
    expect([titleOf(of("mask")), wordsOf(of("mask"))]).toEqual(["Nothing to read is given", ""]);
    const boxes = { code: "DS210", message: "The boxes are not rotated: turn works on the picture alone." };
    expect([titleOf(boxes), wordsOf(boxes)]).toEqual(["The boxes are not rotated", "Turn works on the picture alone."]);
    const title = (message: string) => titleOf({ code: "DS302", message });
    expect(title("f.py holds something else than the code of mine.")).toBe("This file holds other code");
    expect(title("a.dali.json could not be written: no space left.")).toBe("This file could not be written");
    expect(title("[Errno 2] No such file or directory: '/a folder'.")).toBe("There is no such folder");
    const both = { code: "DS105", message: "range and values exclude each other.", argument: "values" };
    expect(titleOf(both)).toBe("Only one of these can be given");
  });
  it("are about a file if they name node, sample and file", () => {
    const d = { code: "DS301", message: "c", node: "decode", sample: 0, source: "a.jpg" };
    expect(isAboutFile(d)).toBe(true);
    expect(isAboutFile({ ...d, sample: null })).toBe(false);
    expect(isAboutFile({ ...d, source: "" })).toBe(false);
    // a crop that is larger than the picture
    expect(isAboutFile({ ...d, code: "DS105", argument: "crop" })).toBe(false);
  });
  it("say how many files a folder without classes has, of which a reader is told by the folder above", () => {
    const words = "The folder 'x' has no sub-folders; the 1,234 files directly in it have no class and are not read.";
    expect(looseFiles({ code: "DS302", message: words, node: "reader" })).toBe(1234);
    expect(looseFiles({ code: "DS302", message: "The folder 'x' has no sub-folders.", node: "reader" })).toBe(0);
    const told = { file_root: "/data", dir_filters: ["my [[]best] photos"] };
    expect(placeOf(node("reader", "readers.file", { arguments: told }))).toBe("/data/my [best] photos");
  });
  it("name how many samples of the shown batch fail at a node, if there are several", () => {
    const one = (sample: number, severity: "error" | "warning" = "error") =>
      ({ code: "DS301", message: "c", node: "decode", sample, severity }) as const;
    const strip = (failed: Diagnostic[], iteration = 0): KernelMessage =>
      ({ type: "sample_strip", iteration, count: 8, cell: 56, names: [], failed }) as const;
    const shareOf = (...failed: Diagnostic[]) => failShare(fold(OPENED, revision(1), strip(failed)), "decode");
    expect(shareOf(one(1), one(3), one(5, "warning"))).toMatch(/^2 of .*8 samples of this batch fail here/);
    expect(shareOf(one(1))).toBe("");
    expect(batchFailures(fold(OPENED, strip([one(1)], 1)))).toEqual([]); // of another batch
  });
  it("of the shown sample come before that at which a run has stopped, and are said once", () => {
    const cut = (sample: number) => ({
      code: "DS301",
      message: `cut ${sample}`,
      node: "decode",
      sample,
      source: `${sample}.jpg`,
    });
    const shown = (sample: number, ...failed: Diagnostic[]) => previews({ sample, failed });
    const run = finished([], { failed: [cut(7)], failed_in: 2, batches: 0 });
    const state = fold(OPENED, revision(1), run, shown(5, cut(5)));
    expect(brokenFile(state, "decode")).toBe("5.jpg");
    expect(problems(state).map((d) => d.source)).toEqual(["5.jpg", "7.jpg"]);
    expect(problems(state).map((d) => batchOf(state, d))).toEqual([0, 2]);
    expect(statusMessage(state)?.id).toContain("cut 5");
    expect(statusMessage(state, true)?.rest).toContain("cut 5");
    const told = (view: Partial<State["view"]>) => statusMessage({ ...state, view: { ...state.view, ...view } });
    expect(told({ told: toldBy(cut(5)) })).toBeNull();
    expect(told({ drawer: "problems" })).toBeNull();
    // a sample that does not fail is as good as before
    const good = receive(state, shown(0));
    expect(brokenFile(good, "decode")).toBeUndefined();
    expect([...staleKeys(good)]).toEqual([]);
    expect([...staleKeys(state)]).toContain("decode");
  });
  it("ask for a file once, and for a program with an answer to wait for", async () => {
    const kernel = new FakeKernel();
    const session = new Session(kernel, 296);
    kernel.open(session);
    session.requestFile("decode", "a.jpg");
    session.requestFile("decode", "a.jpg");
    const program = session.reproduction("decode", "a.jpg");
    expect(kernel.sent.map((m) => m.type)).toEqual(["request_file", "request_reproduction"]);
    kernel.say({
      type: "file_remains",
      node: "decode",
      source: "a.jpg",
      path: "",
      words: "3 kB",
      part: 0.5,
      aspect: 1.5,
    });
    kernel.say({ type: "reproduction", node: "decode", source: "a.jpg", program: "x = 1" });
    expect(await program).toBe("x = 1");
    expect(session.store.get().files["a.jpg"]?.part).toBe(0.5);
  });
});

describe("data sets", () => {
  it("are where the reader's arguments say", () => {
    expect(placeOf(node("r", "readers.file", { arguments: { file_root: "/photos" } }))).toBe("/photos");
    expect(placeOf(node("r", "readers.file", { arguments: { file_root: "/p", file_list: "/p/list.txt" } }))).toBe(
      "/p/list.txt",
    );
    expect(placeOf(node("r", "readers.file", { arguments: { files: ["/p/a.jpg", "/p/b.jpg"] } }))).toBe("/p");
    expect(placeOf(node("r", "readers.webdataset", { arguments: { paths: ["/s/0.tar"], ext: ["jpg"] } }))).toBe(
      "/s/0.tar",
    );
    expect(placeOf(node("r", "readers.file"))).toBe("");
  });
  it("are read by nodes whose operators are readers", () => {
    const state = fold(OPENED, revision(1));
    for (const reader of readersOf(state)) expect(reader.output_kinds[0]).toBe("encoded");
    expect(readersOf(INITIAL)).toEqual([]);
  });
  it("have labels, the most frequent first", () => {
    const sample = (...labels: string[]) => ({ labels }) as unknown as DataSample;
    expect(labelCounts([sample("1"), sample("0", "1"), sample()])).toEqual([
      ["1", 2],
      ["0", 1],
    ]);
    const words = [sample("2"), sample("cat", "dog", "cat"), sample()].map(labelWords);
    expect(words).toEqual(["label 2", "cat ×2, dog", "no label"]);
  });
});

describe("what transforms do otherwise", () => {
  const said = (...messages: string[]) =>
    differing(messages.map((message) => ({ code: "DS503", message, severity: "info" }) as Diagnostic));
  it("is counted, and what was left out is named", () => {
    expect(said()).toBe("");
    expect(said("torchvision's Resize: rounded.")).toBe(" 1 difference from the library: see Problems.");
    expect(
      said(
        "a's Compose: bbox_params, mask are left out; pictures alone are read.",
        "MotionBlur was left out: a's MotionBlur has no operator here.",
        "a's OneOf: where it chooses what was left out, pictures stay as they are.",
      ),
    ).toBe(
      " 1 step was left out: a's MotionBlur has no operator here; left out: bbox_params, mask; 1 difference from the library: see Problems.",
    );
    expect(said(..."ABCDE".split("").map((one) => `${one} was left out: it has no operator.`))).toBe(
      " 5 steps were left out: A, B, C, D, E: see Problems.",
    );
  });
});

describe("the next sample to see", () => {
  const none = (sample: number) => ({ code: "DS301", message: "cut", node: "decode", source: `${sample}.jpg`, sample });
  const strip = (...failed: readonly number[]) => ({
    ...INITIAL,
    sample: 2,
    strip: { iteration: 0, count: 4, cell: 0, names: [], failed: failed.map(none) } as unknown as State["strip"],
  });
  it("is the shown one, else the first after it that does not fail, from the beginning where none does", () => {
    expect([strip(1), strip(2), strip(2, 3), strip(0, 2, 3), strip(0, 1, 2, 3)].map(soundSample)).toEqual([
      2, 3, 0, 1, 2,
    ]);
  });
});
