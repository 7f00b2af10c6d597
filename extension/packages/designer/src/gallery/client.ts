import { fillArgument } from "../core/catalog";
import { decode, Images } from "../core/images";
import type { Bytes } from "../core/session";
import { createStore, type Store } from "../core/store";
import type { GalleryAnswer, GalleryRequest, Setting, Tile, Value } from "../protocol/generated";
import { type GalleryState, INITIAL } from "./state";

/** How messages travel; the widget wraps what it has in this. */
export interface GalleryTransport {
  send(message: GalleryRequest, buffers?: ArrayBuffer[]): void;
  onMessage(listener: (message: GalleryAnswer, buffers: readonly Bytes[]) => void): () => void;
}

export const GIVEN = "@given";
export const DETAIL_IN = "@detail-in";
export const DETAIL_OUT = "@detail-out";

export function sweepImage(place: number): string {
  return `@sweep-${place}`;
}

/** Time in ms in which what comes into view is gathered for one request. */
const GATHER = 30;

/** One view's conversation with the kernel about tiles. */
export class GalleryClient {
  readonly store: Store<GalleryState> = createStore(INITIAL);
  readonly images = new Images();
  private readonly stop: () => void;
  private readonly seen = new Set<string>();
  private readonly there = new Set<string>();
  private wanted: readonly string[] = [];
  private gather: ReturnType<typeof setTimeout> | undefined;
  private turn = 0;
  private arrived = 0;
  private trying = false;
  private again = false;

  constructor(
    private readonly transport: GalleryTransport,
    private readonly size: { readonly width: number; readonly height: number },
  ) {
    this.stop = transport.onMessage((message, buffers) => this.receive(message, buffers));
  }

  start(): void {
    this.transport.send({ type: "browse", ...this.size });
  }

  close(): void {
    clearTimeout(this.gather);
    this.stop();
    this.images.clear();
  }

  send(message: GalleryRequest, buffers?: ArrayBuffer[]): void {
    this.transport.send(message, buffers);
  }

  view(change: Partial<GalleryState>): void {
    this.store.set((s) => ({ ...s, ...change }));
  }

  // ---------------------------------------------------------------------------------------------------------- tiles

  /** The tiles that search and filters leave, in their order: pictures of others are not needed now. */
  want(names: readonly string[]): void {
    if (names.join("|") === this.wanted.join("|")) return;
    this.wanted = names;
    this.ask();
  }

  /** A tile came into view, or left it: what is seen is made first. */
  see(name: string, seen: boolean): void {
    if (seen === this.seen.has(name)) return;
    if (seen) this.seen.add(name);
    else this.seen.delete(name);
    if (seen && !this.there.has(name)) this.ask();
  }

  private ask(): void {
    clearTimeout(this.gather);
    this.gather = setTimeout(() => {
      if (this.turn === 0) return;
      const missing = this.wanted.filter((n) => !this.there.has(n));
      const names = [...missing.filter((n) => this.seen.has(n)), ...missing.filter((n) => !this.seen.has(n))];
      this.send({ type: "show_tiles", names });
    }, GATHER);
  }

  // ----------------------------------------------------------------------------------------------------------- detail

  choose(name: string | null): void {
    this.view({ chosen: name, detail: null, sweep: null, sweepOf: "", said: "" });
    for (const id of [DETAIL_IN, DETAIL_OUT]) this.images.remove(id);
    this.attempt();
  }

  tile(): Tile | undefined {
    const { opened, chosen } = this.store.get();
    return opened?.tiles.find((t) => t.name === chosen);
  }

  settings(): readonly Setting[] {
    const { chosen, settings } = this.store.get();
    return (chosen && settings[chosen]) || [];
  }

  set(node: string, argument: string, value: Value): void {
    const { chosen } = this.store.get();
    if (!chosen) return;
    const others = this.settings().filter((s) => s.node !== node || s.argument !== argument);
    this.store.set((s) => ({ ...s, settings: { ...s.settings, [chosen]: [...others, { node, argument, value }] } }));
    this.attempt();
  }

  reset(): void {
    const { chosen } = this.store.get();
    if (chosen) this.store.set((s) => ({ ...s, settings: { ...s.settings, [chosen]: [] } }));
    this.attempt();
  }

  speak(dialect: string): void {
    this.view({ dialect });
    this.attempt();
  }

