/**
 * The part of JupyterLab (4.2 and newer) that is used.
 *
 * Its packages are shared at run time and not needed to build this; as types alone they would bring two hundred
 * packages from npm. The browser tests hold this against the real JupyterLab.
 */

declare module "@jupyterlab/coreutils" {
  export namespace PageConfig {
    function getOption(name: string): string;
  }
  export namespace PathExt {
    function basename(path: string, ext?: string): string;
    function dirname(path: string): string;
    function extname(path: string): string;
    function join(...parts: string[]): string;
  }
}

declare module "@jupyterlab/translation" {
  import type { Token } from "@lumino/coreutils";
  export interface TranslationBundle {
    __(text: string, ...values: unknown[]): string;
  }
  export interface ITranslator {
    load(domain: string): TranslationBundle;
  }
  export const ITranslator: Token<ITranslator>;
  export const nullTranslator: ITranslator;
}

declare module "@jupyterlab/services" {
  import type { ISignal } from "@lumino/signaling";
  export namespace Contents {
    interface IModel {
      readonly name: string;
      readonly path: string;
      readonly type: string;
      readonly last_modified: string;
      // biome-ignore lint/suspicious/noExplicitAny: as JupyterLab declares it
      readonly content: any;
    }
    interface IManager {
      get(path: string, options?: { content?: boolean; type?: string; format?: string }): Promise<IModel>;
      save(path: string, options: { type: string; format: string; content: string }): Promise<IModel>;
      newUntitled(options: { path?: string; type: string; ext?: string }): Promise<IModel>;
      rename(path: string, to: string): Promise<IModel>;
      delete(path: string): Promise<void>;
    }
  }
  export namespace Kernel {
    interface IComm {
      open(data: unknown, metadata?: unknown, buffers?: (ArrayBuffer | DataView)[]): unknown;
      send(data: unknown, metadata?: unknown, buffers?: (ArrayBuffer | DataView)[]): unknown;
      close(): unknown;
      readonly isDisposed: boolean;
      onMsg: (message: {
        readonly content: { readonly data: unknown };
        readonly buffers?: readonly (ArrayBuffer | DataView)[];
      }) => void;
      onClose: (message: unknown) => void;
    }
    interface IReply {
      readonly content: {
        readonly status: string;
        readonly ename?: string;
        readonly evalue?: string;
        readonly user_expressions?: Readonly<
          Record<
            string,
            {
              readonly status: string;
              readonly data?: Readonly<Record<string, unknown>>;
              readonly ename?: string;
              readonly evalue?: string;
            }
          >
        >;
      };
    }
    interface IKernelConnection {
      readonly isDisposed: boolean;
      readonly id: string;
      readonly status: string;
      readonly connectionStatus: string;
      readonly connectionStatusChanged: ISignal<IKernelConnection, string>;
      readonly statusChanged: ISignal<IKernelConnection, string>;
      readonly disposed: ISignal<IKernelConnection, void>;
      requestKernelInfo(): Promise<unknown>;
      requestExecute(content: {
        code: string;
        silent?: boolean;
        store_history?: boolean;
        user_expressions?: Record<string, string>;
      }): { readonly done: Promise<IReply> };
      createComm(target: string): IComm;
      shutdown(): Promise<void>;
      dispose(): void;
    }
    interface IManager {
      startNew(options?: { name?: string }): Promise<IKernelConnection>;
    }
  }
  export namespace Session {
    interface ISessionConnection {
      readonly id: string;
      readonly isDisposed: boolean;
      readonly disposed: ISignal<ISessionConnection, void>;
      readonly kernel: Kernel.IKernelConnection | null;
      setPath(path: string): Promise<void>;
    }
  }
  export namespace KernelMessage {
    interface IIOPubMessage {
      readonly header: { readonly msg_type: string; readonly session: string };
      readonly content: {
        readonly execution_state?: string;
        readonly data: Readonly<Record<string, unknown>>;
        readonly metadata: Readonly<Record<string, unknown>>;
        readonly transient?: { readonly display_id?: string };
      };
    }
  }
  export namespace ServiceManager {
    interface IManager {
      readonly contents: Contents.IManager;
      readonly kernels: Kernel.IManager;
    }
  }
}

