import "../styles/index.css";
import { Session, type Transport } from "../core/session";
import type { ClientMessage, KernelMessage } from "../protocol/generated";
import { mount, pictureWidth } from "../react/mount";
import { cellMaker } from "./cells";
import { attachTo, kernelOf, watchKernel } from "./kernel";

/** The part of an anywidget model that is used. */
interface Model {
  get(name: "_height"): unknown;
  set(name: "_height", value: number): void;
  save_changes(): void;
  send(content: ClientMessage): void;
  readonly widget_manager?: unknown;
  on(name: string, listener: (...values: never[]) => void): void;
  off(name: string, listener: (...values: never[]) => void): void;
}

const MIN_HEIGHT = 480;
const DEFAULT_HEIGHT = 640;
const LOSSES = ["comm:close", "comm_live_update"] as const;

function isKernelMessage(content: unknown): content is KernelMessage {
  return typeof content === "object" && content !== null && typeof (content as { type?: unknown }).type === "string";
}

function transportOf(model: Model): Transport {
  return {
    send: (message) => model.send(message),
    onMessage: (listener) => {
      const onMessage = (content: unknown, buffers: readonly DataView[] | undefined) => {
        if (isKernelMessage(content)) listener(content, buffers ?? []);
      };
      model.on("msg:custom", onMessage);
      return () => model.off("msg:custom", onMessage);
    },
  };
}

function heightOf(model: Model): number {
  const height = model.get("_height");
  return typeof height === "number" && height >= MIN_HEIGHT ? height : DEFAULT_HEIGHT;
}

/** One view. Each view has its own conversation; the kernel's answers reach all of them. */
function render({ model, el }: { readonly model: Model; readonly el: HTMLElement }): () => void {
  const root = el.ownerDocument.createElement("div");
  root.className = "ds-widget";
  root.style.height = `${heightOf(model)}px`;
  el.append(root);
  const kernel = kernelOf(model);
  const session = new Session(transportOf(model), pictureWidth(), kernel ? attachTo(model) : null);
  const resized = () => {
    root.style.height = `${heightOf(model)}px`;
  };
  // What happens to the model's own comm does not matter once another one has taken its place.
  const lost = () => {
    if (!session.attached) session.lost();
  };
  model.on("change:_height", resized);
  // Both are said by the widget manager: a closed comm, and a kernel that was restarted or died.
  for (const event of LOSSES) model.on(event, lost);
  const setHeight = (height: number, done: boolean) => {
    root.style.height = `${height}px`;
    if (!done) return;
    model.set("_height", height);
    model.save_changes();
  };
  const unwatch = watchKernel(kernel, (status) => session.lost(status));
  const unmount = mount(root, session, { onHeight: setHeight, insertCell: cellMaker(model, el) });
  session.start();
  return () => {
    model.off("change:_height", resized);
    for (const event of LOSSES) model.off(event, lost);
    unwatch();
    session.close();
    unmount();
    root.remove();
  };
}

/** Nothing is kept per model: the kernel holds the truth and every view asks for it. */
function initialize(): () => void {
  return () => undefined;
}

export default { initialize, render };
