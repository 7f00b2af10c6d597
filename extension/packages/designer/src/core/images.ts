import type { LabelTwin, Previews } from "../protocol/generated";
import { portKey } from "./state";

/** A part of a decoded picture. */
export interface Picture {
  readonly bitmap: ImageBitmap;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly revision: number;
  /** Order of arrival of its message: decoding may end in another order. */
  readonly turn: number;
}

type Listener = () => void;

/** Decoded pictures, outside of React: canvases subscribe to their own key and draw at once. */
export class Images {
  private readonly images = new Map<string, Picture>();
  private readonly users = new Map<ImageBitmap, number>();
  private readonly listeners = new Map<string, Set<Listener>>();

  get(id: string): Picture | undefined {
    return this.images.get(id);
  }

  subscribe(id: string, listener: Listener): () => void {
    const set = this.listeners.get(id) ?? new Set();
    this.listeners.set(id, set);
    set.add(listener);
    return () => set.delete(listener);
  }

  put(id: string, picture: Picture): void {
    const old = this.images.get(id);
    this.images.set(id, picture);
    this.users.set(picture.bitmap, (this.users.get(picture.bitmap) ?? 0) + 1);
    if (old) this.release(old.bitmap);
    this.tell(id);
  }

  remove(id: string): void {
    const old = this.images.get(id);
    if (!old) return;
    this.images.delete(id);
    this.release(old.bitmap);
    this.tell(id);
  }

  clear(): void {
    for (const id of [...this.images.keys()]) this.remove(id);
  }

  /** Cut an atlas into the pictures of its items; items without a picture lose theirs. */
  putAtlas(message: Previews | LabelTwin, bitmap: ImageBitmap | null): void {
    for (const item of message.items) {
      const id = portKey(item.key, item.output);
      const old = this.images.get(id);
      if (old && old.revision > message.revision) continue;
      if (bitmap && item.atlas_width > 0) {
        const { atlas_x: x, atlas_y: y, atlas_width: width, atlas_height: height } = item;
        this.put(id, { bitmap, x, y, width, height, revision: message.revision, turn: 0 });
      } else {
        this.remove(id);
      }
    }
    if (bitmap && !this.users.has(bitmap)) bitmap.close();
  }

  /** Cut an atlas into named pictures; those without a place lose theirs. */
  putCells(
    cells: readonly { id: string; x?: number; y?: number; width?: number; height?: number }[],
    bitmap: ImageBitmap | null,
    turn: number,
  ): void {
    for (const { id, x = 0, y = 0, width = 0, height = 0 } of cells) {
      const old = this.images.get(id);
      if (old && old.turn > turn) continue;
      if (bitmap && width > 0) this.put(id, { bitmap, x, y, width, height, revision: 0, turn });
      else this.remove(id);
    }
    if (bitmap && !this.users.has(bitmap)) bitmap.close();
  }

  private release(bitmap: ImageBitmap): void {
    const left = (this.users.get(bitmap) ?? 1) - 1;
    if (left > 0) {
      this.users.set(bitmap, left);
      return;
    }
    this.users.delete(bitmap);
    bitmap.close();
  }

  private tell(id: string): void {
    for (const listener of [...(this.listeners.get(id) ?? [])]) listener();
  }
}

/** Decode a binary buffer of a message; null if the browser cannot. */
export async function decode(buffer: DataView | ArrayBuffer | undefined): Promise<ImageBitmap | null> {
  if (!buffer || buffer.byteLength === 0) return null;
  const bytes =
    buffer instanceof ArrayBuffer
      ? new Uint8Array(buffer)
      : new Uint8Array(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength);
  try {
    return await createImageBitmap(new Blob([bytes]));
  } catch {
    return null;
  }
}
