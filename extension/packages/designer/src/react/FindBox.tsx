import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { found } from "../core/find";
import * as format from "../core/format";
import { useCanvasApi } from "./canvasApi";
import { useSel, useSession } from "./context";
import { Icon } from "./icons";
import { CloseButton, IconButton } from "./parts";

/** Ctrl+F: nodes by name, operator, value, device, error or time; Enter goes through them. */
export function FindBox() {
  const session = useSession();
  const api = useCanvasApi();
  const query = useSel((s) => s.view.find);
  const text = query ?? "";
  const list = useSel((s) => found(s, s.view.find ?? "").join("\n"));
  const keys = useMemo(() => list.split("\n").filter(Boolean), [list]);
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const open = query !== null;
  useLayoutEffect(() => {
    if (open) field.current?.focus();
  }, [open]);
  if (!open) return null;
  const go = (by: number) => {
    if (keys.length === 0) return;
    const next = (at + by + keys.length) % keys.length;
    setAt(next);
    const key = keys[next];
    if (!key) return;
    session.select([key]);
    api.current?.show(key);
    requestAnimationFrame(() => field.current?.focus());
  };
  return (
    <search className="ds-find" data-testid="find">
      <Icon name="search" />
      <input
        ref={field}
        value={text}
        placeholder="name or value"
        title="A name, operator or value; device:gpu, error:, slow:"
        aria-label="Find on the canvas"
        data-testid="find-field"
        onChange={(e) => {
          session.view({ find: e.target.value });
          setAt(-1);
        }}
        onKeyDown={(e) => {
          if (e.key !== "Enter") return;
          e.preventDefault();
          go(e.shiftKey ? -1 : 1);
        }}
      />
      <span className="ds-muted" role="status">
        {text.trim() === "" ? "" : format.plural(keys.length, "node")}
      </span>
      <IconButton icon="up" label="The one before (Shift+Enter)" small onClick={() => go(-1)} />
      <IconButton icon="down" label="The next one (Enter)" small onClick={() => go(1)} />
      <CloseButton onClick={() => session.view({ find: null })} />
    </search>
  );
}
