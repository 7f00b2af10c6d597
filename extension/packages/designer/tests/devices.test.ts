import { describe, expect, it } from "vitest";
import { bytesAlong, copierOf, copyLabel, crosses } from "../src/core/copies";
import { wiresOf } from "../src/core/graph";
import { receive } from "../src/core/reduce";
import { bytesOf, heatOf, repairOf, timeOn, timingOf } from "../src/core/select";
import { Session } from "../src/core/session";
import { INITIAL, type State } from "../src/core/state";
import { statusMessage } from "../src/core/statusMessage";
import type { Diagnostic, GraphView, KernelMessage, Repair } from "../src/protocol/generated";
import { FakeKernel, finished, GRAPH, node, OPENED, ref, revision, timing } from "./fixtures";

const fold = (...messages: KernelMessage[]): State => messages.reduce(receive, INITIAL);

/** reader -> decode (mixed) -> rotate (gpu), the angle drawn for the GPU. */
const ON_GPU: GraphView = {
  ...GRAPH,
  nodes: [
    node("reader", "readers.file"),
    node("decode", "decoders.image", { device: "mixed", inputs: [ref("reader")] }),
    node("angle", "random.uniform", { device: "gpu" }),
    node("rotate", "rotate", { device: "gpu", inputs: [ref("decode")], argument_inputs: { angle: ref("angle") } }),
  ],
};

const RUN = finished([
  timing("reader", { milliseconds: 1, share: 0.1, cpu: 1, host: 5_000_000 }),
  timing("decode", {
    device: "mixed",
    milliseconds: 8,
    share: 0.8,
    cpu: 6.1,
    copies: [{ direction: "H2D", size: 38_400_000, milliseconds: 1.9 }],
    gpu_memory: 38_400_000,
  }),
  timing("angle", { device: "gpu", copies: [{ direction: "H2D", size: 32, milliseconds: 0.002 }], gpu_memory: 32 }),
  timing("rotate", { device: "gpu", milliseconds: 1, share: 0.1, gpu: 0.21, passing: 1_600_000 }),
]);

function wire(graph: GraphView, source: string, target: string) {
  const found = wiresOf(graph).find((w) => w.source.node === source && w.slot.node === target);
  if (!found) throw new Error(`no wire from ${source} to ${target}`);
  return found;
}

describe("copies", () => {
  it("stand on the wire that enters the GPU, with bytes and time", () => {
    const state = fold(OPENED, revision(1, ON_GPU), RUN);
    expect(copyLabel(state, wire(ON_GPU, "reader", "decode"))).toEqual({
      text: "H2D 38.4 MB · 1.90 ms",
      title: "Copied from the CPU to the GPU per batch: 38.4 MB in 1.90 ms, 20.2 GB/s.",
    });
    expect(copyLabel(state, wire(ON_GPU, "decode", "rotate"))).toBeNull();
    expect(copyLabel(state, wire(ON_GPU, "angle", "rotate"))?.text).toBe("H2D 32 B · 2 µs");
  });
  it("have no numbers before a run, nor after one on the CPU, and say when they are old", () => {
    const at = wire(ON_GPU, "reader", "decode");
    expect(copierOf(ON_GPU, at)).toBe("decode");
    expect(copyLabel(fold(OPENED, revision(1, ON_GPU)), at)).toBeNull();
    expect(copyLabel(fold(OPENED, revision(1, ON_GPU), finished([timing("decode")])), at)).toBeNull();
    const old = copyLabel(fold(OPENED, revision(1, ON_GPU), RUN, revision(2, ON_GPU)), at);
    expect(old?.title).toMatch(/From before the last change\.$/);
  });
  it("to the CPU stand on the wire that leaves the GPU", () => {
    const nodes = [...ON_GPU.nodes, node("back", "rotate", { inputs: [ref("rotate")] })];
    const back = { ...ON_GPU, nodes };
    const run = finished([timing("back", { copies: [{ direction: "D2H", size: 2_000_000, milliseconds: 0.1 }] })]);
    const state = fold(OPENED, revision(1, back), run);
    expect(copyLabel(state, wire(back, "rotate", "back"))?.text).toBe("D2H 2.0 MB · 0.10 ms");
  });
  it("and what stays on the CPU say their bytes where memory is shown", () => {
    const run = finished([timing("reader", { outputs: [1_200_000, 32] }), timing("decode", { outputs: [9_000_000] })]);
    const state = fold(OPENED, revision(1), run);
    const at = wire(GRAPH, "decode", "rotate");
    expect(copyLabel(state, at)).toBeNull();
    expect(bytesAlong(state, at)).toBe(9_000_000);
    const memory: State = { ...state, view: { ...state.view, heat: true, measure: "memory" } };
    expect(copyLabel(memory, at)?.text).toBe("9.0 MB");
  });
  it("are none where all is on the CPU", () => {
    expect(crosses(ON_GPU)).toBe(true);
    expect(crosses(GRAPH)).toBe(false);
  });
});

