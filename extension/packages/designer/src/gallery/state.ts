import type { Argument } from "../core/catalog";
import { search } from "../core/fuzzy";
import { isOfKind } from "../core/kinds";
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

export interface GalleryState {
  readonly opened: GalleryOpened | null;
  readonly pictures: PicturesChosen | null;
  readonly query: string;
  /** The kind that is shown; empty for all. */
  readonly filter: string;
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
  query: "",
  filter: "",
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

/** The tiles that search and filter leave; of what is searched, the best first. */
export function shownTiles({ opened, query, filter }: Pick<GalleryState, "opened" | "query" | "filter">): Tile[] {
  const tiles = (opened?.tiles ?? []).filter((t) => isOfKind(filter, t.category, t.geometric));
  if (query.trim() === "") return tiles;
  const found = tiles.map((tile) => ({
    tile,
    name: tile.title,
    category: tile.category,
    summary: tile.summary,
    keywords: tile.tags,
    hidden: false,
  }));
  return search(found, query).map((hit) => hit.operator.tile);
}

/** The value of a control: what was set, else that of the tile. */
export function valueIn(settings: readonly Setting[], control: Dial): Value {
  const own = settings.find((s) => s.node === control.node && s.argument === control.argument.name);
  return own === undefined ? control.value : own.value;
}
