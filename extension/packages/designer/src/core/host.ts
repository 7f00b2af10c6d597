import type { Store } from "./store";

/** What the host knows of the file that a designer shows. */
export interface FileState {
  readonly name: string;
  readonly dirty: boolean;
  /** Nothing was written into it yet. */
  readonly blank: boolean;
  readonly readOnly: boolean;
}

/** A place that owns the document, its file and its keys: a tab of JupyterLab. A cell's designer has none. */
export interface Host {
  readonly file: Store<FileState>;
  save(): void;
  /** The graph as the file says, with no picture in it, until the kernel has it; null if there is nothing to draw. */
  drawing(): Element | null;
  /** The operators of that graph, in order, with the names of their nodes. */
  operators(): readonly (readonly [key: string, operator: string])[];
  /** The command that a key has in the host's own table, which users may change. */
  commandFor(key: string): string | undefined;
  /** Whether the host's table has keys for a command, in place of those it has in a cell. */
  binds(command: string): boolean;
}
