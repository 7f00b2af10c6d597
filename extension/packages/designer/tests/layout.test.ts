import { describe, expect, it } from "vitest";
import { detailOf, fittingScale } from "../src/core/detail";
import { overlap } from "../src/core/freeSpot";
import { cardsOf, OUTPUTS, SPLIT } from "../src/core/graph";
import { Floor, SIDE } from "../src/core/grid";
import {
  CARD,
  COLUMN,
  DENSE,
  layoutGraph,
  outputRows,
  outputsHeight,
  type Size,
  wayInBox,
  wayOf,
} from "../src/core/layout";
import { around } from "../src/core/route";
import type { GraphView, NodeView } from "../src/protocol/generated";
import { GRAPH, node, ref } from "./fixtures";
import { branches, drawnIn, GALLERY } from "./galleryGraphs";

const sizes = new Map<string, { width: number; height: number }>();

describe("layoutGraph", () => {
  it("runs from left to right on the grid and puts argument sources below", () => {
    const at = layoutGraph(GRAPH, sizes, 911);
    expect(at.reader).toEqual({ x: 20, y: 14 });
    expect(at.decode).toEqual({ x: 204, y: 14 });
    expect(at.rotate).toEqual({ x: 388, y: 14 });
    expect(at[OUTPUTS]).toEqual({ x: 572, y: 14 });
    expect(at.angle).toEqual({ x: 204, y: 218 });
  });
  it("puts what joins into one node below each other in the order in which it does", () => {
    const parts = ["one", "two", "three", "four"];
    const nodes = [
      node("decode", "decoders.image"),
      ...parts.map((key) => node(key, "rotate", { inputs: [ref("decode")] })),
      node("stack", "stack", { inputs: parts.map((key) => ref(key)) }),
    ];
    const at = layoutGraph({ name: "joined", nodes, outputs: [ref("stack")] }, sizes, 1200);
    expect(parts.map((key) => at[key]?.y)).toEqual([14, 218, 422, 626]);
  });
  it("breaks two long branches where that makes their cards readable, and not for more", () => {
    const keys = Array.from({ length: 10 }, (_, i) => i);
    const chain = (name: string) =>
      keys.map((i) => node(`${name}${i}`, "rotate", { inputs: [i ? ref(`${name}${i - 1}`) : ref("reader")] }));
    const nodes = [node("reader", "readers.file"), ...chain("image"), ...chain("mask")];
    const graph = { name: "two", nodes, outputs: [ref("image9"), ref("mask9")] };
    const shown = (width: number, height: number) => {
      const { extent, breaks } = wayInBox(graph, sizes, { width, height });
      return [breaks, fittingScale(extent.width, extent.height, { width, height })] as const;
    };
    const [broken, scale] = shown(1245, 560);
    expect(broken).toBe(1);
    expect(scale).toBeGreaterThan(0.6);
    expect(shown(1900, 900)[0]).toBe(0); // at 83 % in one row
  });
  it("turns a chain where its cards are largest, and rather once less than once more", () => {
    const keys = ["reader", "decode", "resize", "rotate", "light"];
    const nodes = keys.map((key, i) => node(key, "rotate", { inputs: i ? [ref(keys[i - 1] ?? "")] : [] }));
    const rows = (width: number, height: number) => {
      const at = wayInBox({ name: "five", nodes, outputs: [ref("light")] }, sizes, { width, height }).positions;
      return [...keys, OUTPUTS].map((key) => at[key]?.y);
    };
    // five in one line, as in a notebook on a screen of 1400 px
    expect(rows(912, 413)).toEqual([14, 14, 14, 14, 14, 218]);
    expect(rows(928, 413)).toEqual([14, 14, 14, 14, 14, 218]);
    // all of them where that makes them hardly smaller
    expect(new Set(rows(1060, 413)).size).toBe(1);
  });
  it("turns a chain elsewhere than before what a number feeds, so that the number stands left of that", () => {
    const keys = ["reader", "decode", "resize", "rotate", "light"];
    const chain = keys.map((key, i) =>
      node(key, "rotate", {
        inputs: i ? [ref(keys[i - 1] ?? "")] : [],
        argument_inputs: key === "rotate" ? { angle: ref("uniform") } : {},
      }),
    );
    const graph = { name: "five", nodes: [node("uniform", "random.uniform"), ...chain], outputs: [ref("light")] };
    for (const height of [445, 580, 890]) {
      const at = wayInBox(graph, sizes, { width: 628, height }).positions;
      expect([height, at.uniform?.x]).toEqual([height, (at.rotate?.x ?? 0) - COLUMN]);
      expect(at.rotate?.y).toBe(at.reader?.y);
    }
  });
  it("puts no card of one branch on the way of another to where they join", () => {
    const nodes = [
      node("decode", "decoders.image"),
      node("turned", "rotate", { inputs: [ref("decode")] }),
      node("flip", "flip", { inputs: [ref("decode")] }),
      node("blur", "gaussian_blur", { inputs: [ref("flip")] }),
      node("stack", "stack", { inputs: [ref("turned"), ref("blur")] }),
    ];
    const at = layoutGraph({ name: "branches", nodes, outputs: [ref("stack")] }, sizes, 1200);
    expect(["decode", "turned", "flip", "blur", "stack"].map((key) => at[key]?.y)).toEqual([14, 14, 218, 218, 14]);
  });
  it("puts numbers below each other rather than columns away where that makes no card smaller", () => {
    const chain = ["reader", "decode", "crop", "flip", "twist", "normalize"];
    const numbers = { mirror: "flip", brightness: "twist", contrast: "twist", saturation: "twist" };
    const nodes = chain.map((key, i) => {
      const fed = Object.entries(numbers).flatMap(([name, to]) => (to === key ? [[name, ref(name)]] : []));
      const inputs = i ? [ref(chain[i - 1] ?? "")] : [];
      return node(key, "rotate", { inputs, argument_inputs: Object.fromEntries(fed) });
    });
    const graph: GraphView = {
      name: "jitter",
      nodes: [...Object.keys(numbers).map((key) => node(key, "random.uniform")), ...nodes],
      outputs: [ref("normalize"), ref("reader", 1)],
    };
    const { cards } = drawnIn(graph);
    const column = (key: string) => Math.round((cards[cardsOf(graph).indexOf(key)]?.x ?? 0) / COLUMN);
    for (const [name, to] of Object.entries(numbers)) expect(column(to) - column(name)).toBeLessThanOrEqual(2);
  });

  it("lets numbers change places where one would stand far away for another that came first", () => {
    for (const graph of GALLERY.filter((g) => ["augmentations", "image_and_mask"].includes(g.name))) {
      const { cards } = drawnIn(graph, { width: 800, height: 505 });
      const column = (key: string) => Math.round((cards[cardsOf(graph).indexOf(key)]?.x ?? 0) / COLUMN);
      for (const { key, argument_inputs } of graph.nodes)
        for (const { node: number } of Object.values(argument_inputs))
          expect([graph.name, number, column(key) - column(number) <= 2]).toEqual([graph.name, number, true]);
    }
  });

  it("puts what ends a branch in line with the branch, whatever numbers there are", () => {
    // twice one of three changes, each time with numbers that are drawn, and changed, for it
    const number = (key: string, from: string[]) =>
      node(key, from.length ? "arithmetic" : "random.uniform", {
        inputs: from.map((k) => ref(k)),
        output_kinds: ["scalar"],
      });
    const picture = (key: string, operator: string, inputs: NodeView["inputs"]) =>
      node(key, operator, { inputs, output_kinds: ["image"] });
    const change = (from: string, by: string) => [
      number(`sign${by}`, []),
      number(`angle${by}`, [`sign${by}`]),
      number(`factor${by}`, [`sign${by}`]),
      number(`light${by}`, [`factor${by}`]),
      picture(`if${by}`, SPLIT, [ref(from), ref(`angle${by}`), ref(`light${by}`)]),
      picture(`turn${by}`, "rotate", [ref(`if${by}`)]),
      picture(`else${by}`, SPLIT, [ref(`if${by}`, 1)]),
      picture(`hue${by}`, "hue", [ref(`else${by}`)]),
      picture(`blur${by}`, "gaussian_blur", [ref(`else${by}`, 1)]),
      picture(`inner${by}`, "_conditional.merge", [ref(`hue${by}`), ref(`blur${by}`)]),
      picture(`end${by}`, "_conditional.merge", [ref(`turn${by}`), ref(`inner${by}`)]),
    ];
    const nodes = [picture("decode", "decoders.image", []), ...change("decode", "1"), ...change("end1", "2")];
    const at = layoutGraph({ name: "twice", nodes, outputs: [ref("end2")] }, sizes, 8000);
    const ends = nodes.filter((n) => n.operator === "_conditional.merge");
    const straight = ends.filter((n) => at[n.key]?.y === at[n.inputs[0]?.node ?? ""]?.y);
    expect(straight.map((n) => n.key)).toEqual(["inner1", "end1", "inner2", "end2"]);
  });

  it("puts what computes numbers left of all but what is read where the whole is then seen larger", () => {
    const graph = GALLERY.find((g) => g.name === "contrastive_pairs") as GraphView;
    const [wide, high] = [
      { width: 1324, height: 555 },
      { width: 700, height: 900 },
    ].map((box) => {
      const { cards } = drawnIn(graph, box);
      const { width, height } = around(cards);
      const x = (key: string) => cards[cardsOf(graph).indexOf(key)]?.x ?? 0;
      return { scale: fittingScale(width, height, box), left: x("result_2") < x("decode"), first: x("reader") };
    });
    expect(wide?.left).toBe(true);
    expect(wide?.scale).toBeGreaterThan(0.6);
    expect(high?.left).toBe(false);
    expect([wide?.first, high?.first]).toEqual([SIDE, SIDE]);
  });

  it("keeps argument sources near to what they feed, on one line", () => {
    const nodes = [
      node("reader", "readers.file"),
      node("decode", "decoders.image", { inputs: [ref("reader")] }),
      node("angle", "random.uniform"),
      node("small", "rotate", { inputs: [ref("decode")] }),
      node("turned", "rotate", { inputs: [ref("small")], argument_inputs: { angle: ref("angle") } }),
      node("classes", "rotate", { inputs: [ref("reader", 1)] }),
      node("least", "rotate", { inputs: [ref("classes")] }),
      node("mask", "rotate", { inputs: [ref("least")], argument_inputs: { angle: ref("angle") } }),
      node("other", "rotate", { inputs: [ref("mask")] }),
      node("light", "random.uniform"),
      node("lit", "rotate", { inputs: [ref("turned")], argument_inputs: { angle: ref("light") } }),
    ];
    const low = new Map([["turned", { width: 148, height: 191 }]]);
    const at = layoutGraph({ name: "two", nodes, outputs: [ref("lit"), ref("other")] }, low, 1400);
    expect([at.angle?.x, at.light?.x]).toEqual([at.small?.x, at.turned?.x]);
    expect(at.angle?.y).toBe(at.light?.y);
  });
  it("puts an argument source beside its target where nothing stands left of that", () => {
    const nodes = [
      node("decode", "decoders.image"),
      node("one", "rotate", { inputs: [ref("decode")] }),
      node("two", "rotate", { inputs: [ref("decode")] }),
      node("light", "random.uniform"),
      node("three", "rotate", { inputs: [ref("decode")], argument_inputs: { angle: ref("light") } }),
    ];
    const outputs = ["one", "two", "three"].map((key) => ref(key));
    const at = layoutGraph({ name: "beside", nodes, outputs }, sizes, 1200);
    expect(at.light).toEqual({ x: at.decode?.x, y: at.three?.y });
  });
  it("puts no branch right of what it joins", () => {
    const parts = ["one", "two", "three", "four"];
    const nodes = [
      node("decode", "decoders.image"),
      ...parts.map((key) => node(key, "rotate", { inputs: [ref("decode")] })),
      node("stack", "stack", { inputs: parts.map((key) => ref(key)) }),
    ];
    for (const box of [
      { width: 900, height: 300 },
      { width: 1300, height: 440 },
    ]) {
      const { positions } = wayInBox({ name: "joined", nodes, outputs: [ref("stack")] }, sizes, box);
      for (const key of parts) expect(positions[key]?.x).toBeLessThan(positions.stack?.x ?? 0);
    }
  });
  it("pulls a source that joins late, and what is between, to where it joins", () => {
    const nodes = [
      node("reader", "readers.file"),
      node("decode", "decoders.image", { inputs: [ref("reader")] }),
      node("small", "rotate", { inputs: [ref("decode")] }),
      node("angle", "random.uniform"),
      node("part", "rotate", { inputs: [ref("angle")] }),
      node("turned", "rotate", { inputs: [ref("small")], argument_inputs: { angle: ref("part") } }),
    ];
    const at = layoutGraph({ name: "late", nodes, outputs: [ref("turned")] }, sizes, 1400);
    expect([at.angle?.x, at.part?.x]).toEqual([at.decode?.x, at.small?.x]);
  });
  it("continues below when a row does not fit", () => {
    const chain: GraphView = {
      name: "chain",
      nodes: Array.from({ length: 7 }, (_, i) => node(`n${i}`, "rotate", { inputs: i ? [ref(`n${i - 1}`)] : [] })),
      outputs: [],
    };
    const at = layoutGraph(chain, sizes, 600);
    expect(at.n2?.y).toBe(14);
    expect(at.n3?.x).toBe(20);
    expect(at.n3?.y).toBe(218);
    expect(Math.max(...Object.values(at).map((p) => p.x + 148))).toBeLessThanOrEqual(600);
  });
  it("lets a short last row stand below the end of the row above", () => {
    const at = layoutGraph(GRAPH, sizes, 600);
    expect(at[OUTPUTS]).toEqual({ x: 388, y: 218 });
  });
  it("makes rows longer where the whole is then seen larger", () => {
    const nodes = Array.from({ length: 40 }, (_, i) =>
      node(`n${i}`, "rotate", { inputs: i ? [ref(`n${i - 1}`)] : [] }),
    );
    const box = { width: 1090, height: 440 };
    const long: GraphView = { name: "long", nodes, outputs: [] };
    const extent = (at: Record<string, { x: number; y: number }>) => {
      const places = Object.values(at);
      return fittingScale(Math.max(...places.map((p) => p.x + 128)), Math.max(...places.map((p) => p.y + 157)), box);
    };
    expect(extent(wayInBox(long, sizes, box).positions)).toBeGreaterThan(
      1.3 * extent(layoutGraph(long, sizes, box.width)),
    );
    expect(wayInBox(GRAPH, sizes, box).positions).toEqual(layoutGraph(GRAPH, sizes, box.width));
  });
  it("puts many short branches side by side", () => {
    const fan: GraphView = {
      name: "fan",
      nodes: [
        node("a", "rotate"),
        ...Array.from({ length: 100 }, (_, i) => node(`b${i}`, "rotate", { inputs: [ref("a")] })),
      ],
      outputs: [],
    };
    const box = { width: 1000, height: 500 };
    const places = Object.values(wayInBox(fan, sizes, box, DENSE).positions);
    const width = Math.max(...places.map((p) => p.x + 148));
    const height = Math.max(...places.map((p) => p.y + 129));
    expect(width / height).toBeGreaterThan(1);
    expect(width / height).toBeLessThan(4);
    for (const [i, p] of places.entries())
      for (const q of places.slice(i + 1)) expect(Math.abs(p.x - q.x) >= 148 || Math.abs(p.y - q.y) >= 129).toBe(true);
  });
  it("knows its own places, in whatever room they were made, from those that somebody chose", () => {
    const chain: GraphView = {
      name: "chain",
      nodes: Array.from({ length: 60 }, (_, i) => node(`n${i}`, "rotate", { inputs: i ? [ref(`n${i - 1}`)] : [] })),
      outputs: [ref("n59")],
    };
    const branches: GraphView = {
      name: "branches",
      nodes: [
        node("a", "rotate"),
        ...Array.from({ length: 50 }, (_, i) => node(`b${i}`, "rotate", { inputs: [ref("a")] })),
      ],
      outputs: [],
    };
    for (const graph of [chain, branches])
      for (const width of [520, 800, 1100, 1600, 2100]) {
        const at = wayInBox(graph, sizes, { width, height: 430 }, DENSE).positions;
        expect(wayOf(graph, sizes, at, DENSE)).toBeDefined();
        const [first = "", second = ""] = Object.keys(at);
        const [one = { x: 0, y: 0 }, other = { x: 0, y: 0 }] = [at[first], at[second]];
        expect(wayOf(graph, sizes, { ...at, [first]: { x: one.x, y: one.y + 3 } }, DENSE)).toBeUndefined();
        expect(wayOf(graph, sizes, { ...at, [first]: other, [second]: one }, DENSE)).toBeUndefined();
      }
  });
  it("closes up the steps of a large graph, and keeps what follows on one line", () => {
    const steps = Array.from({ length: 12 }, (_, i) => i);
    const nodes = [
      node("reader", "readers.file"),
      node("rest0", "rotate", { inputs: [ref("reader")] }),
      ...steps.flatMap((i) => [
        node(`number${i}`, "cast", { inputs: [ref(`rest${i}`, 1)] }),
        node(`turned${i}`, "rotate", { inputs: [ref(`rest${i}`)] }),
        node(`rest${i + 1}`, "rotate", { inputs: [ref(`rest${i}`, 2), ref(`number${i}`)] }),
      ]),
    ];
    const graph = { name: "steps", nodes, outputs: steps.map((i) => ref(`turned${i}`)) };
    const box = { width: 994, height: 554 };
    const low = new Map(steps.map((i) => [`number${i}`, { width: 148, height: 83 }]));
    const { positions, extent } = wayInBox(graph, low, box, DENSE);
    expect(fittingScale(extent.width, extent.height, box)).toBeGreaterThan(0.55);
    expect(positions.reader?.y).toBe(positions.rest0?.y);
    const places = nodes.map(({ key }) => ({ height: 129, ...low.get(key), ...(positions[key] ?? { x: 0, y: 0 }) }));
    for (const [i, p] of places.entries())
      for (const q of places.slice(i + 1))
        expect(p.x !== q.x || p.y + p.height < q.y || q.y + q.height < p.y).toBe(true);
  });
  it("shows sixty cards in a chain large enough for their pictures in every frame", () => {
    const nodes = Array.from({ length: 60 }, (_, i) =>
      node(`n${i}`, "rotate", { inputs: i ? [ref(`n${i - 1}`)] : [] }),
    );
    for (const box of [
      { width: 560, height: 400 },
      { width: 800, height: 400 },
      { width: 1100, height: 430 },
      { width: 1600, height: 560 },
    ]) {
      const places = Object.values(wayInBox({ name: "c", nodes, outputs: [] }, sizes, box, DENSE).positions);
      const width = Math.max(...places.map((p) => p.x + 148)) - 20;
      const height = Math.max(...places.map((p) => p.y + 129)) - 14;
      const scale = fittingScale(width, height, box);
      expect(["full", "compact", "picture"]).toContain(detailOf(scale));
      expect(Math.max((width * scale) / box.width, (height * scale) / box.height)).toBeGreaterThan(0.85);
    }
  });
  it("breaks many branches into more rows in a tall frame", () => {
    const room = { width: 584, height: 900 };
    const { width, height } = around(drawnIn(branches(5, 16), room).cards);
    const scale = fittingScale(width, height, room);
    expect(scale).toBeGreaterThan(0.36);
    expect(height * scale).toBeGreaterThan(0.8 * room.height);
  });
  it("lets each of many outputs stand on the line of its branch", () => {
    const branches = ["a", "b", "c", "d"];
    const rows = branches.map((key, i) => [key, { x: 0, y: 14 + 300 * i }]);
    const places = { ...Object.fromEntries(rows), [OUTPUTS]: { x: 184, y: 14 } };
    const graph = (keys: readonly string[]): GraphView => ({
      name: "branches",
      nodes: [],
      outputs: [...keys.map((key) => ref(key)), ref("a", 1)],
    });
    const [first = 0, second = 0, , fourth = 0, last = 0] = outputRows(graph(branches), places);
    expect(first).toBeGreaterThan(0);
    expect(second + 10).toBe(314);
    expect(last).toBe(fourth + 48);
    expect(outputsHeight(graph(branches), places)).toBeGreaterThan(last + 20);
    // the card of two has no hole
    expect(outputRows(graph(["a", "b"]), places)).toEqual([30, 50, 70]);
  });
  it("never lets cards overlap", () => {
    const many: GraphView = {
      name: "fan",
      nodes: [
        node("a", "rotate"),
        ...Array.from({ length: 6 }, (_, i) =>
          node(`b${i}`, "rotate", { inputs: [ref("a")], argument_inputs: { angle: ref(`r${i}`) } }),
        ),
        ...Array.from({ length: 6 }, (_, i) => node(`r${i}`, "random.uniform")),
      ],
      outputs: [ref("b0"), ref("b3")],
    };
    const places = Object.values(layoutGraph(many, sizes, 700));
    expect(places).toHaveLength(14);
    for (const [i, p] of places.entries())
      for (const q of places.slice(i + 1)) expect(Math.abs(p.x - q.x) >= 148 || Math.abs(p.y - q.y) >= 171).toBe(true);
  });
  it("finds a place for each of 300 nodes", () => {
    const nodes = Array.from({ length: 300 }, (_, i) =>
      node(`n${i}`, "rotate", { inputs: i ? [ref(`n${(i * 7) % i}`)] : [] }),
    );
    const at = wayInBox({ name: "big", nodes, outputs: [] }, sizes, { width: 911, height: 440 }).positions;
    const places = nodes.map(({ key }) => at[key]);
    expect(places).not.toContain(undefined);
    expect(new Set(places.map((p) => `${p?.x} ${p?.y}`)).size).toBe(300);
  });
});

