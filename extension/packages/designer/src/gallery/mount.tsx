import { createRoot } from "react-dom/client";
import "../react/preact";
import { GalleryClient, type GalleryTransport } from "./client";
import type { GalleryHost } from "./context";
import { Gallery } from "./Gallery";
import { PICTURE } from "./TileCard";

/** Draws a gallery into `root`; gives its conversation, and how to end it. */
export function mountGallery(
  root: HTMLElement,
  transport: GalleryTransport,
  host: GalleryHost,
): { readonly client: GalleryClient; end(): void } {
  const ratio = Math.min(3, Math.max(2, globalThis.devicePixelRatio || 1));
  const client = new GalleryClient(transport, {
    width: Math.round(PICTURE.width * ratio),
    height: Math.round(PICTURE.height * ratio),
  });
  const react = createRoot(root);
  react.render(<Gallery client={client} host={host} root={root} />);
  return {
    client,
    end: () => {
      client.close();
      react.unmount();
    },
  };
}
