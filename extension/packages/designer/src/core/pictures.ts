import type { KernelMessage } from "../protocol/generated";
import { decode, type Images } from "./images";
import type { Bytes } from "./session";
import { cellKey, effectImage, recipeImage } from "./state";

export const STRIP_IMAGE = "@strip";
export const DETAIL_OUT = "@detail-out";
export const DETAIL_IN = "@detail-in";
export const DATA_IMAGE = "@data";
export const PAIR_A = "@pair-a";
export const PAIR_B = "@pair-b";

/** What can be seen of a file that could not be used. */
export function fileImage(source: string): string {
  return `@file-${source}`;
}

/** The picture of a cell of a sheet. */
export function sheetImage(name: string, variant: number, sample: number): string {
  return `@sheet-${name}-${cellKey(variant, sample)}`;
}

/** The pictures that come with messages, but for those of cards, which are shown with what is said of them. */
export class Pictures {
  private readonly arrived: Record<string, number> = {};
  private clock = 0;

  constructor(private readonly images: Images) {}

  /** Decode and show what came with a message. */
  async take(message: KernelMessage, buffers: readonly Bytes[]): Promise<void> {
    if (message.type === "sample_strip") {
      await this.putLatest(STRIP_IMAGE, buffers[0]);
    } else if (message.type === "image_detail") {
      await this.putLatest(DETAIL_OUT, message.has_output ? buffers[0] : undefined);
      await this.putLatest(DETAIL_IN, message.has_input ? buffers[message.has_output ? 1 : 0] : undefined);
    } else if (message.type === "data_set") {
      await this.putLatest(DATA_IMAGE, buffers[0]);
    } else if (message.type === "file_remains") {
      await this.putLatest(fileImage(message.source), buffers[0]);
    } else if (message.type === "pair") {
      for (const [i, id] of [PAIR_A, PAIR_B].entries())
        if (buffers[i]) await this.putLatest(id, buffers[i]);
        else this.images.remove(id); // those of the sample before are none of this one
    } else if (message.type === "effects") {
      await this.cut(message.items, ({ operator }) => effectImage(operator), buffers[0]);
    } else if (message.type === "recipe_pictures") {
      await this.cut(message.items, ({ name }) => recipeImage(name), buffers[0]);
    } else if (message.type === "sheet") {
      await this.cut(message.cells, (c) => sheetImage(message.name, c.variant, c.sample), buffers[0]);
    }
  }

  /** Decode an atlas and cut it into pictures. */
  private async cut<Cell extends object>(
    cells: readonly Cell[],
    idOf: (cell: Cell) => string,
    buffer: Bytes | undefined,
  ): Promise<void> {
    this.clock += 1;
    const turn = this.clock;
    this.images.putCells(
      cells.map((cell) => ({ ...cell, id: idOf(cell) })),
      await decode(buffer),
      turn,
    );
  }

  /** Decode one whole picture; a later one that was decoded sooner stays. */
  private async putLatest(id: string, buffer: Bytes | undefined): Promise<void> {
    this.clock += 1;
    const turn = this.clock;
    const bitmap = await decode(buffer);
    if (turn < (this.arrived[id] ?? 0)) {
      bitmap?.close();
      return;
    }
    this.arrived[id] = turn;
    if (!bitmap) this.images.remove(id);
    else this.images.put(id, { bitmap, x: 0, y: 0, width: bitmap.width, height: bitmap.height, revision: 0, turn });
  }
}
