import { describe, expect, it, vi } from "vitest";
import { waitingCode } from "../src/core/python";
import { saveState } from "../src/core/saveState";
import { busyKeys, staleKeys, timeOn } from "../src/core/select";
import { Session } from "../src/core/session";
import { statusMessage } from "../src/core/statusMessage";
import type { Value } from "../src/protocol/generated";
import { FakeKernel, fill, item, OPENED, opened, previews, revision, shown } from "./fixtures";

describe("the kernel's silence", () => {
  it("is noticed, and the next answer ends it", () => {
    vi.useFakeTimers();
    const { kernel, session } = opened();
    session.edit([fill(1)]);
    vi.advanceTimersByTime(13_000);
    expect(session.store.get().link).toBe("silent");
    kernel.say(revision(2));
    expect(session.store.get().link).toBe("live");
    vi.useRealTimers();
  });
  it("opening another document starts afresh but keeps the panels", () => {
    const { kernel, session } = opened();
    session.view({ palette: true, selection: ["rotate"] });
    kernel.say(OPENED);
    kernel.say(revision(9));
    expect(session.store.get().view).toMatchObject({ palette: true, selection: [] });
  });
  it("another view that says it is ready changes nothing here", () => {
    const { kernel, session } = opened();
    session.select(["rotate"]);
    kernel.say(previews({ items: [item("rotate", "kept")] }));
    kernel.say(OPENED);
    kernel.say(revision(1));
    expect(session.store.get().view.selection).toEqual(["rotate"]);
    expect(session.store.get().previews["rotate#0"]?.facts).toBe("kept");
  });
});

