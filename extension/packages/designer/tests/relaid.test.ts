import { describe, expect, it } from "vitest";
import { removeStep } from "../src/core/actions";
import { heightTab } from "../src/core/drawer";
import { freeSpot } from "../src/core/freeSpot";
import { nodeOf, OUTPUTS, SPLIT } from "../src/core/graph";
import { CARD, COLUMN, outputRows, outputsHeight, PORT } from "../src/core/layout";
import { ROOM as FRAME, framesOf } from "../src/core/marks";
import { nameShifts } from "../src/core/outputs";
import { Session } from "../src/core/session";
import { spliceEdits } from "../src/core/splice";
import { INITIAL, type State } from "../src/core/state";
import { cardOf, placeOf } from "../src/core/subgraph";
import { firstSwept } from "../src/core/sweep";
import { toggleBox } from "../src/react/boxes";
import { firstPlaces, layoutOf, layoutOfSelected, placesIn, reflowed, relaid } from "../src/react/canvas/sizes";
import { insertOperator } from "../src/react/quickAdd";
import { FakeKernel, GRAPH, INDEX, node, OPENED, ref } from "./fixtures";
import { branches, drawnIn, GALLERY, RANDOM } from "./galleryGraphs";

const ROOM = { width: 1200, height: 600 };
const opening = { ...OPENED, catalog: INDEX } as unknown as State["opening"];
const before: State = { ...INITIAL, graph: GRAPH, opening };
const state: State = { ...before, positions: layoutOf(before, ROOM) };
const wire = { id: "w", source: ref("decode"), slot: { kind: "input", node: "rotate", input: 0 } } as const;

describe("relaid", () => {
  it("puts a step that is inserted between two others into their row", () => {
    const graph = { ...GRAPH, nodes: [...GRAPH.nodes, node("turn", "rotate")] };
    const loose = { ...state, graph, positions: { ...state.positions, turn: { x: 500, y: 400 } } };
    const edits = spliceEdits({ graph, catalog: INDEX }, "turn", wire);
    expect(edits).not.toBeNull();
    const places = relaid(loose, edits ?? [], ROOM, "turn");
    const row = ["reader", "decode", "turn", "rotate", OUTPUTS].map((key) => places[key]);
    expect(new Set(row.map((at) => at?.y)).size).toBe(1);
    expect(row.map((at) => at?.x)).toEqual([...row.map((at) => at?.x)].sort((a, b) => (a ?? 0) - (b ?? 0)));
  });

  it("closes the gap of a step that is taken out", () => {
    const places = relaid(state, removeStep(GRAPH, ["rotate", "angle"], []).edits, ROOM);
    expect(places[OUTPUTS]?.x).toBe(state.positions.rotate?.x);
  });

  it("leaves cards alone that somebody has moved", () => {
    const moved = { ...state, positions: { ...state.positions, rotate: { x: 900, y: 500 } } };
    const { edits } = removeStep(GRAPH, ["rotate", "angle"], []);
    expect(relaid(moved, edits, ROOM)).toEqual({});
  });
});

describe("selected cards", () => {
  it("stand as they would with what they feed: sources of data in the row, numbers below", () => {
    for (const nodes of [GRAPH.nodes, [...GRAPH.nodes].reverse()]) {
      const view = { ...INITIAL.view, selection: ["angle", "reader"] };
      const places = layoutOfSelected({ ...state, graph: { ...GRAPH, nodes }, view }, ROOM);
      expect(Object.keys(places)).toHaveLength(2);
      expect(places.angle?.y).toBeGreaterThan(places.reader?.y ?? Number.POSITIVE_INFINITY);
      expect(places.angle?.x).toBe(places.reader?.x);
    }
  });
});

describe("the outputs, while nothing is returned", () => {
  const graph = { ...GRAPH, outputs: [] };
  it("give way to cards that come where they are, and stay elsewhere", () => {
    const begun = layoutOf({ ...before, graph }, ROOM);
    expect(begun[OUTPUTS]).toBeUndefined();
    const right = Math.max(...Object.values(begun).map((at) => at.x)) + COLUMN;
    for (const [at, x] of [
      [begun.decode, right],
      [{ x: 900, y: 400 }, undefined],
    ] as const)
      if (at) expect(layoutOf({ ...before, graph, positions: { [OUTPUTS]: at } }, ROOM)[OUTPUTS]?.x).toBe(x);
  });
});

