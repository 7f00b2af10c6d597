import { Notification } from "@jupyterlab/apputils";
import { PathExt } from "@jupyterlab/coreutils";
import type { DocumentRegistry } from "@jupyterlab/docregistry";
import { ABCWidgetFactory, DocumentWidget, TextModelFactory } from "@jupyterlab/docregistry";
import type { TranslationBundle } from "@jupyterlab/translation";
import { type ISignal, Signal } from "@lumino/signaling";
import { Widget } from "@lumino/widgets";
import { designers } from "../../designer/src/core/designers";
import type { FileState, Host } from "../../designer/src/core/host";
import type { Session } from "../../designer/src/core/session";
import { createStore, type Store } from "../../designer/src/core/store";
import { isSome, leave, leftAs, NONE, unsentOf, untold, withLeft } from "../../designer/src/core/unsent";
import type { Keys } from "./actions";
import { designer } from "./designer";
import { drawing, operators } from "./drawing";
import { takesFile } from "./external";
import { icon } from "./icon";
import { Link } from "./link";
import { Mirror } from "./mirror";
import { EXTENSION, FACTORY, FILE_TYPE, MODEL } from "./names";
import { Obstruction } from "./obstruction";
import { languageIn } from "./preferences";
import { type Files, saveAs } from "./save_as";
import { inTurn } from "./turns";
import { takeTyped } from "./typed";

export type DocumentContext = DocumentRegistry.IContext<DocumentRegistry.IModel>;

/** How long a kernel may take for edits before the file is saved without them, in ms; they then stay unsaved. */
const PATIENCE = 3000;

function patience(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PATIENCE));
}

/** Whether there are edits that no kernel has had. */
function isCut({ store }: Session): boolean {
  const { link, pending } = store.get();
  return link !== "live" && pending.length > 0;
}

/** Whether a kernel that is there has not answered all edits. */
function isLate({ store }: Session): boolean {
  const { link, pending } = store.get();
  return link !== "gone" && pending.length > 0;
}

const UNSAVED =
  "%1 was saved without your last edits, which no kernel has had. Reconnect and save again; in this browser they are offered when the file is opened.";

/** One file: what its views share. */
class PipelineFile {
  private static readonly open = new WeakMap<DocumentContext, PipelineFile>();
  readonly mirror: Mirror;
  readonly link: Link;
  readonly state: Store<FileState>;
  /** The conversations of the file's views. */
  readonly sessions = new Set<Session>();
  private warned = false;

  static of(context: DocumentContext, words: TranslationBundle, files: Files): PipelineFile {
    const known = PipelineFile.open.get(context) ?? new PipelineFile(context, words, files);
    PipelineFile.open.set(context, known);
    return known;
  }

  private constructor(
    readonly context: DocumentContext,
    private readonly words: TranslationBundle,
    files: Files,
  ) {
    this.mirror = new Mirror(context);
    this.link = new Link(context, this.mirror, () =>
      takesFile(
        context.localPath,
        words.__("The kernel still has what was open here before; edits that were not saved would be lost."),
        words,
      ),
    );
    const now = (): FileState => ({
      name: context.localPath,
      dirty: context.model.dirty,
      blank: this.mirror.blank,
      readOnly: context.model.readOnly,
    });
    this.state = createStore(now());
    const update = () => this.state.set(now);
    context.model.stateChanged.connect(update);
    context.pathChanged.connect(update);
    context.saveState.connect(update);
    void context.ready.then(update);
    // What is shown is what is saved, whoever saves: what is typed into a field is taken, edits that are on their way are
    // waited for, and the text is applied.
    const ready = async () => {
      await Promise.all([...this.sessions].map((session) => Promise.race([session.answered(), patience()])));
      await this.mirror.taken;
      await this.mirror.adopted;
      this.mirror.complete();
    };
    const save = context.save.bind(context);
    const again = async (late: readonly Session[]) => {
      await Promise.all(late.map((session) => session.answered()));
      if (!context.isDisposed) await context.save();
    };
    const saveInTurn = inTurn(async () => {
      await ready();
      const late = [...this.sessions].filter((session) => isLate(session));
      await save();
      // what the kernel takes after all belongs to this save; whoever is asked by JupyterLab has answered
      if (late.length > 0) again(late).catch(() => undefined);
      for (const { store } of this.sessions) leave(this.key, unsentOf(store.get()));
      this.warn();
    });
    context.save = () => {
      takeTyped();
      return saveInTurn();
    };
    context.saveAs = async () => {
      takeTyped();
      await ready();
      await saveAs(context, files, words, () => this.isAhead);
    };
    context.disposed.connect(() => {
      this.link.dispose();
      this.mirror.dispose();
    });
  }

