import type { State } from "./state";
import type { Store } from "./store";

type Left = Pick<State, "unsent" | "draft" | "written">;

export const NONE: Left = { unsent: [], draft: null, written: {} };

export function isSome({ unsent, draft, written }: Left): boolean {
  return unsent.length > 0 || draft !== null || Object.keys(written).length > 0;
}

function keyOf({ confirmed }: State): string {
  return `dali-studio:edits:${confirmed?.place}`;
}

/** What an earlier page has left of the same designer. */
export function leftOf(state: State): Left {
  return leftAs(keyOf(state));
}

/** What has been left under a key of the browser's storage. */
export function leftAs(key: string): Left {
  try {
    return { ...NONE, ...JSON.parse(localStorage.getItem(key) ?? "{}") };
  } catch {
    return NONE;
  }
}

/** What is shown with what has been left. */
export function withLeft(state: State, { unsent, draft, written }: Left): State {
  return { ...state, unsent, draft: draft ?? state.draft, written: { ...state.written, ...written } };
}

/** Leave it there. */
export function leave(key: string, left: Left): void {
  try {
    if (isSome(left)) localStorage.setItem(key, JSON.stringify(left));
    else localStorage.removeItem(key);
  } catch {
    // no storage: it is kept as long as the page
  }
}

export function unsentOf({ confirmed, link, pending, unsent, draft, written }: State): Left {
  if (!confirmed?.place) return NONE;
  return {
    unsent: link !== "live" && pending.length > 0 ? pending : unsent,
    draft: draft?.taken ? null : draft,
    written,
  };
}

/** Code nodes for which something is written that the kernel does not keep yet. */
export function untold({ confirmed, written }: State): string[] {
  const known = confirmed?.written ?? {};
  return Object.keys({ ...known, ...written }).filter((key) => written[key] !== known[key]);
}

/** How long nothing is typed until the kernel is told, in ms. */
const REST = 400;

/**
 * Keep what no kernel has had, edits and texts, in the browser's storage, where the page may be loaded again; `tell` the
 * kernel of the text of the code pane, and of those of code nodes, which the document keeps.
 */
export function keepUnsent(store: Store<State>, tell: (draft: string, key?: string) => void): void {
  let kept = NONE;
  let live = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tellSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const state = store.get();
      const source = unsentOf(state).draft?.source ?? "";
      if (state.pending.length > 0) tellSoon();
      else if (live) {
        if (source !== (state.confirmed?.draft ?? "")) tell(source);
        for (const key of untold(state)) tell(state.written[key] ?? "", key);
      }
    }, REST);
  };
  store.subscribe(() => {
    const state = store.get();
    const now = unsentOf(state);
    const back = !live && state.link === "live";
    live = state.link === "live";
    const same = now.draft === kept.draft && now.written === kept.written;
    if (!same || (back && isSome({ ...now, unsent: [] }))) tellSoon();
    if ((same && now.unsent === kept.unsent) || !(isSome(now) || isSome(kept))) return;
    kept = now;
    leave(keyOf(state), now);
  });
}