describe("a pinned place", () => {
  const at = { x: state.positions.rotate?.x ?? 0, y: state.positions.rotate?.y ?? 0 };
  const pinned: State = {
    ...state,
    marks: { fixed1: { type: "fixed", node: "decode" } },
    positions: { ...state.positions, decode: { x: at.x + 20, y: at.y + 10 } },
  };
  it("is left, and what would stand on it goes below", () => {
    const places = layoutOf(pinned, ROOM);
    expect(places.decode).toBeUndefined();
    expect(places.reader).toEqual(state.positions.reader);
    expect(places.rotate?.x).toBe(at.x);
    expect(places.rotate?.y).toBeGreaterThan(at.y + 100);
    const selected = { ...pinned, view: { ...pinned.view, selection: ["decode", "reader"] } };
    expect(layoutOfSelected(selected, ROOM).decode).toBeUndefined();
  });

  it("stand about one that is pinned, as large as without it", () => {
    const cutmix = GALLERY.find((g) => g.name === "cutmix") ?? GRAPH;
    const free: State = { ...before, graph: cutmix };
    const places = layoutOf(free, ROOM);
    for (const { key } of cutmix.nodes) {
      const at = places[key] ?? { x: 0, y: 0 };
      const positions = { ...places, [key]: { x: at.x - 130, y: at.y + 300 } };
      const pinned: State = { ...free, positions, marks: { fixed1: { type: "fixed", node: key } } };
      const found = layoutOf(pinned, ROOM);
      expect(found[key]).toBeUndefined();
      const sides = (all: Readonly<Record<string, { x: number; y: number }>>) =>
        (["x", "y"] as const).map((axis) => {
          const values = Object.values(all).map((p) => p[axis]);
          return Math.max(...values) - Math.min(...values);
        });
      expect(sides({ ...positions, ...found })).toEqual(sides(places));
    }
  });
  it("is left where the room changes", () => {
    const here = { ...pinned, positions: state.positions };
    const places = reflowed(here, { width: 380, height: 900 });
    expect(places?.rotate).not.toEqual(state.positions.rotate);
    expect(places).not.toHaveProperty("decode");
  });
});

describe("another room", () => {
  it("gives the places that it gives at first, whatever the rooms before", () => {
    const rooms = [1324, 776, 1076, 496, 776].map((width) => ({ width, height: 505 }));
    for (const graph of GALLERY) {
      let state: State = { ...before, graph };
      for (const room of rooms) {
        const first = layoutOf({ ...before, graph }, room);
        state = { ...state, positions: reflowed(state, room) ?? state.positions };
        if (Object.keys(state.positions).length === 0) state = { ...state, positions: first };
        expect([graph.name, state.positions]).toEqual([graph.name, first]);
      }
    }
  });
});

describe("a room of another shape", () => {
  it("gets its own places also when a card is used no more since, unless somebody has moved one", () => {
    const wide = layoutOf(before, { width: 1500, height: 250 });
    const nodes = GRAPH.nodes.map((n) => (n.key === "rotate" ? { ...n, argument_inputs: {} } : n));
    const kept: State = { ...before, graph: { ...GRAPH, nodes }, positions: wide };
    const room = { width: 600, height: 600 };
    expect(reflowed(kept, room, 2, wide)).toEqual(layoutOf({ ...before, graph: { ...GRAPH, nodes } }, room));
    const moved = { ...kept, positions: { ...wide, rotate: { x: 900, y: 500 } } };
    expect(reflowed(moved, room, 2, wide)).toBeNull();
  });
});

describe("cards of which some are boxes", () => {
  it.each([true, false])(
    "get the places of a room of another shape (collapsed: %s), unless one was moved",
    (collapsed) => {
      const graph = GALLERY.find((g) => g.name === "resnet50") ?? GRAPH;
      const keys = graph.nodes.slice(1, 3).map((n) => n.key);
      const group = {
        type: "group",
        keys,
        title: "g",
        hue: "",
        subgraph: true,
        collapsed,
        exposed: [],
        about: "",
      } as const;
      const marked: State = { ...before, graph, marks: { g: group } };
      const wide: State = { ...marked, positions: layoutOf(marked, { width: 1500, height: 250 }) };
      const room = { width: 500, height: 800 };
      const places = reflowed(wide, room, 2, wide.positions);
      expect(places).toEqual(layoutOf(wide, room));
      expect(places).not.toEqual(wide.positions);
      const [moved = ""] = keys;
      const positions = { ...wide.positions, [moved]: { x: 900, y: 500 } };
      expect(reflowed({ ...wide, positions }, room, 2, wide.positions)).toBeNull();
    },
  );
});

