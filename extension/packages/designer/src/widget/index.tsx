import "../styles/index.css";
import { type Attach, Session } from "../core/session";
import { mount, pictureWidth } from "../react/mount";
import { cellMaker } from "./cells";
import { attachTo, kernelOf, type Model, transportOf, watchKernel } from "./kernel";

const MIN_HEIGHT = 480;
const DEFAULT_HEIGHT = 640;
const LOSSES = ["comm:close", "comm_live_update"] as const;

function heightOf(model: Model): number {
  const height = model.get("_height");
  return typeof height === "number" && height >= MIN_HEIGHT ? height : DEFAULT_HEIGHT;
}

/** The designers of each notebook: with one, all are reconnected. */
const NOTEBOOKS = new WeakMap<object, Set<Session>>();

/** One view. Each view has its own conversation; the kernel's answers reach all of them. */
function render({ model: first, el }: { readonly model: Model; readonly el: HTMLElement }): () => void {
  const root = el.ownerDocument.createElement("div");
  root.className = "ds-widget";
  el.append(root);
  const kernel = kernelOf(first);
  let model = first;
  const resized = () => {
    root.style.height = `${heightOf(model)}px`;
  };
  const lost = () => session.lost();
  const unfollow = () => {
    model.off("change:_height", resized);
    for (const event of LOSSES) model.off(event, lost);
  };
  let unwatch = () => undefined as unknown;
  const follow = (now: Model) => {
    unfollow();
    unwatch();
    model = now;
    // it may be another kernel than that of before
    unwatch = watchKernel(kernelOf(now), (status) => session.lost(status));
    model.on("change:_height", resized);
    // Both are said by the widget manager: a closed comm, and a kernel that was restarted or died.
    for (const event of LOSSES) model.on(event, lost);
    resized();
  };
  const attach = attachTo(first, follow);
  const attachAll: Attach = async (...of) => {
    const transport = await attach(...of);
    for (const other of together) if (other.store.get().link === "gone") void other.reconnect();
    return transport;
  };
  const session = new Session(transportOf(first), pictureWidth(), kernel ? attachAll : null);
  const notebook = first.widget_manager ?? first;
  const together = NOTEBOOKS.get(notebook) ?? new Set();
  NOTEBOOKS.set(notebook, together.add(session));
  follow(first);
  const setHeight = (height: number, done: boolean) => {
    root.style.height = `${height}px`;
    if (!done) return;
    model.set("_height", height);
    model.save_changes();
  };
  const unmount = mount(root, session, { onHeight: setHeight, insertCell: cellMaker(first, el) });
  session.start();
  return () => {
    unfollow();
    unwatch();
    session.close();
    together.delete(session);
    unmount();
    root.remove();
  };
}

/** Nothing is kept per model: the kernel holds the truth and every view asks for it. */
function initialize(): () => void {
  return () => undefined;
}

export default { initialize, render };
