import type { JupyterFrontEnd } from "@jupyterlab/application";
import { Dialog, showDialog } from "@jupyterlab/apputils";
import type { TranslationBundle } from "@jupyterlab/translation";
import type { PipelineDocument } from "./document";
import type { Tracker } from "./documents";

/** Ask what to do with a file that somebody else has changed, when the user comes back to it. */
export function askWhenChanged(app: JupyterFrontEnd, tracker: Tracker, words: TranslationBundle): void {
  /** Until when changes of a file are known, and accepted. */
  const accepted = new WeakMap<PipelineDocument["context"], string>();
  const asking = new WeakSet<PipelineDocument["context"]>();

  const check = async (widget: PipelineDocument) => {
    const { context } = widget;
    if (!context.isReady || context.isDisposed || asking.has(context)) return;
    asking.add(context);
    try {
      const { last_modified: now } = await app.serviceManager.contents.get(context.path, { content: false });
      const known = context.contentsModel?.last_modified;
      if (!known || new Date(now) <= new Date(known) || accepted.get(context) === now) return;
      const { button } = await showDialog({
        title: words.__("%1 was changed on disk", context.localPath),
        body: context.model.dirty
          ? words.__("What you have edited here would be lost if it is loaded again.")
          : words.__("Somebody else, or a program, has written it."),
        buttons: [
          Dialog.cancelButton({ label: words.__("Keep what is open") }),
          Dialog.okButton({ label: words.__("Load it again") }),
        ],
      });
      if (button.accept) await context.revert();
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
  tracker.currentChanged.connect((_, widget) => {
    if (widget) void check(widget);
  });
}