describe("cards", () => {
  it("keep 12 px above each other", () => {
    const many = [branches(7, 7), branches(5, 12), branches(4, 16)];
    for (const [width, height] of [
      [1600, 700],
      [1100, 500],
      [780, 400],
    ] as const)
      for (const graph of [...GALLERY, ...RANDOM, ...many]) {
        const { cards } = drawnIn(graph, { width, height });
        const gaps = cards.flatMap((a) =>
          cards.flatMap((b) => (a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y ? b.y - a.y - a.height : [])),
        );
        expect([graph.name, width, Math.min(99, ...gaps) >= 12]).toEqual([graph.name, width, true]);
      }
  });
});

describe("an `if` without another one in it", () => {
  it("stands in one row with its step and what ends it", () => {
    const found = GALLERY.flatMap((graph) => {
      const at = layoutOf({ ...before, graph }, { width: 1324, height: 640 });
      const byKey = new Map(graph.nodes.map((n) => [n.key, n]));
      return graph.nodes.flatMap((end) => {
        const [a, b] = end.inputs.map((input) => byKey.get(input?.node ?? ""));
        if (!a || a.inputs[0]?.node !== b?.key || b?.operator !== SPLIT) return [];
        return [[b, a, end].map((n) => at[n.key]?.x ?? 0)];
      });
    });
    expect(found.length).toBeGreaterThan(10);
    for (const row of found) expect(row).toEqual([...row].sort((p, q) => p - q));
  });
});

describe("a card that comes into a wire", () => {
  const moved: State = {
    ...state,
    graph: { ...GRAPH, nodes: [...GRAPH.nodes, node("turn", "rotate")] },
    positions: {
      reader: { x: 20, y: 90 },
      decode: { x: 204, y: 90 },
      angle: { x: 250, y: 300 },
      rotate: { x: 400, y: 110 },
      [OUTPUTS]: { x: 600, y: 130 },
      turn: { x: 380, y: 500 },
    },
  };

  it("stands behind what it takes, and those right of it make room", () => {
    const places = placesIn(moved, "turn", wire);
    expect(places).toEqual({
      turn: { x: 388, y: 90 },
      rotate: { x: 572, y: 110 },
      [OUTPUTS]: { x: 772, y: 130 },
    });
  });

  it("moves nothing where there is room", () => {
    const far = {
      ...moved,
      positions: { ...moved.positions, rotate: { x: 900, y: 90 }, [OUTPUTS]: { x: 1200, y: 90 } },
    };
    expect(placesIn(far, "turn", wire)).toEqual({ turn: { x: 388, y: 90 } });
  });
});

describe("the first places", () => {
  const branches = ["a", "b", "c", "d"].map((key) => node(key, "rotate", { inputs: [ref("decode")] }));
  const tall = {
    ...before,
    graph: { ...GRAPH, nodes: [...GRAPH.nodes, ...branches], outputs: branches.map((n) => ref(n.key)) },
  };

  it("take the program's room where cards would be small beside it", () => {
    const low = { width: 700, height: 350 };
    const { positions, folds } = firstPlaces(tall, low, 200);
    expect(folds).toBe(true);
    expect(positions).toEqual(layoutOf(tall, { ...low, height: 550 }));
    expect(firstPlaces(tall, low, 0).folds).toBe(false);
  });

  it("leave the program where cards can be read", () => {
    expect(firstPlaces(before, ROOM, 200)).toEqual({ positions: layoutOf(before, ROOM), folds: false });
  });
});

describe("a box", () => {
  it("that is made of a node and what it draws leaves the others in their row", () => {
    const kernel = new FakeKernel();
    const session = new Session(kernel, 296);
    kernel.open(session);
    session.room = ROOM;
    session.move(state.positions);
    session.select(["rotate", "angle"]);
    toggleBox(session);
    const { positions } = session.store.get();
    const row = ["reader", "decode", "rotate", OUTPUTS].map((key) => positions[key]?.y);
    expect(row).toEqual(["reader", "decode", "rotate", OUTPUTS].map((key) => state.positions[key]?.y));
    expect(placeOf(session.store.get(), cardOf(session.store.get(), "rotate"))?.x).toBeGreaterThan(
      (positions.decode?.x ?? 0) + CARD,
    );
    toggleBox(session);
    // opened, its own stand below each other, and the row goes on at the height of its name
    const { positions: at } = session.store.get();
    expect(at.angle?.x).toBe(at.rotate?.x);
    expect(["reader", "decode", "rotate"].map((key) => at[key]?.y)).toEqual([14, 14, 14].map((y) => y + FRAME.top));
    const cards = ["decode", "rotate", "angle"].map((key) => {
      const { x, y } = at[key] ?? { x: 0, y: 0 };
      return [key, { x, y, width: CARD, height: 171 }] as const;
    });
    const [group] = Object.values(session.store.get().marks);
    expect(group?.type === "group" && framesOf(group, new Map(cards))).toHaveLength(1);
  });
});

