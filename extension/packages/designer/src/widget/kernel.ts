import type { Attach, Bytes, Transport } from "../core/session";
import type { KernelMessage } from "../protocol/generated";

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
  readonly isDisposed: boolean;
  onMsg: (message: { readonly content: { readonly data: unknown }; readonly buffers?: readonly Bytes[] }) => void;
}

/** The part of JupyterLab's kernel connection that is used. */
export interface Kernel {
  readonly status: string;
  readonly statusChanged: Signal<string>;
  requestExecute(content: { code: string; silent: boolean; store_history: boolean }): {
    readonly done: Promise<{ readonly content: { readonly status: string; readonly evalue?: string } }>;
  };
  createComm(target: string): Comm;
}

/** The kernel behind a widget, where its host tells: JupyterLab and Notebook do. */
export function kernelOf(model: { readonly widget_manager?: unknown }): Kernel | null {
  const manager = model.widget_manager as { readonly kernel?: Kernel | null } | undefined;
  const kernel = manager?.kernel;
  return kernel && typeof kernel.requestExecute === "function" && typeof kernel.createComm === "function"
    ? kernel
    : null;
}

/** Call `lost` whenever the kernel loses all that is in it; returns how to end that. */
export function watchKernel(kernel: Kernel | null, lost: (status: string) => void): () => void {
  const changed = (_: unknown, status: string) => {
    if (LOSSES.includes(status)) lost(status);
  };
  kernel?.statusChanged.connect(changed);
  return () => kernel?.statusChanged.disconnect(changed);
}

function isMessage(data: unknown): data is KernelMessage {
  return typeof data === "object" && data !== null && typeof (data as { type?: unknown }).type === "string";
}

function transportOf(comm: Comm): Transport {
  return {
    send: (message) => void comm.send(message),
    onMessage: (listener) => {
      comm.onMsg = ({ content, buffers }) => {
        if (isMessage(content.data)) listener(content.data, buffers ?? []);
      };
      return () => {
        comm.onMsg = () => undefined;
      };
    },
    // A kernel that restarts has disposed of it.
    close: () => {
      if (!comm.isDisposed) comm.close();
    },
  };
}

/** Opens documents in the kernel that runs behind a widget now. */
export function attachTo(model: { readonly widget_manager?: unknown }): Attach {
  return async (document, revision) => {
    const kernel = kernelOf(model);
    if (!kernel || kernel.status === "dead") throw new Error("No kernel runs: start one, then reconnect.");
    const { content } = await kernel.requestExecute({ code: LISTEN, silent: true, store_history: false }).done;
    if (content.status !== "ok")
      throw new Error(`This kernel cannot go on with it (${content.evalue ?? content.status}). Run the cell again.`);
    const comm = kernel.createComm(TARGET);
    const transport = transportOf(comm);
    comm.open({ revision }, {}, [...document]);
    return transport;
  };
}
