/**
 * How JupyterLab finds this extension: the container of module federation, which webpack would write otherwise.
 *
 * JupyterLab loads this file as a script, calls `init` with the packages that it shares, and `get` for each module
 * that `package.json` names. See docs/adr/0018-labextension.md.
 */

/** A package in one version, as JupyterLab or another extension offers it. */
interface Offer {
  readonly get: () => Promise<() => unknown>;
  /** Who offers it; JupyterLab's own name begins with this. */
  readonly from?: string;
}

type Scope = Readonly<Record<string, Readonly<Record<string, Offer>>>>;

/** What the modules need of each package's shared version, by module: set when this is built. */
declare const NEEDS: Readonly<Record<string, readonly string[]>>;
/** The files of the modules, whose names change with their contents. */
declare const FILES: Readonly<Record<string, string>>;
declare const NAME: string;

const CORE = "_JUPYTERLAB.CORE";
const page = globalThis as {
  _JUPYTERLAB?: Record<string, unknown>;
  /** The packages, where the modules look for them (`build.mjs`). */
  daliStudioShared?: Record<string, unknown>;
};
const base = (document.currentScript as HTMLScriptElement).src;
let scope: Scope = {};

/** JupyterLab's own copy: what plugins ask each other for must be the same object everywhere. */
function chosen(name: string): Offer {
  const offers = Object.values(scope[name] ?? {});
  const offer = offers.find((o) => o.from?.startsWith(CORE)) ?? offers[0];
  if (!offer) throw new Error(`JupyterLab does not share ${name}, which DALI Studio needs.`);
  return offer;
}

function init(offered: Scope): void {
  scope = offered;
}

async function get(module: string): Promise<() => unknown> {
  const file = FILES[module];
  if (!file) throw new Error(`DALI Studio has no module ${module}.`);
  page.daliStudioShared ??= {};
  const shared = page.daliStudioShared;
  await Promise.all(
    (NEEDS[module] ?? []).map(async (name) => {
      shared[name] = (await chosen(name).get())();
    }),
  );
  const loaded = (await import(new URL(file, base).href)) as { readonly default: unknown };
  return () => ({ __esModule: true, default: loaded.default }); // JupyterLab writes into it
}

page._JUPYTERLAB ??= {};
page._JUPYTERLAB[NAME] = { init, get };
