import { describe, expect, it } from "vitest";
import { isSnug } from "../src/core/drawer";
import { receive } from "../src/core/reduce";
import { isOld, reachedBy } from "../src/core/select";
import { Session } from "../src/core/session";
import { INITIAL, type State } from "../src/core/state";
import { ALONE, bytesRead, headroom, headroomOf, parseTarget, readingRate } from "../src/core/target";
import { barsOf, shifted, ticksOf, wholeSpan, zoomed } from "../src/core/timeline";
import type { KernelMessage, Timeline } from "../src/protocol/generated";
import { costWords } from "../src/react/canvas/CardParts";
import { tableNote } from "../src/react/inspector/TimeTable";
import { FakeKernel, finished, OPENED, revision, timing } from "./fixtures";

const TIMELINE: Timeline = {
  type: "timeline",
  revision: 1,
  lanes: ["cpu thread 1", "cpu thread 2"],
  keys: ["decode", "resize"],
  slices: [
    [0, 0, 0, 4],
    [1, 0, 4, 5],
    [0, 1, 1, 3],
    [0, 0, 10, 14],
    [1, 0, 14, 20],
  ],
  steps: [
    [0, 5],
    [10, 20],
  ],
  first: 3,
  note: "",
};

const fold = (...messages: KernelMessage[]): State => messages.reduce(receive, INITIAL);

describe("table of times", () => {
  it("says why its sum is not a batch's time, and what is in brackets", () => {
    const run = { ...finished([]), milliseconds_per_batch: 75 };
    const work = { ...timing("decode"), cpu: 150, host: 100, gpu_memory: 0, passing: 0 };
    expect(tableNote({ ...run, timings: [work] })).toBe("Threads work side by side: a whole batch takes 75.0 ms.");
    expect(tableNote({ ...run, timings: [{ ...work, cpu: 70 }] })).toBe("");
    const passing = { ...work, cpu: 70, host: 0, passing: 5 };
    expect(tableNote({ ...run, timings: [passing] })).toBe("Memory in brackets is never held all at once.");
  });
});

describe("the time of a card", () => {
  it("says whose it is, of how much, and when it was measured", () => {
    const run = { ...finished([]), batches: 20, samples_per_second: 800, milliseconds_per_batch: 10, when: "14:32:05" };
    const one = { ...timing("resize"), milliseconds: 1.2, p95: 1.4, share: 0.35 };
    expect(costWords(one, run, "resize")).toMatch(
      /^resize alone, without the nodes before it: median 1.20 ms of work per batch of 8 samples \(0.15 ms a sample\), p95 1.40 ms, 35 % of the work of all nodes. Measured in 20 batches at 14:32:05\./,
    );
    const largest = { size: 3_200_000, batch: 4, sample: 2, source: "cat.jpg" };
    const warm = costWords({ ...one, largest }, { ...run, left_out: 1 }, "resize");
    expect(warm).toContain("Measured in 20 batches after 1 to warm up at 14:32:05.");
    expect(warm).toContain("Most for one sample: 3.2 MB, sample 3 of batch 5 (cat.jpg).");
    expect(costWords({ ...one, group: ["resize", "crop"] }, { ...run, batches: 1 }, "resize")).toMatch(
      /^resize together with crop,.* Measured in 1 batch at/,
    );
  });
});

describe("the drawer", () => {
  const at = (drawer: State["view"]["drawer"], drawerHeights: State["view"]["drawerHeights"] = {}) =>
    isSnug({ ...INITIAL, view: { ...INITIAL.view, drawer, drawerHeights } });
  it("is as high as tables are, until it is dragged", () => {
    expect([at("runs"), at("timeline"), at("data"), at("problems"), at("batch")]).toEqual(Array(5).fill(true));
    expect([at("code"), at("batch", { batch: 200 }), at("runs", { batch: 200 })]).toEqual([false, false, false]);
    expect(at("runs", { code: 200 })).toBe(true);
  });
});

describe("a run", () => {
  const run = finished([timing("decode")], { revision: 1 });
  const ran = [OPENED, revision(1), run, TIMELINE] as const;
  it("goes with its graph where another takes its place, and comes back with it", () => {
    const other = revision(2, undefined, { origin: 2 });
    const exchanged = fold(...ran, other);
    expect(exchanged.run.finished).toBeNull();
    expect(exchanged.timeline).toBeNull();
    const back = receive(exchanged, revision(3, undefined, { measured: 1 }));
    expect(back.run.finished).toBe(run);
    expect(back.timeline).toBe(TIMELINE);
    expect(isOld(back)).toBe(false);
  });
  it("that ends after another graph has come is none of it", () => {
    const state = fold(OPENED, revision(1), revision(2, undefined, { origin: 2 }), run, TIMELINE);
    expect(state.run.finished).toBeNull();
    expect(state.timeline).toBeNull();
  });
});