  /** Where is kept what the file was saved without, as no kernel has had it: for whoever opens it next. */
  private get key(): string {
    return `dali-studio:saved:${this.context.path}`;
  }

  /** Take it up again, as soon as a kernel has the document. */
  private resume(session: Session): void {
    const unsubscribe = session.store.subscribe(() => {
      const { confirmed, code, link } = session.store.get();
      if (!confirmed || !code || link !== "live") return;
      unsubscribe();
      const left = leftAs(this.key);
      leave(this.key, NONE);
      if (isSome(left)) session.store.set((s) => withLeft(s, left));
    });
  }

  add(session: Session): void {
    this.sessions.add(session);
    this.resume(session);
  }

  /** Whether the kernel has not had what is being written. */
  private get isAhead(): boolean {
    return [...this.sessions].some((session) => {
      const state = session.store.get();
      const { draft, confirmed } = state;
      return (
        isCut(session) || untold(state).length > 0 || (draft?.taken === false && draft.source !== confirmed?.draft)
      );
    });
  }

  /** Say once, until a kernel is back, that edits are not in the file: who closes the tab has them when it is opened again. */
  private warn(): void {
    const cut = [...this.sessions].some(isCut);
    if (cut && !this.warned) Notification.warning(this.words.__(UNSAVED, this.context.path), { autoClose: 12_000 });
    this.warned = cut;
  }

  /** Who closes the tab before the kernel has had it is asked. */
  watch(): void {
    this.mirror.ahead = this.isAhead;
  }
}

/** What a document asks of JupyterLab. */
export interface Services {
  readonly files: Files;
  chooseKernel(context: DocumentContext): void;
  openText(path: string): void;
  add(folder: string): void;
  keys(): Keys;
  /** What can be done with a file may be other commands now. */
  renew(): void;
  preferences(): Promise<Readonly<Record<string, unknown>>>;
}

/** The designer of one file, in a tab. */
export class PipelineView extends Widget {
  /** The view's conversation; null until the program is loaded. */
  session: Session | null = null;
  /** There are other nodes. */
  readonly graphChanged: ISignal<PipelineView, void>;
  private readonly graphChanging = new Signal<PipelineView, void>(this);
  private readonly file: PipelineFile;
  private readonly root = document.createElement("div");
  private end: (() => void) | null = null;
  /** The language of the code that is still to be asked for. */
  private dialect = "";
  private readonly obstruction: Obstruction;
  private readonly acts: ((session: Session) => void)[] = [];

  constructor(
    readonly context: DocumentContext,
    private readonly words: TranslationBundle,
    private readonly services: Services,
  ) {
    super();
    this.graphChanged = this.graphChanging;
    this.addClass("dali-View");
    this.file = PipelineFile.of(context, words, services.files);
    this.root.className = "ds-widget ds-whole";
    this.obstruction = new Obstruction(words, {
      chooseKernel: () => services.chooseKernel(context),
      openText: () => services.openText(context.path),
      add: () => services.add(PathExt.dirname(context.path)),
      again: () => void this.file.link.start(true),
    });
    this.node.append(this.root, this.obstruction.node);
    this.file.link.changed.connect(this.onLink, this);
    void this.begin();
  }

  get host(): Host {
    return {
      file: this.file.state,
      save: () => void this.context.save(),
      drawing: () => (this.file.mirror.blank ? null : drawing(this.context.model.toString(), this.words)),
      operators: () => operators(this.context.model.toString()),
      commandFor: (key) => this.services.keys().commandFor(key),
      binds: (command) => this.services.keys().binds(command),
    };
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.file.link.changed.disconnect(this.onLink, this);
    this.end?.();
    if (this.session) this.file.sessions.delete(this.session);
    this.session?.close();
    super.dispose();
  }

