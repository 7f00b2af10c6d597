import type { Session } from "./session";
import { createStore, type Store } from "./store";

/** A designer that is on the page, in a cell or in a tab. */
export interface Shown {
  /** Of the program that shows it: another one keeps its state in another form. */
  readonly version: string;
  readonly session: Session;
  readonly root: HTMLElement;
  /** Where the canvas puts what parts outside of it may ask of it; only a program of the same version knows its form. */
  readonly api: { readonly current: unknown };
  /** Do what a key or a menu does, by its name in `commands.ts`. */
  run(command: string): void;
  can(command: string): boolean;
}

export interface Designers {
  readonly shown: readonly Shown[];
  /** The one that was used last. */
  readonly active: Shown | null;
  /** Its inspector is in the host's sidebar, so that it needs none of its own. */
  readonly outside: boolean;
}

/** Asks the host to show a file in its browser; it takes the event where it can. */
export const SHOW_FILE = "dali-studio:show-file";
export interface FileToShow {
  readonly path: string;
  /** What is done in its place. */
  readonly copy: () => void;
}

declare const VERSION: string;

/** One for the page: the cells' program comes from the kernel, JupyterLab's is another copy of it. */
const page = globalThis as { daliStudioDesigners?: Store<Designers> };

export function designers(): Store<Designers> {
  page.daliStudioDesigners ??= createStore<Designers>({ shown: [], active: null, outside: false });
  return page.daliStudioDesigners;
}

/** Whether this program can show what another one has of it. */
export function isOurs(shown: Shown): boolean {
  return shown.version === VERSION;
}

/** Let the page know of a designer; it is the active one when it is used, and from the start where no other is. */
export function announce(made: Omit<Shown, "version">): () => void {
  const shown: Shown = { ...made, version: VERSION };
  const store = designers();
  const use = () => store.set((s) => (s.active === shown ? s : { ...s, active: shown }));
  store.set((s) => ({ ...s, shown: [...s.shown, shown], active: s.active ?? shown }));
  const events = ["focusin", "pointerdown"] as const;
  for (const name of events) shown.root.addEventListener(name, use);
  return () => {
    for (const name of events) shown.root.removeEventListener(name, use);
    store.set((s) => {
      const left = s.shown.filter((one) => one !== shown);
      return { ...s, shown: left, active: s.active === shown ? (left.at(-1) ?? null) : s.active };
    });
  };
}
