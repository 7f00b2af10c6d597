import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { INotebookTracker, type NotebookPanel, type Output, type Outputs } from "@jupyterlab/notebook";
import { MIME } from "./names";
import { inTurn } from "./turns";

/** What names the picture of a designer, before the designer's own name (`studio/widget.py`). */
const PICTURE = "dali-studio-";
const WIDGET = "application/vnd.jupyter.widget-view+json";

/** For how long a save takes in the pictures of edits that were made before it, in ms. */
const LATE = 10_000;

/** Put a newer picture behind the designer that it is of. */
function renew(outputs: Outputs, designer: string, { data, metadata }: Pick<Output, "data" | "metadata">): void {
  let behind = false;
  for (let i = 0; i < outputs.length; i++) {
    const { data: there } = outputs.get(i);
    const shown = there[WIDGET] as { readonly model_id?: string } | undefined;
    if (shown) behind = shown.model_id === designer;
    else if (behind && there[MIME] && there["image/svg+xml"] !== data["image/svg+xml"])
      outputs.set(i, { output_type: "display_data", data, metadata });
  }
}

/**
 * Keeps the pictures that notebooks save as their designers are: of a page that was loaded again, or a kernel that was
 * restarted, JupyterLab no longer knows which output to update. Who saves right after an edit, whose picture is still
 * being made, has saved that, too.
 */
export const pictures: JupyterFrontEndPlugin<void> = {
  id: "@dali-studio/lab:pictures",
  description: "Keeps the pictures of designers in notebooks up to date.",
  autoStart: true,
  optional: [INotebookTracker],
  activate: (_: JupyterFrontEnd, notebooks: INotebookTracker | null) => {
    const follow = ({ content, context }: NotebookPanel) => {
      let begun = Number.NEGATIVE_INFINITY;
      let due = false;
      const plain = context.save.bind(context);
      const save = inTurn(() => {
        due = false;
        return plain();
      });
      context.save = () => {
        begun = performance.now();
        return save();
      };
      const saveAgain = () => {
        if (!due) save().catch(() => undefined); // whoever is asked by JupyterLab has answered
        due = true;
      };
      context.sessionContext.iopubMessage.connect((_, { header, content: said }) => {
        const name = said.transient?.display_id ?? "";
        if (header.msg_type !== "update_display_data" || !name.startsWith(PICTURE)) return;
        for (const { outputs } of content.model?.cells ?? [])
          if (outputs) renew(outputs, name.slice(PICTURE.length), said);
        if (performance.now() - begun < LATE) saveAgain();
      });
    };
    notebooks?.forEach(follow);
    notebooks?.widgetAdded.connect((_, panel) => follow(panel));
  },
};
