import type { ISessionContext } from "@jupyterlab/apputils";
import { PageConfig } from "@jupyterlab/coreutils";
import type { DocumentRegistry } from "@jupyterlab/docregistry";
import type { Kernel, Session } from "@jupyterlab/services";
import { type ISignal, Signal } from "@lumino/signaling";
import type { Bytes, Transport } from "../../designer/src/core/session";
import type { KernelMessage } from "../../designer/src/protocol/generated";
import { watchKernel } from "../../designer/src/widget/kernel";
import { deflated, inflated, type Mirror } from "./mirror";
import { version } from "./names";

type Listener = Parameters<Transport["onMessage"]>[0];

/** Under this name the kernel takes documents (`studio/attach.py`). */
const TARGET = "dali_studio.designer";
const LISTEN = "__import__('dali_studio.studio.attach', fromlist=['listen']).listen()";
const VERSION_OF_KERNEL = "__import__('dali_studio').__version__";
/** How long a kernel may be silent before it is asked again, in ms: what is said while it connects may be lost. */
const PATIENCE = 15_000;
const TRIES = 4;

/**
 * What the kernel says before anything else. `edited`: it still had edits that the file does not; `overtaken`: somebody
 * else has written the file meanwhile.
 */
interface Attached {
  readonly type: "attached";
  readonly edited: boolean;
  readonly overtaken: boolean;
}

/** Another page of the document has written its file, or loaded it again as the revision. */
interface FileWritten {
  readonly type: "file_written";
  readonly revision: number | null;
}

/** What a document is opened with; its text comes beside it. */
type Opening = {
  readonly revision: number;
  readonly document: string;
  readonly page: string;
  readonly fresh: boolean;
  readonly written: string;
  readonly file: string;
  readonly root: string;
};

/** Why a document cannot be edited now, in one sentence, and what to do about it. */
export interface Obstacle {
  readonly reason: string;
  readonly command?: string;
  /** Whether another kernel would help. */
  readonly kernel: boolean;
}

export class Refusal extends Error {
  constructor(readonly obstacle: Obstacle) {
    super(obstacle.command ? `${obstacle.reason} ${obstacle.command}` : obstacle.reason);
  }
}

/** A name of this page that outlives a reload, by which the kernel knows which comm an earlier page has left. */
export function pageName(): string {
  const key = "dali-studio:page";
  const name = sessionStorage.getItem(key) ?? crypto.getRandomValues(new Uint32Array(2)).join("-");
  sessionStorage.setItem(key, name);
  return name;
}