describe("an operator at the end of a wire that was let go", () => {
  const place = { x: 700, y: 420 };
  const slot = { kind: "argument", node: "rotate", argument: "fill_value" } as const;
  it.each([
    ["of a result", { from: ref("rotate"), to: null }, { x: 700, y: 420 - PORT }],
    ["of an argument", { from: null, to: slot }, { x: 700 - CARD, y: 420 - PORT }],
  ])("stands with its port there, %s", (_, ends, at) => {
    const kernel = new FakeKernel();
    const session = new Session(kernel, 296);
    kernel.open(session);
    session.room = ROOM;
    session.move(state.positions);
    const operator = INDEX.byName.get(ends.from ? "rotate" : "random.uniform");
    const key = operator && insertOperator(session, operator, { at: place, ...ends });
    const { [key ?? ""]: made, ...others } = session.store.get().positions;
    expect(Math.hypot((made?.x ?? 0) - at.x, (made?.y ?? 0) - at.y)).toBeLessThan(4);
    expect(others.rotate).toEqual(state.positions.rotate);
    // what the pipeline returns of it is right of it
    if (ends.from) expect(others[OUTPUTS]?.x).toBeGreaterThanOrEqual((made?.x ?? 0) + COLUMN);
  });
});

describe("operators added one by one", () => {
  const rotate = INDEX.byName.get("rotate");
  const begun = () => {
    const kernel = new FakeKernel();
    const session = new Session(kernel, 296);
    kernel.open(session);
    session.room = { width: 1000, height: 700 };
    session.move(layoutOf({ ...session.store.get(), opening }, session.room));
    const { angle: _, ...positions } = session.store.get().positions;
    session.edit([{ type: "remove_node", key: "angle" }], { positions });
    return session;
  };
  const follow = (session: Session, from: string) =>
    (rotate && insertOperator(session, rotate, { at: { x: 0, y: 0 }, from: ref(from), to: null, selected: true })) ??
    "";
  const sideOf = (session: Session) => {
    const { positions } = session.store.get();
    const xs = Object.values(positions).map((at) => at.x);
    return Math.max(...xs) + CARD - Math.min(...xs);
  };

  it("stand as the layout has them, though a wire was let go before, once they would not be readable", () => {
    const session = begun();
    let last = rotate && insertOperator(session, rotate, { at: { x: 700, y: 330 }, from: ref("rotate"), to: null });
    expect(session.store.get().positions[last ?? ""]?.y).toBeGreaterThan(300);
    for (let i = 0; i < 6; i += 1) last = follow(session, last ?? "");
    expect(session.store.get().positions).toMatchObject(layoutOf(session.store.get(), session.room));
  });

  it("stand where a wire was let go, also where all cards are seen smaller then", () => {
    const session = begun();
    session.room = { width: 600, height: 300 };
    const at = { x: 900, y: 330 };
    const key = rotate && insertOperator(session, rotate, { at, from: ref("rotate"), to: null });
    expect(session.store.get().positions[key ?? ""]).toEqual({ x: at.x, y: at.y - PORT });
  });

  it("stand where somebody pointed, behind what was selected, and all others stay, also later", () => {
    const session = begun();
    const { positions } = session.store.get();
    const options = { at: { x: 740, y: 480 }, from: ref("decode"), to: null, selected: true, pointed: true };
    const key = rotate && insertOperator(session, rotate, options);
    expect(session.store.get().positions).toEqual({ ...positions, [key ?? ""]: options.at });
    expect(nodeOf(session.store.get().graph, key ?? "")?.inputs).toEqual([ref("decode")]);
    follow(session, "rotate");
    expect(session.store.get().positions[key ?? ""]).toEqual(options.at);
  });

  it.each([
    ["as the layout has them", {}],
    ["where somebody has moved a card", { angle: { x: 240, y: 460 } }],
  ])("come into the row before a box, %s", (_, positions) => {
    const session = begun();
    follow(session, "decode");
    session.select(["rotate"]);
    toggleBox(session);
    session.edit([], { positions });
    const made = follow(session, "decode");
    const state = session.store.get();
    const [before, own, box] = ["decode", made, cardOf(state, "rotate")].map((id) => placeOf(state, id));
    expect(box?.y).toBe(own?.y);
    expect(before?.y).toBe(own?.y);
    expect(own?.x).toBeGreaterThanOrEqual((before?.x ?? 0) + COLUMN);
    expect(box?.x).toBeGreaterThanOrEqual((own?.x ?? 0) + COLUMN);
  });

  it("go on in the next row where somebody has moved a card, which stays", () => {
    const session = begun();
    session.edit([], { positions: { decode: { x: 240, y: 60 } } });
    let last = "rotate";
    for (let i = 0; i < 7; i += 1) last = follow(session, last);
    expect(session.store.get().positions.decode).toEqual({ x: 240, y: 60 });
    expect(sideOf(session)).toBeLessThan(1000);
  });
});