declare module "@jupyterlab/ui-components" {
  export class LabIcon {
    constructor(options: { name: string; svgstr: string });
    bindprops(props: Record<string, unknown>): LabIcon;
    element(props?: Record<string, unknown>): HTMLElement;
  }
}

declare module "@jupyterlab/apputils" {
  import type { KernelMessage, Session } from "@jupyterlab/services";
  import type { ISettingRegistry } from "@jupyterlab/settingregistry";
  import type { ITranslator } from "@jupyterlab/translation";
  import type { Token } from "@lumino/coreutils";
  import type { ISignal } from "@lumino/signaling";
  import type { Widget } from "@lumino/widgets";
  export interface ISessionContext {
    readonly ready: Promise<void>;
    readonly isReady: boolean;
    readonly session: Session.ISessionConnection | null;
    readonly statusChanged: ISignal<ISessionContext, string>;
    readonly kernelChanged: ISignal<ISessionContext, unknown>;
    readonly connectionStatusChanged: ISignal<ISessionContext, string>;
    readonly iopubMessage: ISignal<ISessionContext, KernelMessage.IIOPubMessage>;
    restartKernel(): Promise<void>;
    startKernel(): Promise<boolean>;
  }
  export interface ISessionContextDialogs {
    selectKernel(context: ISessionContext): Promise<void>;
    restart(context: ISessionContext): Promise<boolean>;
  }
  export const ISessionContextDialogs: Token<ISessionContextDialogs>;
  export interface IWidgetTracker<T extends Widget> {
    readonly currentWidget: T | null;
    readonly currentChanged: ISignal<IWidgetTracker<T>, T | null>;
    readonly widgetAdded: ISignal<IWidgetTracker<T>, T>;
    forEach(each: (widget: T) => void): void;
    has(widget: Widget): boolean;
  }
  export class WidgetTracker<T extends Widget> implements IWidgetTracker<T> {
    constructor(options: { namespace: string });
    readonly currentWidget: T | null;
    readonly currentChanged: ISignal<IWidgetTracker<T>, T | null>;
    readonly widgetAdded: ISignal<IWidgetTracker<T>, T>;
    add(widget: T): Promise<void>;
    save(widget: T): Promise<void>;
    has(widget: Widget): boolean;
    forEach(each: (widget: T) => void): void;
  }
  export interface ICommandPalette {
    addItem(item: { command: string; category: string; args?: Record<string, unknown> }): unknown;
  }
  export const ICommandPalette: Token<ICommandPalette>;
  export interface IKernelStatusModel {
    addSessionProvider(provider: (widget: Widget | null) => ISessionContext | null): void;
  }
  export const IKernelStatusModel: Token<IKernelStatusModel>;
  export namespace Toolbar {
    function createKernelNameItem(
      session: ISessionContext,
      dialogs?: ISessionContextDialogs,
      translator?: ITranslator,
    ): Widget;
    function createKernelStatusItem(session: ISessionContext, translator?: ITranslator): Widget;
  }
  export interface IToolbarWidgetRegistry {
    addFactory<T extends Widget>(factory: string, item: string, make: (widget: T) => Widget): unknown;
  }
  export const IToolbarWidgetRegistry: Token<IToolbarWidgetRegistry>;
  /** What makes the toolbar of a document, and follows the settings of the plugin. */
  export type ToolbarFactory = (widget: Widget) => unknown;
  export function createToolbarFactory(
    items: IToolbarWidgetRegistry,
    settings: ISettingRegistry,
    factory: string,
    plugin: string,
    translator: ITranslator,
  ): ToolbarFactory;
  export function setToolbar(widget: Widget, factory: ToolbarFactory): void;
  export namespace Dialog {
    interface IButton {
      readonly label: string;
    }
    interface IResult {
      readonly button: { readonly accept: boolean };
    }
    function okButton(options?: { label?: string }): IButton;
    function cancelButton(options?: { label?: string }): IButton;
    function warnButton(options?: { label?: string }): IButton;
  }
  export function showDialog(options: {
    title: string;
    body: string | Widget;
    buttons?: readonly Dialog.IButton[];
  }): Promise<Dialog.IResult>;
  export namespace InputDialog {
    function getText(options: {
      title: string;
      text: string;
      okLabel: string;
      selectionRange: number;
    }): Promise<Dialog.IResult & { readonly value: string | null }>;
  }
  export namespace Notification {
    interface IOptions {
      readonly autoClose: number | false;
    }
    /** Says how a promise stands, in the corner of the window. */
    function promise<T>(
      promise: Promise<T>,
      said: {
        pending: { message: string; options: IOptions };
        success: { message: (result: T) => string; options: IOptions };
        error: { message: (reason: unknown) => string; options: IOptions };
      },
    ): string;
    function warning(message: string, options: IOptions): string;
  }
  export function showErrorMessage(title: string, error: string | { message: string }): Promise<void>;
}

