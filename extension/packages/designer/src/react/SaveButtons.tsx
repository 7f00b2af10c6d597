import { type FormEvent, useEffect, useState } from "react";
import type { Session } from "../core/session";
import { useFrame, useSel } from "./context";
import { Icon, type IconName } from "./icons";
import { SmallButton } from "./parts";

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

/** Save the document under its name; one that has none is asked for one. */
export function saveDocument(session: Session): void {
  if (session.store.get().confirmed?.document) saveAs(session, "document");
  else session.view({ drawer: "code", asking: "document" });
}

const focus = (field: HTMLElement | null) => field?.focus();

/** Save the document, or write the program: a name is proposed, Enter writes. In a tab the host saves the document. */
export function SaveButtons() {
  const { session, host } = useFrame();
  const asking = useSel((s) => s.view.asking);
  const proposed = useSel((s) => fileName(s.graph?.name ?? "", asking ?? "code", s.confirmed?.document ?? ""));
  const saved = useSel((s) => (s.view.saving ? null : s.savedFile)); // which the strip says
  const gone = useSel((s) => s.link === "gone"); // nobody would write
  const [path, setPath] = useState("");
  useEffect(() => setPath(proposed), [proposed]);
  const ask = (what: What | null) => session.view({ asking: what });
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (asking && path.trim()) session.send({ type: "save_document", path: path.trim(), what: asking });
    ask(null);
  };
  if (asking)
    return (
      <form key={asking} className="ds-save" onSubmit={save}>
        <span className="ds-muted">{asking === "code" ? "Write the program" : "Save"} in the kernel's folder as</span>
        <input
          ref={focus}
          className="ds-input"
          value={path}
          aria-label="File in the kernel's folder"
          data-testid="save-path"
          onChange={(e) => setPath(e.target.value)}
          onKeyDown={(e) => e.key === "Escape" && ask(null)}
        />
        <SmallButton type="submit" disabled={gone || !path.trim()} data-testid="save-go">
          {asking === "code" ? "Write" : "Save"}
        </SmallButton>
        <button type="button" className="ds-button ds-button-quiet" onClick={() => ask(null)}>
          Cancel
        </button>
      </form>
    );
  const button = (what: What, icon: IconName, text: string, title: string) => (
    <button
      type="button"
      className="ds-button ds-button-quiet"
      title={title}
      disabled={gone}
      data-testid={`save-${what}`}
      onClick={() => ask(what)}
    >
      <Icon name={icon} />
      {text}
    </button>
  );
  return (
    <>
      {saved && (
        <span className="ds-muted ds-saved" role="status" data-testid="saved">
          Wrote {saved.path}
        </span>
      )}
      {button("code", "file", "Export .py", "Write the program to a file; the pipeline itself is not saved by that")}
      {!host && button("document", "save", "Save", "Save the pipeline as a document")}
    </>
  );
}
