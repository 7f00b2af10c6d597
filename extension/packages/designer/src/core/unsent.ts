import type { Command, State } from "./state";
import type { Store } from "./store";

const NONE: readonly Command[] = [];

function keyOf({ confirmed }: State): string {
  return `dali-studio:edits:${confirmed?.place}`;
}

/** What an earlier page has left of the same designer. */
export function leftOf(state: State): readonly Command[] {
  try {
    return JSON.parse(localStorage.getItem(keyOf(state)) ?? "[]");
  } catch {
    return NONE;
  }
}

function unsentOf({ confirmed, link, pending, unsent }: State): readonly Command[] {
  if (!confirmed?.place) return NONE;
  return link !== "live" && pending.length > 0 ? pending : unsent;
}

/** Keep the edits that no kernel has had in the browser's storage, where the page may be loaded again. */
export function keepUnsent(store: Store<State>): void {
  let kept = NONE;
  store.subscribe(() => {
    const state = store.get();
    const unsent = unsentOf(state);
    if (unsent === kept || (unsent.length === 0 && kept.length === 0)) return;
    kept = unsent;
    try {
      if (unsent.length > 0) localStorage.setItem(keyOf(state), JSON.stringify(unsent));
      else localStorage.removeItem(keyOf(state));
    } catch {
      // no storage: they are kept as long as the page
    }
  });
}