  /** Ask for the chosen tile as it is set; one request is on its way at most, and the latest values win. */
  private attempt(): void {
    const { chosen, dialect } = this.store.get();
    if (!chosen) return;
    if (this.trying) {
      this.again = true;
      return;
    }
    this.trying = true;
    this.send({ type: "try_tile", name: chosen, settings: this.settings(), dialect });
  }

  private answered(): void {
    this.trying = false;
    if (!this.again) return;
    this.again = false;
    this.attempt();
  }

  sweep(node: string, argument: string, values: readonly Value[]): void {
    const { chosen } = this.store.get();
    if (!chosen) return;
    this.view({ sweepOf: `${node}.${argument}` });
    this.send({ type: "sweep_tile", name: chosen, settings: this.settings(), node, argument, values });
  }

  take(intoGraph: boolean): void {
    const { chosen } = this.store.get();
    if (chosen) this.send({ type: "take_tile", name: chosen, settings: this.settings(), into_graph: intoGraph });
  }

  async bring(file: File): Promise<void> {
    this.send({ type: "upload_picture", name: file.name }, [await file.arrayBuffer()]);
  }

  // -------------------------------------------------------------------------------------------------------- receiving

  private receive(message: GalleryAnswer, buffers: readonly Bytes[]): void {
    switch (message.type) {
      case "gallery_opened": {
        const tiles = message.tiles.map((tile) => ({
          ...tile,
          controls: tile.controls.map((c) => ({ ...c, argument: fillArgument(c.argument) })),
        }));
        const dialect = this.store.get().dialect || (message.dialects[0]?.name ?? "");
        this.view({ opened: { ...message, tiles }, dialect });
        return;
      }
      case "pictures_chosen":
        this.turn = message.turn;
        this.there.clear();
        this.view({ pictures: message, failed: [], sweep: null, sweepOf: "", times: {} });
        this.put([{ id: GIVEN }], buffers[0]);
        this.ask();
        this.again = false;
        this.trying = false;
        this.attempt();
        return;
      case "tile_pictures": {
        if (message.turn !== this.turn) return;
        for (const { name } of message.items) this.there.add(name);
        const marks = { ...this.store.get().marks };
        const times = { ...this.store.get().times };
        for (const { name, note, whole, milliseconds } of message.items) {
          marks[name] = { note, whole };
          if (milliseconds) times[name] ??= milliseconds; // one that was tried was measured more than once
        }
        this.view({ marks, times });
        this.put(
          message.items.map((item) => ({ ...item, id: item.name })),
          buffers[0],
        );
        return;
      }
      case "tile_detail": {
        if (message.turn === this.turn && message.name === this.store.get().chosen) {
          this.view({ detail: message });
          this.put([{ id: DETAIL_IN }], buffers[0]);
          this.put([{ id: DETAIL_OUT }], message.has_result ? buffers[1] : undefined);
        }
        this.answered();
        return;
      }
      case "tile_time":
        if (message.turn === this.turn)
          this.store.set((s) => ({ ...s, times: { ...s.times, [message.name]: message.milliseconds } }));
        return;
      case "tile_sweep":
        if (message.turn !== this.turn || message.name !== this.store.get().chosen) return;
        this.view({ sweep: message });
        this.put(
          message.items.map((item, i) => ({ ...item, id: sweepImage(i) })),
          buffers[0],
        );
        return;
      case "taken":
        this.view({ said: message.text, designer: message.model || null, failed: [] });
        return;
      case "not_done":
        this.view({ failed: message.diagnostics });
        this.answered();
        return;
      default:
        message satisfies never;
    }
  }

  /** Cut a picture into named parts; without sizes it is one. */
  private put(
    cells: readonly { id: string; x?: number; y?: number; width?: number; height?: number }[],
    buffer: Bytes | undefined,
  ): void {
    this.arrived += 1;
    const arrived = this.arrived;
    const turn = this.turn;
    void decode(buffer).then((bitmap) => {
      if (turn !== this.turn) {
        bitmap?.close();
        return;
      }
      const placed = cells.map((c) =>
        c.width === undefined && bitmap ? { ...c, width: bitmap.width, height: bitmap.height } : c,
      );
      this.images.putCells(placed, bitmap, arrived);
    });
  }
}
