import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import {
  ICommandPalette,
  IKernelStatusModel,
  ISessionContextDialogs,
  type IWidgetTracker,
  WidgetTracker,
} from "@jupyterlab/apputils";
import { ILauncher } from "@jupyterlab/launcher";
import { IMainMenu } from "@jupyterlab/mainmenu";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { ITranslator, nullTranslator, type TranslationBundle } from "@jupyterlab/translation";
import { Token } from "@lumino/coreutils";
import type { Widget } from "@lumino/widgets";
import { actions, addActions, commandName, Keys } from "./actions";
import { fileType, type PipelineDocument, PipelineFactory, PipelineModelFactory } from "./document";
import { askWhenChanged } from "./external";
import { addNew } from "./launch";
import { FACTORY, PLUGIN } from "./names";
import { addStyle } from "./style";

export type Tracker = IWidgetTracker<PipelineDocument>;
/** The documents that are open. */
export const Tracker = new Token<Tracker>("@dali-studio/lab:tracker", "The open documents of pipelines.");

/** Documents: the file type, the editor, its commands and keys. */
export const documents: JupyterFrontEndPlugin<Tracker> = {
  id: PLUGIN,
  description: "Opens .dali.json files in the designer.",
  autoStart: true,
  provides: Tracker,
  optional: [
    ITranslator,
    ILayoutRestorer,
    ILauncher,
    ICommandPalette,
    ISessionContextDialogs,
    IKernelStatusModel,
    IMainMenu,
    ISettingRegistry,
  ],
  activate: (
    app: JupyterFrontEnd,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    launcher: ILauncher | null,
    palette: ICommandPalette | null,
    dialogs: ISessionContextDialogs | null,
    status: IKernelStatusModel | null,
    menu: IMainMenu | null,
    registry: ISettingRegistry | null,
  ) => {
    const words = (translator ?? nullTranslator).load("dali_studio");
    const { commands, docRegistry } = app;
    addStyle();
    addActions(app, words);
    let keys = new Keys(commands.keyBindings, words);
    commands.keyBindingChanged.connect(() => {
      keys = new Keys(commands.keyBindings, words);
    });
    const settings = registry?.load(PLUGIN).catch(() => null) ?? Promise.resolve(null);
    void settings.then((found) => {
      const tell = () => {
        document.body.dataset.wireDropped = String(found?.composite.wireDropped);
      };
      tell(); // designers in cells know nothing of settings
      found?.changed.connect(tell);
    });
    const tracker = new WidgetTracker<PipelineDocument>({ namespace: "dali-studio" });
    const { contents } = app.serviceManager;
    const close = (path: string) =>
      tracker.forEach((widget) => {
        if (widget.context.path === path) widget.dispose();
      });
    const factory = new PipelineFactory(words, {
      files: { contents, close },
      chooseKernel: (context) => void dialogs?.selectKernel(context.sessionContext),
      openText: (path) => void commands.execute("docmanager:open", { path, factory: "Editor" }),
      add: (cwd) => void commands.execute(commandName("new"), { cwd }),
      keys: () => keys,
      renew: () => commands.notifyCommandChanged(),
      preferences: async () => (await settings)?.composite ?? {},
    });
    docRegistry.addFileType(fileType);
    docRegistry.addModelFactory(new PipelineModelFactory());
    docRegistry.addWidgetFactory(factory);
    factory.widgetCreated.connect((_, widget) => {
      void tracker.add(widget);
      widget.context.pathChanged.connect(() => void tracker.save(widget));
    });
    askWhenChanged(app, tracker, words);
    void restorer?.restore(tracker, {
      command: "docmanager:open",
      args: (widget) => ({ path: widget.context.path, factory: FACTORY }),
      name: (widget) => widget.context.path,
    });
    const contextOf = (widget: Widget | null) =>
      widget && tracker.has(widget) ? (widget as PipelineDocument).context.sessionContext : null;
    status?.addSessionProvider(contextOf);
    addNew(app, words, launcher, palette);
    addKernel(app, words, (run) => {
      const session = contextOf(app.shell.currentWidget);
      return session && dialogs ? run(dialogs, session) : undefined;
    });
    if (menu) addToMenus(menu, (widget) => tracker.has(widget));
    for (const action of Object.keys(actions(words)))
      palette?.addItem({ command: commandName(action), category: words.__("DALI Designer") });
    return tracker;
  },
};

type Dialogs = ISessionContextDialogs;
type Session = PipelineDocument["context"]["sessionContext"];

/** The kernel of the document in front, for JupyterLab's own menu. */
function addKernel(
  app: JupyterFrontEnd,
  words: TranslationBundle,
  withKernel: (run: (dialogs: Dialogs, session: Session) => unknown) => unknown,
): void {
  app.commands.addCommand(commandName("restart-kernel"), {
    label: words.__("Restart Kernel…"),
    execute: () => withKernel((dialogs, session) => dialogs.restart(session)),
  });
  app.commands.addCommand(commandName("change-kernel"), {
    label: words.__("Change Kernel…"),
    execute: () => withKernel((dialogs, session) => dialogs.selectKernel(session)),
  });
}

function addToMenus(menu: IMainMenu, isEnabled: (widget: Widget) => boolean): void {
  menu.editMenu.undoers.undo.add({ id: commandName("undo"), isEnabled });
  menu.editMenu.undoers.redo.add({ id: commandName("redo"), isEnabled });
  menu.runMenu.codeRunners.run.add({ id: commandName("run"), isEnabled });
  menu.kernelMenu.kernelUsers.restartKernel.add({ id: commandName("restart-kernel"), isEnabled });
  menu.kernelMenu.kernelUsers.changeKernel.add({ id: commandName("change-kernel"), isEnabled });
}