  /** Whether its text is no pipeline. */
  get refused(): boolean {
    return this.file.link.obstacle?.kernel === false;
  }

  /** What is done once, as soon as the kernel has the document: a new one begins with it. */
  beginWith(act: (session: Session) => void): void {
    this.acts.push(act);
    if (this.session && this.file.link.live) this.greet();
  }

  /** Bring a node into view. */
  reveal(key: string): void {
    const shown = designers()
      .get()
      .shown.find((one) => one.root === this.root);
    (shown?.api.current as { show(key: string): void } | null)?.show(key);
  }

  protected override onActivateRequest(): void {
    const { activeElement } = document;
    const inside = activeElement !== this.node && this.node.contains(activeElement);
    if (!inside) this.root.querySelector<HTMLElement>(".ds-root")?.focus({ preventScroll: true });
  }

  private async begin(): Promise<void> {
    const program = await designer();
    await this.context.ready;
    if (this.isDisposed) return;
    const { link } = this.file;
    const transport = () => link.view((status) => this.session?.lost(status));
    const session = new program.Session(transport(), program.pictureWidth(), async (document, { revision }) => {
      await link.reopen(document, revision);
      return transport();
    });
    this.session = session;
    this.file.add(session);
    let nodes: unknown;
    const unsubscribe = session.store.subscribe(() => {
      this.file.watch();
      const found = session.store.get().graph?.nodes;
      if (found !== nodes) this.graphChanging.emit();
      nodes = found;
    });
    this.disposed.connect(unsubscribe);
    const preferences = await this.services.preferences();
    if (this.isDisposed) return;
    if (preferences.code === false) session.view({ drawer: null });
    this.end = program.mount(this.root, session, { host: this.host });
    if (document.activeElement === this.node) this.onActivateRequest(); // JupyterLab has focused what was empty
    this.dialect = languageIn(preferences);
    if (link.live) this.greet();
    else await link.start();
  }

  /** Say to the kernel that this view is there, and what it wants. */
  private greet(): void {
    this.session?.start();
    for (const act of this.acts.splice(0)) if (this.session) act(this.session);
    if (this.dialect) this.session?.send({ type: "request_code", dialect: this.dialect });
    this.dialect = "";
  }

  private onLink(): void {
    const { link } = this.file;
    this.obstruction.show(link.live ? null : link.obstacle, this.context.model.toString());
    this.services.renew();
    if (link.live && this.session?.store.get().link !== "live") this.greet();
  }
}

export class PipelineDocument extends DocumentWidget<PipelineView, DocumentRegistry.IModel> {}

/** The text of a file, which several people do not edit at once: the kernel's session owns it. */
export class PipelineModelFactory extends TextModelFactory {
  constructor() {
    super(false);
  }

  override get name(): string {
    return MODEL;
  }

  override preferredLanguage(): string {
    return "python";
  }
}

export class PipelineFactory extends ABCWidgetFactory<PipelineDocument, DocumentRegistry.IModel> {
  constructor(
    private readonly words: TranslationBundle,
    private readonly services: Services,
  ) {
    super({
      name: FACTORY,
      label: words.__("DALI designer"),
      modelName: MODEL,
      fileTypes: [FILE_TYPE, "json"], // of other JSON files for those who ask for it
      defaultFor: [FILE_TYPE],
      preferKernel: true,
      canStartKernel: true,
      shutdownOnClose: true,
      autoStartDefault: true,
    });
  }

  protected createNewWidget(context: DocumentContext): PipelineDocument {
    const content = new PipelineView(context, this.words, this.services);
    const widget = new PipelineDocument({ content, context });
    widget.addClass("dali-Document");
    widget.title.icon = icon;
    widget.toolbar.hide(); // the toolbar plugin shows it
    return widget;
  }
}

export const fileType: DocumentRegistry.IFileType = {
  name: FILE_TYPE,
  displayName: "DALI pipeline",
  extensions: [EXTENSION],
  mimeTypes: ["application/json"],
  icon,
  fileFormat: "text",
  contentType: "file",
};