/** What comes of work in time; null where nothing does. */
async function soon<T>(work: Promise<T>): Promise<{ readonly value: T } | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PATIENCE, null);
  });
  try {
    return await Promise.race([work.then((value) => ({ value })), silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Done when a connection of JupyterLab's has ended. */
function gone(connection: Session.ISessionConnection | Kernel.IKernelConnection): Promise<void> {
  return new Promise((resolve) => {
    const { disposed } = connection as { readonly disposed: ISignal<unknown, void> };
    if (connection.isDisposed) resolve();
    else disposed.connect(() => resolve());
  });
}

/** What comes of work in a kernel, which is refused as soon as the kernel has ended: no answer would come any more. */
function unlessEnded<T>(kernel: Kernel.IKernelConnection, work: Promise<T>): Promise<T> {
  const ended = gone(kernel).then(() => {
    throw new Refusal({ reason: "The kernel has ended.", kernel: true });
  });
  return Promise.race([ended, work]);
}

/** What a kernel says to a question, which is asked anew while it says nothing. */
async function answer<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await soon(ask());
    if (found) return found.value;
  }
  throw new Refusal({
    reason: `The kernel has said nothing for ${(TRIES * PATIENCE) / 1000} s. It may be busy with something else, or need a restart.`,
    kernel: true,
  });
}

/** What is sent while a kernel still connects may be lost. */
async function connected(kernel: Kernel.IKernelConnection): Promise<void> {
  if (kernel.connectionStatus !== "connected")
    await new Promise<void>((resolve) => {
      const changed = (_: unknown, status: string) => {
        if (status !== "connected") return;
        kernel.connectionStatusChanged.disconnect(changed);
        resolve();
      };
      kernel.connectionStatusChanged.connect(changed);
    });
  await answer(() => kernel.requestKernelInfo());
}

/** Make a kernel take documents; refused where it has no DALI Studio, or another version. */
export function listening(kernel: Kernel.IKernelConnection): Promise<void> {
  return unlessEnded(kernel, listens(kernel));
}

async function listens(kernel: Kernel.IKernelConnection): Promise<void> {
  await connected(kernel);
  const question = {
    code: LISTEN,
    silent: true,
    store_history: false,
    user_expressions: { version: VERSION_OF_KERNEL },
  };
  const { content } = await answer(() => kernel.requestExecute(question).done);
  const install = `pip install dali-studio==${version}`;
  if (content.status !== "ok") {
    const missing = content.ename === "ModuleNotFoundError" && content.evalue?.includes("'dali_studio'");
    if (missing)
      throw new Refusal({
        reason: `DALI Studio is not installed where this kernel runs. JupyterLab has version ${version}.`,
        command: install,
        kernel: true,
      });
    const cause = [content.ename, content.evalue].filter(Boolean).join(": ") || content.status;
    throw new Refusal({ reason: `DALI Studio does not start in this kernel (${cause}).`, kernel: true });
  }
  const found = String(content.user_expressions?.version?.data?.["text/plain"] ?? "").replace(/['"]/g, "");
  if (found !== version)
    throw new Refusal({
      reason: `JupyterLab has DALI Studio ${version}, this kernel has ${found || "an unknown version"}. Install the same version there, then restart the kernel:`,
      command: install,
      kernel: true,
    });
}

/** The sessions of tabs that were closed. JupyterLab ends them, and takes them for the file's own until they have ended. */
const leaving = new Set<string>();

/**
 * What is brought to a kernel. `fresh`: it takes the place of what the kernel has; `anew`: where no kernel runs, one is
 * started; `asks`: the user chooses between the text and what the kernel has, if somebody else has written the text.
 */
interface Asked {
  readonly text: string;
  readonly steps?: readonly Bytes[];
  readonly revision: number;
  readonly fresh: boolean;
  readonly anew: boolean;
  readonly asks?: boolean;
}

/** The conversation of one document with its kernel; all its views take part. */
export class Link {
  readonly changed: ISignal<Link, void>;
  private readonly changing = new Signal<Link, void>(this);
  private readonly listeners = new Set<Listener>();
  private readonly lossHandlers = new Set<(status?: string) => void>();
  private readonly unwatch: () => void;
  private comm: Kernel.IComm | null = null;
  private opening: Promise<void> | null = null;
  /** The session in which the document was opened last. */
  private place = "";
  /** What is in the way of the first connection; null while there is nothing known to be. */
  obstacle: Obstacle | null = null;

  constructor(
    private readonly context: DocumentRegistry.IContext<DocumentRegistry.IModel>,
    private readonly mirror: Mirror,
    private readonly takesFile: () => Promise<boolean>,
  ) {
    this.changed = this.changing;
    this.unwatch = watchKernel(this.session, (status) => {
      if (this.comm) this.lost(this.comm, status);
    });
    this.session.kernelChanged.connect(this.onKernel, this);
    mirror.replaced.connect(() => void this.replace(), this);
    context.fileChanged.connect(this.onFile, this);
    context.pathChanged.connect(this.onFile, this);
    context.saveState.connect(this.onSave, this); // of a file with the same text JupyterLab does not say that it changed
  }

  get session(): ISessionContext {
    return this.context.sessionContext;
  }

  get live(): boolean {
    return this.comm !== null && !this.comm.isDisposed;
  }

  dispose(): void {
    this.unwatch();
    this.session.kernelChanged.disconnect(this.onKernel, this);
    this.context.fileChanged.disconnect(this.onFile, this);
    this.context.pathChanged.disconnect(this.onFile, this);
    this.context.saveState.disconnect(this.onSave, this);
    this.drop();
    leaving.add(this.place);
    Signal.clearData(this);
  }

  /** One view's part of the conversation. */
  view(onLoss: (status?: string) => void): Transport {
    let listener: Listener | null = null;
    this.lossHandlers.add(onLoss);
    return {
      send: (message) => {
        if (!this.comm || this.comm.isDisposed) throw new Error("No kernel has this document.");
        if (message.type === "open_recipe") this.mirror.look();
        this.comm.send(message);
      },
      onMessage: (found) => {
        listener = found;
        this.listeners.add(found);
        return () => this.listeners.delete(found);
      },
      close: () => {
        if (listener) this.listeners.delete(listener);
        this.lossHandlers.delete(onLoss);
      },
    };
  }

  /** Open the file's text in the kernel, unless that was done. `again`: in a new one where none runs. */
  async start(again = false): Promise<void> {
    await this.context.ready;
    await this.session.ready;
    if (this.live) return;
    const { session } = this.session;
    const left = session !== null && leaving.has(session.id);
    if (left) await soon(gone(session));
    try {
      const text = this.context.model.toString();
      await this.open({ text, revision: 0, fresh: false, anew: again || left, asks: true });
      this.obstacle = null;
    } catch (error) {
      this.obstacle = error instanceof Refusal ? error.obstacle : { reason: String(error), kernel: true };
    }
    this.changing.emit();
  }

  /** Open what a view kept of the document, in the kernel that runs now. */
  async reopen([document, ...steps]: readonly Bytes[], revision: number): Promise<void> {
    if (this.live || !document) return;
    await this.open({ text: await inflated(document), steps, revision, fresh: false, anew: true });
  }

  /** The text was replaced from outside, for instance by an older version of the file. */
  private async replace(): Promise<void> {
    const before = this.comm;
    if (this.obstacle && !this.live) await this.start(); // the text may be a document now
    if (!before || !this.live) return;
    const text = this.context.model.toString();
    await this.open({ text, revision: this.mirror.revision + 1, fresh: true, anew: false });
    if (!before.isDisposed) before.close();
  }

  private open(asked: Asked): Promise<void> {
    this.opening ??= this.opened(asked).finally(() => {
      this.opening = null;
    });
    return this.opening;
  }

  private async opened(asked: Asked): Promise<void> {
    if (asked.anew && !this.session.session?.kernel) await this.session.startKernel();
    const connection = this.session.session;
    const kernel = connection?.kernel;
    if (!connection || !kernel || kernel.status === "dead")
      throw new Refusal({ reason: "No kernel runs for this document.", kernel: true });
    this.place = connection.id;
    const { revision, fresh } = asked;
    try {
      await listening(kernel);
      const packed = [await deflated(asked.text), ...(asked.steps ?? [])];
      const open = { revision, document: connection.id, page: pageName(), fresh, ...this.file };
      const waiting = await unlessEnded(
        kernel,
        answer(() =>
          this.attached(kernel.createComm(TARGET), open, packed, asked.asks ?? false, asked.steps !== undefined),
        ),
      );
      if (waiting) {
        await this.opened({ ...asked, fresh: await this.takesFile(), asks: false });
        waiting.close(); // not before: with its last comm the kernel forgets a document
      }
    } catch (error) {
      const now = this.session.session?.kernel;
      if (!now || now === kernel) throw error;
      await this.opened(asked); // another one was chosen meanwhile
    }
    this.obstacle = null;
  }

  /** The file that the text comes from, in which folder its path begins, and when it was written. */
  private get file() {
    const root = PageConfig.getOption("serverRoot");
    return { file: this.context.localPath, root, written: this.context.contentsModel?.last_modified ?? "" };
  }

  /** Bring the document to the kernel; done when it has it. The comm is given back if the user is to be asked first. */
  private attached(
    comm: Kernel.IComm,
    open: Opening,
    packed: Bytes[],
    asks: boolean,
    again: boolean,
  ): Promise<Kernel.IComm | null> {
    return new Promise((resolve, reject) => {
      comm.onMsg = ({ content, buffers }) => {
        const data = content.data as Attached | FileWritten | KernelMessage;
        if (data.type === "attached" && data.overtaken && asks) {
          resolve(comm);
        } else if (data.type === "attached") {
          this.mirror.begin(data.edited, open.fresh, again);
          this.comm = comm;
          if (data.overtaken) this.onFile();
          resolve(null);
        } else if (data.type === "file_written") {
          this.mirror.adopt(data.revision);
        } else if (this.comm !== comm) {
          const found = data.type === "refused" ? data.diagnostics : [{ message: "It was refused." }];
          const said = found.map((d) => ("hint" in d ? `${d.message} ${d.hint}` : d.message)).join(" ");
          reject(new Refusal({ reason: said, kernel: false }));
        } else {
          if (data.type === "revision_changed") this.mirror.take(data.revision, buffers?.[0], buffers?.[1]);
          for (const listener of [...this.listeners]) listener(data, buffers ?? []);
        }
      };
      comm.onClose = () => this.lost(comm);
      comm.open(open, {}, packed);
    });
  }

  /** The file was saved, loaded again, or got another name: what is open goes on from there. */
  private onFile(): void {
    if (this.live) this.comm?.send({ type: "file_written", ...this.file });
  }

  private onSave(_: unknown, state: string): void {
    if (state === "completed") this.onFile();
  }

  private onKernel(): void {
    if (this.comm) this.lost(this.comm);
    // who has lost a kernel is asked to reconnect, however often the kernel changes
    else if (this.obstacle && this.session.session?.kernel && this.session.isReady) void this.start();
  }

  private lost(comm: Kernel.IComm, status?: string): void {
    if (this.comm !== comm) return;
    this.comm = null;
    for (const handler of [...this.lossHandlers]) handler(status);
    this.changing.emit();
  }

  private drop(): void {
    const { comm } = this;
    this.comm = null;
    if (comm && !comm.isDisposed) comm.close();
  }
}