declare module "@jupyterlab/docregistry" {
  import type { ISessionContext } from "@jupyterlab/apputils";
  import type { Contents } from "@jupyterlab/services";
  import type { LabIcon } from "@jupyterlab/ui-components";
  import type { ISignal } from "@lumino/signaling";
  import { Widget } from "@lumino/widgets";
  export namespace DocumentRegistry {
    interface IModel {
      dirty: boolean;
      readonly readOnly: boolean;
      readonly contentChanged: ISignal<IModel, void>;
      readonly stateChanged: ISignal<IModel, unknown>;
      toString(): string;
      fromString(text: string): void;
    }
    interface IContext<T extends IModel> {
      readonly path: string;
      readonly localPath: string;
      readonly model: T;
      readonly ready: Promise<void>;
      readonly isReady: boolean;
      readonly isDisposed: boolean;
      readonly sessionContext: ISessionContext;
      readonly contentsModel: Contents.IModel | null;
      readonly pathChanged: ISignal<IContext<T>, string>;
      readonly saveState: ISignal<IContext<T>, "started" | "completed" | "failed" | "completed manually">;
      readonly fileChanged: ISignal<IContext<T>, unknown>;
      readonly disposed: ISignal<IContext<T>, void>;
      save(): Promise<void>;
      saveAs(): Promise<void>;
      revert(): Promise<void>;
    }
    interface IFileType {
      readonly name: string;
      readonly displayName: string;
      readonly extensions: readonly string[];
      readonly mimeTypes: readonly string[];
      readonly icon: LabIcon;
      readonly fileFormat: "text";
      readonly contentType: "file";
    }
    interface IWidgetFactoryOptions {
      readonly name: string;
      readonly label?: string;
      readonly modelName: string;
      readonly fileTypes: readonly string[];
      readonly defaultFor: readonly string[];
      readonly preferKernel: boolean;
      readonly canStartKernel: boolean;
      readonly shutdownOnClose: boolean;
      readonly autoStartDefault: boolean;
    }
  }
  /** As a type there are several registries; this is the application's. */
  export interface DocumentRegistry {
    addFileType(type: DocumentRegistry.IFileType): unknown;
    addModelFactory(factory: TextModelFactory): unknown;
    addWidgetFactory(factory: unknown): unknown;
  }
  export class TextModelFactory {
    constructor(collaborative?: boolean);
    get name(): string;
    get collaborative(): boolean;
    preferredLanguage(path: string): string;
  }
  export abstract class ABCWidgetFactory<T extends Widget, M extends DocumentRegistry.IModel> {
    constructor(options: DocumentRegistry.IWidgetFactoryOptions);
    readonly widgetCreated: ISignal<unknown, T>;
    protected abstract createNewWidget(context: DocumentRegistry.IContext<M>): T;
  }
  export class DocumentWidget<C extends Widget, M extends DocumentRegistry.IModel> extends Widget {
    constructor(options: { content: C; context: DocumentRegistry.IContext<M>; reveal?: Promise<void> });
    readonly content: C;
    readonly context: DocumentRegistry.IContext<M>;
    readonly toolbar: Widget;
  }
}

