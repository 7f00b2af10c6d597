import { createRoot } from "react-dom/client";
import "../react/preact";
import { PICTURE, tileRatio } from "../react/Halves";
import { GalleryClient, type GalleryTransport } from "./client";
import type { GalleryHost } from "./context";
import { Gallery } from "./Gallery";

/** Draws a gallery into `root`; gives its conversation, and how to end it. */
export function mountGallery(
  root: HTMLElement,
  transport: GalleryTransport,
  host: GalleryHost,
): { readonly client: GalleryClient; end(): void } {
  const ratio = tileRatio();
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
