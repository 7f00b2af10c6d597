import { useCallback, useRef, useState } from "react";

/** A text that is being written, or null; `latest` has it at once, also before it is drawn, as where Ctrl+S follows a key. */
export function useDraft(begun: string | null = null) {
  const [draft, draw] = useState(begun);
  const latest = useRef(begun);
  const setDraft = useCallback((text: string | null) => {
    latest.current = text;
    draw(text);
  }, []);
  return { draft, setDraft, latest };
}