declare module "@jupyterlab/application" {
  import type { IWidgetTracker } from "@jupyterlab/apputils";
  import type { DocumentRegistry } from "@jupyterlab/docregistry";
  import type { ServiceManager } from "@jupyterlab/services";
  import type { LabIcon } from "@jupyterlab/ui-components";
  import type { Token } from "@lumino/coreutils";
  import type { ISignal } from "@lumino/signaling";
  import type { Widget } from "@lumino/widgets";
  export type Arguments = Readonly<Record<string, unknown>>;
  export interface CommandOptions {
    readonly label: string | ((args: Arguments) => string);
    readonly caption?: string;
    readonly icon?: LabIcon | ((args: Arguments) => LabIcon | undefined);
    readonly isEnabled?: (args: Arguments) => boolean;
    readonly isVisible?: (args: Arguments) => boolean;
    readonly isToggled?: (args: Arguments) => boolean;
    // biome-ignore lint/suspicious/noExplicitAny: what a command gives is its own affair
    readonly execute: (args: Arguments) => any;
  }
  export interface Commands {
    addCommand(id: string, options: CommandOptions): unknown;
    // biome-ignore lint/suspicious/noExplicitAny: what a command gives is its own affair
    execute(id: string, args?: Record<string, unknown>): Promise<any>;
    hasCommand(id: string): boolean;
    readonly keyBindings: readonly { readonly command: string; readonly keys: readonly string[] }[];
    readonly keyBindingChanged: ISignal<Commands, unknown>;
    notifyCommandChanged(id?: string): void;
  }
  export interface JupyterFrontEnd {
    readonly commands: Commands;
    readonly docRegistry: DocumentRegistry;
    readonly serviceManager: ServiceManager.IManager;
    readonly restored: Promise<unknown>;
    readonly shell: {
      readonly currentWidget: Widget | null;
      readonly currentChanged?: ISignal<unknown, unknown>;
      add(widget: Widget, area: string, options?: { rank?: number; type?: string }): void;
      activateById(id: string): void;
      widgets(area: string): Iterable<Widget>;
    };
    contextMenuHitTest(test: (node: HTMLElement) => boolean): HTMLElement | undefined;
  }
  export interface JupyterFrontEndPlugin<T> {
    readonly id: string;
    readonly description: string;
    readonly autoStart: boolean;
    readonly requires?: readonly Token<unknown>[];
    readonly optional?: readonly Token<unknown>[];
    readonly provides?: Token<T>;
    // biome-ignore lint/suspicious/noExplicitAny: services come in the order of `requires` and `optional`
    readonly activate: (app: JupyterFrontEnd, ...services: any[]) => T;
  }
  export interface ILayoutRestorer {
    restore<T extends Widget>(
      tracker: IWidgetTracker<T>,
      options: {
        command: string;
        args: (widget: T) => Record<string, unknown>;
        name: (widget: T) => string;
      },
    ): Promise<unknown>;
    add(widget: Widget, name: string): void;
  }
  export const ILayoutRestorer: Token<ILayoutRestorer>;
}

declare module "@jupyterlab/launcher" {
  import type { Token } from "@lumino/coreutils";
  export interface ILauncher {
    add(item: { command: string; category: string; rank?: number; args?: Record<string, unknown> }): unknown;
  }
  export const ILauncher: Token<ILauncher>;
}

declare module "@jupyterlab/filebrowser" {
  import type { Contents } from "@jupyterlab/services";
  import type { Token } from "@lumino/coreutils";

  /** The one in the left area; Notebook 7 gives its own. */
  export interface IDefaultFileBrowser {
    readonly model: { readonly path: string };
    selectedItems(): Iterable<Contents.IModel>;
  }
  export const IDefaultFileBrowser: Token<IDefaultFileBrowser>;
}

declare module "@jupyterlab/mainmenu" {
  import type { Token } from "@lumino/coreutils";
  import type { Widget } from "@lumino/widgets";

