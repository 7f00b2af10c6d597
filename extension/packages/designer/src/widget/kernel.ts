import type { Attach, Bytes, Transport } from "../core/session";
import type { ClientMessage, Diagnostic, KernelMessage } from "../protocol/generated";

/** The name under which the kernel takes designers (`studio/attach.py`). */
const TARGET = "dali_studio.designer";
const LISTEN = "__import__('dali_studio.studio.attach', fromlist=['listen']).listen()";
/** What a kernel says of itself when everything in it is lost. */
const LOSSES: readonly string[] = ["restarting", "autorestarting", "dead", "terminating"];

interface Signal<T> {
  connect(slot: (sender: unknown, value: T) => void): void;
  disconnect(slot: (sender: unknown, value: T) => void): void;
}

interface Comm {
  open(data: unknown, metadata?: unknown, buffers?: Bytes[]): unknown;
  send(data: unknown): unknown;
  close(): unknown;
  onMsg: (message: { readonly content: { readonly data: unknown } }) => void;
  onClose: (message: unknown) => void;
}

/** The part of JupyterLab's kernel connection that is used. */
export interface Kernel {
  readonly status: string;
  readonly connectionStatus: string;
  readonly statusChanged: Signal<string>;
  readonly disposed: Signal<void>;
  /** What it says to all its pages, each message with the process that sent it. */
  readonly iopubMessage: Signal<{
    readonly header: { readonly msg_type: string; readonly session?: string };
    readonly content: { readonly execution_state?: string };
  }>;
  requestExecute(content: { code: string; silent: boolean; store_history: boolean }): {
    readonly done: Promise<{ readonly content: { readonly status: string; readonly evalue?: string } }>;
  };
  createComm(target: string): Comm;
  reconnect(): Promise<void>;
}

/** The kernel behind a widget, where its host tells: JupyterLab and Notebook do. */
export function kernelOf(model: { readonly widget_manager?: unknown }): Kernel | null {
  const manager = model.widget_manager as { readonly kernel?: Kernel | null } | undefined;
  const kernel = manager?.kernel;
  return kernel && typeof kernel.requestExecute === "function" && typeof kernel.createComm === "function"
    ? kernel
    : null;
}

/**
 * Call `lost` whenever the kernel loses all that is in it; returns how to end that. Where another page has restarted it,
 * it says no more than that it starts.
 */
export function watchKernel(
  kernel: (Pick<Kernel, "statusChanged"> & Partial<Pick<Kernel, "disposed" | "iopubMessage">>) | null,
  lost: (status: string) => void,
): () => void {
  let known = false;
  let speaks = "";
  const changed = (_: unknown, status: string) => {
    const ends = LOSSES.includes(status);
    if (ends || (status === "starting" && !known)) lost(status);
    if (ends || status === "starting") speaks = "";
    known = ends || (known && status === "unknown");
  };
  // that it starts is missed where the page listens too late: another process speaks then
  const heard: Parameters<Kernel["iopubMessage"]["connect"]>[0] = (_, { header, content }) => {
    const { session = "" } = header;
    if (header.msg_type !== "status" || !/^(busy|idle)$/.test(content.execution_state ?? "")) return;
    if (speaks && session !== speaks && !known) lost("starting");
    speaks = session;
  };
  // one that is shut down by the list of running sessions says no more than this
  const disposed = () => lost("dead");
  kernel?.statusChanged.connect(changed);
  kernel?.disposed?.connect(disposed);
  kernel?.iopubMessage?.connect(heard);
  return () => {
    kernel?.statusChanged.disconnect(changed);
    kernel?.disposed?.disconnect(disposed);
    kernel?.iopubMessage?.disconnect(heard);
  };
}

/** The part of an anywidget model that is used. */
export interface Model {
  get(name: "_height" | "_id"): unknown;
  set(name: "_height", value: number): void;
  save_changes(): void;
  send(content: ClientMessage): void;
  readonly widget_manager?: object;
  on(name: string, listener: (...values: never[]) => void): void;
  off(name: string, listener: (...values: never[]) => void): void;
}

function isMessage(data: unknown): data is KernelMessage {
  return typeof data === "object" && data !== null && typeof (data as { type?: unknown }).type === "string";
}

export function transportOf(model: Model): Transport {
  return {
    send: (message) => model.send(message),
    onMessage: (listener) => {
      const onMessage = (content: unknown, buffers: readonly DataView[] | undefined) => {
        if (isMessage(content)) listener(content, buffers ?? []);
      };
      model.on("msg:custom", onMessage);
      return () => model.off("msg:custom", onMessage);
    },
    // the host waits longer from try to try, and ends trying after some minutes
    retry: () => {
      const kernel = kernelOf(model);
      if (kernel && kernel.connectionStatus !== "connected") kernel.reconnect().catch(() => undefined);
    },
  };
}

/**
 * Opens what a widget showed in the kernel that runs behind it now. The kernel makes a widget of the same name, by which
 * the notebook shows and saves it as before; `take` is given its model.
 */
export function attachTo(model: Model, take: (model: Model) => void): Attach {
  return async (document, { revision, variable, document: path, saved }) => {
    const kernel = kernelOf(model);
    if (!kernel || kernel.status === "dead") throw new Error("No kernel runs: start one, then reconnect.");
    const { content } = await kernel.requestExecute({ code: LISTEN, silent: true, store_history: false }).done;
    if (content.status !== "ok")
      throw new Error(`This kernel cannot go on with it (${content.evalue ?? content.status}). Run the cell again.`);
    const name = model.get("_id");
    const comm = kernel.createComm(TARGET);
    await new Promise<void>((resolve, reject) => {
      comm.onMsg = ({ content: { data } }) => {
        const said = data as { readonly type: string; readonly diagnostics?: readonly Diagnostic[] };
        if (said.type === "attached") resolve();
        else reject(new Error(said.diagnostics?.map((d) => d.message).join(" ")));
      };
      comm.onClose = () => reject(new Error("This kernel cannot go on with it. Run the cell again."));
      const height = model.get("_height");
      comm.open({ revision, variable, path, saved, model: name, height }, {}, [...document]);
    });
    comm.close();
    const manager = model.widget_manager as { get_model(name: unknown): Promise<Model> };
    const now = await manager.get_model(name);
    take(now);
    return transportOf(now);
  };
}
