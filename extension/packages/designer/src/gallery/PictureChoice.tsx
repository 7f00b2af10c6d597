import { type FormEvent, useEffect, useRef, useState } from "react";
import { HIDDEN, paintHalves } from "../react/Halves";
import { Icon } from "../react/icons";
import { IconButton, SmallButton } from "../react/parts";
import { GIVEN } from "./client";
import { useGallery, usePart } from "./context";

/** A small picture of what the tiles are shown on. */
function Given() {
  const { client } = useGallery();
  const box = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const draw = () => {
      if (box.current) paintHalves(box.current, client.images.get(GIVEN), undefined, [1, 1], "cover");
    };
    draw();
    return client.images.subscribe(GIVEN, draw);
  }, [client]);
  return <canvas ref={box} className="ds-given" width={72} height={48} {...HIDDEN} />;
}

/** A path on the kernel's machine. */
function PathField({ onDone }: { readonly onDone: () => void }) {
  const { client } = useGallery();
  const [path, setPath] = useState("");
  const open = (event: FormEvent) => {
    event.preventDefault();
    client.send({ type: "open_pictures", path });
    onDone();
  };
  return (
    <form className="ds-save" onSubmit={open}>
      <input
        // biome-ignore lint/a11y/noAutofocus: the field opens because its button was pressed
        autoFocus
        className="ds-input"
        value={path}
        placeholder="path/to/photos"
        aria-label="Picture or folder on the kernel's machine"
        data-testid="picture-path"
        onChange={(e) => setPath(e.target.value)}
        onKeyDown={(e) => e.key === "Escape" && onDone()}
      />
      <SmallButton type="submit" disabled={!path.trim()} data-testid="picture-open">
        Open
      </SmallButton>
      <button type="button" className="ds-button ds-button-quiet" onClick={onDone}>
        Cancel
      </button>
    </form>
  );
}

/** Which pictures the tiles are shown on: one of the samples, of a folder, or one's own. */
export function PictureChoice() {
  const { client } = useGallery();
  const pictures = usePart((s) => s.pictures);
  const [asking, setAsking] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const count = pictures?.names.length ?? 0;
  const step = (by: number) => {
    if (pictures) client.send({ type: "choose_picture", number: (pictures.number + by + count) % count });
  };
  return (
    <div className="ds-gallery-pictures">
      <Given />
      {asking ? (
        <PathField onDone={() => setAsking(false)} />
      ) : (
        <>
          <span className="ds-given-name" title={pictures?.place}>
            <b data-testid="picture-name">{pictures?.names[pictures.number] ?? "…"}</b>
            <span>{pictures?.place}</span>
          </span>
          {count > 1 && (
            <span className="ds-stepper">
              <IconButton icon="left" label="Previous picture" small onClick={() => step(-1)} />
              <span className="ds-muted">
                {(pictures?.number ?? 0) + 1} of {count}
              </span>
              <IconButton icon="right" label="Next picture" small testId="picture-next" onClick={() => step(1)} />
            </span>
          )}
          <span className="ds-spring" />
          <button
            type="button"
            className="ds-button"
            data-testid="picture-own"
            onClick={() => file.current?.click()}
            title="Use a picture from this computer; it can also be dropped here"
          >
            <Icon name="picture" />
            Your picture
          </button>
          <button type="button" className="ds-button" data-testid="picture-folder" onClick={() => setAsking(true)}>
            <Icon name="folder" />
            Folder
          </button>
          <input
            ref={file}
            type="file"
            accept="image/*"
            className="ds-hidden"
            tabIndex={-1}
            aria-label="Your picture"
            data-testid="picture-file"
            onChange={(e) => {
              const chosen = e.currentTarget.files?.[0];
              if (chosen) void client.bring(chosen);
              e.currentTarget.value = "";
            }}
          />
        </>
      )}
    </div>
  );
}
