import type { Argument } from "../core/catalog";
import type {
  Diagnostic,
  GalleryOpened,
  PicturesChosen,
  Setting,
  Tile,
  TileControl,
  TileDetail,
  TileSweep,
  Value,
} from "../protocol/generated";

export type Filter = "all" | "shape" | "colour" | "quality" | "examples";

export interface GalleryState {
  readonly opened: GalleryOpened | null;
  readonly pictures: PicturesChosen | null;
  /** Why there are none; empty where they come. */
  readonly reason: string;
  readonly query: string;
  readonly filter: Filter;
  readonly keepsBoxes: boolean;
  readonly gpu: boolean;
  /** The tile that is open beside the others. */
  readonly chosen: string | null;
  /** Values that differ from those of the tile, by its name. */
  readonly settings: Readonly<Record<string, readonly Setting[]>>;
  readonly marks: Readonly<Record<string, { readonly note: string; readonly whole: boolean }>>;
  readonly times: Readonly<Record<string, number>>;
  readonly detail: TileDetail | null;
  readonly sweep: TileSweep | null;
  /** Node and argument whose values were asked for. */
  readonly sweepOf: string;
  readonly dialect: string;
  readonly said: string;
  readonly failed: readonly Diagnostic[];
  /** The model of a designer that was opened. */
  readonly designer: string | null;
}

export const INITIAL: GalleryState = {
  opened: null,
  pictures: null,
  reason: "",
  query: "",
  filter: "all",
  keepsBoxes: false,
  gpu: false,
  chosen: null,
  settings: {},
  marks: {},
  times: {},
  detail: null,
  sweep: null,
  sweepOf: "",
  dialect: "",
  said: "",
  failed: [],
  designer: null,
};

/** A control whose argument has every default filled in. */
export interface Dial extends Omit<TileControl, "argument"> {
  readonly argument: Argument;
}

export function dials(tile: Tile): readonly Dial[] {
  return tile.controls as readonly Dial[];
}

const CATEGORIES: Readonly<Record<Filter, (tile: Tile) => boolean>> = {
  all: () => true,
  shape: (t) => t.category === "geometry" || (t.geometric && !t.example),
  colour: (t) => t.category === "color",
  quality: (t) => ["effects", "filters", "noise"].includes(t.category) && !t.geometric,
  examples: (t) => t.example,
};

/** How well a tile answers a word: its name first, then what it is about; 0 if it does not. */
function score(tile: Tile, word: string): number {
  const name = tile.title.toLowerCase();
  if (name.startsWith(word)) return 8;
  if (name.includes(word)) return 6;
  if (tile.tags.some((t) => t.toLowerCase().startsWith(word))) return 4;
  return tile.summary.toLowerCase().includes(word) || tile.category.includes(word) ? 2 : 0;
}

/** The tiles that search and filters leave, the best first. */
export function shownTiles(state: Pick<GalleryState, "opened" | "query" | "filter" | "keepsBoxes" | "gpu">): Tile[] {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  const found: { tile: Tile; score: number }[] = [];
  for (const tile of state.opened?.tiles ?? []) {
    if (!CATEGORIES[state.filter](tile) || (state.keepsBoxes && tile.geometric) || (state.gpu && !tile.gpu)) continue;
    const scores = words.map((w) => score(tile, w));
    if (scores.every((s) => s > 0)) found.push({ tile, score: scores.reduce((a, b) => a + b, 0) });
  }
  return found.sort((a, b) => b.score - a.score).map((f) => f.tile);
}

/** The value of a control: what was set, else that of the tile. */
export function valueIn(settings: readonly Setting[], control: Dial): Value {
  const own = settings.find((s) => s.node === control.node && s.argument === control.argument.name);
  return own === undefined ? control.value : own.value;
}
