import { useEffect, useRef } from "react";
import * as format from "../core/format";
import { nodeOf } from "../core/graph";
import { Name } from "./canvas/Name";
import { useSel, useSession } from "./context";
import { Icon } from "./icons";
import { CloseButton, walkButtons } from "./parts";

/** More files than the kernel counts. */
const MANY = 1000;

interface Props {
  /** Where to begin; empty: the kernel's working folder. */
  readonly begin: string;
  readonly onChoose: (path: string) => void;
  readonly onClose: () => void;
}

/** The folders of the kernel's machine, to find data by clicks. */
export function FolderChoice({ begin, onChoose, onClose }: Props) {
  const session = useSession();
  const found = useSel((s) => s.folder);
  useEffect(() => session.send({ type: "request_folder", path: begin }), [session, begin]);
  const box = useRef<HTMLDivElement>(null);
  const there = found?.path;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each folder has rows of its own
  useEffect(() => box.current?.querySelector("button")?.focus(), [there]);
  if (!found) return <p className="ds-muted">Looking into it…</p>;
  const { path, folders = [], kind = "image", count = 0, masked = false, note = "" } = found;
  const go = (name: string) => session.send({ type: "request_folder", path, name });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrows go from button to button
    <div ref={box} className="ds-folders" data-testid="folders" onKeyDown={walkButtons}>
      <Name text={path} title={path} />
      <div className="ds-folders-list nowheel">
        {["..", ...folders].map((name) => (
          <button key={name} type="button" className="ds-recipe" onClick={() => go(name)}>
            <Icon name={name === ".." ? "up" : "folder"} />
            {name === ".." ? "one folder up" : name}
          </button>
        ))}
        {note && <p>{note}</p>}
      </div>
      <div className="ds-folders-foot">
        <button
          type="button"
          className="ds-button ds-primary"
          disabled={count === 0}
          data-testid="choose-folder"
          onClick={() => onChoose(path)}
        >
          {count === 0
            ? "No data here"
            : `Open ${count < MANY ? format.plural(count, kind) : `these ${kind}s`}${masked ? " with masks" : ""}`}
        </button>
        <button type="button" className="ds-button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </div>
  );
}

/** The same over the designer, for a reader. */
export function ReaderFolder() {
  const session = useSession();
  const key = useSel((s) => (nodeOf(s.graph, s.view.folders ?? "") ? s.view.folders : null));
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (key) box.current?.focus();
  }, [key]);
  if (!key) return null;
  const close = () => session.view({ folders: null });
  const read = (path: string) => {
    close();
    session.send({ type: "point_reader", key, path });
  };
  return (
    <>
      <div className="ds-veil" onPointerDown={close} />
      <div ref={box} className="ds-help ds-reader-folder" role="dialog" aria-label={`What ${key} reads`} tabIndex={-1}>
        <header>
          What {key} reads
          <CloseButton onClick={close} />
        </header>
        <FolderChoice begin="" onChoose={read} onClose={close} />
      </div>
    </>
  );
}
