import { describe, expect, it, vi } from "vitest";
import { GalleryClient, type GalleryTransport } from "../src/gallery/client";
import { INITIAL, shownTiles } from "../src/gallery/state";
import type { GalleryAnswer, GalleryRequest, Tile } from "../src/protocol/generated";

function tile(name: string, other: Partial<Tile> = {}): Tile {
  return {
    name,
    title: name,
    summary: "",
    category: "color",
    icon: "",
    tags: [],
    geometric: false,
    gpu: true,
    example: false,
    controls: [],
    ...other,
  };
}

const TILES = [
  tile("hsv", { tags: ["hue", "turn"] }),
  tile("rotate", { category: "geometry", geometric: true, summary: "Turns images." }),
  tile("water", { category: "effects", geometric: true, gpu: false }),
  tile("blur", { category: "filters", summary: "Returns means." }),
  tile("gallery/mixup", { title: "Mixup", category: "examples", example: true }),
];

function opened(): { client: GalleryClient; sent: GalleryRequest[]; answer: (message: GalleryAnswer) => void } {
  const sent: GalleryRequest[] = [];
  let listener: (message: GalleryAnswer, buffers: readonly ArrayBuffer[]) => void = () => undefined;
  const transport: GalleryTransport = {
    send: (message) => sent.push(message),
    onMessage: (given) => {
      listener = given;
      return () => undefined;
    },
  };
  const client = new GalleryClient(transport, { width: 266, height: 176 });
  const answer = (message: GalleryAnswer) => listener(message, []);
  client.start();
  answer({ type: "gallery_opened", tiles: TILES, dialects: [{ name: "nvidia.dali", title: "NVIDIA DALI" }] });
  answer({ type: "pictures_chosen", turn: 1, place: "sample photos", names: ["a.jpg"], number: 0 });
  return { client, sent, answer };
}

describe("tiles", () => {
  const state = { ...INITIAL, opened: { type: "gallery_opened" as const, tiles: TILES, dialects: [] } };
  const names = (change: Partial<typeof state>) => shownTiles({ ...state, ...change }).map((t) => t.name);

  it("are found by name before tags before what is said of them", () => {
    expect(names({ query: "TURN" })).toEqual(["hsv", "rotate"]); // and nothing that returns
    expect(names({ query: "rot turn" })).toEqual(["rotate"]);
    expect(names({ query: "nothing" })).toEqual([]);
  });

  it("are filtered by kind, and by what happens to boxes", () => {
    expect(names({ filter: "Shape" })).toEqual(["rotate"]);
    expect(names({ filter: "Noise" })).toEqual(["water", "blur"]);
    expect(names({ filter: "Pipelines" })).toEqual(["gallery/mixup"]);
    expect(names({ filter: "Boxes ok" })).toEqual(["hsv", "blur"]);
  });
});

describe("the client", () => {
  it("asks for what is seen first, once what comes into view is gathered", () => {
    vi.useFakeTimers();
    const { client, sent } = opened();
    client.want(["hsv", "rotate", "water"]);
    client.see("water", true);
    vi.runAllTimers();
    expect(sent.filter((m) => m.type === "show_tiles")).toEqual([
      { type: "show_tiles", names: ["water", "hsv", "rotate"] },
    ]);
    vi.useRealTimers();
  });

  it("has one try on its way, and the latest values win", () => {
    const { client, sent, answer } = opened();
    client.choose("rotate");
    client.set("rotate", "angle", 1);
    client.set("rotate", "angle", 2);
    const tries = () => sent.filter((m) => m.type === "try_tile");
    expect(tries()).toHaveLength(1);
    answer({ type: "not_done", diagnostics: [{ code: "DS302", message: "gone" }] });
    expect(tries()).toHaveLength(2);
    expect(tries()[1]).toMatchObject({ settings: [{ node: "rotate", argument: "angle", value: 2 }] });
    expect(client.store.get().failed).toHaveLength(1);
  });

  it("leaves out what belongs to an earlier picture", () => {
    const { client, answer } = opened();
    answer({ type: "pictures_chosen", turn: 2, place: "", names: ["b.jpg"], number: 0 });
    answer({ type: "tile_time", turn: 1, name: "rotate", milliseconds: 3 });
    expect(client.store.get().times).toEqual({});
    answer({ type: "tile_time", turn: 2, name: "rotate", milliseconds: 4 });
    expect(client.store.get().times).toEqual({ rotate: 4 });
  });
});
