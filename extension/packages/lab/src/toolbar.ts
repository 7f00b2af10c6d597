import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import {
  createToolbarFactory,
  ISessionContextDialogs,
  IToolbarWidgetRegistry,
  setToolbar,
  Toolbar,
} from "@jupyterlab/apputils";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { ITranslator, nullTranslator } from "@jupyterlab/translation";
import type { PipelineDocument } from "./document";
import { Tracker } from "./documents";
import { FACTORY } from "./names";

/** The toolbar of documents: its items are in the settings, where users and other extensions add and move them. */
export const toolbar: JupyterFrontEndPlugin<void> = {
  id: "@dali-studio/lab:toolbar",
  description: "The toolbar of documents.",
  autoStart: true,
  requires: [Tracker, IToolbarWidgetRegistry, ISettingRegistry],
  optional: [ITranslator, ISessionContextDialogs],
  activate: (
    app: JupyterFrontEnd,
    tracker: Tracker,
    items: IToolbarWidgetRegistry,
    settings: ISettingRegistry,
    translator: ITranslator | null,
    dialogs: ISessionContextDialogs | null,
  ) => {
    const words = translator ?? nullTranslator;
    items.addFactory<PipelineDocument>(FACTORY, "kernelName", ({ context }) =>
      Toolbar.createKernelNameItem(context.sessionContext, dialogs ?? undefined, words),
    );
    items.addFactory<PipelineDocument>(FACTORY, "kernelStatus", ({ context }) =>
      Toolbar.createKernelStatusItem(context.sessionContext, words),
    );
    const factory = createToolbarFactory(items, settings, FACTORY, toolbar.id, words);
    const add = (widget: PipelineDocument) => {
      setToolbar(widget, factory);
      widget.toolbar.show();
      // what is known of the file by then decides about saving
      void widget.context.ready.then(() => app.commands.notifyCommandChanged("docmanager:save"));
    };
    tracker.forEach(add);
    tracker.widgetAdded.connect((_, widget) => add(widget));
  },
};
