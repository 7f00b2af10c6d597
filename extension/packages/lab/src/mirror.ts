import type { DocumentRegistry } from "@jupyterlab/docregistry";
import { type ISignal, Signal } from "@lumino/signaling";
import type { Bytes } from "../../designer/src/core/session";
import { Saved } from "./saved";

/** The text of a document that the kernel has sent. */
export async function inflated(packed: Bytes): Promise<string> {
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

/** A text as the kernel takes it. */
export async function deflated(text: string): Promise<ArrayBuffer> {
  return new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer();
}

/** Bytes as a text, which can be compared. */
function wordOf(bytes: Bytes | undefined): string {
  return bytes ? new TextDecoder("latin1").decode(bytes) : "";
}

/**
 * Keeps the text that JupyterLab saves equal to what the kernel has.
 *
 * The kernel's session owns the document and its undo steps. The text of a file that nobody has edited stays as it was
 * written, also where the kernel would write it otherwise.
 */
export class Mirror {
  /** The text was changed by somebody else. */
  readonly replaced: ISignal<Mirror, void>;
  private readonly replacing = new Signal<Mirror, void>(this);
  /** What was written here last. */
  private written: string;
  private saved: Saved | null = null;
  /** The file, where `saved` is the recipe that was opened in it. */
  private before: Saved | null = null;
  private opens = false;
  private savedRevision = -1;
  /** The steps that can be taken back and done again, in `saved` and now: what a view arranges by itself is none of them. */
  private savedSteps = "";
  private steps = "";
  private edited = false;
  private turn = 0;
  /** The last one of the kernel before. */
  private ended = 0;
  private saving: string | null = null;
  /** The file, as far as it is known here. */
  private onDisk: string;
  /** The last document that the kernel has sent; null where none has come since it was opened. */
  private latest: string | null = null;
  private adopting = false;
  private isAhead = false;
  revision = 0;

  constructor(private readonly context: DocumentRegistry.IContext<DocumentRegistry.IModel>) {
    this.replaced = this.replacing;
    this.written = this.onDisk = context.model.toString();
    context.fileChanged.connect(this.onFile, this);
    context.model.contentChanged.connect(this.onContent, this);
    context.saveState.connect(this.onSave, this);
    void context.ready.then(() => this.onFile());
  }

  dispose(): void {
    this.context.model.contentChanged.disconnect(this.onContent, this);
    this.context.saveState.disconnect(this.onSave, this);
    this.context.fileChanged.disconnect(this.onFile, this);
    Signal.clearData(this);
  }

  /**
   * A kernel has opened the text. `edited`: it had edits of it that nobody saved; `fresh`: the text came from outside,
   * for instance out of the file; `again`: it is what the kernel before has had.
   */
  begin(edited: boolean, fresh: boolean, again: boolean): void {
    this.edited = !fresh && (edited || this.context.model.dirty);
    if (!again) this.saved = this.before = null;
    this.latest = null;
    this.ended = this.turn;
    this.written = this.context.model.toString();
    if (fresh) this.context.model.dirty = this.written !== this.onDisk;
  }

  /** A recipe is opened: nothing is lost with one that was only looked at. */
  look(): void {
    this.opens = this.blank && !this.context.model.dirty;
  }

  /** Before the file is saved: a recipe that was only looked at is not in the text yet. */
  complete(): void {
    if (this.before && this.latest !== null) this.show(this.latest);
  }

  /** Nothing was saved yet. */
  get blank(): boolean {
    return !this.onDisk.trim();
  }

  /** Done when all that has come is in the text. */
  taken: Promise<void> = Promise.resolve();

  /** A revision, its document, and the steps that can be taken back and done again. */
  take(revision: number, packed: Bytes | undefined, steps: Bytes | undefined): void {
    if (!packed) return;
    this.turn += 1;
    const { turn } = this;
    this.taken = this.taken.catch(() => {}).then(() => this.write(turn, revision, packed, wordOf(steps)));
  }

  private async write(turn: number, revision: number, packed: Bytes, steps: string): Promise<void> {
    // the first one says what the file says, and the next one where its cards are put, however soon others come
    const told = () => (this.saved ? this.saved.placed : this.edited);
    const passed = () => turn <= this.ended || (turn !== this.turn && told());
    if (passed()) return;
    const text = await inflated(packed);
    if (passed() || this.context.isDisposed) return;
    this.revision = revision;
    this.steps = steps;
    this.latest = text;
    // Steps of notes and places alone have no revision of their own; nor has what a view arranges by itself.
    if (this.opens && this.saved && revision !== this.savedRevision) {
      this.before = this.saved;
      this.keep(new Saved(text, text), revision);
      this.opens = false;
    }
    const { saved } = this;
    const stepped = steps !== this.savedSteps;
    if (saved ? revision === this.savedRevision && !saved.rearranged(text, stepped) : !this.edited) {
      this.keep(new Saved(saved?.file ?? this.written, text), revision);
      if (!this.edited) return;
    }
    this.show(text);
  }

  private keep(saved: Saved, revision: number): void {
    this.saved = saved;
    this.savedRevision = revision;
    this.savedSteps = this.steps;
  }

  /** Make a document of the kernel the text. */
  private show(text: string): void {
    const { model } = this.context;
    this.edited = true;
    const same = this.fileOf(text);
    const wanted = same?.file ?? text;
    if (wanted !== this.written) {
      this.written = wanted;
      model.fromString(wanted);
    }
    model.dirty = !same || this.isAhead;
  }

  private fileOf(text: string): Saved | null | undefined {
    return [this.saved, this.before].find((one) => one?.equals(text));
  }

  /** Text is written, or no more, that the kernel has not had. */
  set ahead(ahead: boolean) {
    if (ahead === this.isAhead) return;
    this.isAhead = ahead;
    const { model } = this.context;
    if (ahead) model.dirty = true;
    else
      void this.taken.then(() => {
        if (!this.isAhead && this.latest !== null) model.dirty = !this.fileOf(this.latest);
      });
  }

  /** Done when the file is known that another page has written. */
  adopted: Promise<void> = Promise.resolve();

  /**
   * Another page with the same kernel has saved the file, or loaded it again: JupyterLab is to know it, so that it does
   * not ask about it, and what the kernel has had since then stays as it is. `revision`: the one that the file says.
   */
  adopt(revision: number | null): void {
    this.adopted = this.adopted.then(() => this.takeFile(revision)).catch(() => {}); // saving says what is wrong
  }

  private async takeFile(revision: number | null): Promise<void> {
    const { context } = this;
    if (context.isDisposed) return;
    this.adopting = true;
    try {
      await context.revert();
    } finally {
      this.adopting = false;
    }
    if (context.isDisposed) return;
    const file = context.model.toString();
    this.written = this.onDisk = file;
    this.before = null;
    if (this.latest === null) return;
    this.keep(new Saved(file, revision === this.revision ? this.latest : file), -1);
    this.show(this.latest);
  }

  private onContent(): void {
    const text = this.context.model.toString();
    if (text === this.written || this.adopting) return;
    this.written = text;
    this.saving = null; // somebody who saved was asked, and has loaded the file instead
    this.replacing.emit();
  }

  private onSave(_: unknown, state: string): void {
    if (state === "started") this.saving = this.context.model.toString();
    if (state !== "completed" || this.saving === null) return;
    if (this.saving === this.context.model.toString() && this.saving !== this.saved?.file) {
      this.keep(new Saved(this.saving, this.saving), this.revision);
    }
    if (this.isAhead) this.context.model.dirty = true; // what no kernel has had is not in the file
    this.before = null;
    this.onDisk = this.saving;
    this.saving = null;
  }

  private onFile(): void {
    this.onDisk = this.context.model.toString(); // a save knows better as soon as it is completed
  }
}
