import type { State } from "./state";
import type { Store } from "./store";

type Left = Pick<State, "unsent" | "draft">;

const NONE: Left = { unsent: [], draft: null };

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

/** Leave it there. */
export function leave(key: string, left: Left): void {
  try {
    if (left.unsent.length > 0 || left.draft) localStorage.setItem(key, JSON.stringify(left));
    else localStorage.removeItem(key);
  } catch {
    // no storage: it is kept as long as the page
  }
}

export function unsentOf({ confirmed, link, pending, unsent, draft }: State): Left {
  if (!confirmed?.place) return NONE;
  return { unsent: link !== "live" && pending.length > 0 ? pending : unsent, draft: draft?.taken ? null : draft };
}

/** How long nothing is typed until the kernel is told, in ms. */
const REST = 400;

/**
 * Keep what no kernel has had, edits and text, in the browser's storage, where the page may be loaded again; `tell` the
 * kernel of the text, which the document keeps.
 */
export function keepUnsent(store: Store<State>, tell: (draft: string) => void): void {
  let kept = NONE;
  let live = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tellSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const state = store.get();
      const source = unsentOf(state).draft?.source ?? "";
      if (state.pending.length > 0) tellSoon();
      else if (live && source !== (state.confirmed?.draft ?? "")) tell(source);
    }, REST);
  };
  store.subscribe(() => {
    const state = store.get();
    const now = unsentOf(state);
    const back = !live && state.link === "live";
    live = state.link === "live";
    if (now.draft !== kept.draft || (back && now.draft)) tellSoon();
    const some = now.unsent.length > 0 || now.draft;
    if ((now.unsent === kept.unsent && now.draft === kept.draft) || !(some || kept.unsent.length > 0 || kept.draft))
      return;
    kept = now;
    leave(keyOf(state), now);
  });
}