describe("timeline", () => {
  it("places bars by lane, node and batch", () => {
    const bars = barsOf(TIMELINE, wholeSpan(TIMELINE), 2000);
    expect(bars.map((b) => [b.lane, b.key, b.x, b.width, b.batch])).toEqual([
      [0, "decode", 0, 400, 3],
      [0, "resize", 400, 100, 3],
      [0, "decode", 1000, 400, 4],
      [0, "resize", 1400, 600, 4],
      [1, "decode", 100, 200, 3],
    ]);
  });
  it("draws neighbours that are too narrow as one bar, of the node that took longest", () => {
    const many = { ...TIMELINE, slices: Array.from({ length: 400 }, (_, i) => [i % 2, 0, i / 100, (i + 1) / 100]) };
    const bars = barsOf(many as unknown as Timeline, { from: 0, to: 20 }, 500);
    expect(bars.length).toBeLessThan(20);
    expect(bars.reduce((n, b) => n + b.count, 0)).toBe(400);
    expect(bars.reduce((n, b) => n + b.milliseconds, 0)).toBeCloseTo(4);
  });
  it("leaves out what is outside", () => {
    expect(barsOf(TIMELINE, { from: 6, to: 9 }, 500)).toEqual([]);
  });
  it("zooms about a moment and stays inside of the whole", () => {
    const whole = wholeSpan(TIMELINE);
    expect(zoomed(whole, whole, 0.5, 10)).toEqual({ from: 5, to: 15 });
    expect(zoomed({ from: 5, to: 15 }, whole, 10, 10)).toEqual(whole);
    expect(shifted({ from: 5, to: 15 }, whole, 9)).toEqual({ from: 10, to: 20 });
    expect(shifted({ from: 5, to: 15 }, whole, -9)).toEqual({ from: 0, to: 10 });
  });
  it("has round ticks with room between them", () => {
    expect(ticksOf({ from: 0, to: 20 }, 800)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
    expect(ticksOf({ from: 0.31, to: 0.37 }, 300)).toEqual([0.32, 0.34, 0.36]);
  });
});

describe("target", () => {
  it("says how the speed in the pipeline stands to what the model takes", () => {
    const run = finished([timing("a")], { pipelined: { samples_per_second: 2880, median: 1, p95: 2 } });
    const room = headroom(fold(OPENED, revision(1, undefined, { target: 4000 }), run));
    expect(room).toMatchObject({ speed: 2880, measured: "in the pipeline", enough: false });
    expect(room?.words).toBe("28 % under 4\u2009000");
    expect(headroomOf(4480, 4000)).toBe("12 % over 4\u2009000");
    expect(headroomOf(4001, 4000)).toBe("at 4\u2009000");
    expect(headroomOf(4001, 0)).toBe("");
    expect(headroomOf(625, 10)).toBe("63 times 10");
  });
  it("takes the number of batches made alone, and says so, where the other one is not known", () => {
    expect(headroom(fold(OPENED, revision(1), finished([])))).toMatchObject({
      speed: 100,
      measured: ALONE.name,
      words: "",
    });
    expect(headroom(fold(OPENED, revision(1), finished([], { until: "resize" })))).toBeNull();
    expect(headroom(fold(OPENED, revision(1), finished([], { failed: [{ code: "DS301", message: "x" }] })))).toBeNull();
  });
  it("says how much is read from files", () => {
    const run = finished([timing("reader", { outputs: [1_200_000, 32] }), timing("decode", { outputs: [9_000_000] })]);
    const state = { ...fold(OPENED, revision(1), run), batchSize: 4 };
    expect(bytesRead(state)).toBe(1_200_032);
    // at the speed of all batches: those that come at once have next to no time of their own
    const pipelined = { samples_per_second: 100, median: 0.03, p95: 90 };
    expect(readingRate({ ...state, run: { ...state.run, finished: { ...run, pipelined } } })).toBe(30_000_800);
  });
  it("is read as samples a second or as milliseconds of a batch", () => {
    expect(parseTarget("2400", 64)).toBe(2400);
    expect(parseTarget("2 400 img/s", 64)).toBe(2400);
    expect(parseTarget("32 ms", 64)).toBe(2000);
    expect(parseTarget("12,8ms", 64)).toBe(5000);
    expect(parseTarget("", 64)).toBe(0);
    expect(parseTarget("fast", 64)).toBeNull();
    expect(parseTarget("0 ms", 64)).toBeNull();
  });
});

describe("runs", () => {
  it("tell how far each node is", () => {
    const state = fold(OPENED, revision(1), {
      type: "run_progress",
      done: 3,
      total: 16,
      seconds_left: 2,
      keys: ["reader"],
      samples: 5,
    });
    expect(state.run.samples).toBe(5);
    expect(reachedBy(state, "reader")).toEqual([4, 16]);
    expect(reachedBy(state, "decode")).toEqual([3, 16]);
    // of several, the least advanced
    expect(reachedBy(state, "reader", "decode")).toEqual([3, 16]);
  });
  it("keep timeline and history; a new run ends the trial before it", () => {
    const speed = { samples_per_second: 1, median: 1, p95: 1 };
    const state = fold(
      OPENED,
      revision(1),
      TIMELINE,
      { type: "run_history", runs: [] },
      {
        type: "trial",
        name: "threads",
        revision: 1,
        batches: 8,
        before: speed,
        after: speed,
        stopped: false,
        failed: [],
      },
    );
    expect(state.timeline).toBe(TIMELINE);
    expect(state.trial?.name).toBe("threads");
    expect(receive(state, finished([])).trial).toBeNull();
  });
  it("hold for the graph that was measured, also when an undo leads back to it", () => {
    const edited = fold(OPENED, revision(1), finished([]), revision(2));
    expect(isOld(edited)).toBe(true);
    expect(isOld(receive(edited, revision(3, undefined, { measured: 1 })))).toBe(false);
    expect(isOld(fold(OPENED, revision(1)))).toBe(true);
  });
  it("measure up to a node, and advice by its name", () => {
    const kernel = new FakeKernel();
    const session = new Session(kernel, 296);
    kernel.open(session);
    session.run(8, "resize");
    session.tryAdvice("threads", 4);
    expect(kernel.sent).toEqual([
      { type: "run", batches: 8, until: "resize" },
      { type: "try_advice", name: "threads", batches: 4 },
    ]);
    expect(session.store.get()).toMatchObject({ trying: "threads", run: { running: true, total: 16 } });
  });
});
