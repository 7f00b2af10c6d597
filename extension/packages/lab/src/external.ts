import type { JupyterFrontEnd } from "@jupyterlab/application";
import { Dialog, showDialog } from "@jupyterlab/apputils";
import type { TranslationBundle } from "@jupyterlab/translation";
import type { DocumentContext, PipelineDocument } from "./document";
import type { Tracker } from "./documents";

/** Whether a file that was changed on disk is to take the place of what is open. */
export async function takesFile(name: string, body: string, words: TranslationBundle): Promise<boolean> {
  const { button } = await showDialog({
    title: words.__("%1 was changed on disk", name),
    body,
    buttons: [
      Dialog.cancelButton({ label: words.__("Keep what is open") }),
      Dialog.okButton({ label: words.__("Load it again") }),
    ],
  });
  return button.accept;
}

/** Ask what to do with a file that somebody else has changed, when the user comes back to it. */
export function askWhenChanged(app: JupyterFrontEnd, tracker: Tracker, words: TranslationBundle): void {
  /** Until when changes of a file are known, and accepted. */
  const accepted = new WeakMap<DocumentContext, string>();
  const asking = new WeakSet<DocumentContext>();

  const check = async (widget: PipelineDocument) => {
    const { context } = widget;
    if (!context.isReady || context.isDisposed || asking.has(context)) return;
    asking.add(context);
    try {
      const { last_modified: now } = await app.serviceManager.contents.get(context.path, { content: false });
      const known = context.contentsModel?.last_modified;
      if (!known || new Date(now) <= new Date(known) || accepted.get(context) === now) return;
      const body = context.model.dirty
        ? words.__("What you have edited here would be lost if it is loaded again.")
        : words.__("Somebody else, or a program, has written it.");
      if (await takesFile(context.localPath, body, words)) await context.revert();
      else accepted.set(context, now);
    } catch {
      // the file is gone or the server is away: saving says so
    } finally {
      asking.delete(context);
    }
  };

  const checkFront = () => {
    const front = app.shell.currentWidget;
    if (front && tracker.has(front)) void check(front as PipelineDocument);
  };
  window.addEventListener("focus", checkFront);
  app.shell.currentChanged?.connect(checkFront);
}
