import { useEffect } from "react";
import * as format from "../core/format";
import { Name } from "./canvas/Name";
import { useSel, useSession } from "./context";
import { Icon } from "./icons";

/** More images than the kernel counts. */
const MANY = 1000;

interface Props {
  /** Where to begin; empty: the kernel's working folder. */
  readonly begin: string;
  readonly onChoose: (path: string) => void;
  readonly onClose: () => void;
}

/** The folders of the kernel's machine, to find images by clicks. */
export function FolderChoice({ begin, onChoose, onClose }: Props) {
  const session = useSession();
  const found = useSel((s) => s.folder);
  useEffect(() => session.send({ type: "request_folder", path: begin }), [session, begin]);
  if (!found) return <p className="ds-muted">Looking into it…</p>;
  const { path, folders = [], images = 0, note = "" } = found;
  const go = (name: string) => session.send({ type: "request_folder", path, name });
  return (
    <div className="ds-folders" data-testid="folders">
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
          disabled={images === 0}
          data-testid="choose-folder"
          onClick={() => onChoose(path)}
        >
          {images === 0 ? "No images here" : `Open ${images < MANY ? format.plural(images, "image") : "these images"}`}
        </button>
        <button type="button" className="ds-button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </div>
  );
}