describe("sources of arguments", () => {
  /** A graph of branches, some of which join, whose steps have up to three numbers of their own; the same for each seed. */
  function branching(seed: number): GraphView {
    let state = seed;
    const draw = (below: number) => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return Math.floor((state / 2147483648) * below);
    };
    const nodes = [node("reader", "readers.file"), node("decode", "decoders.image", { inputs: [ref("reader")] })];
    const steps = ["decode"];
    for (let i = 0; i < 3 + draw(9); i += 1) {
      const from = steps.at(-1 - draw(2)) ?? "decode";
      const joins = draw(5) === 0 ? [ref(steps[draw(steps.length)] ?? "decode")] : [];
      const numbers = Array.from({ length: Math.max(0, draw(6) - 2) }, (_, n) => `number${i}_${n}`);
      nodes.push(...numbers.map((key) => node(key, "random.uniform")));
      nodes.push(
        node(`step${i}`, "rotate", {
          inputs: [ref(from), ...joins],
          argument_inputs: Object.fromEntries(numbers.map((key, n) => [`argument${n}`, ref(key)])),
        }),
      );
      steps.push(`step${i}`);
    }
    return { name: "random", nodes, outputs: steps.slice(-1 - draw(3)).map((key) => ref(key)) };
  }

  const cases = Array.from({ length: 120 }, (_, seed) => branching(seed + 1));
  const laid = (graph: GraphView, box: Size) => {
    const known = sizesIn(graph);
    const { positions } = wayInBox(graph, known, box);
    const sizeOf = (key: string) => known.get(key) ?? { width: CARD, height: outputsHeight(graph, positions) };
    const rects = Object.entries(positions).map(([key, at]) => ({ key, ...at, ...sizeOf(key) }));
    return { rects, positions };
  };
  const sizesIn = (graph: GraphView) =>
    new Map(
      graph.nodes.map(({ key, operator, argument_inputs }) => [
        key,
        { width: 148, height: operator === "random.uniform" ? 104 : 151 + 20 * Object.keys(argument_inputs).length },
      ]),
    );

  it("stand in the column of what they feed or in the one before, where there is room", () => {
    for (const graph of cases) {
      const { positions } = laid(graph, { width: 1300, height: 2000 });
      for (const { key, argument_inputs } of graph.nodes)
        for (const { node: source } of Object.values(argument_inputs))
          expect([0, 1]).toContain(Math.floor(((positions[key]?.x ?? 0) - (positions[source]?.x ?? 0)) / COLUMN));
    }
  });
  it("cover nothing, nor do other cards", () => {
    for (const graph of cases)
      for (const height of [300, 420, 700, 2000]) {
        const { rects } = laid(graph, { width: 1300, height });
        for (const [i, p] of rects.entries()) for (const q of rects.slice(i + 1)) expect(overlap(p, q)).toBe(0);
      }
  });
  it("stand near what they feed, also where there is room far right of it", () => {
    const numbers = ["a", "b", "c", "d", "e", "f"];
    const steps = Array.from({ length: 22 }, (_, i) => `step${i}`);
    const nodes = [
      ...numbers.map((key) => node(key, "random.uniform")),
      ...steps.map((key, i) =>
        node(key, "rotate", {
          inputs: [ref(steps[i - 1] ?? "")].slice(0, i),
          argument_inputs: i === 1 ? Object.fromEntries(numbers.map((name) => [name, ref(name)])) : {},
        }),
      ),
    ];
    const { positions } = laid({ name: "far", nodes, outputs: [] }, { width: 1300, height: 500 });
    for (const key of numbers) expect(positions[key]?.x).toBeLessThan((positions.step1?.x ?? 0) + 4 * COLUMN);
  });
  it("stand on the lines of their rows where many cards hide the wires", () => {
    const views = [1, 2, 3, 4, 5, 6, 7];
    const steps = ["crop", "mirror", "rotate", "twist", "blur", "normalize"];
    const chains = views.flatMap((v) => [
      node(`angle${v}`, "random.uniform"),
      ...steps.map((step, i) =>
        node(`${step}${v}`, "rotate", {
          inputs: [ref(i ? `${steps[i - 1]}${v}` : "decode")],
          argument_inputs: step === "rotate" ? { angle: ref(`angle${v}`) } : {},
        }),
      ),
    ]);
    const nodes = [
      node("reader", "readers.file"),
      node("decode", "decoders.image", { inputs: [ref("reader")] }),
      ...chains,
    ];
    const graph = { name: "views", nodes, outputs: views.map((v) => ref(`normalize${v}`)) };
    const heights = nodes.map(({ key }) => [key, { width: CARD, height: key.startsWith("angle") ? 62 : 129 }] as const);
    const { positions: at } = wayInBox(graph, new Map(heights), { width: 1420, height: 540 }, DENSE);
    for (const v of views.slice(1)) expect([v, at[`angle${v}`]?.y]).toEqual([v, at[`rotate${v}`]?.y]);
  });
  it("go into a free place between cards", () => {
    const floor = new Floor(1, () => 100, DENSE);
    floor.put("one", 0, 14);
    floor.put("two", 0, 400);
    expect([floor.free(0, 0, 120), floor.free(0, 300, 120), floor.top(0)]).toEqual([144, 530, 530]);
    floor.pass(0, 150, 180);
    expect([floor.free(0, 0, 120), floor.top(0)]).toEqual([180, 530]);
    // a card stands below a wire that runs straight through its column
    floor.pass(0, 600, 628);
    expect(floor.top(0)).toBe(628);
  });
});
