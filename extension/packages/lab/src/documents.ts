import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette, IKernelStatusModel, ISessionContextDialogs, WidgetTracker } from "@jupyterlab/apputils";
import { ILauncher } from "@jupyterlab/launcher";
import { ITranslator, nullTranslator } from "@jupyterlab/translation";
import { fileType, type PipelineDocument, PipelineFactory, PipelineModelFactory } from "./document";
import { icon } from "./icon";
import { EXTENSION, FACTORY, PLUGIN } from "./names";
import { addStyle } from "./style";

/** Documents: the file type, the editor and what makes and finds them again. */
export const documents: JupyterFrontEndPlugin<void> = {
  id: PLUGIN,
  description: "Opens .dali.json files in the designer.",
  autoStart: true,
  optional: [ITranslator, ILayoutRestorer, ILauncher, ICommandPalette, ISessionContextDialogs, IKernelStatusModel],
  activate: (
    app: JupyterFrontEnd,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    launcher: ILauncher | null,
    palette: ICommandPalette | null,
    dialogs: ISessionContextDialogs | null,
    status: IKernelStatusModel | null,
  ) => {
    const words = (translator ?? nullTranslator).load("dali_studio");
    addStyle();
    const tracker = new WidgetTracker<PipelineDocument>({ namespace: "dali-studio" });
    const factory = new PipelineFactory(words, (context) => void dialogs?.selectKernel(context.sessionContext));
    app.docRegistry.addFileType(fileType);
    app.docRegistry.addModelFactory(new PipelineModelFactory());
    app.docRegistry.addWidgetFactory(factory);
    factory.widgetCreated.connect((_, widget) => {
      void tracker.add(widget);
      widget.context.pathChanged.connect(() => void tracker.save(widget));
    });
    void restorer?.restore(tracker, {
      command: "docmanager:open",
      args: (widget) => ({ path: widget.context.path, factory: FACTORY }),
      name: (widget) => widget.context.path,
    });
    status?.addSessionProvider((widget) =>
      widget && tracker.has(widget) ? (widget as PipelineDocument).context.sessionContext : null,
    );
    const create = "dali-studio:new";
    app.commands.addCommand(create, {
      label: (args) => (args.isPalette ? words.__("New DALI Pipeline") : words.__("DALI pipeline")),
      caption: words.__("Design a new data pipeline"),
      icon: (args) => (args.isPalette ? undefined : icon),
      execute: async ({ cwd }) => {
        const path = typeof cwd === "string" ? cwd : "";
        const made = await app.serviceManager.contents.newUntitled({ path, type: "file", ext: EXTENSION });
        return app.commands.execute("docmanager:open", { path: made.path, factory: FACTORY });
      },
    });
    launcher?.add({ command: create, category: words.__("Image pipelines"), rank: 1 });
    palette?.addItem({ command: create, category: words.__("DALI Studio"), args: { isPalette: true } });
  },
};
