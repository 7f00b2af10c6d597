/** The part of Lumino that is used, on which JupyterLab is built (see `jupyterlab.d.ts`). */

declare module "@lumino/signaling" {
  export interface ISignal<T, U> {
    connect(slot: (sender: T, args: U) => void, context?: unknown): boolean;
    disconnect(slot: (sender: T, args: U) => void, context?: unknown): boolean;
  }
  export class Signal<T, U> implements ISignal<T, U> {
    constructor(sender: T);
    connect(slot: (sender: T, args: U) => void, context?: unknown): boolean;
    disconnect(slot: (sender: T, args: U) => void, context?: unknown): boolean;
    emit(args: U): void;
    static clearData(object: unknown): void;
  }
}

declare module "@lumino/coreutils" {
  export class Token<T> {
    constructor(name: string, description?: string);
    readonly _tokenType: T;
  }
  export class MimeData {
    setData(mime: string, data: unknown): void;
    getData(mime: string): unknown;
  }
}

declare module "@lumino/widgets" {
  import type { ISignal } from "@lumino/signaling";
  export interface Title {
    label: string;
    caption: string;
    icon: unknown;
    iconLabel: string;
  }
  export class Widget {
    constructor(options?: { node?: HTMLElement });
    id: string;
    readonly node: HTMLElement;
    readonly title: Title;
    readonly isDisposed: boolean;
    readonly isVisible: boolean;
    readonly disposed: ISignal<this, void>;
    addClass(name: string): void;
    hide(): void;
    show(): void;
    update(): void;
    activate(): void;
    close(): void;
    dispose(): void;
    protected onActivateRequest(message: unknown): void;
    protected onAfterShow(message: unknown): void;
    protected onAfterHide(message: unknown): void;
    protected onAfterAttach(message: unknown): void;
    protected onBeforeDetach(message: unknown): void;
  }
}