  interface Ranked {
    addGroup(items: { command: string; args?: Record<string, unknown> }[], rank?: number): unknown;
  }
  interface Tenants {
    add(item: { id: string; isEnabled?: (widget: Widget) => boolean; rank?: number }): unknown;
  }
  export interface IMainMenu {
    readonly fileMenu: Ranked & { readonly newMenu: Ranked };
    readonly editMenu: Ranked & { readonly undoers: { readonly undo: Tenants; readonly redo: Tenants } };
    readonly kernelMenu: Ranked & {
      readonly kernelUsers: {
        readonly restartKernel: Tenants;
        readonly changeKernel: Tenants;
        readonly interruptKernel: Tenants;
      };
    };
    readonly runMenu: Ranked & { readonly codeRunners: { readonly run: Tenants } };
  }
  export const IMainMenu: Token<IMainMenu>;
}

declare module "@jupyterlab/settingregistry" {
  import type { Token } from "@lumino/coreutils";
  import type { ISignal } from "@lumino/signaling";
  export interface ISettings {
    readonly composite: Readonly<Record<string, unknown>>;
    readonly changed: ISignal<ISettings, void>;
  }
  export interface ISettingRegistry {
    load(plugin: string): Promise<ISettings>;
  }
  export const ISettingRegistry: Token<ISettingRegistry>;
}

declare module "@jupyterlab/notebook" {
  import type { IWidgetTracker } from "@jupyterlab/apputils";
  import type { DocumentRegistry } from "@jupyterlab/docregistry";
  import type { Token } from "@lumino/coreutils";
  import type { ISignal } from "@lumino/signaling";
  import type { Widget } from "@lumino/widgets";

  interface SharedCell {
    getSource(): string;
  }
  interface Cell extends Widget {
    readonly model: {
      readonly type: string;
      readonly sharedModel: SharedCell;
      readonly contentChanged: ISignal<unknown, void>;
    };
  }
  export interface Output {
    readonly data: Readonly<Record<string, unknown>>;
    readonly metadata: Readonly<Record<string, unknown>>;
  }
  /** Those of a cell of code. */
  export interface Outputs {
    readonly length: number;
    get(index: number): Output;
    set(index: number, output: Output & { readonly output_type: string }): void;
  }
  interface Notebook extends Widget {
    activeCellIndex: number;
    readonly activeCell: Cell | null;
    readonly widgets: readonly Cell[];
    readonly model: {
      readonly cells: Iterable<{ readonly outputs?: Outputs }>;
      readonly sharedModel: {
        insertCell(index: number, cell: { cell_type: string; source: string; metadata?: unknown }): unknown;
      };
    } | null;
  }
  export interface NotebookPanel extends Widget {
    readonly content: Notebook;
    readonly context: DocumentRegistry.IContext<DocumentRegistry.IModel>;
  }
  export interface INotebookTracker extends IWidgetTracker<NotebookPanel> {
    readonly activeCellChanged: ISignal<INotebookTracker, Cell | null>;
  }
  export const INotebookTracker: Token<INotebookTracker>;
}

declare module "*.css" {
  const text: string;
  export default text;
}

declare module "@jupyterlab/toc" {
  import type { IWidgetTracker } from "@jupyterlab/apputils";
  import type { Token } from "@lumino/coreutils";
  import type { ISignal } from "@lumino/signaling";
  import type { Widget } from "@lumino/widgets";
  export interface ITableOfContentsRegistry {
    add(factory: unknown): unknown;
  }
  export const ITableOfContentsRegistry: Token<ITableOfContentsRegistry>;
  export abstract class TableOfContentsModel<H, W extends Widget> {
    constructor(widget: W, configuration?: unknown);
    protected readonly widget: W;
    readonly isActive: boolean;
    readonly activeHeadingChanged: ISignal<TableOfContentsModel<H, W>, H | null>;
    abstract get documentType(): string;
    get supportedOptions(): readonly string[];
    refresh(): Promise<void>;
    protected abstract getHeadings(): Promise<H[] | null>;
  }
  export abstract class TableOfContentsFactory<W extends Widget> {
    constructor(tracker: IWidgetTracker<W>);
    isApplicable(widget: Widget): boolean;
    protected abstract _createNew(widget: W, configuration?: unknown): TableOfContentsModel<unknown, W>;
  }
}
