import "../styles/gallery.css";
import type { Bytes } from "../core/session";
import type { GalleryTransport } from "../gallery/client";
import { mountGallery } from "../gallery/mount";
import type { GalleryAnswer, GalleryRequest } from "../protocol/generated";
import { cellMaker } from "./cells";
import loader from "./loader";

/** The part of an anywidget model that is used. */
interface Model {
  get(name: string): unknown;
  send(content: unknown, callbacks?: unknown, buffers?: readonly ArrayBuffer[]): void;
  readonly widget_manager?: unknown;
  on(name: string, listener: (...values: never[]) => void): void;
  off(name: string, listener: (...values: never[]) => void): void;
}

interface Manager {
  get_model?(id: string): Promise<Parameters<typeof loader.render>[0]["model"]>;
}

function isAnswer(content: unknown): content is GalleryAnswer {
  const type = typeof content === "object" && content !== null ? (content as { type?: unknown }).type : undefined;
  return typeof type === "string" && type !== "bundle";
}

function transportOf(model: Model): GalleryTransport {
  return {
    send: (message: GalleryRequest, buffers: ArrayBuffer[] = []) => model.send(message, undefined, buffers),
    onMessage: (listener) => {
      const onMessage = (content: unknown, buffers: readonly Bytes[] | undefined) => {
        if (isAnswer(content)) listener(content, buffers ?? []);
      };
      model.on("msg:custom", onMessage);
      return () => model.off("msg:custom", onMessage);
    },
  };
}

/** One view; the kernel's answers reach all of them. */
function render({ model, el }: { readonly model: Model; readonly el: HTMLElement }): () => void {
  const root = el.ownerDocument.createElement("div");
  root.className = "ds-widget";
  root.style.height = `${Number(model.get("_height")) || 640}px`;
  el.append(root);
  const manager = model.widget_manager as Manager | undefined;
  const showDesigner = async (id: string, element: HTMLElement) => {
    const designer = await manager?.get_model?.(id);
    if (!designer) throw new Error("the designer is not known to this page");
    return loader.render({ model: designer, el: element });
  };
  const host = {
    insertCell: cellMaker(model, el) ?? (() => false),
    showDesigner: typeof manager?.get_model === "function" ? showDesigner : null,
  };
  const { client, end } = mountGallery(root, transportOf(model), host);
  client.start();
  return () => {
    end();
    root.remove();
  };
}

export default { render };
