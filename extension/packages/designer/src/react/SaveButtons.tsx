import { type FormEvent, useState } from "react";
import type { Session } from "../core/session";
import { useFrame, useSel } from "./context";
import { Icon } from "./icons";

type What = "document" | "code";

function baseName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, "_") || "pipeline";
}

function fileName(name: string, what: What, document: string): string {
  if (what === "document" && document) return document;
  return baseName(name) + (what === "code" ? ".py" : ".dali.json");
}

/** Save under the name that would be proposed, where there is no room to ask for one. */
export function saveAs(session: Session, what: What | "picture", ending = ""): void {
  const { graph, confirmed } = session.store.get();
  const name = graph?.name ?? "";
  const path = what === "picture" ? baseName(name) + ending : fileName(name, what, confirmed?.document ?? "");
  session.view((v) => ({ saving: true, dismissed: v.dismissed.filter((id) => !id.startsWith("saved|")) }));
  session.send({ type: "save_document", path, what });
}

/** Save the code or the document: one press proposes a name, Enter writes. */
export function SaveButtons() {
  const { session, host } = useFrame();
  const state = useSel((s) => ({ name: s.graph?.name ?? "", document: s.confirmed?.document ?? "" }));
  const saved = useSel((s) => (s.view.saving ? null : s.savedFile)); // which the strip says
  const [asking, setAsking] = useState<What | null>(null);
  const [path, setPath] = useState("");
  const ask = (what: What) => {
    setPath(fileName(state.name, what, state.document));
    setAsking(what);
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (asking && path.trim()) session.send({ type: "save_document", path: path.trim(), what: asking });
    setAsking(null);
  };
  if (asking)
    return (
      <form className="ds-save" onSubmit={save}>
        <input
          // biome-ignore lint/a11y/noAutofocus: the field opens because its button was pressed
          autoFocus
          className="ds-input"
          value={path}
          aria-label="File in the kernel's folder"
          data-testid="save-path"
          onChange={(e) => setPath(e.target.value)}
          onKeyDown={(e) => e.key === "Escape" && setAsking(null)}
        />
        <button type="submit" className="ds-button ds-button-small" disabled={!path.trim()} data-testid="save-go">
          Save
        </button>
        <button type="button" className="ds-button ds-button-quiet" onClick={() => setAsking(null)}>
          Cancel
        </button>
      </form>
    );
  return (
    <>
      {saved && (
        <span className="ds-muted ds-saved" role="status" data-testid="saved">
          Wrote {saved.path}
        </span>
      )}
      <button
        type="button"
        className="ds-button ds-button-quiet"
        title="Save the program as a file"
        data-testid="save-code"
        onClick={() => ask("code")}
      >
        <Icon name="file" />
        Save .py
      </button>
      <button
        type="button"
        className="ds-button ds-button-quiet"
        title="Save the document"
        data-testid="save-document"
        onClick={() => (host ? host.save() : ask("document"))}
      >
        <Icon name="save" />
        Save document
      </button>
    </>
  );
}