describe("a lost kernel", () => {
  const document = new Uint8Array([1, 2, 3]).buffer;

  /** A session whose kernel has gone, and the one that it can go on in. */
  function lost(attach = true) {
    const before = new FakeKernel();
    const after = new FakeKernel();
    const asked: unknown[] = [];
    const session = new Session(
      before,
      296,
      attach
        ? async (...given) => {
            asked.push(given);
            return after;
          }
        : null,
    );
    before.open(session);
    before.say(revision(4, undefined, { variable: "designer" }), [document]);
    session.lost();
    before.sent.length = 0;
    return { before, after, asked, session };
  }
  const said = (session: Session) => statusMessage(session.store.get());

  it("leaves the edits that are made meanwhile, and a way back", () => {
    const { before, session } = lost();
    session.edit([fill(1)]);
    session.edit([fill(2)]);
    expect(shown(session)).toBe(2);
    expect(before.sent).toEqual([]);
    expect(said(session)).toMatchObject({ action: "reconnect", lead: "The kernel restarted." });
    expect(said(session)?.rest).toContain("2 edits");
    session.lost("autorestarting");
    expect(said(session)?.lead).toBe("The kernel ended.");
    session.lost();
    expect(said(session)?.lead).toBe("The kernel ended.");
    session.undo();
    expect(shown(session)).toBe(1);
    expect([...staleKeys(session.store.get())]).toContain("rotate");
    expect(busyKeys(session.store.get()).size).toBe(0);
  });
  it("has the edits of before it went, too, which the bar says", () => {
    const { before, session } = lost();
    expect(saveState(session.store.get(), null)).toBe("No file yet");
    before.say(revision(5, undefined, { can_undo: true }), [document]);
    session.lost();
    expect(said(session)?.rest).toContain("Your edits are kept.");
    expect(saveState(session.store.get(), null)).toBe("Edits kept");
    session.edit([fill(1)]);
    expect(saveState(session.store.get(), null)).toBe("1 edit kept");
  });
  it("lacks nothing in a new file that is as empty as its pipeline", () => {
    const { session } = lost();
    const state = { ...session.store.get(), keeps: false };
    const file = { name: "untitled.dali.json", dirty: false, blank: true, readOnly: false };
    const empty = { ...state, graph: state.graph && { ...state.graph, nodes: [] } };
    expect([saveState(empty, file), saveState(empty, { ...file, dirty: true })]).toEqual(["Saved", "Not saved"]);
    expect(saveState(state, file)).toBe("Not saved"); // a recipe that was only looked at
  });
  it("is replaced by one that gets the document, and the edits one after the other", async () => {
    const { after, asked, session } = lost();
    const time = { key: "rotate", device: "cpu", milliseconds: 97, cpu: 97, gpu: 0 } as const;
    session.store.set((s) => ({ ...s, deviceTimes: [time] }));
    session.edit([fill(1)]);
    session.edit([fill(2)]);
    const connecting = session.reconnect();
    expect(said(session)).toMatchObject({ action: null, lead: "Connecting to the kernel…", tone: "info" });
    expect(saveState(session.store.get(), null)).toBe("2 edits kept");
    expect([...staleKeys(session.store.get())]).toContain("rotate"); // its picture is none of the new value
    await connecting;
    expect(asked).toMatchObject([[[document], { revision: 4, variable: "designer" }]]);
    expect(after.sent.map((m) => m.type)).toEqual(["ready"]);
    after.say(OPENED);
    expect(timeOn(session.store.get(), "rotate", "cpu")).toBeUndefined(); // the one before measured it
    after.say(revision(4), [document]);
    expect(after.sent.at(-1)).toMatchObject({ type: "apply_edits", edits: [fill(1)] });
    after.say(revision(5), [document]);
    expect(after.sent.at(-1)).toMatchObject({ type: "apply_edits", edits: [fill(2)] });
    after.say(revision(6), [document]);
    expect(session.store.get()).toMatchObject({ pending: [], link: "live" });
    expect(after.sent).toHaveLength(3);
  });
  it("is replaced by one that shows the same sample", async () => {
    const { after, session } = lost();
    session.store.set((s) => ({ ...s, sample: 3, iteration: 2, batchSize: 8 }));
    await session.reconnect();
    expect(after.sent).toMatchObject([{ type: "ready" }, { type: "choose_sample", sample: 3, iteration: 2 }]);
  });
  it("stays lost, with the reason, when none can go on", async () => {
    const kernel = new FakeKernel();
    const alone = new Session(kernel, 296, () => Promise.reject(new Error("No kernel runs.")));
    kernel.open(alone);
    kernel.say(revision(4), [document]);
    alone.lost();
    alone.edit([fill(1)]);
    await alone.reconnect();
    expect(said(alone)).toMatchObject({ action: "reconnect", muted: "No kernel runs." });
    expect(shown(alone)).toBe(1);
  });
  it("leaves what was edited meanwhile to the next page, which offers it", () => {
    const storage = new Map<string, string>();
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => storage.set(key, value),
      removeItem: (key: string) => storage.delete(key),
    });
    const page = (place: string, waiting = "") => {
      const kernel = new FakeKernel();
      const session = new Session(kernel, 296);
      session.start();
      kernel.say(OPENED);
      kernel.say(revision(1, undefined, { place, waiting }));
      kernel.sent.length = 0;
      return { kernel, session };
    };
    const { session: before } = page("here");
    before.lost();
    before.edit([fill(1)]);
    before.edit([fill(2)]);
    expect(said(page("elsewhere").session)).toBeNull();

    const { kernel, session } = page("here", "3 operators");
    expect(said(session)).toMatchObject({
      action: "restore",
      rest: "3 operators; 2 edits made without a kernel.",
    });
    session.restore();
    expect(kernel.sent).toEqual([{ type: "restore_edits" }]);
    kernel.say(OPENED);
    kernel.say(revision(2, undefined, { place: "here" }));
    expect(kernel.sent.at(-1)).toMatchObject({ type: "apply_edits", edits: [fill(1)] });
    kernel.say(revision(3, undefined, { place: "here" }));
    kernel.say(revision(4, undefined, { place: "here" }));
    expect(kernel.sent).toHaveLength(3);
    expect(storage.size).toBe(0);

    before.edit([fill(3)]);
    const { session: other } = page("here");
    expect(said(other)?.rest).toBe("3 edits made without a kernel.");
    other.edit([fill(4)]);
    expect(said(other)).toBeNull();
    expect(storage.size).toBe(0);
    vi.unstubAllGlobals();
  });
  it("leaves the program with the values that were set since, as far as it has such", () => {
    const { session, before } = lost();
    const source = 'rotate = fn.rotate(\n    images, angle=-21.5, axis=[0, 1], fill_value=0, file="a,b"\n)\n';
    before.say({ type: "code", revision: 4, dialect: "x", source, lines: { rotate: [1, 2, 3] }, diagnostics: [] });
    const set = (argument: string, value: Value) => {
      session.edit([{ type: "set_argument", key: "rotate", argument, value }]);
      return waitingCode(session.store.get());
    };
    session.lost();
    expect(waitingCode(session.store.get()).source).toBe(undefined);
    expect(set("angle", 33).source).toContain("(\n    images, angle=33, axis=[0, 1], fill_value=0,");
    expect(set("axis", [1, 0, 2]).source).toContain("angle=33, axis=[1, 0, 2], fill_value=0,");
    expect(set("file", "$&").source).toContain('file="$&"\n)');
    expect(set("fill_value", 7)).toMatchObject({ said: expect.stringContaining("with your edits") });
    // what it does not have yet
    expect(set("keep_size", true).source).toContain('file="$&", keep_size=True\n)');
    session.edit([{ type: "set_argument", key: "rotate", argument: "axis", value: null, unset: true }]);
    session.edit([{ type: "set_argument", key: "rotate", argument: "size", value: null, unset: true }]);
    expect(waitingCode(session.store.get()).source).toContain("angle=33, axis=None, fill_value=7,");
  });
  it.each([
    ["rotate = fn.rotate(images)", "rotate = fn.rotate(images, seed=7)"],
    ["images, labels = fn.rotate()[0]", "images, labels = fn.rotate(seed=7)[0]"],
    [
      "    rotate = fn.rotate(\n        images,\n        angle=1,\n    )",
      "    rotate = fn.rotate(\n        images,\n        angle=1, seed=7,\n    )",
    ],
    // where it would stand is not known
    ["rotate = fn.flip(fn.rotate(images))", undefined],
    ["rotate = fn.rotate(images)  # (mine)", undefined],
    ["rotate = images + 1", undefined],
    // with what it takes
    [
      "from x import fn, pipeline_def\nrotate = fn.rotate(a=types.X)",
      "from x import fn, pipeline_def, types\nrotate = fn.rotate(a=types.X, seed=7)",
    ],
  ])("writes a value that was set since into %s", (source, written) => {
    const { session, before } = lost();
    const lines = { rotate: source.split("\n").flatMap((line, i) => (line.startsWith("from") ? [] : i + 1)) };
    before.say({ type: "code", revision: 4, dialect: "x", source, lines, diagnostics: [] });
    session.lost();
    session.edit([{ type: "set_argument", key: "rotate", argument: "seed", value: 7 }]);
    const { source: made, said: words } = waitingCode(session.store.get());
    expect([made, words.includes("before your edit")]).toEqual([written, written === undefined]);
  });
  it("that no host can replace is said to be gone", () => {
    expect(said(lost(false).session)).toMatchObject({ action: null, lead: "The kernel is gone." });
  });
  it("that only was silent gets again what it did not answer, unless it has done it", () => {
    for (const [revisionThen, again] of [
      [1, 1],
      [2, 0],
    ] as const) {
      const { kernel, session } = opened();
      session.edit([fill(1)]);
      kernel.retry = vi.fn();
      void session.reconnect();
      expect(kernel.retry).toHaveBeenCalledOnce();
      kernel.sent.length = 0;
      kernel.say(OPENED);
      kernel.say(revision(revisionThen));
      expect(kernel.sent.filter((m) => m.type === "apply_edits")).toHaveLength(again);
    }
  });
});
