import type { Arguments, JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette, Notification, showErrorMessage } from "@jupyterlab/apputils";
import { PageConfig, PathExt } from "@jupyterlab/coreutils";
import { IDefaultFileBrowser } from "@jupyterlab/filebrowser";
import { INotebookTracker } from "@jupyterlab/notebook";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { ITranslator, nullTranslator } from "@jupyterlab/translation";
import { type FileToShow, SHOW_FILE } from "../../designer/src/core/designers";
import { plain } from "../../designer/src/core/format";
import { PipelineDocument } from "./document";
import { stem, textOf, write, writeDocument } from "./files";
import { icon } from "./icon";
import { EXTENSION, FACTORY, OPEN_EVENT, PLUGIN } from "./names";
import { languageIn } from "./preferences";
import { inServer } from "./server";
import { toDocument, toProgram } from "./translate";

/** A cell or a program that defines a pipeline. */
const DEFINES = /^\s*@(?:\w+\.)*pipeline_def\b/m;

/** Between programs and documents: files, cells, and outputs of notebooks. */
export const programs: JupyterFrontEndPlugin<void> = {
  id: "@dali-studio/lab:programs",
  description: "Opens programs in the designer, and writes programs of pipelines.",
  autoStart: true,
  optional: [ITranslator, IDefaultFileBrowser, INotebookTracker, ICommandPalette, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    translator: ITranslator | null,
    browser: IDefaultFileBrowser | null,
    notebooks: INotebookTracker | null,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null,
  ) => {
    const words = (translator ?? nullTranslator).load("dali_studio");
    const { commands, serviceManager } = app;
    const { contents } = serviceManager;
    const settings = registry?.load(PLUGIN).catch(() => null);
    const dialect = async () => languageIn((await settings)?.composite);

    /** The file that a command is about: named, selected in the browser, or the one in front. */
    const pathOf = ({ path, front: inFront }: Arguments, ending: string): string | null => {
      const selected = browser ? [...browser.selectedItems()].map((item) => item.path) : [];
      const front = app.shell.currentWidget;
      const shown = front instanceof PipelineDocument ? [front.context.path] : [];
      const named = typeof path === "string" ? [path] : [];
      const clicked =
        !inFront && app.contextMenuHitTest((node) => node.classList.contains("jp-DirListing-item")) !== undefined;
      const found = named.length > 0 ? named : clicked ? selected : shown;
      return found.find((one) => one.endsWith(ending)) ?? null;
    };

    const openDocument = (path: string) => commands.execute("docmanager:open", { path, factory: FACTORY });

    const tried = async (title: string, work: () => Promise<unknown>) => {
      try {
        return await work();
      } catch (error) {
        await showErrorMessage(title, plain(error instanceof Error ? error.message : String(error)));
        return undefined;
      }
    };

    const openView = (path: string): PipelineDocument | undefined =>
      [...app.shell.widgets("main")].find(
        (one): one is PipelineDocument => one instanceof PipelineDocument && one.context.path === path,
      );

    /** The document that a command is about, unless it is known to be none. */
    const documentOf = (args: Arguments): string | null => {
      const path = pathOf(args, EXTENSION);
      return path && openView(path)?.content.refused ? null : path;
    };

    /** Do something with the program of a file, as it is on the canvas where it is open there; a kernel takes seconds. */
    const withProgram = (path: string, act: (program: string) => Promise<string>) => {
      const work = async () => {
        const text = openView(path)?.context.model.toString() ?? (await textOf(contents, path));
        const { text: program, problems } = await toProgram(serviceManager, path, text, await dialect());
        return [await act(program), ...problems].join("\n");
      };
      const [stays, goes] = [{ autoClose: false }, { autoClose: 8000 }] as const; // both are shown at once
      Notification.promise(work(), {
        pending: { message: words.__("Writing the program of %1…", PathExt.basename(path)), options: stays },
        success: { message: plain, options: goes },
        error: { message: (error) => plain(error instanceof Error ? error.message : String(error)), options: stays },
      });
    };

    commands.addCommand("dali-studio:open-program", {
      label: words.__("Open in Designer"),
      icon,
      isEnabled: (args) => pathOf(args, ".py") !== null,
      execute: (args) =>
        tried(words.__("This program cannot be opened in the designer"), async () => {
          const path = pathOf(args, ".py");
          if (!path) return;
          const { text } = await toDocument(serviceManager, await textOf(contents, path));
          await openDocument(await writeDocument(contents, PathExt.dirname(path), stem(path), text));
        }),
    });

    commands.addCommand("dali-studio:export", {
      label: words.__("Export to Python"),
      isEnabled: (args) => documentOf(args) !== null,
      execute: (args) => {
        const path = documentOf(args);
        const open = path ? openView(path) : undefined;
        // a designer asks by itself for a name, and writes what its code pane shows
        if (open?.content.session) {
          app.shell.activateById(open.id);
          open.content.session.view({ drawer: "code", asking: "code" });
        } else if (path)
          withProgram(path, async (program) => {
            const place = { folder: PathExt.dirname(path), name: stem(path), extension: ".py" };
            const made = await write(contents, place, program);
            await commands.execute("docmanager:open", { path: made });
            return words.__("Wrote %1.", made);
          });
      },
    });

    commands.addCommand("dali-studio:insert", {
      label: words.__("Insert in Notebook"),
      caption: words.__("Add a cell with the program to the notebook that was used last"),
      isEnabled: (args) => documentOf(args) !== null && Boolean(notebooks?.currentWidget),
      execute: (args) => {
        const path = documentOf(args);
        const panel = notebooks?.currentWidget;
        if (!path || !panel) return;
        withProgram(path, async (source) => {
          const index = panel.content.activeCellIndex + 1;
          panel.content.model?.sharedModel.insertCell(index, { cell_type: "code", source });
          panel.content.activeCellIndex = index;
          app.shell.activateById(panel.id);
          return words.__("Inserted into %1.", panel.context.path);
        });
      },
    });

    /** The source of the cell in use, if it defines a pipeline. */
    const cellSource = (): string | null => {
      const cell = notebooks?.currentWidget?.content.activeCell;
      const source = cell?.model.type === "code" ? cell.model.sharedModel.getSource() : "";
      return DEFINES.test(source) ? source : null;
    };
    commands.addCommand("dali-studio:open-cell", {
      label: (args) => (args.toolbar ? "" : words.__("Open the Cell's Pipeline in Designer")),
      caption: words.__("Open in designer"),
      icon,
      isEnabled: () => cellSource() !== null,
      isVisible: () => cellSource() !== null,
      execute: () =>
        tried(words.__("This cell cannot be opened in the designer"), async () => {
          const panel = notebooks?.currentWidget;
          const source = cellSource();
          if (!panel || !source) return;
          // what the cell uses may have been imported or set in the cells above it
          const above = panel.content.widgets.slice(0, panel.content.activeCellIndex);
          const program = [
            ...above.filter((c) => c.model.type === "code").map((c) => c.model.sharedModel.getSource()),
            source,
          ];
          const pipeline = /@(?:\w+\.)*pipeline_def\b[\s\S]*?\bdef\s+(\w+)/.exec(source)?.[1] ?? "";
          const plain = program.map((text) => text.replace(/^\s*[%!].*$/gm, "pass"));
          const { text, name } = await toDocument(serviceManager, plain.join("\n\n"), pipeline);
          await openDocument(await writeDocument(contents, PathExt.dirname(panel.context.path), name, text));
        }),
    });
    const renew = () => commands.notifyCommandChanged("dali-studio:open-cell");
    const renewFront = () => {
      for (const command of ["export", "insert"]) commands.notifyCommandChanged(`dali-studio:${command}`);
    };
    app.shell.currentChanged?.connect(renewFront);
    notebooks?.currentChanged.connect(renewFront);
    notebooks?.activeCellChanged.connect((_, cell) => {
      renew();
      cell?.model.contentChanged.connect(renew);
    });

    document.addEventListener(OPEN_EVENT, (event) => {
      const { detail } = event as CustomEvent<string>;
      void tried(words.__("This graph cannot be opened"), async () => {
        await app.restored; // the layout of a page that is being loaded would bring the notebook to the front again
        const folder = PathExt.dirname(notebooks?.currentWidget?.context.path ?? "");
        const { pipeline } = JSON.parse(detail) as { pipeline?: { name?: string } };
        await openDocument(await writeDocument(contents, folder, pipeline?.name || "pipeline", detail));
      });
    });

    document.addEventListener(SHOW_FILE, (event) => {
      const { path, copy } = (event as CustomEvent<FileToShow>).detail;
      const place = inServer(PageConfig.getOption("serverRoot"), path);
      if (!place) return;
      event.preventDefault();
      // hidden folders, say, are none of the browser's
      contents
        .get(place, { content: false })
        .then(() => commands.execute("filebrowser:go-to-path", { path: place }), copy);
    });

    const category = words.__("DALI Studio");
    for (const command of ["open-program", "open-cell", "export", "insert"])
      palette?.addItem({ command: `dali-studio:${command}`, category });
  },
};