describe("times by device", () => {
  it("are those that were measured, and no others", () => {
    const times = [{ key: "rotate", device: "cpu" as const, milliseconds: 12.4, cpu: 12.4, gpu: 0 }];
    const state = fold(OPENED, revision(1), { type: "device_times", times });
    expect(timeOn(state, "rotate", "cpu")?.milliseconds).toBe(12.4);
    expect(timeOn(state, "rotate", "gpu")).toBeUndefined();
    expect(timeOn(receive(state, { type: "device_times", times: [] }), "rotate", "cpu")).toBeUndefined();
  });
  it("of nodes that were computed together are the group's", () => {
    const group = ["decode", "rotate"];
    const state = fold(OPENED, revision(1), finished([timing("rotate", { milliseconds: 3, group })]));
    expect(timingOf(state, "decode")?.milliseconds).toBe(3);
    expect(timingOf(state, "reader")).toBeUndefined();
  });
});

describe("the heat", () => {
  it("is time or memory", () => {
    const state = fold(OPENED, revision(1, ON_GPU), RUN);
    expect(heatOf(state, "decode")).toMatchObject({ share: 0.8, text: "8.00 ms" });
    const memory: State = { ...state, view: { ...state.view, measure: "memory" } };
    const whole = RUN.timings.reduce((sum, t) => sum + bytesOf(t), 0);
    expect(whole).toBe(45_000_032);
    expect(heatOf(memory, "decode")).toMatchObject({ share: 38_400_000 / whole, text: "38.4 MB" });
    expect(heatOf(memory, "rotate")?.text).toBe("1.6 MB");
    expect(heatOf(memory, "nothing")).toBeUndefined();
  });
});

describe("repairs", () => {
  const found: Diagnostic = { code: "DS207", node: "rotate", argument: "images", message: "rotate reads the CPU." };
  const repair: Repair = { code: "DS207", node: "rotate", argument: "images", title: "Place rotate on the GPU" };
  const broken = revision(2, ON_GPU, { diagnostics: [found], repairs: [repair] });

  it("belong to their finding", () => {
    const state = fold(OPENED, broken);
    expect(repairOf(state, found)).toEqual(repair);
    expect(repairOf(state, { ...found, argument: "angle" })).toBeUndefined();
    expect(statusMessage(state)?.repair).toEqual(repair);
  });
  it("are asked for by name", () => {
    const kernel = new FakeKernel();
    const session = new Session(kernel, 296);
    kernel.open(session, ON_GPU);
    session.repair(repair);
    expect(kernel.sent).toEqual([{ type: "apply_repair", ...repair }]);
    session.close();
  });
});

describe("comparing devices", () => {
  it("is a run of twice as many batches, and ends when the kernel is idle", () => {
    const kernel = new FakeKernel();
    const session = new Session(kernel, 296);
    kernel.open(session, ON_GPU);
    session.compareDevices(4);
    expect(kernel.sent).toEqual([{ type: "compare_devices", batches: 4 }]);
    expect(session.store.get().run).toMatchObject({ running: true, total: 8 });
    kernel.say({ type: "busy", busy: false, keys: [] });
    expect(session.store.get().run.running).toBe(false);
    session.close();
  });
});
