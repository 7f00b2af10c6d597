import { Dialog, InputDialog, showDialog, showErrorMessage } from "@jupyterlab/apputils";
import { PathExt } from "@jupyterlab/coreutils";
import type { Contents } from "@jupyterlab/services";
import type { TranslationBundle } from "@jupyterlab/translation";
import type { DocumentContext } from "./document";
import { EXTENSION } from "./names";

/** Where files are, and the tabs of one that is to go. */
export interface Files {
  readonly contents: Contents.IManager;
  close(path: string): void;
}

/** A path that the user has chosen for a copy, free by now; null where it is to be none. */
async function freedPath({ path, localPath }: DocumentContext, files: Files, words: TranslationBundle) {
  const title = words.__("Save DALI pipeline As…");
  const ok = words.__("Save");
  const { button, value } = await InputDialog.getText({
    title,
    text: localPath,
    okLabel: ok,
    selectionRange: localPath.length - EXTENSION.length,
  });
  const typed = PathExt.join((button.accept && value?.trim()) || "");
  if (!typed || typed === localPath) return typed || null;
  const chosen = PathExt.extname(typed) ? typed : `${typed}${EXTENSION}`;
  const target = path.slice(0, path.length - localPath.length) + chosen; // with its drive
  const there = await files.contents.get(target, { content: false }).catch(() => null);
  if (there?.type === "directory") {
    await showErrorMessage(title, words.__('"%1" is a folder. Give the name of a file in it.', chosen));
    return null;
  }
  if (there) {
    const { button: answer } = await showDialog({
      title: words.__("File Overwrite?"),
      body: words.__('"%1" already exists. Do you want to replace it?', chosen),
      buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: words.__("Overwrite") })],
    });
    if (!answer.accept) return null;
    files.close(target);
    await files.contents.delete(target);
  }
  return chosen;
}

/**
 * Save a document under another name, and go on there: in the same tab, with the same kernel, undo steps and selection.
 * JupyterLab's own way opens the copy beside and closes what was open. A context follows the path of its session, which
 * can be set; without a kernel there is none, and JupyterLab sees a copy that is written and opens that.
 */
export async function saveAs(
  context: DocumentContext,
  files: Files,
  words: TranslationBundle,
  isAhead: () => boolean,
): Promise<void> {
  const before = context.localPath;
  const path = await freedPath(context, files, words);
  const { session } = context.sessionContext;
  const { model } = context;
  if (path === null || context.isDisposed) return;
  if (session || path === before) {
    if (path !== before) await session?.setPath(path);
    await context.save().catch(() => session?.setPath(before)); // JupyterLab has said what is wrong
    return;
  }
  const { dirty } = model;
  model.dirty = dirty && isAhead(); // else it would ask about edits that the copy has
  const target = context.path.slice(0, context.path.length - before.length) + path;
  try {
    await files.contents.save(target, { type: "file", format: "text", content: model.toString() });
  } catch (error) {
    model.dirty = dirty;
    await showErrorMessage(words.__("File Save Error for %1", path), error as Error);
  }
}
