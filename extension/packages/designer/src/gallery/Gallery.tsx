import { type FocusEvent, useEffect, useMemo, useRef, useState } from "react";
import * as format from "../core/format";
import type { Diagnostic } from "../protocol/generated";
import { Icon } from "../react/icons";
import { CloseButton, SmallButton, worded } from "../react/parts";
import { useTheme } from "../react/theme";
import type { GalleryClient } from "./client";
import { GalleryContext, type GalleryHost, useGallery, usePart } from "./context";
import { Pane } from "./Pane";
import { PictureChoice } from "./PictureChoice";
import { TileSearch, Tiles } from "./Tiles";

/** What could not be done, until the next try. */
function Refused({ found }: { readonly found: Diagnostic }) {
  const { client } = useGallery();
  return (
    <div className="ds-gallery-refused" role="alert" data-testid="gallery-refused">
      <Icon name="warning" />
      <span>{worded(`${format.sentence(found.message)} ${found.hint ?? ""}`)}</span>
      <CloseButton label="Close" onClick={() => client.view({ failed: [] })} />
    </div>
  );
}

/** The designer of a tile, in the gallery's place. */
function OpenDesigner({ model }: { readonly model: string }) {
  const { client, host } = useGallery();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let end: (() => void) | undefined;
    let gone = false;
    if (box.current)
      void host.showDesigner?.(model, box.current).then((stop) => {
        if (gone) stop();
        else end = stop;
      });
    return () => {
      gone = true;
      end?.();
    };
  }, [host, model]);
  return (
    <>
      <div className="ds-gallery-back">
        <SmallButton data-testid="gallery-back" onClick={() => client.view({ designer: null })}>
          <Icon name="left" size={12} />
          Back to the gallery
        </SmallButton>
        <span className="ds-muted">
          In Python it is <code>gallery.designer</code>.
        </span>
      </div>
      <div ref={box} className="ds-gallery-designer" />
    </>
  );
}

function Frame() {
  const { client } = useGallery();
  const tile = usePart((s) => s.opened?.tiles.find((t) => t.name === s.chosen));
  const failed = usePart((s) => s.failed[0]);
  return (
    <>
      <div className="ds-gallery-head">
        <h3>Gallery</h3>
        <PictureChoice />
      </div>
      {failed && <Refused found={failed} />}
      <div className={`ds-gallery-body ${tile ? "ds-with-pane" : ""}`}>
        <div className="ds-gallery-list">
          <TileSearch />
          <Tiles />
        </div>
        {tile && <Pane key={tile.name} tile={tile} />}
      </div>
      <output className="ds-hidden">{client.store.get().said}</output>
    </>
  );
}

/** JupyterLab reads its keys before the page does; it spares the focused element only if that says so itself. */
function guardFocus(event: FocusEvent): void {
  if (event.target instanceof Element) event.target.setAttribute("data-lm-suppress-shortcuts", "true");
}

function Shell({ root }: { readonly root: HTMLElement }) {
  const { client } = useGallery();
  const { theme, tinted } = useTheme(root);
  const designer = usePart((s) => s.designer);
  const [over, setOver] = useState(false);
  const classes = [
    "ds-root",
    "ds-gallery",
    `ds-${theme}`,
    tinted && theme !== "hc" ? "ds-tinted" : "",
    over ? "ds-over" : "",
  ];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and files of the whole gallery are handled at its root
    <div
      className={classes.join(" ")}
      data-testid="gallery"
      data-ds-theme={theme}
      tabIndex={-1}
      onFocusCapture={guardFocus}
      onKeyDown={(e) => {
        if (designer) return;
        if (e.key === "Escape" && !e.defaultPrevented) client.choose(null);
        e.stopPropagation();
      }}
      onKeyPress={(e) => e.stopPropagation()}
      onContextMenu={(e) => e.stopPropagation()}
      onDragOver={(e) => {
        if (!e.dataTransfer.types.includes("Files") || designer) return;
        e.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(e) => {
        setOver(false);
        const file = designer ? undefined : e.dataTransfer.files[0];
        if (!file) return;
        e.preventDefault();
        e.stopPropagation();
        void client.bring(file);
      }}
    >
      {designer ? <OpenDesigner model={designer} /> : <Frame />}
    </div>
  );
}

interface Props {
  readonly client: GalleryClient;
  readonly host: GalleryHost;
  readonly root: HTMLElement;
}

export function Gallery({ client, host, root }: Props) {
  const frame = useMemo(() => ({ client, host }), [client, host]);
  return (
    <GalleryContext.Provider value={frame}>
      <Shell root={root} />
    </GalleryContext.Provider>
  );
}
