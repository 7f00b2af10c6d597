import type { CommandOptions, JupyterFrontEnd } from "@jupyterlab/application";
import type { ICommandPalette } from "@jupyterlab/apputils";
import type { ILauncher } from "@jupyterlab/launcher";
import type { Contents } from "@jupyterlab/services";
import type { TranslationBundle } from "@jupyterlab/translation";
import { LabIcon } from "@jupyterlab/ui-components";
import type { Session } from "../../designer/src/core/session";
import pairs from "../style/recipes/contrastive_pairs.jpg";
import classifier from "../style/recipes/resnet50.jpg";
import masks from "../style/recipes/segmentation.jpg";
import { commandName } from "./actions";
import type { PipelineDocument } from "./document";
import { renameDocument, stem, textOf, writeDocument } from "./files";
import { icon } from "./icon";
import { FACTORY } from "./names";

const folder = new LabIcon({
  name: "dali-studio:folder",
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 20 20">
<path class="jp-icon-brand1 jp-icon-selectable" stroke="#1976d2" style="fill:none" stroke-width="1.6"
 d="M2.5 16V4h5.6l2 2.2h7.4V16z"/></svg>`,
});

function picture(name: string, address: string): LabIcon {
  return new LabIcon({
    name: `dali-studio:recipe-${name}`,
    svgstr: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 344 136" preserveAspectRatio="xMidYMid slice">
<image href="${address}" width="344" height="136"/></svg>`,
  });
}

/** A new file takes the name of what is opened in it, such as a recipe, if somebody has named that, and goes if nothing was saved when its tab leaves it. */
function follow(contents: Contents.IManager, { content, context }: PipelineDocument): void {
  let path = context.path;
  const leave = (left: string) => {
    void textOf(contents, left)
      .then((text) => (text.trim() ? undefined : contents.delete(left)))
      .catch(() => undefined);
  };
  context.pathChanged.connect(() => {
    leave(path); // it is there where the document was saved under another name
    path = context.path;
  });
  let named = false;
  content.graphChanged.connect(() => {
    const confirmed = content.session?.store.get().confirmed;
    const name = confirmed?.graph.name ?? "";
    if (named || !confirmed?.origin || !/^untitled\d*$/.test(stem(path)) || !/^(?!pipeline$)[\w-]+$/.test(name)) return;
    named = true;
    void renameDocument(contents, path, name).catch(() => undefined);
  });
  context.disposed.connect(() => leave(path));
}

/** What new documents are made by: commands, cards of the launcher, and entries of the command palette. */
export function addNew(
  app: JupyterFrontEnd,
  words: TranslationBundle,
  launcher: ILauncher | null,
  palette: ICommandPalette | null,
): void {
  const { commands, serviceManager } = app;
  const category = words.__("Image pipelines");
  const open = async (cwd: unknown, name: string, begin: (session: Session) => void) => {
    const path = await writeDocument(serviceManager.contents, typeof cwd === "string" ? cwd : "", name, "");
    const made = (await commands.execute("docmanager:open", { path, factory: FACTORY })) as PipelineDocument;
    made.content.beginWith(begin);
    follow(serviceManager.contents, made);
    return made;
  };
  const add = (id: string, options: CommandOptions) => {
    const command = commandName(id);
    commands.addCommand(command, options);
    launcher?.add({ command, category, rank: 1 + added.push(command) });
    palette?.addItem({ command, category: words.__("DALI Studio"), args: { isPalette: true } });
  };
  const added: string[] = [];
  add("new", {
    label: (args) => (args.isPalette ? words.__("New DALI Pipeline") : words.__("New pipeline")),
    caption: words.__("Design a new data pipeline"),
    icon: (args) => (args.isPalette ? undefined : icon),
    execute: ({ cwd }) => open(cwd, "untitled", () => undefined),
  });
  add("new-folder", {
    label: (args) => (args.isPalette ? words.__("New DALI Pipeline from a Folder") : words.__("From a folder")),
    caption: words.__("Design a data pipeline that reads a folder of yours"),
    icon: (args) => (args.isPalette ? undefined : folder),
    execute: ({ cwd }) => open(cwd, "untitled", (session) => session.view({ folders: "" })),
  });
  const recipes = [
    ["resnet50", words.__("Classification"), classifier, 5],
    ["contrastive_pairs", words.__("Self-supervised"), pairs, 29],
    ["segmentation", words.__("Segmentation"), masks, 18],
  ] as const;
  for (const [name, title, address, count] of recipes) {
    const shown = picture(name, address);
    add(`new-${name}`, {
      label: (args) =>
        args.isPalette
          ? words.__("New DALI Pipeline: %1", title)
          : `${title}\n${words.__("recipe, %1 operators", count)}`,
      caption: words.__("A recipe that works, on sample data"),
      icon: (args) => (args.isPalette ? undefined : shown),
      execute: ({ cwd }) => open(cwd, name, (session) => session.send({ type: "open_recipe", name })),
    });
  }
}