describe("a sweep", () => {
  it("begins with an argument that the node has, which the others may contradict", () => {
    const offered = [{ name: "resize_x" }, { name: "resize_shorter" }] as never;
    const bare = node("resize", "resize");
    expect(firstSwept({ ...bare, arguments: { resize_shorter: 256 } }, offered)?.name).toBe("resize_shorter");
    expect(firstSwept({ ...bare, argument_inputs: { resize_shorter: ref("angle") } }, offered)?.name).toBe(
      "resize_shorter",
    );
    expect(firstSwept(bare, offered)?.name).toBe("resize_x");
  });
});

describe("outputs", () => {
  it("are no taller for a branch that was moved far away", () => {
    const keys = ["a", "b", "c", "d"];
    const rows = keys.map((key, i) => [key, { x: 400, y: 200 * (i + 1) }]);
    const near = { [OUTPUTS]: { x: 800, y: 14 }, ...Object.fromEntries(rows) };
    const graph = { ...GRAPH, outputs: keys.map((key) => ref(key)) };
    expect(outputRows(graph, near)).toEqual([190, 390, 590, 790]);
    expect(outputRows(graph, { ...near, d: { x: 400, y: 1600 } })).toEqual([190, 390, 590, 638]);
  });
  it("stand on the lines of branches in blocks side by side, those of the last block first", () => {
    const keys = Array.from({ length: 9 }, (_, i) => `k${i}`);
    const at = (i: number) => ({ x: 400 * Math.floor(i / 3), y: 54 + 150 * (i % 3) });
    const places = { [OUTPUTS]: { x: 1200, y: 14 }, ...Object.fromEntries(keys.map((key, i) => [key, at(i)])) };
    const graph = { ...GRAPH, outputs: [...keys.map((key) => ref(key)), { node: "k0", output: 1 }] };
    expect(outputRows(graph, places)).toEqual([140, 290, 440, 92, 242, 392, 44, 194, 344, 488]);
    expect(outputsHeight(graph, places)).toBe(488 + 20 + 22);
    expect(nameShifts([60, 30, 40], 0.5)).toEqual([4, -5, 2]);
  });
  it("are numbered where a number has room beside its dot", () => {
    expect(nameShifts([30, 78, 126], 0.5)).toEqual([0, 0, 0]);
    expect(nameShifts([30, 50, 70], 0.4)).toEqual([-4, 0, 4]);
    expect(nameShifts([30, 50, 70, 90], 0.4)).toEqual([-6, -2, 2, 6]);
    const shown = nameShifts(
      Array.from({ length: 31 }, (_, i) => 30 + 20 * i),
      0.22,
    ).flatMap((by, i) => (by === null ? [] : [(30 + 20 * i) * 0.22 + by]));
    expect(shown.length).toBeGreaterThan(9);
    expect(Math.min(...shown.slice(1).map((y, i) => y - (shown[i] ?? 0)))).toBeGreaterThanOrEqual(12 - 1e-9);
  });
});

describe("room", () => {
  it("is not taken by a card that would cover others", () => {
    const size = { width: 200, height: 150 };
    const frame = { x: 0, y: 0, width: 300, height: 200 };
    const cards = [{ x: 0, y: 0, width: 300, height: 200 }];
    expect(freeSpot(size, { x: 0, y: 0, width: 100, height: 100 }, cards, frame, { most: 100 })).toBeNull();
    expect(freeSpot(size, { x: 0, y: 0, width: 100, height: 100 }, cards, frame)).not.toBeNull();
  });

  it("has the same height for all tabs but the program's", () => {
    expect([null, "code", "batch", "runs", "data"].map((tab) => heightTab(tab as never))).toEqual([
      "code",
      "code",
      "batch",
      "batch",
      "batch",
    ]);
  });
});
